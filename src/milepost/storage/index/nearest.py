"""Find the vectors nearest to a question's without comparing it with each of them.

How many signs differ chooses among all, the signs weighed by the question among those, and the
similarity among the few that are left.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
BY_SIMILARITY = 10
# So many distances tell about where the smallest end, which spares partitioning a million.
SAMPLE = 8_192

# As far as what does not pass the filter: farther than anything that does.
_FAR = 65_535

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
    passing = sum(part.passing for part in held)
    if passing == 0:
        return join_hits([])
    wanted = question_signs(vector)
    few = passing <= count * BY_SIGNS
    alike = [_all(part) for part in held] if few else _alike(held, wanted, count * BY_SIGNS)
    weighed = [_weighed(part, docs, wanted) for part, docs in zip(held, alike, strict=True)]
    last = _about_smallest(weighed, count * BY_SIMILARITY)
    compared = [
        _compared(part, docs.take(np.flatnonzero(distances <= last)), vector)
        for part, docs, distances in zip(held, alike, weighed, strict=True)
    ]
    return join_hits(compared).top(count)


def _alike(held: Sequence[Held], wanted: Signs, count: int) -> list[Docs]:
    """Return for each segment its documents among about so many that differ in the fewest signs."""
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
        # All bits are set where it does not pass: to set these places alone takes far longer.
        distances |= part.mask.astype(np.uint16) - np.uint16(1)
    return distances


def _about_smallest(distances: Sequence[NDArray[np.uint16]], count: int) -> int:
    """Return up to which distance there are about so many."""
    total = sum(map(len, distances))
    sample = np.concatenate([part[:: max(total // SAMPLE, 1)] for part in distances])
    at = min(count * len(sample) // total, len(sample) - 1)
    return min(int(np.partition(sample, at)[at]), _FAR - 1)


def _few(docs: Docs, distances: NDArray[np.uint16], count: int) -> Docs:
    """Return no more documents than so many: a thousand copies of one text are all as near."""
    if len(docs) <= count:
        return docs
    return docs[np.argsort(distances[docs], kind="stable")[:count]]


def _weighed(part: Held, docs: Docs, wanted: Signs) -> NDArray[np.uint16]:
    codes = part.channel.codes
    some = len(docs) < codes.shape[1]
    return weighed_distances(codes.take(docs, axis=1) if some else codes, wanted)


def _compared(part: Held, docs: Docs, vector: NDArray[np.float32]) -> Hits:
    values, scale, _ = part.channel
    docs = docs[scale.take(docs) > 0]
    # Taken, not indexed, and left as bytes: no copy of the rows pushes all else out of the cache.
    scores = np.einsum("ij,j->i", values.take(docs, axis=0), vector) * scale.take(docs)
    return hits_in(part.segment, docs, scores.astype(np.float32))
