"""Recovery phrases of wallets: a dozen words or two that open everything."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from milepost.text.secrets.published import lines
from milepost.text.secrets.signs import Signs

_SIZES = (12, 15, 18, 21, 24)
# No phrase begins later in a run of short words.
_WORDS_MAX = 300
# No list of such words has these, and hardly any sentence of a dozen words is without them.
_OF_SENTENCES = frozenset(
    "the and for with that this from are was were has have had not but its you your our when "
    "will must should which into then than use uses".split()
)

_NAMING = (
    "phrase",
    "frase",
    "фраз",
    "master",
    "wachtwoordzin",
    "密码短语",
    "フレーズ",
)
_OPENING = tuple(f"with {quote}" for quote in "\"'“„«")
_OF_PROSE = frozenset(
    "is to of in on at by be it as or if so we an a must should can may never always please "
    "see none required optional stored used needed set kept empty missing invalid unknown ask use "
    "check same like per contact send sent need needs get got hidden wrong correct changed reset "
    "expired only their his her my all no too very short long strong weak minimum maximum least "
    "der die das ist und nicht muss le la les est et un une el los es debe не и в на это".split()
)


def without_phrases(text: str, signs: Signs, secret: str) -> str:
    """Return a text in which recovery phrases are replaced."""
    if signs.any("mnemonic", "phrase", "seed"):
        text = _phrase().sub(lambda found: _hidden_named(found, secret), text)
    if signs.any(*_NAMING, *_OPENING):
        text = _passphrase().sub(lambda found: _hidden_phrase(found, secret), text)
    return _run().sub(lambda found: _hidden_run(found, secret), text)


def _hidden_named(found: re.Match[str], secret: str) -> str:
    words = re.findall(r"[a-z]+", found["words"])
    told = next((size for size in reversed(_SIZES) if size <= len(words)), 0)
    if not told or not _OF_SENTENCES.isdisjoint(words[:told]):
        return found[0]
    return f"{found['name']}{secret}"


def _hidden_phrase(found: re.Match[str], secret: str) -> str:
    words = {word.casefold() for word in found["words"].split()}
    if not found["quote"] and not words.isdisjoint(_OF_SENTENCES | _OF_PROSE):
        return found[0]
    return f"{found['name']}{secret}"


def _hidden_run(run: re.Match[str], secret: str) -> str:
    """Return a run of short words without a phrase of the list.

    A phrase is known by its check bits, or by what is told before it; other lists of words are not.
    """
    before = run.string[max(run.start() - 80, 0) : run.start()]
    told = bool(_about().search(before) or _about().search(run[0]))
    words = list(islice(re.finditer(r"[A-Za-z]+", run[0]), _WORDS_MAX))
    at, left, end = 0, [], 0
    while at + _SIZES[0] <= len(words):
        size = _phrase_size(words[at:], told=told)
        if size:
            left += [run[0][end : words[at].start()], secret]
            end = words[at + size - 1].end()
        at += size or 1
    return "".join([*left, run[0][end:]])


def _phrase_size(words: list[re.Match[str]], *, told: bool) -> int:
    """Return how many words from here on are a phrase."""
    listed = _listed()
    numbers = []
    for word in words[: _SIZES[-1]]:
        number = listed.get(word[0].lower())
        if number is None:
            break
        numbers.append(number)
    sizes = [size for size in reversed(_SIZES) if size <= len(numbers)]
    return next((n for n in sizes if _checks(numbers[:n])), sizes[0] if told and sizes else 0)


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
def _listed() -> dict[str, int]:
    return {word: i for i, word in enumerate(" ".join(lines("bip39.txt")).split())}


@cache
def _about() -> re.Pattern[str]:
    return re.compile(
        r"(?i)mnemonic|\bseed\b|wallet|phrase|recovery|restore|ledger|trezor|metamask|bip-?39"
        r"|助记词|ニーモニック"
    )


@cache
def _phrase() -> re.Pattern[str]:
    name = r"(?i:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words|key)|seed)"
    link = r"[\"']?(?:[ ](?:is|was|are))?[ \t]*[:=]?[ \t]*\n?[\"'`]?"
    # Words may be numbered, or stand on lines of their own.
    word = r"(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}"
    return re.compile(rf"(?P<name>{name}{link})(?P<words>{word}(?:[\s,]{{1,3}}{word}){{11,23}})\b")


@cache
def _passphrase() -> re.Pattern[str]:
    name = (
        r"(?:pass[ -]?phrase|(?:secret|security|unlock|парольная|кодовая) (?:phrase|фраза)"
        r"|phrase (?:de passe|secrète)"
        r"|frase (?:de contraseña|secreta|segreta)|wachtwoordzin|密码短语|パスフレーズ"
        r"|master(?:[ ](?:password|key|secret))?)"
    )
    opens = (
        r"(?:opens?|unlock(?:s|ed)?|decrypts?(?:ed)?|protected|encrypted|locked"
        r"|sealed)[ ](?:it[ ])?with"
    )
    words = r"(?P<words>[^\W\d_]{2,14}(?:[ ][^\W\d_]{2,14}){2,9})"
    return re.compile(
        rf"(?im)(?P<name>\b(?:{name}[\"'`*]{{0,2}}(?:[ ](?:is|was))?[ ]?(?:->|=>|→"
        rf"|[:=–—-])[ ]?|{name}[ ](?:is|was)[ ]|{opens}[ :](?=[\"'“„«]))"
        rf"[*]{{0,2}}(?P<quote>[\"'`“„«])?){words}(?:[ ]\d{{1,4}})?(?=[\"'`”“»*.,;(]|[ \t]*$)"
    )


@cache
def _run() -> re.Pattern[str]:
    # Words that could be of the list, with what may stand between them: signs, quotes, numbers.
    between = r"[\s,;|\"'`_-]{1,5}+(?:\d{1,2}[.):]?[ \t]{0,3}+)?+"
    return re.compile(
        rf"(?<![A-Za-z])[A-Za-z]{{3,8}}+(?:{between}[A-Za-z]{{3,8}}+(?![A-Za-z])){{11,}}+"
    )
