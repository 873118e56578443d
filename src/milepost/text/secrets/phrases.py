"""Recovery phrases of wallets: a dozen words or two that open everything."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from milepost.text.expressions import before, lazy
from milepost.text.secrets.mark import SECRET, marked
from milepost.text.secrets.signs import Signs, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SIZES = (12, 15, 18, 21, 24)
# No phrase begins later in a run of short words.
_WORDS_MAX = 300
# No list of such words has these, and hardly any sentence of a dozen words is without them.
_OF_SENTENCES = frozenset(
    "the and for with that this from are was were has have had not but its you your our when will "
    "must should which into then than use uses".split()
)
# What tells of a phrase, and of what one may open.
_NAMES = "phrase frase фраз master wachtwoordzin 密码短语 フレーズ diceware".split()
_LOCKS = (
    "luks crypt unlock vault keepass bitwarden borg restic gpg ssh keychain keyring keystore disk "
    "drive opens"
).split()
# Words of a sentence about a phrase, and of no phrase.
_OF_PROSE = frozenset(
    "is to of in on at by be it as or if so we an a must should can may never always please see "
    "none required optional stored used needed set kept empty missing invalid unknown ask use "
    "check same like per contact send sent need needs get got hidden wrong changed reset expired "
    "only their his her my all no too very short long strong weak minimum maximum least written "
    "asked typed entered saved read loaded passed given shown cached derived generated protected "
    "hashed checked validated password passphrase passphrases characters words der die das ist und "
    "nicht muss le la les est et un une el los es debe не и в на это".split()
)
_ABOUT = lazy(
    r"(?i)mnemonic|\bseed\b|wallet|phrase|recovery|restore|ledger|trezor|metamask|bip-?39"
    r"|助记词|ニーモニック"
)
# Words may be numbered, or stand on lines of their own.
_WORD = r"(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}"
_MNEMONIC = lazy(
    r"(?P<name>(?i:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words|key)|seed)"
    r"[\"']?(?:[ ](?:is|was|are))?[ \t]*[:=]?[ \t]*\n?[\"'`]?)"
    rf"(?P<words>{_WORD}(?:[\s,]{{1,3}}{_WORD}){{11,23}})\b"
)
_BEING = (
    r"(?:[ ](?:is|was|are|has been|used to be|changed to|set to|reset to|to|became|remains"
    r"|now|still|jest|ist|lautet|est|es|è|é)){1,3}"
)
_PASSWORD = lazy(
    rf"(?m)(?P<name>[Pp]assword(?:(?:{_BEING})?[ ]?(?:->|→|[:=])[ ]?|{_BEING}[ ]))(?P<quote>)"
    r"(?P<words>[A-Za-z]{3,9}(?:[ ][A-Za-z]{3,9}){3,11})(?=[.,;(]|[ \t]*$)"
)
_WORDS = r"(?P<words>[^\W\d_]{2,14}(?:[ ](?:[^\W\d_]{2,14}|\d{1,4})){2,11})"
_PASSPHRASE = lazy(
    r"(?im)(?P<name>\b"
    r"(?:pass[ -]?phrase|(?:secret|security|unlock|парольная|кодовая) (?:phrase|фраза)"
    r"|phrase (?:de passe|secrète)|(?<=[,;] )phrase(?=:)|diceware(?: words)?"
    r"|frase (?:de contraseña|secreta|segreta)|wachtwoordzin|密码短语|パスフレーズ"
    r"|master(?:[ ](?:password|key|secret))?)"
    r"(?:[ ](?:for|of|to|on|from|that|we|you)(?:[ ][\w./~'’-]{1,40}){1,5}?)?"
    r"(?:[ ]?\([^)\n]{0,40}\))?[\"'`*?]{0,3}(?:[^\n.?!\"'`:]{0,50}[.?!][ ]"
    r"It(?:[’']s|[ ]is|[ ]was)(?:[ ](?:now|still|currently))?[ ](?=[\"'`“„«])"
    rf"|(?:{_BEING})?[ ]?(?:->|=>|→|[:=–—-])[ ]?|{_BEING}[ ]|(?<=\?)[ ]|(?<!master)\n[ \t]*)"
    rf"[*]{{0,2}}(?P<quote>[\"'`“„«])?){_WORDS}"
    r"(?=[\"'`”“»*,;(]|\.(?!\d)|[ ](?:for|on|at)[ ]|[ \t]*$)"
)
_OPENING = lazy(
    r"(?i)(?P<name>\b(?:(?:opens?|unlock(?:s|ed)?|decrypt(?:s|ed)?|protected|encrypted|locked"
    r"|sealed|secured|answer|reply|respond|say|type|enter|use|try)(?:[ ](?:it|them))?"
    r"(?:[ ](?:with|by|using|in))?(?:[ ](?:the|a|an|this))?(?:[ ](?:phrase|words|sentence))?"
    rf"|master(?: key| password)?)[ :]{{1,2}}[\"'`“„«]){_WORDS}(?=[\"'`”“»])"
)
_FAILS = lazy(
    r"fail|error|messag|warn|\blogs?\b|says|said|print|title|label|button|reject|abort|comment"
)
# Words that could be of the list, with what may stand between them: signs, quotes, numbers.
_RUN = lazy(
    r"(?<![A-Za-z])[A-Za-z]{3,8}+(?:[\s,;|\"'`_-]{1,5}+(?:\d{1,2}[.):]?[ \t]{0,3}+)?+"
    r"[A-Za-z]{3,8}+(?![A-Za-z])){11,}+"
)


def hide(text: str, signs: Signs) -> str:
    """Return a text in which recovery phrases are replaced, told of or not, and passphrases."""
    if "phrases" in signs.named:
        text = _without_named(text, signs)
    return (
        _RUN.sub(lambda run: marked(run[0], _phrases(run)), text) if signs.has_run(text) else text
    )


def _without_named(text: str, signs: Signs) -> str:
    if signs.any("mnemonic", "phrase", "seed"):
        text = _MNEMONIC.sub(_mnemonic, text)
    if signs.any(*_NAMES):
        text = _PASSPHRASE.sub(_passphrase, text)
    if "password" in signs.lowered:
        text = _PASSWORD.sub(_passphrase, text)
    return _OPENING.sub(_opening, text) if signs.any(*_LOCKS) else text


def _mnemonic(match: re.Match[str]) -> str:
    words = re.findall(r"[a-z]+", match["words"])
    size = next((size for size in reversed(_SIZES) if size <= len(words)), 0)
    is_phrase = size and _OF_SENTENCES.isdisjoint(words[:size])
    return f"{match['name']}{SECRET}" if is_phrase else match[0]


def _passphrase(match: re.Match[str]) -> str:
    words = match["words"].casefold().split()
    is_phrase = match["quote"] or (_OF_SENTENCES.isdisjoint(words) and _OF_PROSE.isdisjoint(words))
    return f"{match['name']}{SECRET}" if is_phrase else match[0]


def _opening(match: re.Match[str]) -> str:
    text, name = match.string, match["name"].casefold()
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()][-120:].casefold()
    opens = any(lock in line or lock in name for lock in _LOCKS) and not _FAILS.search(line)
    is_phrase = opens and _OF_SENTENCES.isdisjoint(match["words"].casefold().split())
    return f"{match['name']}{SECRET}" if is_phrase else match[0]


def _phrases(run: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where phrases of the list are in a run of short words.

    A phrase is known by its check bits, or by what is told before it; other lists of words are not.
    """
    is_named = bool(_ABOUT.search(before(run, 80)) or _ABOUT.search(run[0]))
    words = list(islice(re.finditer(r"[A-Za-z]+", run[0]), _WORDS_MAX))
    unnamed = [word for word in words if word[0].lower() != "word"]
    if len(words) - len(unnamed) >= _SIZES[0] - 1:
        words, is_named = unnamed, True  # word 1: …, word 2: …
    at = 0
    while at + _SIZES[0] <= len(words):
        size = _phrase_size(words[at:], is_named=is_named)
        if size:
            yield words[at].start(), words[at + size - 1].end()
        at += size or 1


def _phrase_size(words: list[re.Match[str]], *, is_named: bool) -> int:
    """Return how many words from here on are a phrase."""
    numbers = [_numbers().get(word[0].lower(), -1) for word in words[: _SIZES[-1]]]
    known = numbers.index(-1) if -1 in numbers else len(numbers)
    sizes = [size for size in reversed(_SIZES) if size <= known]
    return next((n for n in sizes if _checks(numbers[:n])), sizes[0] if is_named and sizes else 0)


def _checks(numbers: list[int]) -> bool:
    """Whether the last bits are the first ones of the rest's hash, as in every true phrase."""
    import hashlib

    size = len(numbers) // 3
    bits = 0
    for number in numbers:
        bits = bits << 11 | number
    entropy = (bits >> size).to_bytes(size * 4, "big")
    return hashlib.sha256(entropy).digest()[0] >> (8 - size) == bits & ((1 << size) - 1)


@cache
def _numbers() -> dict[str, int]:
    return {word: i for i, word in enumerate(" ".join(lines("bip39.txt")).split())}
