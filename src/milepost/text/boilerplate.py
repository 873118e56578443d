"""Whether a text says nothing that anybody asks for later: banners, notices, progress, courtesies.

Every part of it must be of that sort; one that says something makes the whole worth keeping.
"""

from __future__ import annotations

import re
from functools import cache

from milepost.text.boilerplate_words import BANNER, COURTESY, LICENCE, NOISE, PHRASES

# More than this is no banner; a licence may be longer, and is known by its beginning.
_CHARS_MAX = 6_000
_PARTS = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_])|(?<=[。！？])|\s+[|·•»]\s+|\s{4,}")
_EDGES = " \t-–—*#/|>·•;%<!=+.,:()[]{}'\"`✓✔✅☑👍🙏🎉😊🙂"


def says_nothing(text: str) -> bool:
    """Tell whether a text holds nothing that anybody asks for later."""
    if len(text) > _CHARS_MAX:
        return False
    return all(_is_empty(line) or all(map(_is_empty, _parts(line))) for line in text.splitlines())


def _parts(line: str) -> list[str]:
    return [part for part in _PARTS.split(line) if part.strip(_EDGES)]


def _is_empty(part: str) -> bool:
    bare = " ".join(part.strip(_EDGES).split())
    return not bare or any(kind.fullmatch(bare) for kind in _kinds())


@cache
def _kinds() -> tuple[re.Pattern[str], ...]:
    sorts = (COURTESY, PHRASES, BANNER, LICENCE, NOISE)
    return tuple(re.compile(sort, re.VERBOSE | re.IGNORECASE) for sort in sorts)
