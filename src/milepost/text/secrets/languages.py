"""Passwords that are told in other languages than English: Passwort, mot de passe, пароль, 密码."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.published import lines
from milepost.text.secrets.token_shapes import SECRET
from milepost.text.secrets.values import Candidate, is_dense, is_password, looks_secret

# What joins a name and its value; between them may stand whose it is: "Passwort für den Server ist".
_IS = (
    r"is|ist|lautet|war|wäre|est|était|es|era|é|è|foi|to|jest|je|bylo|było|brzmi|był|jak|was|wordt|luidt|zní"
    r"|är|er|on|este|είναι|е|là|adalah|है|هو|هي|كانت|היא|olarak|şu|şudur|это|це"
)
_PARTICLES = "是|为|為|改成|改为|改為|设为|設為|は|が|を|に|는|은|이|가|를|을"
_SIGN = r"(?:=>|:=|->|[:=：＝→])"
_LINK = (
    rf"(?P<closers>[\"'`\])*_]{{0,4}})(?:\s{{0,3}}(?P<sign>{_SIGN})|[ ]?[-–—|](?=\s)|[ ]?(?:{_PARTICLES})[ ]?[:：]?"
    rf"|[ ](?:{_IS})(?=[\s:])[ ]?:?|(?P<gap>[ ]))[ \t*]{{0,3}}"
)
_VALUE = (
    r"(?P<quote>[\"'`“”„«「『‘])?(?P<value>(?(quote)[^\n\"'`“”»」』’]{2,80}"
    r"|[!#-&(-;=?-_a-~À-ɏΑ-ϿЀ-ӿ]{3,100}))"
)
_ABOUT = r"(?:[ ][^\s:=：＝\"'`]{1,25}){0,6}?"
_ENDS = ".,;:!?)]}。，、؛،»”"


def without_told(text: str, lowered: str) -> str:
    """Return a text in which passwords are replaced that are told in another language."""
    words = [word for word in _words() if word in lowered]
    if not words:
        return text

    def hidden(found: re.Match[str]) -> str:
        value = found["value"].rstrip(_ENDS)
        if not value or not _is_told(found, value):
            return found[0]
        return (
            found[0][: found.start("value") - found.start()] + SECRET + found["value"][len(value) :]
        )

    return _told(tuple(words)).sub(hidden, text)


def _is_told(found: re.Match[str], value: str) -> bool:
    """Whether a value is a secret, given how it is joined to its name."""
    if _is_key(found["word"].lower()):
        return is_dense(value) or (len(value) >= 12 and is_password(value))
    quoted = bool(found["quote"])
    if found["gap"] and not quoted:
        return is_password(value)
    loose = found["sign"] == "=" and not found["about"]
    candidate = Candidate(value, "password", quoted=quoted, loose=loose)
    return looks_secret(candidate) and (quoted or loose or is_password(value))


def _is_key(name: str) -> bool:
    """Whether a name is that of a key: the longest word that it begins with says so."""
    known = _words()
    return known[max((word for word in known if name.startswith(word)), key=len, default="mdp")]


@cache
def _words() -> dict[str, bool]:
    """Return the words of all languages, and whether each is for a key and not for a password."""
    found = {}
    for line in lines("languages.txt"):
        _, passwords, keys = line.split("\t")
        found |= dict.fromkeys(keys.split(","), True) | dict.fromkeys(passwords.split(","), False)
    return found


@cache
def _told(words: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(words, key=len, reverse=True)
    # Words of alphabets go on with endings, and names with what they are for: senha_admin.
    names = "|".join(re.escape(w) + (r"[\w-]{0,20}?" if w[-1] < "\u0e00" else "") for w in ordered)
    return re.compile(rf"(?i)(?P<word>{names})(?P<about>{_ABOUT}){_LINK}{_VALUE}")
