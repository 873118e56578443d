"""Documents of several segments that a question may want, and how well each fits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A segment's number and a document's place in it fit one integer side by side.
_DOC_BITS = 40


class Hits:
    """The segment, the place in it and the score of each hit."""

    __slots__ = ("doc", "score", "segment")

    def __init__(
        self,
        segment: NDArray[np.int64],
        doc: NDArray[np.int64],
        score: NDArray[np.float32] | None = None,
    ) -> None:
        self.segment = segment
        self.doc = doc
        self.score = np.zeros(len(doc), np.float32) if score is None else score

    def __len__(self) -> int:
        return len(self.doc)

    def take(self, which: Any) -> "Hits":
        """Return some of the hits."""
        return Hits(self.segment[which], self.doc[which], self.score[which])

    def top(self, count: int, offset: int = 0) -> "Hits":
        """Return the best hits past an offset, best first; ties fall the same way each time."""
        wanted = count + offset
        best = self
        if wanted < len(self):
            # With all that are as good as the last one wanted, or pages would differ in the ties.
            cut = np.partition(self.score, len(self) - wanted)[len(self) - wanted]
            best = self.take(np.flatnonzero(self.score >= cut))
        order = np.lexsort((best.doc, best.segment, -best.score))
        return best.take(order[offset:wanted])

    def distinct(self) -> "Hits":
        """Return each document once, ordered by segment and place, without scores."""
        # By hand: np.unique imports numpy.ma, which a cold start would wait for.
        codes = np.sort((self.segment << _DOC_BITS) | self.doc)
        codes = codes[np.append(True, codes[1:] != codes[:-1])[: len(codes)]]
        return Hits(codes >> _DOC_BITS, codes & ((1 << _DOC_BITS) - 1))


def hits_in(segment: int, docs: NDArray[Any], scores: NDArray[np.float32] | None = None) -> Hits:
    """Return documents of one segment as hits."""
    return Hits(np.full(len(docs), segment, np.int64), docs.astype(np.int64, copy=False), scores)


def join_hits(parts: Sequence[Hits]) -> Hits:
    """Return all hits of several."""
    if not parts:
        return hits_in(0, np.zeros(0, np.int64))
    if len(parts) == 1:
        return parts[0]
    return Hits(
        np.concatenate([part.segment for part in parts]),
        np.concatenate([part.doc for part in parts]),
        np.concatenate([part.score for part in parts]),
    )
