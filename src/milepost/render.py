"""Turn results into the text that a model reads."""

from collections.abc import Iterable, Iterator

from milepost.sessions.values import Briefing
from milepost.text.fence import as_data, harmless
from milepost.values import said_hidden

CUT = "(cut to the budget)"
MORE = "(more not shown)"


def to_text(result: object, budget: int | None = None) -> str:
    """Return the compact text of a result, harmless for a model and on a terminal."""
    if isinstance(result, list | Iterator):
        # Together, lines may make what none of them makes alone.
        return harmless(_lines(map(_row, result), budget))
    # A briefing is fenced, and was made harmless before.
    text = str(result) if isinstance(result, Briefing) else harmless(str(result))
    text += said_hidden(result)
    if budget is None:
        return text
    from milepost.text.tokens import beginning, ceiling

    if ceiling(text) <= budget:
        return text
    return f"{beginning(text, budget - ceiling(CUT) - 1).rstrip()} {CUT}"


def _row(item: object) -> str:
    text = as_data(item) if isinstance(item, str) else harmless(str(item))
    return f"{text}{said_hidden(item)}"


def _lines(items: Iterable[str], budget: int | None) -> str:
    if budget is None:
        return "\n".join(items)
    from milepost.text.tokens import ceiling

    lines: list[str] = []
    room = budget - ceiling(MORE) - 1
    for item in items:
        room -= ceiling(item) + 1
        if room < 0:
            return "\n".join([*lines, MORE])
        lines.append(item)
    return "\n".join(lines)
