"""Say things in a line."""

from __future__ import annotations

_DAY_US = 86_400_000_000


def clip(text: str, most: int) -> str:
    """Return the beginning of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def clip_at_word(text: str, most: int = 280) -> str:
    """Return the beginning of a text in one line, cut where a word ends."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    space = line.rfind(" ", most // 2, most)
    return line[: space if space > 0 else most - 1] + "…"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: 1 memory, 2,000 memories."""
    regular = not noun.endswith("y") or noun.endswith(("ay", "ey", "oy"))
    many = f"{noun}s" if regular else f"{noun.removesuffix('y')}ies"
    return f"{count:,} {noun if count == 1 else many}"


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


def minute(moment: float) -> str:
    """Return the local date and time of a moment, to the minute."""
    from datetime import datetime

    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")


def moment(seconds: float) -> str:
    """Return a moment as ISO 8601 has it, in the zone of this computer."""
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def age(micros: int) -> str:
    """Return how long ago something was, in few characters: 3h, 12d, 5mo, 2y."""
    days = max(0, micros) / _DAY_US
    if days < 1:
        return f"{days * 24:.0f}h"
    if days < 60:
        return f"{days:.0f}d"
    return f"{days / 30.4:.0f}mo" if days < 720 else f"{days / 365:.0f}y"
