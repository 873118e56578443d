"""Gather from the segments what ranking needs of the candidates and their neighbours."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.keys import POSITION_STEP
from milepost.ranking.pool import NEIGHBOUR_OFFSETS, Corpus, Pool
from milepost.storage.index.hits import Hits, hits_in, hits_of_codes
from milepost.storage.index.segment import Segment, spans

# What ranking looks at of a long memory: its beginning.
TERMS_MAX = 1_000

Places = Sequence[tuple[Segment, NDArray[np.int64]]]


def gather_pool(
    segments: Sequence[Segment], chosen: Hits, corpus: Corpus, models: Sequence[str]
) -> Pool:
    """Return the candidates, followed by the neighbours that lend them context."""
    rows, neighbours = _with_neighbours(segments, chosen)
    order = np.argsort(rows.segment, kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    ordered = rows.take(order)
    edges = np.searchsorted(ordered.segment, np.arange(len(segments) + 1))
    places = [
        (segment, ordered.doc[start:end])
        for segment, start, end in zip(segments, edges, edges[1:], strict=False)
        if end > start
    ]

    def column(name: str) -> NDArray[Any]:
        return np.concatenate([segment.arrays[name][docs] for segment, docs in places])[back]

    term_starts, terms = _terms(places, back)
    return Pool(
        candidates=len(chosen),
        matched=0,
        next_offset=0,
        corpus=corpus,
        ids=column("ids"),
        term_starts=term_starts,
        terms=terms,
        vectors={model: _vectors(places, model)[back] for model in models},
        session=column("session"),
        author=column("author"),
        traits=column("traits"),
        neighbours=neighbours,
    )


def _with_neighbours(segments: Sequence[Segment], chosen: Hits) -> tuple[Hits, NDArray[np.int64]]:
    wanted = _neighbour_keys(segments, chosen)
    codes = np.full(len(wanted), -1, np.int64)
    for i, segment in enumerate(segments):
        docs = segment.places(wanted)
        here = docs >= 0
        codes[here] = hits_in(i, docs[here]).codes
    own = chosen.codes
    known = codes >= 0
    everything = np.concatenate([own, np.setdiff1d(codes[known], own)])
    order = np.argsort(everything)
    row = np.full(len(codes), -1, np.int64)
    row[known] = order[np.searchsorted(everything[order], codes[known])]
    return hits_of_codes(everything), row.reshape(len(chosen), len(NEIGHBOUR_OFFSETS))


def _neighbour_keys(segments: Sequence[Segment], chosen: Hits) -> NDArray[np.uint64]:
    """Return the places beside each candidate, 0 (which no place has) where it has no session."""
    keys = np.zeros(len(chosen), np.uint64)
    for i, segment in enumerate(segments):
        here = chosen.segment == i
        docs = chosen.doc[here]
        keys[here] = np.where(segment.session[docs] > 0, segment.place_of(docs), 0)
    steps = np.array([o * POSITION_STEP % (1 << 64) for o in NEIGHBOUR_OFFSETS], np.uint64)
    beside = keys[:, None] + steps
    return np.where(keys[:, None] > 0, beside, 0).ravel()


def _terms(places: Places, back: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    lengths, flat = [], []
    for segment, docs in places:
        starts = segment.forward_starts[docs]
        counts = np.minimum(segment.forward_starts[docs + 1] - starts, TERMS_MAX)
        lengths.append(counts)
        flat.append(segment.term_keys[segment.forward_terms[spans(starts, counts)]])
    count = np.concatenate(lengths)
    starts = np.cumsum(count) - count
    ordered = count[back]
    terms = np.concatenate(flat)[spans(starts[back], ordered)]
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(ordered)]), terms


def _vectors(places: Places, model: str) -> NDArray[np.float32]:
    channels = [segment.channel(model) for segment, _ in places]
    width = next((c.values.shape[1] for c in channels if c is not None), 0)
    parts = [
        np.zeros((len(docs), width), np.float32)
        if channel is None
        else channel.values[docs] * channel.scale[docs, None]
        for channel, (_, docs) in zip(channels, places, strict=True)
    ]
    return np.concatenate(parts)
