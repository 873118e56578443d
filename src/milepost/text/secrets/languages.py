"""Secrets that are told in a sentence of whatever language: Passwort, mot de passe, пароль, 密码.

A word for password (or key, or code) is followed within its sentence by what joins it to a value,
and by the value; between them may stand whose it is.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from milepost.text.expressions import before, lazy
from milepost.text.secrets.mark import SECRET, marked
from milepost.text.secrets.passwords import (
    is_code,
    is_common,
    is_counted,
    is_dense,
    is_jumbled,
    is_password,
    is_phrase,
)
from milepost.text.secrets.signs import ANY_KEY, CODE, KEY, LOGIN, PASSWORD, USERS, Signs, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WEAK, _STRONG = 1, 2
# Those of them that programs assign to, which is read elsewhere.
_ASSIGNED = frozenset("password passphrase passcode passwd pw pwd token secret".split())
# No honest text has more of a name.
_NAMES_MAX = 1_000
_WINDOW, _TOKENS_MAX = 140, 14
# What joins a name and a value: verbs of being, and more weakly how one says what it became.
_BEING = frozenset(
    (
        "is was are be been it's remains literally simply just equals reads phrase sentence zdanie "
        "satz ser ist lautet war est était c'est es era é foi è wordt luidt jest było brzmi je "
        "bylo zní это такой такая це är er este είναι е là adalah है هو هي היא olarak şu şudur"
    ).split()
)
_BECOMING = frozenset(
    (
        "to from as now still type enter use try set into auf zu in nun jetzt à en a ahora por "
        "para agora ora adesso naar nu na to teď на теперь тепер он она оно він вона till til ile "
        "with إلى الى become one"
    ).split()
)
# Of these, those that may say where something is or was.
_WHERE = frozenset("in from as with en a into type enter use try set".split())
# What says whose a thing is.
_OF = frozenset(
    "of for van voor für zum zur von del della du des dello dla do od от для від para per pour pro "
    "pentru k ke för for til".split()
)
_ENDS = ".,;:!?)]}>*_|#"
# A word in quotes, or one without.
_TOKEN = lazy(
    r"(?<![A-Za-z0-9])[\"'`“„«「『‘](?P<inner>[^\"'`“”„«»「」『』‘’\n]{2,80})[\"'`”“»」』’]"
    r"|[!-~À-ɏͰ-ӿ]+"
)
_NOTHING_BUT_KEY = lazy(r"(?!AAAA|MII)(?![0-9A-F]*$)[A-Za-z0-9+/]{20,200}={0,2}")
# The rest of the line, or the next one if the name ends its own.
_LINE = lazy(r"[\"'`*)\]]{0,3}[ \t]*[:：]?[ \t]*\n?[^\n]+")
_SENTENCE_END = lazy(r"[.!?;]\s|[。！？；{}]|\n.*\n")
# The end of a question, with how its answer begins.
_ANSWER = lazy(r"\?[ ](?:(?:I[ ]think|maybe|probably|try|it[’']s|should be)[ ])?\Z")
_ODD = lazy(r"[0-9!#$%^&*+=?~@]|[a-z]-[a-z]+-[a-z]")
# … is the password, … as password, … (the database's password)
_BACK = (
    r"[ ](?:is|was|as|war|était|era|był|был|for|ist|als|est|comme|es|como|è|come|é|jest|jako|je"
    r"|это|—|–|-|<-|←|=)[ ]|[ ]\(|(?:是|が|는)"
)
_JOINS_BACK = lazy(rf"(?:{_BACK})[^\n.:;,]{{0,40}}\Z")
_FIRST = lazy(
    rf"(?<![\w./@-])(?P<value>[!-&(-;=?-~]{{4,60}})[\"'`”»]?(?:{_BACK})[^\n.:;,]{{0,40}}\Z"
)
_BESIDE_USER = lazy(
    r"(?P<by>[/|:][ ]?)(?=[^\s]{0,80}[\d!@#$%^&*+=?~])(?P<value>[^\s\"'`<>/]{8,80})(?![\w/])"
)
_USER = lazy(
    r"(?i)(?<![\w/.@+:=-])(?:(?P<usual>admin(?:istrator)?|root|demo|guest|test(?:er)?|user|sa"
    r"|postgres|[\w.+-]{1,40}@[\w-]{1,40}(?:\.[\w-]{1,20}){1,4})"
    r"|(?!\d+[:T-])(?=[\d_.+-]*[a-z])(?!\d{4}-\d\d-)(?!(?:licen[sc]e|files?|version|image|tag"
    r"|branch|package|model|build|release|ref)\Z)[\w.+-]{2,40})\Z"
)
# A part of a path, a branch or a package: small words, some with a number.
_PATH = lazy(r"[a-z]+\d{0,5}[a-z]?(?:[-_.][a-z0-9]+)*|[\w.-]+#\d+")


def hide(text: str, signs: Signs) -> str:
    """Return a text in which secrets are replaced that a sentence tells of by a word for them."""
    names = [(word, kind) for word, kind in signs.names if kind != LOGIN]
    if names:
        text = marked(text, sorted(_spans(text, names)))
    login = len(names) < len(signs.names)
    has_user = signs.has_odd and (login or signs.any(*USERS))
    if has_user and ("/" in text or ":" in text or "|" in text):
        text = _BESIDE_USER.sub(lambda match: _beside_user(match, login=login), text)
    return text


def _spans(text: str, known: list[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    lowered = text.lower()
    # Rare letters have longer small ones; then only what is written small counts.
    lowered = lowered if len(lowered) == len(text) else text
    names = sorted(
        (name.start(), -name.end(), kind)
        for word, kind in known
        for name in islice(_name(word).finditer(lowered), _NAMES_MAX)
        if not (word in _ASSIGNED and lowered[name.end() : name.end() + 1] in ("=", "_"))
        if _begins(lowered, name.start(), word)
    )
    done = 0
    for number, (start, minus_end, kind) in enumerate(names, 1):
        # The longest name at a place counts, and speaks until the next one.
        if -minus_end > done:
            done = -minus_end
            later = (
                n[0]
                for n in names[number : number + 9]
                if n[0] >= done and n[2] != ANY_KEY and not _owns(text, n[0])
            )
            then = next(later, len(text))
            yield from _values(text, done, then, kind)
            yield from _value_before(text, start, kind)


def _begins(text: str, at: int, word: str) -> bool:
    """Whether a word begins here, and is not part of another or of the mark of a secret."""
    if word[0] >= "\u0590":
        return True  # "and" and "the" are written together with what follows, or nothing is apart
    outside = text[max(at - 1, 0) : at]
    return not (outside.isalnum() or outside == "[")


def _values(text: str, at: int, end: int, kind: int) -> Iterator[tuple[int, int]]:
    """Yield where the values are that are told of a name which ends here."""
    if _goes_on(text, at):
        return
    line = _LINE.match(text, at, min(at + _WINDOW, end))
    for number, token in enumerate(_TOKEN.finditer(text, at, line.end() if line else at)):
        if number >= _TOKENS_MAX:
            return
        quoted = token["inner"] is not None
        if not (quoted or not token[0].isalpha() or is_common(token[0]) or is_jumbled(token[0])):
            continue  # a word of the sentence
        if SECRET in token[0]:
            at = token.end()
            continue  # another rule's
        between = text[at : token.start()]
        joint = _ANSWER.sub(": ", between)
        if _SENTENCE_END.search(joint):
            return
        link = _link(joint, kind)
        start, stop = _inside(text, token)
        value = text[start:stop]
        near = kind == PASSWORD and link == _STRONG and len(between.split()) <= 2
        if kind == CODE and value.isdigit() and is_counted(text, stop):
            continue
        if link and (_fits(value, kind, quoted, link == _STRONG) or (near and _is_number(value))):
            yield start, stop
            at = token.end()


def _owns(text: str, at: int) -> bool:
    """Whether what begins here is what another name belongs to: the PIN for the token."""
    words = text[max(at - 24, 0) : at].lower().split()
    return not _OF.isdisjoint(words[-2:]) and text[at - 1 : at] == " "


def _goes_on(text: str, at: int) -> bool:
    """Whether a name that ends here is part of an address, a path or a program."""
    if text[at : at + 2] == ":?" or "arn:" in text[max(at - 100, 0) : at].rpartition(" ")[2]:
        return True  # ${NAME:?what to say if it is missing}
    if text[at - 1] > "\u0e00":
        return False  # scripts that put no space between words
    if text[at : at + 2] == "? ":
        return False  # a question, and then what answers it
    return "!" <= text[at : at + 1] <= "~" and text[at] not in ":=\"'`*)],(-"


def _link(between: str, kind: int) -> int:
    """Return how strongly a value belongs to a name of a kind, by what stands between them."""
    link, words = _joint(between), between.split()
    if link == _WEAK and kind == KEY and words[-1].lower() in _WHERE:
        return 0
    if not link and kind == CODE and 2 <= len(words) <= 4 and words[0].lower() in _OF:
        return _WEAK
    return link or (_WEAK if len(words) <= 2 and kind == PASSWORD else 0)


def _is_number(value: str) -> bool:
    """Whether a value is a password of digits alone."""
    return value.isdigit() and len(value) <= 12 and is_code(value[:8])


def _joint(between: str) -> int:
    """Return how what stands between a name and a value joins them, if it does."""
    tail = between.rstrip(" \t\n(*")
    if (
        not tail.strip("\"'`)]*")
        or tail in ("'s", "’s")
        or tail.endswith((":", "：", "＝", "→", "->", "=>", " =", " -", "–", "—"))
    ):
        return _STRONG
    last = tail.rpartition(" ")[2].lower().strip(",(:：") if between != tail else ""
    if last in _BEING:
        return _STRONG
    if last in _BECOMING:
        return _WEAK
    # Scripts that put no space between words: what stands there is short.
    return _STRONG if len(tail) <= 10 and tail[-1] > "\u0e00" and " " not in tail.strip() else 0


def _value_before(text: str, start: int, kind: int) -> Iterator[tuple[int, int]]:
    """Yield where the value is if it comes first: 482913 is your login code."""
    floor = max(start - 110, 0)
    head = text[floor:start]
    if kind in (KEY, ANY_KEY) or not _ODD.search(head) or not _JOINS_BACK.search(head):
        return
    first = _FIRST.search(text, floor, start)
    if first:
        value = first["value"]
        if is_code(value) if kind == CODE else is_password(value) or _is_number(value):
            yield first.span("value")


def _inside(text: str, token: re.Match[str]) -> tuple[int, int]:
    if token["inner"]:
        return token.span("inner")
    start, stop = token.span()
    while start < stop and text[start] in "(*_[<`\"'":
        start += 1
    while start < stop and text[stop - 1] in _ENDS + "`\"'":
        stop -= 1
    return start, stop


def _fits(value: str, kind: int, quoted: bool, strong: bool) -> bool:
    """Whether a value looks like what a name of a kind is for."""
    if " " in value.strip():
        return kind == PASSWORD and quoted and is_phrase(value)
    value = value.strip()
    if kind == CODE:
        long = strong and value.isdigit() and 8 < len(value) <= 12
        return long or is_code(value) or is_password(value, strict=True)
    if kind == KEY:
        return len(value) >= 12 and is_password(value, strict=True) and (strong or is_dense(value))
    if kind == ANY_KEY:
        return is_dense(value) and bool(_NOTHING_BUT_KEY.fullmatch(value))
    if strong and (is_common(value) or is_jumbled(value)):
        return True
    return is_password(value, strict=not (strong or quoted))


def _beside_user(match: re.Match[str], *, login: bool) -> str:
    """Return what is left of a user and a password: admin / ….

    Any two words may stand so; a login was told of, or the user is a usual one.
    """
    value, head = match["value"].rstrip(_ENDS), before(match, 60)
    # A space on either side, or on none.
    if match["by"].endswith(" ") != head.endswith(" ") or match["value"].startswith(SECRET):
        return match[0]
    head = head[:-1] if head.endswith(" ") else head
    user = _USER.search(head)
    if user is None or not (login or user["usual"]) or "://" in head.rpartition(" ")[2]:
        return match[0]
    apart = match["by"] != "/" and user["usual"]
    part = not apart and user[0] not in ("admin", "root", "demo", "guest")
    if not is_password(value, strict=True) or (part and _PATH.fullmatch(value)):
        return match[0]
    return f"{match['by']}{SECRET}{match['value'][len(value) :]}"


@cache
def _name(word: str) -> re.Pattern[str]:
    # Words of alphabets go on with endings; short ones stand alone.
    if word[-1] >= "\u0e00":
        return re.compile(re.escape(word))
    plural = r"s?\b" if word in _english() else r"[^\W\d_]{0,6}"
    ending = r"\b" if len(word) < 4 else plural
    return re.compile(re.escape(word) + ending)


@cache
def _english() -> frozenset[str]:
    """Return the words that have no other ending than that of many."""
    return frozenset(",".join(lines("languages.txt")[0].split("\t")[1:]).split(","))
