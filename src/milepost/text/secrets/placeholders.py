"""What is written where a secret will be (your-token-here, xxxx), or is made to be shown."""

from __future__ import annotations

import re
from functools import cache

_DISTINCT_MIN = 5


def is_placeholder(token: str) -> bool:
    """Whether something of the shape of a token says itself that it is none."""
    if _says().search(token) or _shown().match(token):
        return True
    return is_unmade(token)


def is_unmade(token: str) -> bool:
    """Whether what should be chance is a few characters again and again."""
    return len(token) >= 16 and len(set(token[-16:].lower())) < _DISTINCT_MIN


@cache
def _shown() -> re.Pattern[str]:
    """Match the address of a contract or an account, and a public key of SSH."""
    return re.compile(r"0x[0-9a-fA-F]{40}\Z|AAAA[A-Z][23][A-Z]")


@cache
def _says() -> re.Pattern[str]:
    return re.compile(
        r"(?i)example|placeholder|(?<![a-z])(?:your|my)[_-]|[_-]here\b|change[_-]?me"
        r"|replace[_-]?(?:me|with|this)"
        r"|dummy|redacted|insert[_-]|x{5,}|\*{3,}|\.{3}|…|[<>{}\[\]]|(?-i:\$[A-Z_]{2})"
    )
