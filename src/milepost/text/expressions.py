"""Regular expressions that are compiled when they are first used: most texts need few of them."""

from __future__ import annotations

import re
from functools import cache

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")

compiled = cache(re.compile)


class _Lazy:
    """What stands for an expression, and has its methods once one of them is asked for."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> object:
        expression = re.compile(self._source)
        vars(self).update({method: getattr(expression, method) for method in _METHODS})
        return getattr(expression, name)


def lazy(source: str) -> re.Pattern[str]:
    """Return an expression that costs nothing before it is used."""
    return _Lazy(source)  # type: ignore[return-value]


def before(match: re.Match[str], size: int) -> str:
    """Return what stands right before a match."""
    return match.string[max(match.start() - size, 0) : match.start()]


# A block of code between fences, or up to the end.
FENCE = lazy(r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)")
