"""What a person passes on of what others say, told from what they say themselves.

"The client writes: …", "from the wiki: …", "my colleague says we should …": the words are those of
others, up to where the person asks about them or comes back to their own affairs.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

from milepost.text import pasted_words as words
from milepost.text.expressions import lazy

# Whoever speaks of themselves passes nothing on.
_SELF = r"i|we|you|as|it|i've|we've|that|who|which|ich|wir|du|ihr|wie|je|j'ai|on|nous|tu|yo|nosotros|eu|nós|io|noi|ik|wij|já|я|мы|ми"
# Saying, where a clause follows; what is a thing as well ("claims") needs more to be heard.
_SAYING = (
    r"(?:says?|said|thinks?|thought|believes?|suggest(?:s|ed)|recommend(?:s|ed)|insist(?:s|ed)|argue[sd]|keeps? (?:saying|telling)|told (?:me|us)|tells (?:me|us))\b"
    r"|(?:claims?|claimed|states?|stated|proposes?|proposed|wrote|writes?|answered|replied|mentioned|reckons|swears) (?:that|we|you)\b"
    r"|(?:sagt|sagte|meint|meinte|glaubt|behauptet|behauptete|empfiehlt|schreibt|schrieb)\b,? (?:dass|wir|man|es|immer|nie|alle|die|der|das)\b"
    r"|(?:dit|disent|pense|pensent|affirme|estime|recommande|prétend|suggère|écrit|a dit) (?:que?\b|qu'|d'|de\b)"
    r"|(?:dice|dicen|dijo|cree|piensa|opina|recomienda|sugiere|afirma|escribe) que\b"
    r"|(?:diz|disse|acha|recomenda|sugere|escreve) que\b|(?:dice|ha detto|pensa|consiglia|suggerisce|scrive) (?:che|di)\b"
    r"|(?:zegt|vindt|denkt|schrijft) dat\b|(?:mówi|twierdzi|uważa|sugeruje|pisze),? że\b|(?:říká|tvrdí|myslí si|píše),? že\b"
    r"|(?:говорит|говорят|сказал\w*|считает|утверждает|думает|советует|пишет)\b|(?:каже|сказа\w+|вважає|радить|пише)\b"
)
_PASSED_ON = lazy(
    rf"^\W*(?:(?!(?:{_SELF})\b)[\w'.-]+ ){{1,5}}?(?:{_SAYING})"
    r"|^\W*(?:according to|laut|selon|d'après|según|segundo|secondo|volgens|według|podle|согласно|по словам|згідно)\b(?! (?:absprache|vereinbarung|lo acordado|accord))"
    r"|(?:同事|老板|朋友|客户|经理|领导|文档|网上|有人|他们?|她)(?:们|都|总)?(?:说|认为|觉得|建议|写道|表示)"
    r"|(?:さん|同僚|上司|友人|顧客|彼)(?:が|は).{1,60}(?:と言|と思って|って言)|(?:동료|상사|친구|고객)(?:가|이|는|은).{1,60}(?:라고|다고)"
)
# Saying, right before a colon; and where something is from.
_BEFORE_COLON = lazy(
    r"^(?:.*?\b)?(?:says?|said|writes?|wrote|thinks?|answer(?:s|ed)|repl(?:ies|ied)|suggest(?:s|ed)|recommend(?:s|ed)|claim(?:s|ed)|state[sd]|propose[sd]|told (?:me|us)|argue[sd]|quotes?|complains?|warns?|meckert|warnt|se plaint|se queja|[\w-]+'s (?:(?:e-?)?mail|message|comment|note|advice|review|answer|reply|post)"
    r"|sagt|sagte|meint|meinte|schreibt|schreiben|schrieb|empfiehlt|behauptet|antwortet\w*|écri(?:t|vent)|dit|disent|affirme|recommande|propose|répond\w*|a écrit"
    r"|escrib(?:e|en|ió)|dicen?|dijo|recomienda|sugiere|opina|responde|escreve\w*|diz|disse|scrive|ha scritto|schrijft|zegt|pisze|mówi|napisał\w*|píše|říká|napsal\w*|пишет|пишут|говорит|сказал\w*|написал\w*|пише|каже|написа\w+|yazıyor|diyor|dedi)\b(?: (?:me|us|to (?:me|us)|today|yesterday|about (?:this|that|it)|dazu|uns|mir|heute))?\s*$"
    r"|^\W*(?:(?:taken|quot(?:ed|ing|e)|copied|straight|this is|here is|(?:an? )?(?:excerpt|snippet|advice|line|rule|comment|feedback|answer|reply|passage)) )?from (?!now|here|today|then|this|that|tomorrow|our|my)(?:the |their |an? |his |her |your )?(?!.*(?:perspective|side|view|on)$)[\w' .-]{2,40}$"
    r"|^\W*(?:according to|laut|gemäß|selon|d'après|según|segundo|de acordo com|secondo|volgens|według|podle|согласно|по словам|згідно)\b(?! (?:absprache|vereinbarung|lo acordado|accord)).{2,50}$"
    r"|^\W*(?:aus (?:dem|der|einem|einer)|extrait d[ue]|du|del|dal|dalla|uit de|uit het|z|ze|из|з) (?:wiki\w*|handbuch|ticket|issue|docs?|doku\w*|readme|mail|forum|blog\w*|manuel|manual|вики|документации)\b.{0,30}$"
    r"|(?:说|写道|表示|建议|回答|认为)\s*$|^(?:根据|据|摘自|来自).{1,20}$|(?:と言っています|より|によると|によれば)\s*$"
)
_HEARD = lazy(
    r"^\W*(?:i|we) (?:just |once )?(?:read|heard|saw|found)\b|^\W*(?:hab|habe|ich hab|ich habe) .*(?:gelesen|gehört|gefunden)$"
    r"|^\W*j'ai (?:lu|entendu|vu|trouvé)\b|^\W*(?:he leído|leí|he visto|oí)\b|^我?(?:看到|读到|听说)"
)
_HEAD = lazy(r"(?:^|(?<=[.!?。！？]))\s*([^:：.!?。！？\n]{2,80})\s?[:：]\s*(?=\S)")
_ONES_OWN = lazy(
    rf"(?:^|\s)(?:{_SELF})(?: [\w']+){{0,3}}\s*$|我们?说?\s*$"
    r"|\b(?:our|my|unsere?|notre|nuestr[oa]) (?:own )?(?:rules?|conventions?|standards?|polic(?:y|ies)|guidelines?|regel\w*|règles?|reglas?|norm\w*)\b"
)
_QUOTATION = lazy(r"\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」")
_SENTENCE = lazy(r"[^.!?。！？]+(?:[.!?。！？]+|$)\s*")
_TURNING = lazy(words.TURNING)


def is_passed_on(said: str) -> bool:
    """Whether a sentence in lower case tells what others say."""
    return _PASSED_ON.search(said) is not None


def without_passed_on(line: str) -> tuple[str, bool]:
    """Return a line without what others say in it, and whether they still speak at its end."""
    if ":" not in line and "：" not in line:
        return line, False
    for head in _HEAD.finditer(line):
        if _announces(head[1].lower()):
            rest, speaking = _after(line[head.end() :])
            return (line[: head.start()] + rest).strip(), speaking
    return line, False


def _announces(head: str) -> bool:
    if _HEARD.search(head):
        return True
    return _BEFORE_COLON.search(head) is not None and not _ONES_OWN.search(head)


def _after(text: str) -> tuple[str, bool]:
    """Return what follows the words of others, and whether those reach to the end."""
    quotation = _QUOTATION.match(text)
    if quotation:
        return " " + text[quotation.end() :].lstrip(" .,"), False
    return own_again(text)


def own_again(text: str) -> tuple[str, bool]:
    """Return what a person says once they come back to it themselves."""
    for sentence in _SENTENCE.finditer(text):
        if _TURNING.search(sentence[0].strip().lower()):
            return " " + text[sentence.start() :], False
    return "", True
