"""Secrets that English tells somewhere near the word for them: use … to log in, changed it to ….

Here the value is found first, for it looks like no other word; what stands right before it must
hand it over, and what it opens must be told of near by.
"""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.signs import Signs
from milepost.text.secrets.values import is_common, is_dense, is_password

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


def without_pointed(text: str, signs: Signs) -> str:
    """Return a text in which values are replaced that a sentence points at."""
    hidden = _hidden(text, signs)
    # What was hidden tells of what stands beside it: the old one was [secret], the new one is ….
    return _hidden(hidden, signs) if hidden != text else text


def _hidden(text: str, signs: Signs) -> str:
    kept, done = [], 0
    for found in _odd("pass" in signs.lowered).finditer(text):
        # The word in which something odd was found.
        floor = max(done, found.start() - _WORD_MAX)
        start = max(text.rfind(" ", floor, found.start()), text.rfind("\n", floor, found.start()))
        start = start + 1 if start >= 0 else floor
        if found.end() - start >= _WORD_MIN:
            for first, last in _value(text, start, found.end()):
                kept += [text[done:first], SECRET]
                done = last
    return "".join([*kept, text[done:]])


def _value(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the value is in a word, if it is handed over there."""
    while start < end and text[start] in _OPENING:
        start += 1
    if not _may_hand(text[max(start - 24, 0) : start]):
        return
    value = text[start:end].rstrip(".,;:)]}>\"'`”*?")
    if value[-1:] == "!" and not _is_strong(value[:-1]):
        value = value[:-1]
    user = _user_part().match(value)
    shown = user.end() if user else 0
    if not value.isascii() or not _could_be(value[shown:]):
        return
    end = start + len(value)
    before = text[max(start - _BEFORE, 0) : start].rpartition("\n\n")[2]
    if user:
        told = _is_strong(value[shown:]) and bool(_login().search(_sentence().split(before)[-1]))
    else:
        after = text[end : end + _AFTER].partition("\n\n")[0]
        told = _is_pointed(value, before, after) or _is_key(value, before)
    if told:
        yield start + shown, end


def _may_hand(before: str) -> bool:
    """Whether what stands right before a value could hand it over: a word that does, or a sign."""
    told = before.rstrip(" \"'`“„«*(\n")
    return not told or told[-1] in ":=/|,?→>-–—+&]" or told.rpartition(" ")[2].lower() in _HANDING


def _could_be(value: str) -> bool:
    if is_password(value, strict=True) or (is_password(value) and _is_strong(value)):
        return True
    return is_common(value) or bool(_joined_words().fullmatch(value))


def _is_pointed(value: str, before: str, after: str) -> bool:
    """Whether a password is handed over here, or what else opens the thing that is told of."""
    if _opens().match(after) and _uses().search(before):
        return not _host().fullmatch(value)
    if _named_after().match(after) and _is_strong(value):
        return True
    if _joined_words().fullmatch(value) and "pass" not in before.lower():
        return False
    if _asked().search(before) and after[:1] in ("", "\n"):
        return not _host().fullmatch(value) and not re.fullmatch(r"[a-z]+-\d+", value)
    if _listed().search(before) and _is_strong(value) and re.search(r"[!@#$%^&*?]", value):
        return True
    sentence = _sentence().split(before)[-1]
    if _one().search(before) and _is_strong(value) and _very_strong().search(value):
        return True
    if _with_user().search(sentence) and _login().search(sentence):
        return not _host().fullmatch(value)
    if _points().search(before) and (_password().search(before) or _password().search(after)):
        return not _host().fullmatch(value)
    if not _hands().search(sentence):
        return False
    return bool(_login().search(sentence)) and _is_strong(value)


def _is_key(value: str, before: str) -> bool:
    """Whether this is a word of chance behind the word for a key or token."""
    if not is_dense(value) or not re.fullmatch(r"[\w+/=.-]{16,200}", value):
        return False
    # The number of something, or the fingerprint of a public key.
    if re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:0x)?[0-9A-F]{16,64}", value):
        return False
    if re.fullmatch(r"[a-z]+(?:[-_][a-z0-9]+){0,4}[-_][0-9a-f]{32,128}", value):
        return False  # the name of something cached
    return bool(_names_key().search(before)) and not _finds().search(before)


def _is_strong(value: str) -> bool:
    """Whether a word has what rules about passwords ask for."""
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if re.search(r"[!#$%^&*?~+@=]", value):
        return True
    return value != value.lower() and value != value.upper() and not _named_version(value)


def _named_version(value: str) -> bool:
    """Whether a word is a name with its number at the end: Windows2022, OAuth2Client."""
    return bool(re.fullmatch(r"(?:[A-Z]*[a-z]*)*\d{1,4}(?:[A-Z][a-z]+)*", value[:40])) and not (
        re.search(r"[a-z][A-Z]?\d{3,}$", value)
    )


@cache
def _odd(joined: bool) -> re.Pattern[str]:
    """Match what a password has and a word has not, to the end of the word."""
    words = r"|[a-z]{3}[.-][a-z]{3,10}[.-][a-z]{3}\S*" if joined else ""
    return re.compile(rf"[\d!#$%^&]\S*{words}")


@cache
def _points() -> re.Pattern[str]:
    """Match what says that the thing told of follows now."""
    it = r"(?:it|them|that|mine|this|that one|(?:the|my) (?:new|old|current|other|last) one)"
    being = r"(?:[’']s|[ ]is|[ ]was|[ ]became|[ ]should be|[ ]will be|[ ]used to be|[ ]has been)"
    doing = (
        r"(?:chang|set|reset|switch|rotat|updat|mov|turn|mad|mak|flipp?)(?:e|ed|es|ing|ting"
        r"|ched|t)?"
    )
    saying = (
        r"(?:type|typing|typed|enter|entered|try|tried|say|give it|answer(?: with)?|reply "
        r"with|use|used|using|put in|pass)"
    )
    return re.compile(
        rf"(?i)(?:\b{it}{being}(?:[ ](?:now|still|just|simply|currently))*"
        rf"|\b{doing}[ ](?:it|that|this|back|over)?[ ]?(?:to|from)|\bnow|\bstill|\b{saying}(?:[ "
        rf"]in)?"
        r"|\b(?:is|was|been|be)(?:[ ](?:now|still|just|set|reset|changed)){1,3}(?:[ ](?:to|from))?"
        r"|\b(?:changed|rotated|switched|went|reset|moved)[ ](?:from|to)"
        rf"|\bfrom[ ]\S{{4,60}}[ ]to|\b(?:old|new|first|second|previous|current)(?: one| "
        rf"ones)?(?:[ ](?:is|was|are))?"
        r"|\b(?:gave|give|given|got|get|gets|sent|picked|chose|generated|has|had|have|goes by"
        r"|takes)(?:[ ](?:him|her|them|us|me|you|it))?)"
        r"(?:[ ]the[ ]\w{3,12})?[ ]?[:=]?[ ]?[\"'`“„«*(]{0,3}\Z"
    )


@cache
def _one() -> re.Pattern[str]:
    """Match how one goes on about a thing that was told of before."""
    return re.compile(
        r"(?i)\b(?:it[’']s|(?:old|new|other|current|last) one(?:[’']s|[ ](?:is|was)))(?:[ "
        r"](?:now|still|the[ ]\w{1,12}[ ][\w ]{0,50}:))?"
        r":?[ ][\"'`“„«*(]{0,3}\Z"
    )


@cache
def _listed() -> re.Pattern[str]:
    """Match a user at the beginning of a line, and what parts the password from it."""
    return re.compile(
        r"(?:\A|\n|[-*•:] )[\w.@-]{2,40}[ ](?:[/|]|->|→)[ ][`*\"']{0,3}\Z|\n?\buser(?:name)?:[ "
        r"]?\S{2,40}\n\Z"
    )


@cache
def _asked() -> re.Pattern[str]:
    """Match a question for a secret, with the beginning of the line that answers it."""
    return re.compile(
        r"(?i)\b(?:pass\w*|pw|pwd|token|key|auth|creds?|credentials|secret|login|pin"
        r"|code)\b[^\n?]{0,40}\?"
        r"[ ]*\n+(?:<?[\w .@-]{1,24}[:>]{0,2}[ ])?[\"'`“„«*(]{0,3}\Z"
    )


@cache
def _with_user() -> re.Pattern[str]:
    """Match a way in with a user, and what joins the password to it."""
    return re.compile(
        r"(?i)\b(?:with|as|using|user(?:name)?|login|account|into)[ :]+(?:is[ ])?[\"'`]?(?!the\b"
        r"|a\b|an\b|your\b)[\w.@+-]{2,40}[\"'`]?"
        r"(?:,|[ ](?:and|with|/|using|:))[ ](?:then[ ])?[\"'`“„«*(]{0,3}\Z"
    )


@cache
def _user_part() -> re.Pattern[str]:
    return re.compile(r"[\w.@-]{2,40}:(?!//)(?=[^/:]{6,80}$)")


@cache
def _very_strong() -> re.Pattern[str]:
    return re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?:.*[!@#$%^&*].*\d|.*\d.*[!@#$%^&*])")


@cache
def _joined_words() -> re.Pattern[str]:
    return re.compile(r"[a-z]{3,10}(?:(?:\.[a-z]{3,10}){2,7}|(?:-[a-z]{3,10}){3,7})")


@cache
def _hands() -> re.Pattern[str]:
    """Match what joins a user and a password, or a way in and what opens it."""
    return re.compile(
        r"(?i)(?:\b(?:with|using|and|by|via|is|are|was|now|then|then type|und|mit)|[\w\"'`][,/"
        r"|:]|[ ](?:[/|:+&-]|->|→|–|—))"
        r"[ ][\"'`“„«*(]{0,3}\Z"
    )


@cache
def _uses() -> re.Pattern[str]:
    return re.compile(
        r"(?i)\b(?:use|used|using|type|enter|try|with|need|needs|provide|give)[ ][\"'`“„«*(]{0,3}\Z"
    )


@cache
def _opens() -> re.Pattern[str]:
    return re.compile(
        r"(?i)[\"'`”»*)]{0,3}[ ](?:to|for)[ ](?:log(?:ging)?[ -]?(?:in|on)|sign(?:ing)?[ -]?in|"
        r"get(?:ting)? in|unlock|connect to|authenticate|access|open|enter)\b"
    )


@cache
def _named_after() -> re.Pattern[str]:
    """Match a sentence that says of what was told before that it is a password."""
    return re.compile(
        r"(?i)[\"'`”»*)]{0,3}[.,;!]?[ ](?:and |so |—[ ])?(?:that|this|which|it)"
        r"(?:[’']s|[ ](?:is|was))"
        r"[ ](?:the|my|our|your|his|her|their)[ ](?:[\w’'-]+[ ]){0,4}"
        r"(?:password|passphrase|passcode"
        r"|pw|pwd|login)\b"
    )


@cache
def _login() -> re.Pattern[str]:
    return re.compile(
        r"(?i)\blog(?:s|ged|ging)?[ -]?(?:in|on)\b|\bsign(?:s|ed|ing)?[ -]?in\b"
        r"|\bcred(?:ential)?s?\b|\bauth"
        r"|\b(?:get|gets|got|lets?|getting)(?:[ ]you)?[ ]in(?:to)?\b|\bs?ftp\b|\bssh\b"
        r"|\bwi-?fi\b|\baccount\b|\buser(?:name)?\b|\badmin\b|\broot\b|\buse[ ]\S{1,40}@"
        r"|\banmeld|\bzugang\b"
    )


@cache
def _password() -> re.Pattern[str]:
    return re.compile(
        r"(?i)(?<![\w/.-])(?:\w+_)?(?:pass(?:word|phrase|code|wd)?s?|pw|pwd|creds?|credentials?"
        r"|p/w|login)\b(?![=_/-]|\.\w)|\[secret\]"
    )


@cache
def _sentence() -> re.Pattern[str]:
    return re.compile(r"[.!?;]\s|\n")


@cache
def _host() -> re.Pattern[str]:
    """Match the name of a machine, a version or an account with its number."""
    return re.compile(
        r"[a-z]+(?:-[a-z]+)*-0?\d|[a-z]+(?:-[a-z]+)*-?0\d+|(?:[a-z]+-)*v\d[\w.]*"
        r"|[a-z]+-\d+\.\d[\w.]*"
        r"|(?:[a-z]+[-_])?(?:user|account|agent|client|host|server|node|build|test|port|key"
        r"|runner|release|sprint)s?[-_]?\d+"
    )


@cache
def _names_key() -> re.Pattern[str]:
    more = (
        r"here|below|above|instead|there|now|again|you need|you want|you asked for|to use"
        r"|(?:for|from) \w{1,20}"
    )
    return re.compile(
        rf"(?i)\b(?:token|key|bearer|secret|credential)s?(?:[ ](?:{more}))?(?:[ ](?:is|was|are))?"
        r"[ ]?(?:[:=→]|->|[ ]-)?\s[\"'`“„«*(]{0,3}\Z"
        r"|\b(?:auth(?:enticate|orize)?d?|log(?:ged)? in|sign(?:ed)? in)[ ](?:with|using|by)[ ]"
        r"(?:the[ ]|this[ ]|my[ ])?(?:\w+[ ])?[\"'`“„«*(]{0,3}\Z"
    )


@cache
def _finds() -> re.Pattern[str]:
    """Match the name of a key that only finds something, or that is made to be shown."""
    return re.compile(
        r"(?i)\b(?:public|pub|cache|primary|foreign|partition|sort|object|s3|redis|idempotency"
        r"|dedup|websocket"
        r"|commit|sha|hash|routing|row|index|site|translation|i18n|query|map|shard|lookup"
        r"|verified|verify|verifying|recv|fingerprint|gpg|pgp|deploy(?:ed)?)"
        r"[^\n]{0,20}(?:keys?|tokens?)\b[^\n]{0,40}\s?\Z"
    )
