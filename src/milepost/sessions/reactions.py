"""What a prompt says of the work before it: a nod, praise, an objection."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.words import content_words

# So few words begin nothing, unless one of them gives an order of its own.
_NOD_WORDS = 3
_OPENING_CHARS = 120
# Fewer words than this name no task.
_NAMED_WORDS = 2
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
    r"|(?:does|did|do|is|was)(?:n'?t| not) (?:work|help|right|correct|it)|put it back"
    r"|nothing to do with|forget it|give up|makes no sense|geht (?:immer noch )?nicht|immer noch"
    r"|stimmt nicht|quatsch|zurück|lass (?:es|das)|ne marche pas|marche pas|toujours pas|n'est pas"
    r"|no funciona|sigue (?:sin|fallando|igual)|está mal|así no|déjalo|laisse tomber)\b"
    # What is said to fail without a name is what was just made.
    r"|^\W*(?:(?:hm+|uh|um|oh|but|now|well|and|ok|okay|jetzt|aber|mais|pero)\b\W*){0,3}"
    r"(?:it|this|that|es|das|ça|cela|eso|esto) (?:\w+ ){0,2}?(?:crash\w*|breaks?|broke|fails?"
    r"|throws?|raises?|hangs?|made (?:it|things) \w+er|stürzt|bricht|wirft"
    r"|plante|casse|rompe|falla)\b"
)
# What is meant is what was just made: it is named by no more than a word for it, or not at all.
_TAKING_BACK = lazy(
    r"(?i)\b(?:revert|undo|roll back|rollback|back out|put back|take (?:back|out)|get rid of"
    r"|restore|annule\w*|remets|deshaz|revierte|desfaz|reverte|annulla|ripristina|cofnij|vrať|откати"
    r"|верни)"
    r"(?: (?:it|that|this|them|these|those|everything|all|your|ça|cela|tout|eso|esto|todo|tudo"
    r"|tutto|to|всё|это|the (?:last |whole )?(?:change|commit|edit|patch|thing)s?)\b|\W*$| *[,.!;])"
    r"|\b(?:roll|put|take|back) (?:it|that|this|them) (?:back|out)\b"
    r"|\b(?:mach|nimm|dreh|setz|roll)\w* (?:es|das|alles) (?:\w+ )?(?:rückgängig|zurück|raus)\b"
    r"|\b(?:rückgängig machen|zurücknehmen|deshazlo|reviértelo|quítalo|reviens en arrière"
    r"|draai (?:het|dat) terug|geri al)\b|撤销|回滚|还原|元に戻|되돌려|تراجع"
)
_INSTEAD = lazy(r"(?i)\b(?:instead|rather|stattdessen|lieber|plutôt|mejor|en su lugar|but)\b")
_UNDOING = lazy(
    r"\bgit (?:-\S+ )*(?:revert|restore|reset|checkout (?:\S+ )*?(?:-- |\.(?:\s|$)|\S*\.\w+)"
    r"|stash(?: (?:push|save|drop))?(?:\s*$|\s+-)|clean)"
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


def asks_nothing(prompt: str) -> bool:
    """Whether a prompt names nothing to do, so that it must mean what was done before."""
    if not is_nod(prompt):
        return False
    rest = _GOING_ON.sub("", prompt, count=1)
    return len(set(content_words(rest))) < _NAMED_WORDS or praises(prompt) or objects(prompt)


def takes_back(prompt: str) -> bool:
    """Whether a prompt says to undo the work before it, and nothing to do in its place."""
    opening = prompt[:_OPENING_CHARS]
    return _TAKING_BACK.search(opening) is not None and _INSTEAD.search(prompt) is None


def praises(prompt: str) -> bool:
    """Whether a prompt begins by saying that the work is good."""
    opening = prompt[:_OPENING_CHARS]
    return _PRAISE.search(opening) is not None and not objects(opening)


def objects(prompt: str) -> bool:
    """Whether a prompt begins by saying that the work is wrong."""
    opening = prompt[:_OPENING_CHARS]
    return _OBJECTION.search(opening) is not None or _TAKING_BACK.search(opening) is not None


def undoes(command: str) -> bool:
    """Whether a command of git takes back what was changed or committed."""
    return _UNDOING.search(command) is not None
