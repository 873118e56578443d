"""Turn results into the text that a model reads."""

from collections.abc import Iterable, Iterator

from milepost.sessions.values import Briefing
from milepost.text.fence import as_data, cleaned
from milepost.values import remarks

CUT = "(cut to the budget)"
MORE = "(more not shown)"


def to_text(result: object, budget: int | None = None) -> str:
    """Return the compact text of a result, harmless for a model and on a terminal."""
    if isinstance(result, list | Iterator):
        # Together, lines may make what none of them makes alone.
        return cleaned(_lines(map(_row, result), budget))
    # A briefing is fenced, and was made harmless before.
    text = str(result) if isinstance(result, Briefing) else cleaned(str(result))
    text += remarks(result)
    if budget is None:
        return text
    from milepost.text.fit import cut

    return cut(text, budget, f" {CUT}")


def _row(item: object) -> str:
    text = as_data(item) if isinstance(item, str) else cleaned(str(item))
    return f"{text}{remarks(item)}"


def _lines(items: Iterable[str], budget: int | None) -> str:
    if budget is None:
        return "\n".join(items)
    from milepost.text.fit import first_lines

    return first_lines(items, budget, MORE)
