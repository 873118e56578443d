"""Find the memories that share the rarer terms of a text and are most like it."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Analysis, Filter
from milepost.storage.index.masks import allowed
from milepost.storage.index.segment import Segment

# A term that more memories of a segment hold than this tells nothing.
_COMMON_MIN, _COMMON_SHARE = 200, 0.01
# The rarest terms of a text are enough to find what speaks of the same.
_TERMS_MAX = 16
# So many are looked for however many hold them, and no more once so many hold those before.
_TERMS_MIN, _HOLDERS_MAX = 4, 500


def find_sharing(
    segments: Sequence[Segment], text: Analysis, model: str, where: Filter, limit: int
) -> dict[int, float]:
    """Return how alike those are that pass a filter, share terms and are most like a text."""
    keys = np.unique(np.frombuffer(text.terms, np.uint32))
    vector = text.vectors[model]
    length = float(np.linalg.norm(vector)) or 1.0
    rows: list[tuple[float, int, float]] = []
    for segment in segments:
        if len(segment):
            rows += _in_segment(segment, keys, model, vector / length, where, limit)
    rows.sort(reverse=True)
    return {memory: likeness for _, memory, likeness in rows[:limit]}


def _in_segment(
    segment: Segment,
    keys: NDArray[np.uint32],
    model: str,
    vector: NDArray[np.float32],
    where: Filter,
    limit: int,
) -> list[tuple[float, int, float]]:
    """Return the best of a segment: by which they were chosen, their ids, and how alike."""
    most = max(_COMMON_MIN, int(_COMMON_SHARE * len(segment)))
    spans = [(start, end) for start, end in segment.postings(keys) if 0 < end - start <= most]
    if not spans:
        return []
    spans = _rarest(spans)
    holders = np.concatenate([segment.posting_docs[start:end] for start, end in spans])
    docs, counts = np.unique(holders, return_counts=True)
    mask = allowed(segment, where)
    if mask is not None:
        docs, counts = docs[mask[docs]], counts[mask[docs]]
    likeness = _likeness(segment, docs, model, vector)
    chosen_by = counts / min(len(keys), _TERMS_MAX) + likeness
    best = np.lexsort((docs, chosen_by))[-limit:]
    columns = (chosen_by[best], segment.ids[docs[best]], likeness[best])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _rarest(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where the holders of the rarest terms stand."""
    spans = sorted(spans, key=lambda span: span[1] - span[0])[:_TERMS_MAX]
    held = accumulate(end - start for start, end in spans)
    return [
        span
        for place, (span, holders) in enumerate(zip(spans, held, strict=True))
        if place < _TERMS_MIN or holders <= _HOLDERS_MAX
    ]


def _likeness(
    segment: Segment, docs: NDArray[np.uint32], model: str, vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    channel = segment.channel(model)
    if channel is None:
        return np.zeros(len(docs), np.float32)
    values, scale, _ = channel
    dots = np.einsum("ij,j->i", values.take(docs, axis=0), vector)
    likeness: NDArray[np.float32] = (dots * scale.take(docs)).astype(np.float32)
    return likeness
