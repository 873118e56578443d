"""Which documents of a segment pass a filter."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter
from milepost.ranking.keys import label_key
from milepost.storage.index.segment import Segment

Mask = NDArray[np.bool_]

# The label of memories that belong to no project; no project can be called so.
NO_PROJECT = ""


def allowed(segment: Segment, where: Filter) -> Mask | None:
    """Return which documents pass the filter; None when all do."""
    masks = [segment.alive] if segment.alive is not None else []
    masks += _label_masks(segment, where)
    masks += _time_masks(segment, where)
    space = label_key("space", where.space)
    if not (segment.one_space and segment.space[0] == space):
        masks.append(segment.space == np.uint64(space))
    narrowing = [mask for mask in masks if not mask.all()]
    if not narrowing:
        return None
    passed: Mask = np.logical_and.reduce(narrowing)
    return passed


def _time_masks(segment: Segment, where: Filter) -> list[Mask]:
    masks: list[Mask] = []
    if where.after is not None:
        masks.append(segment.created >= where.after)
    if where.before is not None:
        masks.append(segment.created < where.before)
    if not where.include_superseded:
        masks.append(segment.valid_to > where.holds_at)
    if where.as_of is not None:
        masks.append(segment.valid_from <= where.as_of)
    return masks


def _label_masks(segment: Segment, where: Filter) -> list[Mask]:
    masks = []
    if where.kind is not None:
        masks.append(_labelled(segment, [label_key("kind", where.kind)]))
    if where.project is not None:
        owners = [where.project, *([NO_PROJECT] if where.or_unowned else [])]
        masks.append(_labelled(segment, [label_key("project", owner) for owner in owners]))
    tags = [label_key("tag", tag) for tag in where.tags]
    if tags and where.match_all:
        masks += [_labelled(segment, [tag]) for tag in tags]
    elif tags:
        masks.append(_labelled(segment, tags))
    return masks


def _labelled(segment: Segment, labels: Sequence[int]) -> Mask:
    mask = np.zeros(len(segment), bool)
    for docs in segment.labelled(np.array(labels, np.uint64)):
        mask[docs] = True
    return mask
