"""Tokens that are known by the account they belong to: an id of known shape, and its token near."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.token_shapes import SECRET

# What an id begins with, its shape, and the shape of what opens it.
_PAIRS = (
    ("AC", r"AC[0-9a-f]{32}", r"[0-9a-f]{32}"),
    ("SK", r"SK[0-9a-f]{32}", r"[A-Za-z0-9]{32}"),
    ("AKIA", r"AKIA[A-Z0-9]{16}", r"[A-Za-z0-9/+]{40}"),
    ("ASIA", r"ASIA[A-Z0-9]{16}", r"[A-Za-z0-9/+]{40}"),
    ("LTAI", r"LTAI[A-Za-z0-9]{12,20}", r"[A-Za-z0-9]{30}"),
    ("AKID", r"AKID[A-Za-z0-9]{32}", r"[A-Za-z0-9]{32}"),
)
_WITHIN = 120


def without_paired(text: str) -> str:
    """Return a text in which the token beside an account's id is replaced."""
    for sign, account, token in _PAIRS:
        if sign in text:
            text = _pattern(account, token).sub(rf"\1{SECRET}", text)
    return text


@cache
def _pattern(account: str, token: str) -> re.Pattern[str]:
    between = rf"[^A-Za-z0-9](?:.{{0,{_WITHIN}}}?[^A-Za-z0-9/+])??"
    mixed = r"(?=[A-Za-z/+]*\d)(?=[\d/+]*[A-Za-z])"
    return re.compile(rf"(?s)((?<![A-Za-z0-9]){account}{between}){mixed}{token}(?![A-Za-z0-9/+])")
