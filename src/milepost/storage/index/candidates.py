"""Choose the candidates of a search, filtered first, and gather what ranking needs of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import FADED, Filter
from milepost.ranking.candidates import (
    CandidateSet,
    Corpus,
    Hit,
    Probe,
    no_candidates,
)
from milepost.ranking.keys import label_key
from milepost.ranking.matching import word_weight
from milepost.storage.index.hits import Hits, hits_in, join_hits
from milepost.storage.index.masks import Mask, allowed, elsewhere
from milepost.storage.index.nearest import nearest
from milepost.storage.index.segment import Segment, Span, spans
from milepost.storage.pooling import (
    BURST_US,
    IMPACT_SCALE,
    OFFSETS,
    OVERLAP_SHARE,
    SEEDS,
    STEPS,
    TERMS_MAX,
    HitParts,
    chosen_by_words,
    hits_of,
    neighbours_of,
    tag_hits,
)

# Words of a question, by number, that are tags, and the documents that carry them.
Tags = list[tuple[int, NDArray[np.uint32]]]

# What a tag weighs beside a word, of which the largest weighs IMPACT_SCALE.
TAG_IMPACT = np.float32(IMPACT_SCALE / 2)
# Documents of which one is looked at first, to see where the best begin.
GROUP = 64


def find_candidates(
    segments: Sequence[Segment], probe: Probe, where: Filter, limit: int, offset: int = 0
) -> CandidateSet:
    """Return the candidates that pass the filter; offset pages through the matches by words."""
    terms = np.array([word.term for word in probe.words], np.uint32)
    postings = [segment.postings(terms) for segment in segments]
    corpus = _corpus(segments, probe, postings, label_key("space", where.space))
    masks = [allowed(segment, where) for segment in segments]
    tags = [tagged(segment, probe) for segment in segments]
    weights = [np.float32(word_weight(word, corpus) / IMPACT_SCALE) for word in probe.words]
    wanted = chosen_by_words(probe, limit)
    lexical, matched = _by_words(segments, masks, tags, weights, postings, wanted + offset)
    if offset == 0 and _visible(segments, masks) <= limit:
        chosen, reached = _everything(segments, masks), matched
    else:
        chosen = lexical.top(wanted, offset)
        reached = offset + len(chosen)
        if offset == 0:
            room = limit - len(chosen) + int(limit * OVERLAP_SHARE)
            dense = _by_meaning(segments, masks, probe, room)
            seeds = join_hits([chosen.take(slice(SEEDS)), dense.take(slice(SEEDS))])
            chosen = join_hits([chosen, dense, _beside(segments, masks, seeds)])
    if len(chosen) == 0:
        return no_candidates(corpus)
    chosen = chosen.distinct()
    pool = gathered(segments, tags, chosen, corpus, probe)
    if where.home is not None:
        pool = pool._replace(elsewhere=_elsewhere(segments, chosen, where.home))
    return pool._replace(matched=matched, next_offset=reached)


def _elsewhere(segments: Sequence[Segment], chosen: Hits, project: str) -> Mask:
    """Return which of the chosen belong to another project."""
    marked = np.zeros(len(chosen), bool)
    for i, segment in enumerate(segments):
        here = chosen.segment == i
        marked[here] = elsewhere(segment, project)[chosen.doc[here]]
    return marked


def _corpus(
    segments: Sequence[Segment], probe: Probe, postings: Sequence[Sequence[Span]], space: int
) -> Corpus:
    """Return the statistics of a space for the terms of a question.

    What others know, or what was deleted, weighs nothing here: answers would change with it.
    """
    held = np.zeros(len(probe.words), np.int64)
    documents = terms = 0
    for segment, places in zip(segments, postings, strict=True):
        members = segment.members(space)
        documents, terms = documents + members.size, terms + members.terms
        if members.size:
            counts = [_held(segment, place, members.mask) for place in places]
            held += np.array(counts, np.int64)
    frequencies = dict(zip((word.term for word in probe.words), held.tolist(), strict=True))
    return Corpus(documents, terms / max(documents, 1), frequencies)


def _held(segment: Segment, place: Span, members: Mask | None) -> int:
    start, end = place
    if members is None or start == end:
        return end - start
    return int(np.count_nonzero(members.take(segment.posting_docs[start:end])))


def _visible(segments: Sequence[Segment], masks: Sequence[Mask | None]) -> int:
    return sum(
        len(segment) if mask is None else int(np.count_nonzero(mask))
        for segment, mask in zip(segments, masks, strict=True)
    )


def _by_words(
    segments: Sequence[Segment],
    masks: Sequence[Mask | None],
    tags: Sequence[Tags],
    weights: Sequence[np.float32],
    postings: Sequence[Sequence[Span]],
    count: int,
) -> tuple[Hits, int]:
    """Return the best matches, at least so many where there are, and the number of all."""
    found, matched = [], 0
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        scores = np.zeros(len(segment), np.float32)
        for weight, (start, end) in zip(weights, postings[i], strict=True):
            # Twice as fast as scores[docs] += …, and again with docs as numpy counts places.
            docs = segment.posting_docs[start:end].astype(np.intp)
            np.add.at(scores, docs, segment.posting_impacts[start:end] * weight)
        for word, holders in tags[i]:
            # A tag counts as a word of the memory.
            scores[holders] += weights[word] * TAG_IMPACT
        if mask is not None:
            scores *= mask
        matched += int(np.count_nonzero(scores > 0))
        best = _highest(scores, count)
        found.append(hits_in(i, best, scores[best]))
    return join_hits(found), matched


def _highest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return where the highest scores stand, at least so many where there are; none of nothing."""
    groups = len(scores) // GROUP
    if count < groups:
        # As many as are wanted score no less than the last of the best groups does.
        highest = scores[: groups * GROUP].reshape(GROUP, groups).max(axis=0)
        cut = np.partition(highest, groups - count)[groups - count]
        if cut > 0:
            return np.flatnonzero(scores >= cut)
    return np.flatnonzero(scores > 0)


