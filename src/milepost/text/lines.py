"""Say things in a line."""

from __future__ import annotations


def left_out(count: int) -> str:
    """Return the line that says what a result does not show."""
    return f"({count} more not shown)"


def listed(rows: tuple[object, ...], total: int, nothing: str) -> str:
    """Return rows a line each, and how many there are beside them."""
    lines = [str(row) for row in rows]
    if total > len(rows):
        lines.append(left_out(total - len(rows)))
    return "\n".join(lines) or nothing


def day(moment: float) -> str:
    """Return the local date of a moment."""
    from datetime import datetime

    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d")
