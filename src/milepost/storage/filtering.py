"""What a filter asks of a memory, as data that each store puts into its own language."""

from collections.abc import Iterator
from typing import NamedTuple

from milepost.memory.values import ARCHIVED, QUARANTINED, Filter


class Condition(NamedTuple):
    """A field of a memory, and what it must be.

    test: any, all or none of the values, any or nothing ("any or none": which ones have nothing
    their store knows), or how it compares with a moment or another number.
    """

    field: str
    test: str
    values: tuple[str, ...] = ()
    number: int = 0


def conditions(where: Filter) -> Iterator[Condition]:
    """Yield all that a memory must fulfil to pass a filter."""
    yield Condition("space", "any", (where.space,))
    for name, value in (
        ("kind", where.kind), ("branch", where.branch), ("session", where.session)
    ):  # fmt: skip
        if value is not None:
            yield Condition(name, "any", (value,))
    if where.without_kinds:
        yield Condition("kind", "none", where.without_kinds)
    if where.project is not None:
        test = "any or none" if where.or_unowned else "any"
        yield Condition("project", test, (where.project,))
    if where.branches is not None:
        yield Condition("branch", "any or none", where.branches)
    if where.tags:
        yield Condition("tag", "all" if where.match_all else "any", where.tags)
    if where.without:
        yield Condition("tag", "none", where.without)
    holds_at_us = None if where.include_superseded else where.holds_at_us
    for field, test, number in (
        ("created", ">=", where.after_us),
        ("created", "<", where.before_us),
        ("valid_from", "<=", where.as_of_us),
        ("valid_to", ">", holds_at_us),
        ("standing", "<", None if where.include_superseded or where.quarantined else ARCHIVED),
        ("standing", ">=", QUARANTINED if where.quarantined else None),
        ("trust", ">=", where.trust_min or None),
    ):
        if number is not None:
            yield Condition(field, test, number=number)
