"""What is written where a secret will be: your-token-here, xxxx, AKIA…EXAMPLE."""

from __future__ import annotations

import re
from functools import cache

_DISTINCT_MIN = 5


def is_placeholder(token: str) -> bool:
    """Whether something of the shape of a token says itself that it is none."""
    if _says().search(token):
        return True
    return len(token) >= 16 and len(set(token[-16:].lower())) < _DISTINCT_MIN


@cache
def _says() -> re.Pattern[str]:
    return re.compile(
        r"(?i)example|placeholder|(?<![a-z])(?:your|my)[_-]|[_-]here\b|change[_-]?me"
        r"|replace[_-]?(?:me|with|this)"
        r"|dummy|redacted|insert[_-]|x{5,}|\*{3,}|\.{3}|…|[<>{}\[\]]|(?-i:\$[A-Z_]{2})"
    )
