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
    "phrase", "frase", "фраз", "master", "wachtwoordzin", "密码短语", "フレーズ", "diceware",
)  # fmt: skip
_LOCKS = (
    "luks", "crypt", "unlock", "vault", "keepass", "bitwarden", "borg", "restic", "gpg", "ssh",
    "keychain", "keyring", "keystore", "disk", "drive", "opens",
)  # fmt: skip
# Words of a sentence about a phrase, and of no phrase.
_OF_PROSE = frozenset(
    "is to of in on at by be it as or if so we an a must should can may never always please "
    "see none required optional stored used needed set kept empty missing invalid unknown ask use "
    "check same like per contact send sent need needs get got hidden wrong changed reset "
    "expired only their his her my all no too very short long strong weak minimum maximum least "
    "written asked typed entered saved read loaded passed given shown cached derived generated "
    "protected hashed checked validated password passphrase passphrases characters words "
    "der die das ist und nicht muss le la les est et un une el los es debe не и в на это".split()
)


def without_phrases(text: str, signs: Signs, secret: str) -> str:
    """Return a text in which recovery phrases are replaced."""
    if signs.any("mnemonic", "phrase", "seed"):
        text = _phrase().sub(lambda found: _hidden_named(found, secret), text)
    if signs.any(*_NAMING):
        text = _passphrase().sub(lambda found: _hidden_phrase(found, secret), text)
    if "password" in signs.lowered:
        text = _password().sub(lambda found: _hidden_phrase(found, secret), text)
    if signs.any(*_LOCKS):
        text = _opening().sub(lambda found: _hidden_opening(found, secret), text)
    return text


def without_runs(text: str, secret: str) -> str:
    """Return a text in which recovery phrases are replaced that nothing tells of."""
    return _run().sub(lambda found: _hidden_run(found, secret), text)


def _hidden_named(found: re.Match[str], secret: str) -> str:
    words = re.findall(r"[a-z]+", found["words"])
    told = next((size for size in reversed(_SIZES) if size <= len(words)), 0)
    if not told or not _OF_SENTENCES.isdisjoint(words[:told]):
        return found[0]
    return f"{found['name']}{secret}"


def _hidden_phrase(found: re.Match[str], secret: str) -> str:
    words = found["words"].casefold().split()
    if not found["quote"] and not _OF_SENTENCES.isdisjoint(words):
        return found[0]
    if not found["quote"] and not _OF_PROSE.isdisjoint(words):
        return found[0]
    return f"{found['name']}{secret}"


def _hidden_opening(found: re.Match[str], secret: str) -> str:
    text = found.string
    line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()][-120:].casefold()
    words = found["words"].casefold().split()
    told = any(lock in line or lock in found["name"].casefold() for lock in _LOCKS)
    if not told or _fails().search(line) or not _OF_SENTENCES.isdisjoint(words):
        return found[0]
    return f"{found['name']}{secret}"


def _hidden_run(run: re.Match[str], secret: str) -> str:
    """Return a run of short words without a phrase of the list.

    A phrase is known by its check bits, or by what is told before it; other lists of words are not.
    """
    before = run.string[max(run.start() - 80, 0) : run.start()]
    told = bool(_about().search(before) or _about().search(run[0]))
    words = list(islice(re.finditer(r"[A-Za-z]+", run[0]), _WORDS_MAX))
    unnamed = [word for word in words if word[0].lower() != "word"]
    if len(words) - len(unnamed) >= _SIZES[0] - 1:
        words, told = unnamed, True  # word 1: …, word 2: …
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


_PHRASE_WORDS = r"(?P<words>[^\W\d_]{2,14}(?:[ ](?:[^\W\d_]{2,14}|\d{1,4})){2,11})"


_BEING = (
    r"(?:[ ](?:is|was|are|has been|used to be|changed to|set to|reset to|to|became|remains"
    r"|now|still|jest|ist|lautet|est|es|è|é)){1,3}"
)


@cache
def _password() -> re.Pattern[str]:
    words = r"(?P<words>[A-Za-z]{3,9}(?:[ ][A-Za-z]{3,9}){3,11})"
    return re.compile(
        rf"(?m)(?P<name>[Pp]assword(?:(?:{_BEING})?[ ]?(?:->|→|[:=])[ ]?|{_BEING}[ ]))(?P<quote>)"
        rf"{words}(?=[.,;(]|[ \t]*$)"
    )


@cache
def _passphrase() -> re.Pattern[str]:
    name = (
        r"(?:pass[ -]?phrase|(?:secret|security|unlock|парольная|кодовая) (?:phrase|фраза)"
        r"|phrase (?:de passe|secrète)|(?<=[,;] )phrase(?=:)|diceware(?: words)?"
        r"|frase (?:de contraseña|secreta|segreta)|wachtwoordzin|密码短语|パスフレーズ"
        r"|master(?:[ ](?:password|key|secret))?)"
    )
    about = (
        r"(?:[ ](?:for|of|to|on|from|that|we|you)(?:[ ][\w./~'’-]{1,40}){1,5}?)?"
        r"(?:[ ]?\([^)\n]{0,40}\))?"
    )
    return re.compile(
        rf"(?im)(?P<name>\b{name}{about}[\"'`*?]{{0,3}}"
        rf"(?:[^\n.?!\"'`:]{{0,50}}[.?!][ ]It(?:[’']s|[ ]is|[ ]was)"
        rf"(?:[ ](?:now|still|currently))?[ ]"
        rf"(?=[\"'`“„«])|(?:{_BEING})?[ ]?(?:->|=>|→|[:=–—-])[ ]?"
        rf"|{_BEING}[ ]|(?<=\?)[ ]|(?<!master)\n[ \t]*)"
        rf"[*]{{0,2}}(?P<quote>[\"'`“„«])?){_PHRASE_WORDS}"
        rf"(?=[\"'`”“»*,;(]|\.(?!\d)|[ ](?:for|on|at)[ ]"
        rf"|[ \t]*$)"
    )


@cache
def _opening() -> re.Pattern[str]:
    doing = (
        r"(?:opens?|unlock(?:s|ed)?|decrypt(?:s|ed)?|protected|encrypted|locked|sealed|secured"
        r"|answer|reply|respond|say|type|enter|use|try)"
    )
    how = (
        r"(?:[ ](?:it|them))?(?:[ ](?:with|by|using|in))?(?:[ ](?:the|a|an|this))?(?:[ "
        r"](?:phrase|words|sentence))?"
    )
    return re.compile(
        rf"(?i)(?P<name>\b(?:{doing}{how}|master(?: key| password)?)[ :]{{1,2}}[\"'`“„«])"
        rf"{_PHRASE_WORDS}(?=[\"'`”“»])"
    )


@cache
def _fails() -> re.Pattern[str]:
    return re.compile(
        r"fail|error|messag|warn|\blogs?\b|says|said|print|title|label|button|reject|abort|comment"
    )


@cache
def _run() -> re.Pattern[str]:
    # Words that could be of the list, with what may stand between them: signs, quotes, numbers.
    between = r"[\s,;|\"'`_-]{1,5}+(?:\d{1,2}[.):]?[ \t]{0,3}+)?+"
    return re.compile(
        rf"(?<![A-Za-z])[A-Za-z]{{3,8}}+(?:{between}[A-Za-z]{{3,8}}+(?![A-Za-z])){{11,}}+"
    )
