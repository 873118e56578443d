"""Who else holds the rare words of a memory."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import RareWords
from milepost.storage.index.segment import Segment, spans
from milepost.storage.pooling import TERMS_MAX


def rare_words(
    segments: Sequence[Segment], memory_id: int, without: Sequence[int], most: int
) -> RareWords:
    """Return the holders of each word of a memory that several hold, but at most so many."""
    none = np.zeros(0, np.int64)
    terms = _terms_of(segments, memory_id)
    terms = terms[~(terms[:, None] == np.array(without, np.uint32)).any(axis=1)]
    if len(terms) == 0:
        return RareWords(none, none)
    places = [segment.posted(terms) for segment in segments]
    holders = np.sum([ends - starts for starts, ends in places], axis=0)
    rare = np.flatnonzero((holders > 1) & (holders <= most))
    ids, counts = [none], [none]
    for segment, (starts, ends) in zip(segments, places, strict=True):
        lengths = (ends - starts)[rare]
        docs = segment.posting_docs[spans(starts[rare], lengths)]
        ids.append(segment.ids[docs])
        counts.append(np.repeat(holders[rare], lengths))
    return RareWords(np.concatenate(ids), np.concatenate(counts))


def _terms_of(segments: Sequence[Segment], memory_id: int) -> NDArray[np.uint32]:
    """Return the terms that a memory begins with, each once, by the newest segment that has it."""
    for segment in reversed(segments):
        at = int(np.searchsorted(segment.ids, memory_id))
        if at < len(segment) and segment.ids[at] == memory_id:
            start, end = segment.forward_starts[at : at + 2].tolist()
            # By hand: np.unique imports numpy.ma, which a cold start would wait for.
            terms = np.sort(segment.forward_terms[start : min(end, start + TERMS_MAX)])
            terms = terms[np.append(True, terms[1:] != terms[:-1])[: len(terms)]]
            words: NDArray[np.uint32] = segment.term_keys[terms]
            return words
    return np.zeros(0, np.uint32)
