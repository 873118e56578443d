"""Compare an index with the rows it was made from."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.storage.index.segment import (
    IndexRow,
    Segment,
    build_segment,
    merge_segments,
    postings_of,
)
from milepost.storage.index.signs import bit_codes
from milepost.storage.pooling import impact_bytes

_ROWS = 20_000


def disagreements(
    segments: Sequence[Segment], rows: Iterable[IndexRow], known_ids: NDArray[np.int64]
) -> tuple[str, ...]:
    """Return in words where segments do not show the rows, or contradict themselves."""
    segments = [_as_now(segment) for segment in segments]
    missing = different = 0
    left = iter(rows)
    while chunk := sorted(islice(left, _ROWS)):
        shown = _shown(segments, chunk)
        missing += len(chunk) - len(shown)
        held = set(shown.ids.tolist())
        different += _differing(shown, [row for row in chunk if row.id in held])
    ids = np.concatenate([np.zeros(0, np.int64), *(s.ids[_alive(s)] for s in segments)])
    counts = {
        "missing from the index": missing,
        "indexed otherwise than they are stored": different,
        "in the index and not in the store": len(np.setdiff1d(ids, known_ids)),
    }
    words = [f"memories {what}: {count:,}" for what, count in counts.items() if count]
    torn = sum(not _is_consistent(segment) for segment in segments)
    return (*words, *([f"segments whose lists contradict each other: {torn:,}"] if torn else []))


def _as_now(segment: Segment) -> Segment:
    """Return a segment that goes on showing what it shows now, whatever others change."""
    part = Segment(segment.arrays, segment.change, segment.models)
    part.alive = None if segment.alive is None else segment.alive.copy()
    return part


def _alive(segment: Segment) -> NDArray[np.bool_]:
    return np.ones(len(segment), bool) if segment.alive is None else segment.alive


def _shown(segments: Sequence[Segment], rows: Sequence[IndexRow]) -> Segment:
    """Return what the segments show of some memories, as one segment."""
    ids = np.array([row.id for row in rows], np.int64)
    parts = []
    for segment in segments:
        part = Segment(segment.arrays, segment.change, segment.models)
        part.alive = _alive(segment) & np.isin(segment.ids, ids)
        parts.append(part)
    return merge_segments(parts) if parts else build_segment([], 0)


def _differing(shown: Segment, rows: Sequence[IndexRow]) -> int:
    """Count the memories that are not shown as their rows have them, looking closer by halves."""
    if not rows or _same(shown, build_segment(rows, 0)):
        return 0
    if len(rows) == 1:
        return 1
    half = len(rows) // 2
    return sum(_differing(_shown([shown], part), part) for part in (rows[:half], rows[half:]))


def _same(shown: Segment, expected: Segment) -> bool:
    """Whether two segments hold the same columns, words, labels and vectors."""
    plain = [name for name in expected.arrays if not name.startswith(("values", "scale", "codes"))]
    if not all(np.array_equal(shown.arrays[name], expected.arrays[name]) for name in plain):
        return False
    return all(_same_vectors(shown, expected, model) for model in {*shown.models, *expected.models})


def _same_vectors(shown: Segment, expected: Segment, model: str) -> bool:
    here, there = shown.channel(model), expected.channel(model)
    if here is None or there is None:
        only = here or there
        return only is not None and not only.scale.any()
    return np.array_equal(here.scale, there.scale) and np.array_equal(here.values, there.values)


def _is_consistent(segment: Segment) -> bool:
    """Whether what is looked up first fits the words, sessions and vectors behind it."""
    alive = _alive(segment)
    keys: Any
    for keys in (segment.term_keys, segment.label_keys):
        if not (keys[1:] > keys[:-1]).all():
            return False
    counts = np.maximum(np.diff(segment.term_starts), 0)
    stored = np.repeat(np.arange(len(segment.term_keys), dtype=np.uint64), counts)
    pairs, impacts = postings_of(segment.forward_terms, np.diff(segment.forward_starts))
    wanted = alive[pairs & 0xFFFFFFFF]
    listed = alive[segment.posting_docs]
    if not np.array_equal((stored << 32 | segment.posting_docs)[listed], pairs[wanted]):
        return False
    if not np.array_equal(segment.posting_impacts[listed], impact_bytes(impacts)[wanted]):
        return False
    return _places_fit(segment, alive) and all(
        np.array_equal(channel.codes[:, alive], bit_codes(channel.values)[:, alive])
        for channel in map(segment.channel, segment.models)
        if channel is not None
    )


def _places_fit(segment: Segment, alive: NDArray[np.bool_]) -> bool:
    docs = segment.place_docs.astype(np.int64)
    inside = np.flatnonzero(segment.session)
    held = docs[alive[docs]]
    fitting = np.array_equal(segment.place_of(held), segment.place_keys[alive[docs]])
    ordered = bool((segment.place_keys[1:] >= segment.place_keys[:-1]).all())
    return fitting and ordered and np.array_equal(np.sort(held), inside[alive[inside]])
