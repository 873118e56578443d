"""Find the vectors nearest to a question's without comparing it with each of them.

How many signs differ chooses among all, the signs weighed by the question among those, and the
similarity among the few that are left.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.numerics import times_vector
from milepost.storage.index.hits import Hits, hits_in, join_hits
from milepost.storage.index.masks import Mask
from milepost.storage.index.segment import Channel, Segment
from milepost.storage.index.signs import (
    Signs,
    bit_distances,
    question_signs,
    weighed_distances,
)

# For each vector wanted so many are compared by weighed signs, and so many by their similarity.
BY_SIGNS = 128
BY_SIMILARITY = 12
# So many distances tell about where the smallest end, which spares partitioning a million.
SAMPLE = 8_192

Docs = NDArray[np.int64]


class Held(NamedTuple):
    """The vectors of a segment, and which of its documents pass the filter."""

    segment: int
    channel: Channel
    mask: Mask | None

    @property
    def passing(self) -> int:
        """How many documents pass."""
        return len(self.channel.scale) if self.mask is None else int(np.count_nonzero(self.mask))


def nearest(
    segments: Sequence[Segment],
    masks: Sequence[Mask | None],
    model: str,
    vector: NDArray[np.float32],
    count: int,
) -> Hits:
    """Return the documents whose vectors are nearest, nearest first."""
    held = [
        Held(i, channel, mask)
        for i, (segment, mask) in enumerate(zip(segments, masks, strict=True))
        if (channel := segment.channel(model)) is not None
    ]
    wanted = question_signs(vector)
    alike = _alike(held, wanted, count * BY_SIGNS)
    weighed = [_weighed(part, docs, wanted) for part, docs in zip(held, alike, strict=True)]
    best = join_hits(weighed).best(count * BY_SIMILARITY)
    compared = [_compared(part, best.doc[best.segment == part.segment], vector) for part in held]
    return join_hits(compared).top(count)


def _alike(held: Sequence[Held], wanted: Signs, count: int) -> list[Docs]:
    """Return for each segment its documents among about so many that differ in the fewest signs."""
    if sum(part.passing for part in held) <= count:
        return [_all(part) for part in held]
    distances = [_distances(part, wanted) for part in held]
    last = _about_smallest(distances, count)
    return [
        _few(np.flatnonzero(part_distances <= last), part_distances, 2 * count)
        for part_distances in distances
    ]


def _all(part: Held) -> Docs:
    return np.arange(part.passing) if part.mask is None else np.flatnonzero(part.mask)


def _distances(part: Held, wanted: Signs) -> NDArray[np.uint16]:
    distances = bit_distances(part.channel.codes, wanted)
    if part.mask is not None:
        distances[~part.mask] = np.iinfo(distances.dtype).max
    return distances


def _about_smallest(distances: Sequence[NDArray[np.uint16]], count: int) -> int:
    """Return up to which distance there are about so many."""
    total = sum(map(len, distances))
    sample = np.concatenate([part[:: max(total // SAMPLE, 1)] for part in distances])
    at = min(count * len(sample) // total, len(sample) - 1)
    # What does not pass the filter is as far as can be, and never among those that do.
    return min(int(np.partition(sample, at)[at]), np.iinfo(sample.dtype).max - 1)


def _few(docs: Docs, distances: NDArray[np.uint16], count: int) -> Docs:
    """Return no more documents than so many: a thousand copies of one text are all as near."""
    if len(docs) <= count:
        return docs
    return docs[np.argsort(distances[docs], kind="stable")[:count]]


def _weighed(part: Held, docs: Docs, wanted: Signs) -> Hits:
    whole = len(docs) == len(part.channel.scale)
    distances = weighed_distances(part.channel.codes, slice(None) if whole else docs, wanted)
    return hits_in(part.segment, docs, -distances.astype(np.float32))


def _compared(part: Held, docs: Docs, vector: NDArray[np.float32]) -> Hits:
    values, scale, _ = part.channel
    docs = docs[scale[docs] > 0]
    scores = times_vector(values[docs].astype(np.float32), vector) * scale[docs]
    return hits_in(part.segment, docs, scores.astype(np.float32))
