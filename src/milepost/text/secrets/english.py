"""Secrets that English tells somewhere near the word for them: use … to log in, changed it to ….

Here the value is found first, for it looks like no other word; what stands right before it must
hand it over, and what it opens must be told of near by.
"""

from __future__ import annotations

import re

from milepost.text.expressions import lazy
from milepost.text.secrets.mark import marked
from milepost.text.secrets.passwords import is_common, is_dense, is_password
from milepost.text.secrets.signs import Signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE, _AFTER = 110, 70
_WORD_MIN, _WORD_MAX = 6, 110
_OPENING = "\"'`“„«*("
_HANDING = frozenset(
    "with using and by via is are was now then type typing typed enter entered try tried say it "
    "answer reply use used put in pass still it's it’s to from one ones old new first second "
    "previous current gave give given got get gets sent picked chose generated has had have takes "
    "him her them us me you back over been be set reset changed und mit need needs provide became "
    "here below above instead there again token tokens key keys bearer secret credential "
    "credentials credential word phrase password string value that's mine's".split()
)
# What a password has and a word has not, to the end of the word; a password may be joined words.
_ODD = lazy(r"[\d!#$%^&]\S*")
_ODD_OR_JOINED = lazy(r"[\d!#$%^&]\S*|[a-z]{3}[.-][a-z]{3,10}[.-][a-z]{3}\S*")
# What says that the thing told of follows now.
_POINTS = lazy(
    r"(?i)(?:\b(?:it|them|that|mine|this|that one|(?:the|my) (?:new|old|current|other|last) one)"
    r"(?:[’']s|[ ]is|[ ]was|[ ]became|[ ]should be|[ ]will be|[ ]used to be|[ ]has been)"
    r"(?:[ ](?:now|still|just|simply|currently))*"
    r"|\b(?:chang|set|reset|switch|rotat|updat|mov|turn|mad|mak|flipp?)(?:e|ed|es|ing|ting|ched|t)?"
    r"[ ](?:it|that|this|back|over)?[ ]?(?:to|from)|\bnow|\bstill"
    r"|\b(?:type|typing|typed|enter|entered|try|tried|say|give it|answer(?: with)?|reply with|use"
    r"|used|using|put in|pass)(?:[ ]in)?"
    r"|\b(?:is|was|been|be)(?:[ ](?:now|still|just|set|reset|changed)){1,3}(?:[ ](?:to|from))?"
    r"|\b(?:changed|rotated|switched|went|reset|moved)[ ](?:from|to)|\bfrom[ ]\S{4,60}[ ]to"
    r"|\b(?:old|new|first|second|previous|current)(?: one| ones)?(?:[ ](?:is|was|are))?"
    r"|\b(?:gave|give|given|got|get|gets|sent|picked|chose|generated|has|had|have|goes by|takes)"
    r"(?:[ ](?:him|her|them|us|me|you|it))?)"
    r"(?:[ ]the[ ]\w{3,12})?[ ]?[:=]?[ ]?[\"'`“„«*(]{0,3}\Z"
)
# How one goes on about a thing that was told of before.
_ONE = lazy(
    r"(?i)\b(?:it[’']s|(?:old|new|other|current|last) one(?:[’']s|[ ](?:is|was)))"
    r"(?:[ ](?:now|still|the[ ]\w{1,12}[ ][\w ]{0,50}:))?:?[ ][\"'`“„«*(]{0,3}\Z"
)
# A user at the beginning of a line, and what parts the password from it.
_LISTED = lazy(
    r"(?:\A|\n|[-*•:] )[\w.@-]{2,40}[ ](?:[/|]|->|→)[ ][`*\"']{0,3}\Z"
    r"|\n?\buser(?:name)?:[ ]?\S{2,40}\n\Z"
)
# A question for a secret, with the beginning of the line that answers it.
_ASKED = lazy(
    r"(?i)\b(?:pass\w*|pw|pwd|token|key|auth|creds?|credentials|secret|login|pin|code)\b"
    r"[^\n?]{0,40}\?[ ]*\n+(?:<?[\w .@-]{1,24}[:>]{0,2}[ ])?[\"'`“„«*(]{0,3}\Z"
)
# A way in with a user, and what joins the password to it.
_WITH_USER = lazy(
    r"(?i)\b(?:with|as|using|user(?:name)?|login|account|into)[ :]+(?:is[ ])?[\"'`]?"
    r"(?!the\b|a\b|an\b|your\b)[\w.@+-]{2,40}[\"'`]?"
    r"(?:,|[ ](?:and|with|/|using|:))[ ](?:then[ ])?[\"'`“„«*(]{0,3}\Z"
)
_USER_PART = lazy(r"[\w.@-]{2,40}:(?!//)(?=[^/:]{6,80}$)")
_VERY_STRONG = lazy(r"(?=.*[A-Z])(?=.*[a-z])(?:.*[!@#$%^&*].*\d|.*\d.*[!@#$%^&*])")
_JOINED_WORDS = lazy(r"[a-z]{3,10}(?:(?:\.[a-z]{3,10}){2,7}|(?:-[a-z]{3,10}){3,7})")
# What joins a user and a password, or a way in and what opens it.
_HANDS = lazy(
    r"(?i)(?:\b(?:with|using|and|by|via|is|are|was|now|then|then type|und|mit)|[\w\"'`][,/|:]"
    r"|[ ](?:[/|:+&-]|->|→|–|—))[ ][\"'`“„«*(]{0,3}\Z"
)
_USES = lazy(
    r"(?i)\b(?:use|used|using|type|enter|try|with|need|needs|provide|give)[ ][\"'`“„«*(]{0,3}\Z"
)
_OPENS = lazy(
    r"(?i)[\"'`”»*)]{0,3}[ ](?:to|for)[ ](?:log(?:ging)?[ -]?(?:in|on)|sign(?:ing)?[ -]?in|"
    r"get(?:ting)? in|unlock|connect to|authenticate|access|open|enter)\b"
)
# A sentence that says of what was told before that it is a password.
_NAMED_AFTER = lazy(
    r"(?i)[\"'`”»*)]{0,3}[.,;!]?[ ](?:and |so |—[ ])?(?:that|this|which|it)(?:[’']s|[ ](?:is|was))"
    r"[ ](?:the|my|our|your|his|her|their)[ ](?:[\w’'-]+[ ]){0,4}"
    r"(?:password|passphrase|passcode|pw|pwd|login)\b"
)
_LOGIN = lazy(
    r"(?i)\blog(?:s|ged|ging)?[ -]?(?:in|on)\b|\bsign(?:s|ed|ing)?[ -]?in\b|\bcred(?:ential)?s?\b"
    r"|\bauth|\b(?:get|gets|got|lets?|getting)(?:[ ]you)?[ ]in(?:to)?\b|\bs?ftp\b|\bssh\b"
    r"|\bwi-?fi\b|\baccount\b|\buser(?:name)?\b|\badmin\b|\broot\b|\buse[ ]\S{1,40}@"
    r"|\banmeld|\bzugang\b"
)
_PASSWORD = lazy(
    r"(?i)(?<![\w/.-])(?:\w+_)?(?:pass(?:word|phrase|code|wd)?s?|pw|pwd|creds?|credentials?"
    r"|p/w|login)\b(?![=_/-]|\.\w)|\[secret\]"
)
_SENTENCE = lazy(r"[.!?;]\s|\n")
# The name of a machine, a version or an account with its number.
_HOST = lazy(
    r"[a-z]+(?:-[a-z]+)*-0?\d|[a-z]+(?:-[a-z]+)*-?0\d+|(?:[a-z]+-)*v\d[\w.]*|[a-z]+-\d+\.\d[\w.]*"
    r"|(?:[a-z]+[-_])?(?:user|account|agent|client|host|server|node|build|test|port|key|runner"
    r"|release|sprint)s?[-_]?\d+"
)
_NAMES_KEY = lazy(
    r"(?i)\b(?:token|key|bearer|secret|credential)s?(?:[ ](?:here|below|above|instead|there|now"
    r"|again|you need|you want|you asked for|to use|(?:for|from) \w{1,20}))?(?:[ ](?:is|was|are))?"
    r"[ ]?(?:[:=→]|->|[ ]-)?\s[\"'`“„«*(]{0,3}\Z"
    r"|\b(?:auth(?:enticate|orize)?d?|log(?:ged)? in|sign(?:ed)? in)[ ](?:with|using|by)[ ]"
    r"(?:the[ ]|this[ ]|my[ ])?(?:\w+[ ])?[\"'`“„«*(]{0,3}\Z"
)
# The name of a key that only finds something, or that is made to be shown.
_FINDS = lazy(
    r"(?i)\b(?:public|pub|cache|primary|foreign|partition|sort|object|s3|redis|idempotency"
    r"|dedup|websocket|commit|sha|hash|routing|row|index|site|translation|i18n|query|map|shard"
    r"|lookup|verified|verify|verifying|recv|fingerprint|gpg|pgp|deploy(?:ed)?)"
    r"[^\n]{0,20}(?:keys?|tokens?)\b[^\n]{0,40}\s?\Z"
)


