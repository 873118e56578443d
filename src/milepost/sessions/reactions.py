"""What a prompt says of the work before it: a nod, praise, an objection."""

from __future__ import annotations

from milepost.text.expressions import lazy

# So few words begin nothing, unless one of them gives an order of its own.
_NOD_WORDS = 3
_OPENING_CHARS = 120
_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)?")
_PRAISE = lazy(
    r"(?i)\b(?:thanks?|thank you|thx|ty|great|perfect|nice|awesome|lovely|excellent|lgtm|good|cool"
    r"|works|lifesaver|well done|danke|super|prima|passt|klasse|perfekt|läuft|sehr gut|merci"
    r"|parfait|génial|nickel|ça marche|gracias|perfecto|genial|funciona|estupendo)\b"
)
_OBJECTION = lazy(
    r"(?i)^\W*(?:no+|nope|nah|wrong|never|ffs|nein|nee|falsch|nie|non|faux)\b"
    r"|^\W*(?:stop|wait|halt|arrête|espera|para)\b *[,.!:]"
    r"|\b(?:not what|that'?s wrong|is wrong|still (?:fail|broken|not|red|the same|get|see)"
    r"|(?:does|did|do|is|was)(?:n'?t| not) (?:work|help|right|correct|it)|revert|undo|put it back"
    r"|nothing to do with|forget it|give up|makes no sense|geht (?:immer noch )?nicht|immer noch"
    r"|stimmt nicht|quatsch|zurück|lass (?:es|das)|ne marche pas|marche pas|toujours pas|n'est pas"
    r"|no funciona|sigue (?:sin|fallando|igual)|está mal|así no|déjalo|laisse tomber)\b"
)
_ORDER = lazy(
    r"(?i)\b(?:add|fix|build|run|deploy|test|write|remove|rename|update|upgrade|bump|release|ship"
    r"|migrate|refactor|create|implement|check)\b"
)
_GOING_ON = lazy(
    r"(?i)^\W*(?:(?:ok|okay|yes|yep|yeah|sure|please|pls|and|then|now|go|ja|oui|sí|si|bitte|gut)\W+)*"
    r"(?:commit|push|continue|proceed|go (?:on|ahead|for it)|do (?:it|that|so)|try (?:it )?again"
    r"|again|retry|carry on|weiter|mach(?: das)?|vas-y|adelante|dale)\b"
)


def is_nod(prompt: str) -> bool:
    """Whether a prompt only reacts, or says to go on."""
    if len(prompt) > _OPENING_CHARS:
        return False
    words = _WORD.findall(prompt)
    if _GOING_ON.search(prompt) and len(words) <= 2 * _NOD_WORDS:
        return True
    return len(words) <= _NOD_WORDS and not _ORDER.search(prompt)


def praises(prompt: str) -> bool:
    """Whether a prompt begins by saying that the work is good."""
    opening = prompt[:_OPENING_CHARS]
    return _PRAISE.search(opening) is not None and not objects(opening)


def objects(prompt: str) -> bool:
    """Whether a prompt begins by saying that the work is wrong."""
    return _OBJECTION.search(prompt[:_OPENING_CHARS]) is not None
