"""The rules of .gitignore, and patterns of paths: which files they mean."""

from __future__ import annotations

import re
from functools import lru_cache

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A longer rule, or one with more stars, is nobody's: it would take long to compare.
_CHARS_MAX, _STARS_MAX = 1_000, 12


class Rule(NamedTuple):
    """A line of a .gitignore: what it means, by paths from the folder it lies in."""

    expression: re.Pattern[str]
    keeps: bool
    is_for_folders: bool


def rules_in(text: str) -> tuple[Rule, ...]:
    """Return the rules of a .gitignore."""
    return tuple(rule for line in text.splitlines() if (rule := _rule(line)))


def _rule(line: str) -> Rule | None:
    line = line if line.endswith("\\ ") else line.rstrip()
    keeps = line.startswith("!")
    pattern = line[1:] if keeps else line.removeprefix("\\")
    if not pattern or line.startswith("#") or len(pattern) > _CHARS_MAX:
        return None
    is_for_folders = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    expression = path_pattern(pattern.lstrip("/"))
    return expression and Rule(expression, keeps, is_for_folders)


def is_ignored(above: Iterable[tuple[str, Sequence[Rule]]], path: str, *, is_folder: bool) -> bool:
    """Whether rules say so of a path: the last that means it.

    above: the rules of each folder above the path, the outermost first, by where that lies.
    """
    ignored = False
    for folder, rules in above:
        below = path[len(folder) + 1 :] if folder else path
        for rule in rules:
            if (is_folder or not rule.is_for_folders) and rule.expression.fullmatch(below):
                ignored = not rule.keeps
    return ignored


@lru_cache(maxsize=512)
def path_pattern(pattern: str) -> re.Pattern[str] | None:
    """Return what a pattern with *, ?, [ ] and ** means, or None if nobody can mean it."""
    if pattern.count("*") > _STARS_MAX:
        return None
    parts = pattern.split("/")
    said = ""
    for place, part in enumerate(parts):
        is_last = place == len(parts) - 1
        if part == "**":
            said += ".+" if is_last else "(?:[^/]+/)*"
        else:
            said += _part(part) + ("" if is_last else "/")
    try:
        return re.compile(said, re.DOTALL)
    except re.error:
        return None


def _part(part: str) -> str:
    said, at = "", 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            said += "" if said.endswith("[^/]*") else "[^/]*"
        elif char == "?":
            said += "[^/]"
        elif char == "[" and (end := part.find("]", at + 1)) > 0:
            within = part[at:end].replace("\\", "\\\\").replace("[", "\\[")
            within = f"^{within[1:]}" if within[0] in "!^" else within
            said += f"(?!/)[{within}]"
            at = end + 1
        elif char == "\\" and at < len(part):
            said += re.escape(part[at])
            at += 1
        else:
            said += re.escape(char)
    return said
