"""Find the memories that share the rarer terms of a text, without ranking anything."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter
from milepost.storage.index.masks import allowed
from milepost.storage.index.segment import Segment

# A term that more memories of a segment hold than this tells nothing.
_COMMON_MIN, _COMMON_SHARE = 200, 0.01
_SHARED_MIN = 2
# The rarest terms of a text are enough to find what speaks of the same.
_TERMS_MAX = 16


def find_sharing(segments: Sequence[Segment], terms: bytes, where: Filter, limit: int) -> list[int]:
    """Return the ids of those that pass a filter and share most terms, of these the newest."""
    keys = np.unique(np.frombuffer(terms, np.uint32))
    found = [_in_segment(segment, keys, where, limit) for segment in segments if len(segment)]
    rows = sorted((row for rows in found for row in rows), reverse=True)
    return [memory for _, memory in rows[:limit]]


def _in_segment(
    segment: Segment, keys: NDArray[np.uint32], where: Filter, limit: int
) -> list[tuple[int, int]]:
    """Return the best of a segment: how many terms each shares, and its id."""
    most = max(_COMMON_MIN, int(_COMMON_SHARE * len(segment)))
    spans = [(start, end) for start, end in segment.postings(keys) if 0 < end - start <= most]
    if len(spans) < _SHARED_MIN:
        return []
    spans = sorted(spans, key=lambda span: span[1] - span[0])[:_TERMS_MAX]
    holders = np.concatenate([segment.posting_docs[start:end] for start, end in spans])
    docs, counts = np.unique(holders, return_counts=True)
    docs, counts = docs[counts >= _SHARED_MIN], counts[counts >= _SHARED_MIN]
    if not len(docs):
        return []
    mask = allowed(segment, where)
    if mask is not None:
        docs, counts = docs[mask[docs]], counts[mask[docs]]
    best = np.lexsort((docs, counts))[-limit:]
    return list(zip(counts[best].tolist(), segment.ids[docs[best]].tolist(), strict=True))
