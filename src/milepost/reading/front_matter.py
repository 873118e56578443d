"""What stands in front of a Markdown document: names and values between two lines of dashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

_LINES_MAX, _VALUE_MAX, _VALUES_MAX = 200, 500, 50


def split_front_matter(lines: Sequence[str]) -> tuple[dict[str, str], Sequence[str], int]:
    """Return what is told in front, the lines after it, and the number of the first of them."""
    if not lines or lines[0].rstrip() != "---":
        return {}, lines, 1
    for number in range(1, min(len(lines), _LINES_MAX)):
        if lines[number].rstrip() in {"---", "..."}:
            told = _told("\n".join(lines[1:number]))
            return ({}, lines, 1) if told is None else (told, lines[number + 1 :], number + 2)
    return {}, lines, 1


def _told(text: str) -> dict[str, str] | None:
    """Return the names and values of a YAML mapping, None where it is none."""
    try:
        # Without aliases, by which a few lines can stand for more than there is memory.
        value = None if any(isinstance(e, yaml.AliasEvent) for e in yaml.parse(text)) else text
        read = yaml.safe_load(value) if value is not None else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if read is None and not text.strip():
        return {}
    return _flat(read) if isinstance(read, dict) else None


def _flat(read: Mapping[Any, Any]) -> dict[str, str]:
    flat = {}
    for name, value in list(read.items())[:_VALUES_MAX]:
        values = value if isinstance(value, list) else [value]
        words = [str(one) for one in values if not isinstance(one, dict | list) and one is not None]
        if words:
            flat[str(name)[:_VALUE_MAX]] = ", ".join(words)[:_VALUE_MAX]
    return flat
