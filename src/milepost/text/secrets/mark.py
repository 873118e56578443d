"""What stands in the place of a secret."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

SECRET = "[secret]"  # noqa: S105 -- the mark, and no secret


def marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with the mark in the place of spans; of two that overlap the first counts."""
    parts, end = [], 0
    for start, stop in spans:
        if start >= end:
            parts += [text[end:start], SECRET]
            end = stop
    return "".join([*parts, text[end:]])


def marked_group(match: re.Match[str], group: int) -> str:
    """Return a match with the mark in the place of one of its groups."""
    offset = match.start()
    return marked(match[0], [(match.start(group) - offset, match.end(group) - offset)])
