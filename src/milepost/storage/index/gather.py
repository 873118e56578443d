"""Gather from the segments what ranking needs of the candidates."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import NEIGHBOUR_OFFSETS, Corpus, Hit, Pool, Probe
from milepost.ranking.keys import POSITION_STEP, label_key
from milepost.storage.index.hits import Hits
from milepost.storage.index.segment import Segment, spans

# What ranking looks at of a long memory: its beginning.
TERMS_MAX = 1_000

_STEPS = np.array([o * POSITION_STEP % (1 << 64) for o in NEIGHBOUR_OFFSETS], np.uint64)


def gather_pool(segments: Sequence[Segment], chosen: Hits, corpus: Corpus, probe: Probe) -> Pool:
    """Return the chosen documents, each once and in order, as a pool."""
    edges = np.searchsorted(chosen.segment, np.arange(len(segments) + 1)).tolist()
    places = [
        (segment, chosen.doc[edges[i] : edges[i + 1]], edges[i])
        for i, segment in enumerate(segments)
        if edges[i + 1] > edges[i]
    ]

    def column(name: str) -> NDArray[Any]:
        return _joined([segment.arrays[name][docs] for segment, docs, _ in places])

    hits = [_hits(segment, docs, first, probe) for segment, docs, first in places]
    return Pool(
        corpus=corpus,
        matched=0,
        next_offset=0,
        ids=column("ids"),
        lengths=_joined([_lengths(segment, docs) for segment, docs, _ in places]),
        hits=Hit(*(_joined(list(part)) for part in zip(*hits, strict=True))),
        vectors={model: _vectors(places, model) for model in probe.vectors},
        session=column("session"),
        author=column("author"),
        traits=column("traits"),
        neighbours=_neighbours(_joined([segment.place_of(docs) for segment, docs, _ in places])),
    )


def neighbour_keys(segments: Sequence[Segment], hits: Hits) -> NDArray[np.uint64]:
    """Return the places beside documents in their sessions."""
    keys = [segment.place_of(hits.doc[hits.segment == i]) for i, segment in enumerate(segments)]
    own = _joined(keys)
    beside: NDArray[np.uint64] = (own[own > 0][:, None] + _STEPS).ravel()
    return beside


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _neighbours(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    order = np.argsort(keys)
    wanted = keys[:, None] + _STEPS
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    rows = order[at]
    there = (keys[rows] == wanted) & (keys[:, None] > 0)
    return np.where(there, rows, -1)


def _lengths(segment: Segment, docs: NDArray[np.int64]) -> NDArray[np.float32]:
    counts = segment.forward_starts[docs + 1] - segment.forward_starts[docs]
    lengths: NDArray[np.float32] = np.minimum(counts, TERMS_MAX).astype(np.float32)
    return lengths


def _hits(
    segment: Segment, docs: NDArray[np.int64], first: int, probe: Probe
) -> tuple[NDArray[np.int64], ...]:
    """Return where the documents hold terms of the question, rows counted from first."""
    starts = segment.forward_starts[docs]
    counts = np.minimum(segment.forward_starts[docs + 1] - starts, TERMS_MAX)
    terms = segment.forward_terms[spans(starts, counts)]
    # A table over the segment's vocabulary is quicker than searching each of the terms.
    number = np.zeros(len(segment.term_keys) + 1, np.int16)
    at = np.searchsorted(segment.term_keys, probe.terms)
    known = np.flatnonzero(
        segment.term_keys[np.minimum(at, len(segment.term_keys) - 1)] == probe.terms
    )
    number[at[known]] = known + 1
    found = number[terms]
    flat = np.flatnonzero(found)
    ends = np.cumsum(counts)
    row = np.searchsorted(ends, flat, side="right")
    place = flat - (ends - counts)[row]
    parts = [(row, place, found[flat].astype(np.int64) - 1), *_tag_hits(segment, docs, probe)]
    if len(parts) == 1:
        return row + first, *parts[0][1:]
    row, place, term = (_joined(list(column)) for column in zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    return row[order] + first, place[order], term[order]


def _tag_hits(
    segment: Segment, docs: NDArray[np.int64], probe: Probe
) -> Iterator[tuple[NDArray[np.int64], ...]]:
    """Yield the rows whose tag is a word of the question, as if the word stood past their end."""
    for word, holders in tagged(segment, probe):
        rows = np.flatnonzero(np.isin(docs, holders))
        number = int(np.searchsorted(probe.terms, probe.words[word].term))
        yield rows, np.full(len(rows), 2 * TERMS_MAX), np.full(len(rows), number)


def tagged(segment: Segment, probe: Probe) -> list[tuple[int, NDArray[np.uint32]]]:
    """Return which words of a question are tags of documents, with those documents."""
    labels = np.array([label_key("tag", word.text) for word in probe.words], np.uint64)
    holders = segment.labelled(labels)
    return [(word, docs) for word, docs in enumerate(holders) if len(docs)]


def _vectors(
    places: Sequence[tuple[Segment, NDArray[np.int64], int]], model: str
) -> NDArray[np.float32]:
    channels = [segment.channel(model) for segment, _, _ in places]
    width = next((c.values.shape[1] for c in channels if c is not None), 0)
    parts: list[NDArray[Any]] = [
        np.zeros((len(docs), width), np.float32)
        if channel is None
        else channel.values[docs] * channel.scale[docs, None]
        for channel, (_, docs, _) in zip(channels, places, strict=True)
    ]
    return _joined(parts)
