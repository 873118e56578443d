"""Secrets that are told in a sentence of whatever language: Passwort, mot de passe, пароль, 密码.

A word for password (or key, or code) is followed within its sentence by what joins it to a value,
and by the value; between them may stand whose it is.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.signs import Signs
from milepost.text.secrets.values import (
    is_code,
    is_common,
    is_counted,
    is_dense,
    is_jumbled,
    is_password,
    is_phrase,
)
from milepost.text.secrets.vocabulary import ANY_KEY, CODE, KEY, LOGIN, PASSWORD, USERS, english

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
        "is was are be been it's remains literally simply just equals reads phrase sentence "
        "zdanie satz "
        "ser ist lautet war "
        "est était c'est es era é foi è wordt luidt jest było brzmi je bylo zní "
        "это такой такая це är er este είναι е là adalah है هو هي היא olarak şu şudur"
    ).split()
)
_BECOMING = frozenset(
    (
        "to from as now still type enter use try set into auf zu in nun jetzt à en a ahora "
        "por para agora ora "
        "adesso naar nu na to teď на теперь тепер он она оно він вона till til ile with إلى الى "
        "become one"
    ).split()
)
# Of these, those that may say where something is or was.
_WHERE = frozenset("in from as with en a into type enter use try set".split())
# What says whose a thing is.
_OF = frozenset(
    "of for van voor für zum zur von del della du des dello dla do od от для від para per pour pro "
    "pentru k ke för for til".split()
)
_QUOTED = r"(?<![A-Za-z0-9])[\"'`“„«「『‘](?P<inner>[^\"'`“”„«»「」『』‘’\n]{2,80})[\"'`”“»」』’]"
_BARE = r"[!-~À-ɏͰ-ӿ]+"
_ENDS = ".,;:!?)]}>*_|#"


def without_told(text: str, known: list[tuple[str, int]], signs: Signs) -> str:
    """Return a text in which secrets are replaced that a sentence tells by one of known words."""
    if any(kind != LOGIN for _, kind in known):
        kept, end = [], 0
        for start, stop in sorted(_spans(text, known)):
            if start >= end:
                kept += [text[end:start], SECRET]
                end = stop
        text = "".join([*kept, text[end:]])
    login = any(kind == LOGIN for _, kind in known)
    if (
        signs.has_odd
        and (login or signs.any(*USERS))
        and ("/" in text or ":" in text or "|" in text)
    ):
        text = _beside_user().sub(lambda found: _hidden_beside(found, login=login), text)
    return text


def _spans(text: str, known: list[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = (
            text  # rare letters have longer small ones; then only what is written small counts
        )
    names = sorted(
        (name.start(), -name.end(), kind)
        for word, kind in known
        if kind != LOGIN
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
    before = text[max(at - 1, 0) : at]
    if word[0] >= "\u0590":
        return True  # "and" and "the" are written together with what follows, or nothing is apart
    return not (before.isalnum() or before == "[")


def _values(text: str, at: int, end: int, kind: int) -> Iterator[tuple[int, int]]:
    """Yield where the values are that are told of a name which ends here."""
    if _goes_on(text, at):
        return
    line = _line().match(text, at, min(at + _WINDOW, end))
    for number, token in enumerate(_token().finditer(text, at, line.end() if line else at)):
        if number >= _TOKENS_MAX:
            return
        if (
            token["inner"] is None
            and token[0].isalpha()
            and not (is_common(token[0]) or is_jumbled(token[0]))
        ):
            continue  # a word of the sentence
        if SECRET in token[0]:
            at = token.end()
            continue  # found by another rule
        between = text[at : token.start()]
        if _sentence_end().search(_answered().sub(": ", between)):
            return
        link = _linked(_answered().sub(": ", between), kind)
        start, stop = _inside(text, token)
        value, quoted = text[start:stop], token["inner"] is not None
        near = kind == PASSWORD and link == _STRONG and len(between.split()) <= 2
        if kind == CODE and value.isdigit() and is_counted(text, stop):
            continue
        if link and (
            _is_told(value, kind, quoted, link == _STRONG) or (near and _is_number(value))
        ):
            yield start, stop
            at = token.end()


def _owns(text: str, at: int) -> bool:
    """Whether what begins here is what another name belongs to: the PIN for the token."""
    before = text[max(at - 24, 0) : at].lower().split()
    return bool(before) and not _OF.isdisjoint(before[-2:]) and text[at - 1 : at] == " "


def _goes_on(text: str, at: int) -> bool:
    """Whether a name that ends here is part of an address, a path or a program."""
    if text[at : at + 2] == ":?" or "arn:" in text[max(at - 100, 0) : at].rpartition(" ")[2]:
        return True  # ${NAME:?what to say if it is missing}
    if text[at - 1] > "\u0e00":
        return False  # scripts that put no space between words
    if text[at : at + 2] == "? ":
        return False  # a question, and then what answers it
    return "!" <= text[at : at + 1] <= "~" and text[at] not in ":=\"'`*)],(-"


def _linked(between: str, kind: int) -> int:
    """Return how strongly a value belongs to a name of a kind, by what stands between them."""
    link, words = _joined(between), between.split()
    if link == _WEAK and kind == KEY and words[-1].lower() in _WHERE:
        return 0
    if not link and kind == CODE and 2 <= len(words) <= 4 and words[0].lower() in _OF:
        return _WEAK
    return link or (_WEAK if len(words) <= 2 and kind == PASSWORD else 0)


def _is_number(value: str) -> bool:
    """Whether a value is a password of digits alone."""
    return value.isdigit() and len(value) <= 12 and is_code(value[:8])


def _joined(between: str) -> int:
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
    before = text[max(start - 110, 0) : start]
    if kind in (KEY, ANY_KEY) or not _odd().search(before) or not _joins_back().search(before):
        return
    found = _first().search(text, max(start - 110, 0), start)
    if found:
        value = found["value"]
        if is_code(value) if kind == CODE else is_password(value) or _is_number(value):
            yield found.span("value")


def _inside(text: str, token: re.Match[str]) -> tuple[int, int]:
    if token["inner"]:
        return token.span("inner")
    start, stop = token.span()
    while start < stop and text[start] in "(*_[<`\"'":
        start += 1
    while start < stop and text[stop - 1] in _ENDS + "`\"'":
        stop -= 1
    return start, stop


def _is_told(value: str, kind: int, quoted: bool, strong: bool) -> bool:
    if " " in value.strip():
        return kind == PASSWORD and quoted and is_phrase(value)
    value = value.strip()
    if kind == CODE:
        long = strong and value.isdigit() and 8 < len(value) <= 12
        return long or is_code(value) or is_password(value, strict=True)
    if kind == KEY:
        return len(value) >= 12 and is_password(value, strict=True) and (strong or is_dense(value))
    if kind == ANY_KEY:
        return is_dense(value) and bool(_nothing_but_key().fullmatch(value))
    if strong and (is_common(value) or is_jumbled(value)):
        return True
    return is_password(value, strict=not (strong or quoted))


def _hidden_beside(found: re.Match[str], *, login: bool) -> str:
    """Return what is left of a user and a password: admin / ….

    Any two words may stand so; a login was told of, or the user is a usual one.
    """
    if found["value"].startswith(SECRET):
        return found[0]
    value = found["value"].rstrip(_ENDS)
    before = found.string[max(found.start() - 60, 0) : found.start()]
    if found["by"][-1:] == " " and before[-1:] == " ":
        before = before[:-1]  # a space on either side, or on none
    elif found["by"][-1:] == " " or before[-1:] == " ":
        return found[0]
    user = _user().search(before)
    if not is_password(value, strict=True):
        return found[0]
    if user and _path().fullmatch(value):
        apart = found["by"] != "/" and user["usual"]
        if not apart and user[0] not in ("admin", "root", "demo", "guest"):
            return found[0]
    if user is None or not (login or user["usual"]) or "://" in before.rpartition(" ")[2]:
        return found[0]
    return f"{found['by']}{SECRET}{found['value'][len(value) :]}"


@cache
def _name(word: str) -> re.Pattern[str]:
    # Words of alphabets go on with endings; short ones stand alone.
    if word[-1] >= "\u0e00":
        return re.compile(re.escape(word))
    plural = r"s?\b" if word in english() else r"[^\W\d_]{0,6}"
    ending = r"\b" if len(word) < 4 else plural
    return re.compile(re.escape(word) + ending)


@cache
def _nothing_but_key() -> re.Pattern[str]:
    return re.compile(r"(?!AAAA|MII)(?![0-9A-F]*$)[A-Za-z0-9+/]{20,200}={0,2}")


@cache
def _line() -> re.Pattern[str]:
    # The rest of the line, or the next one if the name ends its own.
    return re.compile(r"[\"'`*)\]]{0,3}[ \t]*[:：]?[ \t]*\n?[^\n]+")


@cache
def _token() -> re.Pattern[str]:
    return re.compile(f"{_QUOTED}|{_BARE}")


@cache
def _sentence_end() -> re.Pattern[str]:
    return re.compile(r"[.!?;]\s|[。！？；{}]|\n.*\n")


@cache
def _answered() -> re.Pattern[str]:
    """Match the end of a question, with how its answer begins."""
    return re.compile(r"\?[ ](?:(?:I[ ]think|maybe|probably|try|it[’']s|should be)[ ])?\Z")


# … is the password, … as password, … (the database's password)
_BACK = (
    r"[ ](?:is|was|as|war|était|era|był|был|for|ist|als|est|comme|es|como|è|come|é|jest|jako|je"
    r"|это|—|–|-|<-|←|=)[ ]|[ ]\(|(?:是|が|는)"
)


@cache
def _odd() -> re.Pattern[str]:
    return re.compile(r"[0-9!#$%^&*+=?~@]|[a-z]-[a-z]+-[a-z]")


@cache
def _joins_back() -> re.Pattern[str]:
    return re.compile(rf"(?:{_BACK})[^\n.:;,]{{0,40}}\Z")


@cache
def _first() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w./@-])(?P<value>[!-&(-;=?-~]{{4,60}})[\"'`”»]?(?:{_BACK})[^\n.:;,]{{0,40}}\Z"
    )


@cache
def _beside_user() -> re.Pattern[str]:
    return re.compile(
        r"(?P<by>[/|:][ ]?)(?=[^\s]{0,80}[\d!@#$%^&*+=?~])(?P<value>[^\s\"'`<>/]{8,80})(?![\w/])"
    )


@cache
def _user() -> re.Pattern[str]:
    usual = r"admin(?:istrator)?|root|demo|guest|test(?:er)?|user|sa|postgres"
    mail = r"[\w.+-]{1,40}@[\w-]{1,40}(?:\.[\w-]{1,20}){1,4}"
    label = r"(?:licen[sc]e|files?|version|image|tag|branch|package|model|build|release|ref)"
    any_user = rf"(?!\d+[:T-])(?=[\d_.+-]*[a-z])(?!\d{{4}}-\d\d-)(?!{label}\Z)[\w.+-]{{2,40}}"
    return re.compile(rf"(?i)(?<![\w/.@+:=-])(?:(?P<usual>{usual}|{mail})|{any_user})\Z")


@cache
def _path() -> re.Pattern[str]:
    """Match a part of a path, a branch or a package: small words, some with a number."""
    return re.compile(r"[a-z]+\d{0,5}[a-z]?(?:[-_.][a-z0-9]+)*|[\w.-]+#\d+")
