"""Recovery phrases of wallets: a dozen words or two that open everything."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.published import lines

_SIZES = (12, 15, 18, 21, 24)
# No list of such words has these, and hardly any sentence of a dozen words is without them.
_OF_SENTENCES = frozenset(
    "the and for with that this from are was were has have had not but its you your our when "
    "will must should which into then than use uses".split()
)


def without_phrases(text: str, lowered: str, secret: str) -> str:
    """Return a text in which recovery phrases are replaced."""
    if "mnemonic" in lowered or "phrase" in lowered or "seed" in lowered:
        text = _phrase().sub(lambda found: _hidden_named(found, secret), text)
    return _run().sub(lambda found: _hidden_words(found[0], secret), text)


def _hidden_named(found: re.Match[str], secret: str) -> str:
    words = re.findall(r"[a-z]+", found["words"])
    told = next((size for size in reversed(_SIZES) if size <= len(words)), 0)
    if not told or not _OF_SENTENCES.isdisjoint(words[:told]):
        return found[0]
    return f"{found['name']}{secret}"


def _hidden_words(run: str, secret: str) -> str:
    """Return a run of short words without those that are of the list, if they are enough of them."""
    spans: list[tuple[int, int]] = []
    start = end = count = 0
    for word in re.finditer(r"[A-Za-z]+", run):
        if word[0].lower() in _listed():
            start, count = (start, count + 1) if count else (word.start(), 1)
            end = word.end()
            continue
        spans += [(start, end)] * (count >= _SIZES[0])
        count = 0
    spans += [(start, end)] * (count >= _SIZES[0])
    for first, last in reversed(spans):
        run = run[:first] + secret + run[last:]
    return run


@cache
def _listed() -> frozenset[str]:
    return frozenset(" ".join(lines("bip39.txt")).split())


@cache
def _phrase() -> re.Pattern[str]:
    name = r"(?i:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words|key)|seed)"
    link = r"[\"']?(?:[ ](?:is|was|are))?[ \t]*[:=]?[ \t]*\n?[\"'`]?"
    # Words may be numbered, or stand on lines of their own.
    word = r"(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}"
    return re.compile(rf"(?P<name>{name}{link})(?P<words>{word}(?:[\s,]{{1,3}}{word}){{11,23}})\b")


@cache
def _run() -> re.Pattern[str]:
    # Words that could be of the list, with what may stand between them: signs, quotes, numbers.
    between = r"[\s,;|\"'`_-]{1,5}+(?:\d{1,2}[.):]?[ \t]{0,3}+)?+"
    return re.compile(
        rf"(?<![A-Za-z])[A-Za-z]{{3,8}}+(?:{between}[A-Za-z]{{3,8}}+(?![A-Za-z])){{11,}}+"
    )