def hide(text: str, signs: Signs) -> str:
    """Return a text in which values are replaced that a sentence points at."""
    hidden = marked(text, _spans(text, signs))
    # What was hidden tells of what stands beside it: the old one was [secret], the new one is ….
    return marked(hidden, _spans(hidden, signs)) if hidden != text else text


def _spans(text: str, signs: Signs) -> Iterator[tuple[int, int]]:
    done = 0
    for odd in (_ODD_OR_JOINED if "pass" in signs.lowered else _ODD).finditer(text):
        # The word in which something is odd.
        floor, at = max(done, odd.start() - _WORD_MAX), odd.start()
        start = max(text.rfind(" ", floor, at), text.rfind("\n", floor, at))
        start = start + 1 if start >= 0 else floor
        if odd.end() - start >= _WORD_MIN:
            for first, last in _value(text, start, odd.end()):
                yield first, last
                done = last


def _value(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the value is in a word, if it is handed over there."""
    while start < end and text[start] in _OPENING:
        start += 1
    if not _may_hand(text[max(start - 24, 0) : start]):
        return
    value = text[start:end].rstrip(".,;:)]}>\"'`”*?")
    if value[-1:] == "!" and not _is_strong(value[:-1]):
        value = value[:-1]
    user = _USER_PART.match(value)
    shown = user.end() if user else 0
    if not value.isascii() or not _could_be(value[shown:]):
        return
    end = start + len(value)
    before = text[max(start - _BEFORE, 0) : start].rpartition("\n\n")[2]
    after = text[end : end + _AFTER].partition("\n\n")[0]
    if user:
        login = _LOGIN.search(_SENTENCE.split(before)[-1])
        is_secret = bool(login) and _is_strong(value[shown:])
    else:
        is_secret = _is_password(value, before, after) or _is_key(value, before)
    if is_secret:
        yield start + shown, end


def _may_hand(before: str) -> bool:
    """Whether what stands right before a value could hand it over: a word that does, or a sign."""
    head = before.rstrip(" \"'`“„«*(\n")
    return not head or head[-1] in ":=/|,?→>-–—+&]" or head.rpartition(" ")[2].lower() in _HANDING


def _could_be(value: str) -> bool:
    if is_password(value, strict=True) or (is_password(value) and _is_strong(value)):
        return True
    return is_common(value) or bool(_JOINED_WORDS.fullmatch(value))


def _is_password(value: str, before: str, after: str) -> bool:
    """Whether a password is handed over here, or what else opens the thing that is told of."""
    if _OPENS.match(after) and _USES.search(before):
        return not _HOST.fullmatch(value)
    if _NAMED_AFTER.match(after) and _is_strong(value):
        return True
    if _JOINED_WORDS.fullmatch(value) and "pass" not in before.lower():
        return False
    if _ASKED.search(before) and after[:1] in ("", "\n"):
        return not _HOST.fullmatch(value) and not re.fullmatch(r"[a-z]+-\d+", value)
    if _LISTED.search(before) and _is_strong(value) and re.search(r"[!@#$%^&*?]", value):
        return True
    sentence = _SENTENCE.split(before)[-1]
    if _ONE.search(before) and _is_strong(value) and _VERY_STRONG.search(value):
        return True
    if _WITH_USER.search(sentence) and _LOGIN.search(sentence):
        return not _HOST.fullmatch(value)
    if _POINTS.search(before) and (_PASSWORD.search(before) or _PASSWORD.search(after)):
        return not _HOST.fullmatch(value)
    if not _HANDS.search(sentence):
        return False
    return bool(_LOGIN.search(sentence)) and _is_strong(value)


def _is_key(value: str, before: str) -> bool:
    """Whether this is a word of chance behind the word for a key or token."""
    if not is_dense(value) or not re.fullmatch(r"[\w+/=.-]{16,200}", value):
        return False
    # The number of something, or the fingerprint of a public key.
    if re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:0x)?[0-9A-F]{16,64}", value):
        return False
    if re.fullmatch(r"[a-z]+(?:[-_][a-z0-9]+){0,4}[-_][0-9a-f]{32,128}", value):
        return False  # the name of something cached
    return bool(_NAMES_KEY.search(before)) and not _FINDS.search(before)


def _is_strong(value: str) -> bool:
    """Whether a word has what rules about passwords ask for."""
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if re.search(r"[!#$%^&*?~+@=]", value):
        return True
    return value != value.lower() and value != value.upper() and not _named_version(value)


def _named_version(value: str) -> bool:
    """Whether a word is a name with its number at the end: Windows2022, OAuth2Client."""
    versioned = re.fullmatch(r"[A-Za-z]*\d{1,4}(?:[A-Z][a-z]+)*", value[:40])
    return bool(versioned) and not re.search(r"[a-z][A-Z]?\d{3,}$", value)
