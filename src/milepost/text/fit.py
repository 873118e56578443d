"""Fit what a model is told under a budget of tokens: never more, and as much as can be.

More budget never shows less: what is tried, and in which order, does not depend on the budget, so
whatever fits a smaller one is found with a larger one too, or something before it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from milepost.text.tokens import Cost, at_most, cost

T = TypeVar("T")

# Even a ruler has fewer to a token, so of a longer text nothing need be counted.
_TOKEN_CHARS = 40
# A row that is told at some length has at most so many characters.
_AT_LENGTH = 240


def fits(result: object, budget: int) -> bool:
    """Whether the text of something stays within a budget."""
    text = str(result)
    return len(text) <= _TOKEN_CHARS * budget and at_most(text) <= budget


def first_fitting(versions: Iterable[T], budget: int) -> T:
    """Return the first of ever shorter versions that fits; the last where none does."""
    for version in versions:
        if fits(version, budget):
            break
    return version


def largest_fitting(size: int, version: Callable[[int], T], budget: int) -> T:
    """Return the version of the largest size that fits; that of size 0 where none does."""
    if fits(whole := version(size), budget):
        return whole
    # Doubled until it is too large, so that of a book no more is looked at than is shown.
    fitting, too_large = 0, 1
    while too_large < size and fits(version(too_large), budget):
        fitting, too_large = too_large, 2 * too_large
    too_large = min(too_large, size)
    while too_large - fitting > 1:
        middle = (fitting + too_large) // 2
        if fits(version(middle), budget):
            fitting = middle
        else:
            too_large = middle
    return version(fitting)


def cut(text: str, budget: int, end: str = "") -> str:
    """Return a text, or as much of its beginning as fits with an end that says it was cut."""

    def beginning(size: int) -> str:
        return text if size == len(text) else f"{text[:size].rstrip()}{end}"

    return largest_fitting(len(text), beginning, budget)


def fit_rows(result: T, field: str, budget: int | None) -> T:
    """Return a result with as many rows of a field, from the first, as fit; without budget all."""
    if budget is None:
        return result
    rows = getattr(result, field)

    def of_first(count: int) -> Any:
        return result._replace(**{field: rows[:count]})  # type: ignore[attr-defined]

    return cast(T, largest_fitting(len(rows), of_first, budget))


def first_lines(lines: Iterable[str], budget: int, more: str) -> str:
    """Return as many lines as fit, from the first; where there are more of them, this is said."""
    chosen: list[str] = []
    total, least, fitting = _NOTHING, _of_line(more), 0
    for line in lines:
        chosen.append(line)
        total = total.plus(_of_line(line))
        if total.tokens > budget:
            return "\n".join([*chosen[:fitting], more])
        if total.plus(least).tokens <= budget:
            fitting = len(chosen)
    return "\n".join(chosen)


def pack(
    rows: Iterable[Sequence[T]],
    budget: int,
    frame: str = "",
    at_length: int = 0,
    row_tokens: int = 10,
) -> list[tuple[int, T]]:
    """Return what fits beside a frame, a line each: the numbers of rows, and their versions.

    A row offers versions, longest first. At first so many rows are told at some length, the others
    as short as can be; with the room that is left all get longer, the first before the others.
    row_tokens: with less room than this no further row is told.
    """
    total = _of_line(frame)
    chosen: list[tuple[int, Sequence[T], T, Cost]] = []
    for number, versions in enumerate(rows):
        short = [v for v in versions if len(str(v)) <= _AT_LENGTH] if number < at_length else []
        line = _longest(short or versions[-1:], total, budget, last=True)
        if line is not None:
            chosen.append((number, versions, *line))
            total = total.plus(line[1])
        if budget - total.tokens < row_tokens:
            break
    for place, (number, versions, version, own) in enumerate(chosen):
        others = total.minus(own)
        last = place == len(chosen) - 1
        # None gets shorter, although the last may fit only without its end, which counts here.
        longer = versions[: versions.index(version)]
        line = _longest(longer, others, budget, last=last) or (version, own)
        chosen[place] = (number, versions, *line)
        total = others.plus(line[1])
    return [(number, version) for number, _, version, _ in chosen]


def _longest(
    versions: Iterable[T], others: Cost, budget: int, *, last: bool
) -> tuple[T, Cost] | None:
    """Return the first version that fits beside others, with its cost."""
    for version in versions:
        own = _of_line(version)
        if others.plus(own).tokens <= budget:
            return version, own
        # Nothing comes after the last line.
        if last and others.plus(cost(str(version))).tokens <= budget:
            return version, own
    return None


def _of_line(line: object) -> Cost:
    return cost(f"{line}\n")


_NOTHING = cost("")
