"""Recovery phrases of wallets: a dozen words or two that open everything."""

from __future__ import annotations

import re
from functools import cache

_SIZES = (12, 15, 18, 21, 24)
# No list of such words has these, and hardly any sentence of a dozen words is without them.
_OF_SENTENCES = frozenset(
    "the and for with that this from are was were has have had not but its you your our when "
    "will must should which into then than use uses".split()
)


def without_phrases(text: str, secret: str) -> str:
    """Return a text in which recovery phrases are replaced."""
    lowered = text.lower()
    if "mnemonic" not in lowered and "phrase" not in lowered and "seed" not in lowered:
        return text

    def hidden(found: re.Match[str]) -> str:
        words = re.findall(r"[a-z]+", found["words"])
        told = next((size for size in reversed(_SIZES) if size <= len(words)), 0)
        if not told or not _OF_SENTENCES.isdisjoint(words[:told]):
            return found[0]
        return f"{found['name']}{secret}"

    return _phrase().sub(hidden, text)


@cache
def _phrase() -> re.Pattern[str]:
    name = r"(?i:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words|key)|seed)"
    link = r"[\"']?(?:[ ](?:is|was|are))?[ \t]*[:=]?[ \t]*\n?[\"'`]?"
    # Words may be numbered, or stand on lines of their own.
    word = r"(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}"
    return re.compile(rf"(?P<name>{name}{link})(?P<words>{word}(?:[\s,]{{1,3}}{word}){{11,23}})\b")
