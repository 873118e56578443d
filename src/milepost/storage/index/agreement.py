"""Compare an index with the rows it was made from."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.storage.index.segment import Segment

_ROWS = 2_000


def disagreements(
    segments: Sequence[Segment], rows: Iterable[Any], known_ids: NDArray[np.int64]
) -> tuple[str, ...]:
    """Return in words where segments do not show the rows: id, created, valid_to, terms."""
    ids, owners, docs = _places(segments)
    missing = different = 0
    left = iter(rows)
    while chunk := list(islice(left, _ROWS)):
        wanted = np.array([row[0] for row in chunk], np.int64)
        at = np.minimum(np.searchsorted(ids, wanted), max(len(ids) - 1, 0))
        found = ids[at] == wanted if len(ids) else np.zeros(len(chunk), bool)
        missing += len(chunk) - int(found.sum())
        for i in np.flatnonzero(found).tolist():
            different += not _same(segments[owners[at[i]]], docs[at[i]], *chunk[i][1:])
    told = {
        "missing from the index": missing,
        "indexed otherwise than they are stored": different,
        "in the index and not in the store": len(np.setdiff1d(ids, known_ids)),
    }
    return tuple(f"memories {what}: {count:,}" for what, count in told.items() if count)


def _places(
    segments: Sequence[Segment],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids that the segments show, in order, with the segment and document of each."""
    docs = [np.arange(len(s)) if s.alive is None else np.flatnonzero(s.alive) for s in segments]
    none = np.zeros(0, np.int64)
    ids = np.concatenate([none, *(s.ids[d] for s, d in zip(segments, docs, strict=True))])
    owners = np.concatenate([none, *(np.full(len(d), i) for i, d in enumerate(docs))])
    order = np.argsort(ids, kind="stable")
    return ids[order], owners[order], np.concatenate([none, *docs])[order]


def _same(segment: Segment, doc: int, created: int, valid_to: int, terms: bytes) -> bool:
    start, end = segment.forward_starts[doc : doc + 2]
    indexed = segment.term_keys[segment.forward_terms[start:end]]
    same = segment.created[doc] == created and segment.valid_to[doc] == valid_to
    return bool(same) and indexed.tobytes() == terms