def _by_meaning(
    segments: Sequence[Segment], masks: Sequence[Mask | None], probe: Probe, limit: int
) -> Hits:
    each = max(limit // max(len(probe.vectors), 1), 1)
    return join_hits(
        [nearest(segments, masks, model, vector, each) for model, vector in probe.vectors.items()]
    )


def _beside(segments: Sequence[Segment], masks: Sequence[Mask | None], seeds: Hits) -> Hits:
    """Return what stands beside seeds: an answer often stands beside a match."""
    wanted = neighbour_keys(segments, seeds)
    ids, created = _burst_of(segments, seeds)
    found = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        in_session = segment.places(wanted)
        docs = in_session[in_session >= 0]
        if len(ids):
            docs = np.concatenate([docs, _in_burst(segment, ids, created)])
        found.append(hits_in(i, docs if mask is None else docs[mask[docs]]))
    return join_hits(found)


def _burst_of(
    segments: Sequence[Segment], seeds: Hits
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids beside seeds that have no session, and the times of these seeds."""
    loose = [
        (segment, docs[segment.session[docs] == 0])
        for i, segment in enumerate(segments)
        if len(docs := seeds.doc[seeds.segment == i])
    ]
    if not loose:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ids = _joined([segment.ids[docs] for segment, docs in loose])
    created = _joined([segment.created[docs] for segment, docs in loose])
    return (ids[:, None] + OFFSETS).ravel(), np.repeat(created, len(OFFSETS))


def _in_burst(
    segment: Segment, ids: NDArray[np.int64], created: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the live documents of these ids that have no session and are about as old."""
    at = np.minimum(np.searchsorted(segment.ids, ids), len(segment) - 1)
    there = (segment.ids[at] == ids) & (segment.session[at] == 0)
    there &= np.abs(segment.created[at] - created) <= BURST_US
    if segment.alive is not None:
        there &= segment.alive[at]
    docs: NDArray[np.int64] = at[there]
    return docs


def _everything(segments: Sequence[Segment], masks: Sequence[Mask | None]) -> Hits:
    parts = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        docs = np.arange(len(segment)) if mask is None else np.flatnonzero(mask)
        parts.append(hits_in(i, docs))
    return join_hits(parts)


def gathered(
    segments: Sequence[Segment], tags: Sequence[Tags], chosen: Hits, corpus: Corpus, probe: Probe
) -> CandidateSet:
    """Return the chosen documents, each once and in order, as a pool."""
    edges = np.searchsorted(chosen.segment, np.arange(len(segments) + 1)).tolist()
    inside = [i for i in range(len(segments)) if edges[i + 1] > edges[i]]
    places = [(segments[i], chosen.doc[edges[i] : edges[i + 1]], edges[i]) for i in inside]

    def column(name: str) -> NDArray[Any]:
        return _joined([segment.arrays[name].take(docs) for segment, docs, _ in places])

    hits = [_hits(*place, probe, tags[i]) for i, place in zip(inside, places, strict=True)]
    ids, session, created = column("ids"), column("session"), column("created")
    vectors = {model: _vectors(places, model) for model in probe.vectors}
    keys = _joined([segment.place_of(docs) for segment, docs, _ in places])
    neighbours = neighbours_of(keys, ids, session, created, vectors.get(probe.static))
    return CandidateSet(
        corpus=corpus,
        matched=0,
        next_offset=0,
        ids=ids,
        created=created,
        lengths=_joined([_lengths(segment, docs) for segment, docs, _ in places]),
        hits=Hit(*(_joined(list(part)) for part in zip(*hits, strict=True))),
        vectors=vectors,
        session=session,
        author=column("author"),
        traits=column("traits"),
        neighbours=neighbours,
        faded=column("standing") == FADED,
    )


def neighbour_keys(segments: Sequence[Segment], hits: Hits) -> NDArray[np.uint64]:
    """Return the places beside documents in their sessions."""
    keys = [segment.place_of(hits.doc[hits.segment == i]) for i, segment in enumerate(segments)]
    own = _joined(keys)
    # In order, for one is looked for near the other.
    beside: NDArray[np.uint64] = np.sort((own[own > 0][:, None] + STEPS).ravel())
    return beside


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _lengths(segment: Segment, docs: NDArray[np.int64]) -> NDArray[np.float32]:
    counts = segment.forward_starts.take(docs + 1) - segment.forward_starts.take(docs)
    lengths: NDArray[np.float32] = np.minimum(counts, TERMS_MAX).astype(np.float32)
    return lengths


def _hits(
    segment: Segment, docs: NDArray[np.int64], first: int, probe: Probe, tags: Tags
) -> HitParts:
    """Return where the documents hold terms of the question, rows counted from first."""
    starts = segment.forward_starts.take(docs)
    counts = np.minimum(segment.forward_starts.take(docs + 1) - starts, TERMS_MAX)
    terms = segment.forward_terms.take(spans(starts, counts))
    # A table over the segment's vocabulary is quicker than searching each of the terms.
    number = np.zeros(len(segment.term_keys) + 1, np.int16)
    at = np.searchsorted(segment.term_keys, probe.terms)
    known = np.flatnonzero(
        segment.term_keys[np.minimum(at, len(segment.term_keys) - 1)] == probe.terms
    )
    number[at[known]] = known + 1
    by_tags = [
        tag_hits(np.flatnonzero(np.isin(docs, holders)), probe, word) for word, holders in tags
    ]
    row, place, term = hits_of(counts, number.take(terms), by_tags)
    return row + first, place, term


def tagged(segment: Segment, probe: Probe) -> Tags:
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
        else channel.values.take(docs, axis=0) * channel.scale[docs, None]
        for channel, (_, docs, _) in zip(channels, places, strict=True)
    ]
    return _joined(parts)
