"""Choose the candidates of a search: by their words and by their meaning, filtered first."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter
from milepost.ranking.bits import bit_distances
from milepost.ranking.candidates import Corpus, Pool, Probe, empty_pool
from milepost.ranking.products import times_vector
from milepost.ranking.weights import word_weight
from milepost.storage.index.filtering import Mask, allowed
from milepost.storage.index.gather import gather_pool, neighbour_keys, tagged
from milepost.storage.index.hits import Hits, hits_in, join_hits
from milepost.storage.index.segment import IMPACT_SCALE, Segment, Span

# Sign bits select this many times the vectors wanted; the real similarity then chooses.
OVERSAMPLE = 3
# What a tag weighs beside a word, of which the largest weighs IMPACT_SCALE.
TAG_IMPACT = np.float32(IMPACT_SCALE / 2)
# Share of a pool that is chosen by words; the rest is chosen by meaning.
LEXICAL_SHARE = 0.6
# So many of the best by words, and by meaning, bring the memories beside them in their sessions.
SEEDS = 24


def find_pool(
    segments: Sequence[Segment], probe: Probe, where: Filter, limit: int, offset: int = 0
) -> Pool:
    """Return the candidates that pass the filter; offset pages through the matches by words."""
    terms = np.array([word.term for word in probe.words], np.uint32)
    postings = [segment.postings(terms) for segment in segments]
    corpus = _corpus(segments, probe, postings)
    masks = [allowed(segment, where) for segment in segments]
    lexical = _by_words(segments, masks, probe, corpus, postings)
    if offset == 0 and _visible(segments, masks) <= limit:
        chosen, reached = _everything(segments, masks), len(lexical)
    else:
        chosen = lexical.top(int(limit * LEXICAL_SHARE) if probe.vectors else limit, offset)
        reached = offset + len(chosen)
        if offset == 0:
            dense = _by_meaning(segments, masks, probe, limit - len(chosen))
            seeds = join_hits([chosen.take(slice(SEEDS)), dense.take(slice(SEEDS))])
            chosen = join_hits([chosen, dense, _beside(segments, masks, seeds)])
    if len(chosen) == 0:
        return empty_pool(corpus)
    pool = gather_pool(segments, chosen.distinct(), corpus, probe)
    return pool._replace(matched=len(lexical), next_offset=reached)


def _corpus(
    segments: Sequence[Segment], probe: Probe, postings: Sequence[Sequence[Span]]
) -> Corpus:
    """Return the statistics of the whole store for the terms of a question."""
    documents = sum(len(s) for s in segments)
    length = sum(s.term_total for s in segments) / max(documents, 1)
    held = [sum(end - start for start, end in spans) for spans in zip(*postings, strict=True)]
    frequencies = dict(zip([word.term for word in probe.words], held, strict=bool(segments)))
    return Corpus(documents, length, frequencies)


def _visible(segments: Sequence[Segment], masks: Sequence[Mask | None]) -> int:
    return sum(
        len(segment) if mask is None else int(np.count_nonzero(mask))
        for segment, mask in zip(segments, masks, strict=True)
    )


def _by_words(
    segments: Sequence[Segment],
    masks: Sequence[Mask | None],
    probe: Probe,
    corpus: Corpus,
    postings: Sequence[Sequence[Span]],
) -> Hits:
    weights = [np.float32(word_weight(word, corpus) / IMPACT_SCALE) for word in probe.words]
    found = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        scores = np.zeros(len(segment), np.float32)
        for weight, (start, end) in zip(weights, postings[i], strict=True):
            scores[segment.posting_docs[start:end]] += segment.posting_impacts[start:end] * weight
        for word, docs in tagged(segment, probe):
            # A tag counts as a word of the memory.
            scores[docs] += weights[word] * TAG_IMPACT
        if mask is not None:
            scores *= mask
        matching = np.flatnonzero(scores)
        found.append(hits_in(i, matching, scores[matching]))
    return join_hits(found)


def _by_meaning(
    segments: Sequence[Segment], masks: Sequence[Mask | None], probe: Probe, limit: int
) -> Hits:
    found = []
    each = max(limit // max(len(probe.vectors), 1), 1)
    for model, vector in probe.vectors.items():
        near = [
            _nearest(i, segment, mask, model, vector, each * OVERSAMPLE)
            for i, (segment, mask) in enumerate(zip(segments, masks, strict=True))
        ]
        found.append(join_hits(near).top(each))
    return join_hits(found)


def _nearest(
    index: int,
    segment: Segment,
    mask: Mask | None,
    model: str,
    vector: NDArray[np.float32],
    limit: int,
) -> Hits:
    channel = segment.channel(model)
    if channel is None:
        return join_hits([])
    distances = bit_distances(channel.codes, vector)
    if mask is not None:
        distances[~mask] = np.iinfo(distances.dtype).max
    docs = smallest(distances, limit)
    if mask is not None:
        docs = docs[mask[docs]]
    docs = docs[channel.scale[docs] > 0]
    near = channel.values[docs].astype(np.float32)
    scores = times_vector(near, vector) * channel.scale[docs]
    return hits_in(index, docs, scores.astype(np.float32))


def smallest(values: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Return the places of the count smallest values, in no order."""
    if len(values) <= count:
        return np.arange(len(values))
    if len(values) > 64 * count:
        # A sample tells about where the cut lies, which spares partitioning a million values.
        sample = np.sort(values[:: len(values) // (16 * count)])
        near = np.flatnonzero(values <= sample[min(24, len(sample) - 1)])
        if len(near) >= count:
            return near[np.argpartition(values[near], count - 1)[:count]]
    return np.argpartition(values, count)[:count]


def _beside(segments: Sequence[Segment], masks: Sequence[Mask | None], seeds: Hits) -> Hits:
    """Return the neighbours of seeds in their sessions: an answer often stands beside a match."""
    wanted = neighbour_keys(segments, seeds)
    found = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        docs = segment.places(wanted)
        docs = docs[docs >= 0]
        found.append(hits_in(i, docs if mask is None else docs[mask[docs]]))
    return join_hits(found)


def _everything(segments: Sequence[Segment], masks: Sequence[Mask | None]) -> Hits:
    parts = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        docs = np.arange(len(segment)) if mask is None else np.flatnonzero(mask)
        parts.append(hits_in(i, docs))
    return join_hits(parts)
