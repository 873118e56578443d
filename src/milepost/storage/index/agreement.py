"""Compare an index with the rows it was made from."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from milepost.storage.index.segment import Segment

Row = tuple[int, int, int, bytes]


def disagreements(
    segments: Sequence[Segment], rows: Iterable[Any], known_ids: Callable[[], Iterable[Any]]
) -> tuple[str, ...]:
    """Return in words where segments do not show the rows: id, created, valid_to, terms."""
    place = _places(segments)
    missing = different = 0
    for memory_id, created, valid_to, terms in rows:
        found = place.get(memory_id)
        if found is None:
            missing += 1
        elif not _same(*found, created, valid_to, terms):
            different += 1
    extra = len(place.keys() - {row[0] for row in known_ids()})
    told = {
        "are missing from the index": missing,
        "are indexed otherwise than they are stored": different,
        "are in the index and not in the store": extra,
    }
    return tuple(f"{count:,} memories {what}" for what, count in told.items() if count)


def _places(segments: Sequence[Segment]) -> dict[int, tuple[Segment, int]]:
    found: dict[int, tuple[Segment, int]] = {}
    for segment in segments:
        alive = slice(None) if segment.alive is None else segment.alive
        docs = np.arange(len(segment))[alive]
        pairs = zip(segment.ids[alive].tolist(), docs.tolist(), strict=True)
        found |= {memory_id: (segment, doc) for memory_id, doc in pairs}
    return found


def _same(segment: Segment, doc: int, created: int, valid_to: int, terms: bytes) -> bool:
    start, end = segment.forward_starts[doc : doc + 2]
    indexed = segment.term_keys[segment.forward_terms[start:end]]
    return (
        bool(segment.created[doc] == created)
        and bool(segment.valid_to[doc] == valid_to)
        and indexed.tobytes() == terms
    )
