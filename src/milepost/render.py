"""Turn results into the text that a model reads."""

from collections.abc import Iterable, Iterator

from milepost.memory.values import UNTRUSTED, CompactMemory, CompactSearchResult, Memory
from milepost.sessions.values import Briefing
from milepost.text.fence import as_data, cleaned
from milepost.values import remarks

CUT = "(cut to the budget)"
MORE = "(more not shown)"
# What says itself of each memory whether it wants to instruct, by who stored it.
_MARKED = (Briefing, CompactMemory, CompactSearchResult, Memory, str)
# Shorter lines instruct nobody.
_ORDER_CHARS = 24


def to_text(result: object, budget: int | None = None) -> str:
    """Return the compact text of a result, harmless for a model and on a terminal."""
    if isinstance(result, list | Iterator):
        # Together, lines may make what none of them makes alone.
        return cleaned(_lines(map(_row, result), budget))
    # A briefing is fenced, and was made harmless before.
    text = str(result) if isinstance(result, Briefing) else _told(result)
    text += remarks(result)
    if budget is None:
        return text
    from milepost.text.fit import cut

    return cut(text, budget, f" {CUT}")


def _row(item: object) -> str:
    text = as_data(item) if isinstance(item, str) else _told(item)
    return f"{text}{remarks(item)}"


def _told(result: object) -> str:
    """Return what a result tells, with a mark on lines that want to instruct who reads them.

    Names, verdicts and what programs print come from anywhere, and pass no door.
    """
    text = cleaned(str(result))
    if isinstance(result, _MARKED) or len(text) < _ORDER_CHARS:
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if len(line) < _ORDER_CHARS or UNTRUSTED in line:
        return line
    from milepost.text.instructing import instructs

    return f"({UNTRUSTED}) {line}" if instructs(line) else line


def _lines(items: Iterable[str], budget: int | None) -> str:
    if budget is None:
        return "\n".join(items)
    from milepost.text.fit import first_lines

    return first_lines(items, budget, MORE)
