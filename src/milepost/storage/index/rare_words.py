"""Who else holds the rare words of a memory."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import RareWords
from milepost.storage.index.segment import Segment, spans
from milepost.storage.pooling import TERMS_MAX

# A word that more hold, in whichever space, is taken for a common one: who it is would take long
# to look at.
_LOOKED_AT = 1_000


def rare_words(
    segments: Sequence[Segment], memory_id: int, without: Sequence[int], most: int
) -> RareWords:
    """Return the holders of each word of a memory that several hold, but at most so many."""
    none = np.zeros(0, np.int64)
    terms, space = _terms_of(segments, memory_id)
    terms = terms[~(terms[:, None] == np.array(without, np.uint32)).any(axis=1)]
    if len(terms) == 0:
        return RareWords(none, none)
    places = [segment.posted(terms) for segment in segments]
    # Who is of another space counts no more than who is gone, as far as that is soon counted.
    held = np.sum([ends - starts for starts, ends in places], axis=0)
    few = np.flatnonzero((held > 1) & (held <= _LOOKED_AT))
    found = [
        _holders(segment, starts[few], ends[few], space)
        for segment, (starts, ends) in zip(segments, places, strict=True)
    ]
    holders = np.sum([np.bincount(word, minlength=len(few)) for _, word in found], axis=0)
    rare = (holders > 1) & (holders <= most)
    ids, counts = [none], [none]
    for segment, (docs, word) in zip(segments, found, strict=True):
        ids.append(segment.ids[docs[rare[word]]])
        counts.append(holders[word[rare[word]]])
    return RareWords(np.concatenate(ids), np.concatenate(counts))


def _holders(
    segment: Segment, starts: NDArray[np.int64], ends: NDArray[np.int64], space: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the documents of a space that hold some words, and the number of the word of each."""
    docs = segment.posting_docs[spans(starts, ends - starts)]
    word = np.repeat(np.arange(len(starts)), ends - starts)
    inside = segment.space[docs] == np.uint64(space)
    if segment.alive is not None:
        inside &= segment.alive[docs]
    return docs[inside], word[inside]


def _terms_of(segments: Sequence[Segment], memory_id: int) -> tuple[NDArray[np.uint32], int]:
    """Return the terms that a memory begins with, each once, and the space that it is in."""
    for segment in reversed(segments):
        at = int(np.searchsorted(segment.ids, memory_id))
        if at < len(segment) and segment.ids[at] == memory_id:
            start, end = segment.forward_starts[at : at + 2].tolist()
            # By hand: np.unique imports numpy.ma, which a cold start would wait for.
            terms = np.sort(segment.forward_terms[start : min(end, start + TERMS_MAX)])
            terms = terms[np.append(True, terms[1:] != terms[:-1])[: len(terms)]]
            words: NDArray[np.uint32] = segment.term_keys[terms]
            return words, int(segment.space[at])
    return np.zeros(0, np.uint32), 0
