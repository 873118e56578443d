"""A filter as a mask over a segment of the index."""

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter
from milepost.ranking.keys import label_key
from milepost.storage.filtering import Condition, conditions
from milepost.storage.index.segment import ANY_BRANCH, NO_PROJECT, Segment
from milepost.storage.pooling import session_key

Mask = NDArray[np.bool_]

_ORDERS = {">=": operator.ge, "<": operator.lt, "<=": operator.le, ">": operator.gt}


def allowed(segment: Segment, where: Filter) -> Mask | None:
    """Return which documents of a segment pass a filter; None when all do."""
    narrowing = [mask for mask in _masks(segment, where) if not mask.all()]
    if not narrowing:
        return None
    passed: Mask = np.logical_and.reduce(narrowing)
    return passed


def _masks(segment: Segment, where: Filter) -> Iterator[Mask]:
    if segment.alive is not None:
        yield segment.alive
    for condition in conditions(where):
        if condition.test in _ORDERS and _all_pass(segment, condition):
            continue
        if condition.field == "session":
            key = session_key(where.space, condition.values[0])
            yield segment.session == np.uint64(key)
        elif condition.field != "space":
            yield _mask(segment, condition)
        elif not (segment.one_space and segment.space[0] == label_key("space", where.space)):
            yield segment.space == np.uint64(label_key("space", where.space))


def _all_pass(segment: Segment, condition: Condition) -> bool:
    """Whether the ends of a column pass, and with them all between."""
    passes = _ORDERS[condition.test]
    return all(passes(end, condition.number) for end in segment.range_of(condition.field))


def _mask(segment: Segment, condition: Condition) -> Mask:
    field, test, values, number = condition
    if test in _ORDERS:
        column: Any = segment.arrays[field]
        mask: Mask = _ORDERS[test](column, number)
    elif field == "branch" and test == "any or none":
        mask = ~_labelled(segment, field, [ANY_BRANCH]) | _labelled(segment, field, values)
    elif test == "all":
        mask = np.logical_and.reduce([_labelled(segment, field, [value]) for value in values])
    elif test == "none":
        mask = ~_labelled(segment, field, values)
    else:
        none = [NO_PROJECT] if test == "any or none" else []
        mask = _labelled(segment, field, [*values, *none])
    return mask


def _labelled(segment: Segment, name: str, values: Sequence[str]) -> Mask:
    mask = np.zeros(len(segment), bool)
    keys = np.array([label_key(name, value) for value in values], np.uint64)
    for docs in segment.labelled(keys):
        mask[docs] = True
    return mask


def elsewhere(segment: Segment, project: str) -> Mask:
    """Return which documents of a segment belong to other projects and not to this one."""
    return ~_labelled(segment, "project", [project, NO_PROJECT])
