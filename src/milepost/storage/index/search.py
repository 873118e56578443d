"""Find the candidates of a search in the segments and gather what ranking needs of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.model.query import Filter
from milepost.ranking.keys import POSITION_STEP, label_key
from milepost.ranking.pool import NEIGHBOUR_OFFSETS, Corpus, Pool, Probe, empty_pool
from milepost.storage.index.segment import IMPACT_SCALE, Segment, spans
from milepost.storage.index.vectors import bit_distances

# Sign bits select this many times the vectors wanted; the real similarity then chooses.
OVERSAMPLE = 4
# Share of a pool that is chosen by words; the rest is chosen by meaning.
LEXICAL_SHARE = 0.75


class Hits(NamedTuple):
    """Documents of segments with their score, as three parallel arrays."""

    segment: NDArray[np.int64]
    doc: NDArray[np.int64]
    score: NDArray[np.float32]


def find_pool(
    segments: Sequence[Segment], probe: Probe, where: Filter, limit: int, offset: int = 0
) -> Pool:
    """Return the candidates that pass the filter; offset pages through the matches by words."""
    corpus = corpus_of(segments, probe)
    masks = [allowed(segment, where) for segment in segments]
    visible = sum(len(s) if m is None else int(m.sum()) for s, m in zip(segments, masks, strict=True))
    lexical = _by_words(segments, masks, probe, corpus)
    matched = len(lexical.doc)
    if visible <= limit and offset == 0:
        chosen, reached = _everything(segments, masks), matched
    else:
        chosen = _top(lexical, int(limit * LEXICAL_SHARE) if probe.vectors else limit, offset)
        reached = offset + len(chosen.doc)
        if offset == 0:
            dense = _by_meaning(segments, masks, probe, limit - len(chosen.doc))
            chosen = _united(chosen, dense)
    if len(chosen.doc) == 0:
        return empty_pool(corpus)
    pool = _gathered(segments, chosen, corpus, list(probe.vectors))
    return pool._replace(matched=matched, next_offset=reached)


def corpus_of(segments: Sequence[Segment], probe: Probe) -> Corpus:
    """Return the statistics of the whole store for the terms of a question."""
    documents = sum(len(s) for s in segments)
    length = sum(s.term_total for s in segments) / max(documents, 1)
    keys = {term for kin in probe.kin for term in kin} | set(probe.terms)
    return Corpus(documents, length, document_frequencies(segments, keys))


def document_frequencies(segments: Sequence[Segment], keys: set[int]) -> Mapping[int, int]:
    """Count the documents that hold each term."""
    wanted = np.array(sorted(keys), np.uint32)
    total = np.zeros(len(wanted), np.int64)
    for segment in segments:
        if len(segment.term_keys) == 0:
            continue
        at = np.minimum(np.searchsorted(segment.term_keys, wanted), len(segment.term_keys) - 1)
        held = segment.term_starts[at + 1] - segment.term_starts[at]
        total += np.where(segment.term_keys[at] == wanted, held, 0)
    return dict(zip(wanted.tolist(), total.tolist(), strict=True))


def allowed(segment: Segment, where: Filter) -> NDArray[np.bool_] | None:
    """Return which documents pass the filter; None when all do."""
    masks = [segment.alive] if segment.alive is not None else []
    masks += _label_masks(segment, where)
    space = label_key("space", where.space)
    if not (segment.one_space and len(segment) and segment.space[0] == space):
        masks.append(segment.space == np.uint64(space))
    if where.after is not None:
        masks.append(segment.created >= where.after)
    if where.before is not None:
        masks.append(segment.created < where.before)
    if not where.include_superseded:
        masks.append(segment.valid_to > where.holds_at)
    if where.as_of is not None:
        masks.append(segment.valid_from <= where.as_of)
    whole = [m for m in masks if not m.all()]
    if not whole:
        return None
    return np.logical_and.reduce(whole)


def _label_masks(segment: Segment, where: Filter) -> list[NDArray[np.bool_]]:
    masks = []
    if where.kind is not None:
        masks.append(_mask(segment, [label_key("kind", where.kind)]))
    if where.project is not None:
        masks.append(_mask(segment, [label_key("project", where.project)]))
    tags = [label_key("tag", tag) for tag in where.tags]
    if tags and where.match_all:
        masks += [_mask(segment, [tag]) for tag in tags]
    elif tags:
        masks.append(_mask(segment, tags))
    return masks


def _mask(segment: Segment, labels: Sequence[int]) -> NDArray[np.bool_]:
    mask = np.zeros(len(segment), bool)
    for label in labels:
        mask[segment.labelled(label)] = True
    return mask


def inverse_frequency(documents: int, holders: int) -> float:
    """Return how much a term tells, BM25's idf."""
    return float(np.log(1 + (documents - holders + 0.5) / (holders + 0.5)))


def _by_words(
    segments: Sequence[Segment],
    masks: Sequence[NDArray[np.bool_] | None],
    probe: Probe,
    corpus: Corpus,
) -> Hits:
    found = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        scores = np.zeros(len(segment), np.float32)
        for term in set(probe.terms):
            weight = inverse_frequency(corpus.documents, corpus.frequencies.get(term, 0))
            docs, impacts = segment.postings(term)
            scores[docs] += impacts * np.float32(weight / IMPACT_SCALE)
        if mask is not None:
            scores *= mask
        docs = np.flatnonzero(scores)
        found.append(Hits(np.full(len(docs), i), docs, scores[docs]))
    return _joined(found)


def _by_meaning(
    segments: Sequence[Segment],
    masks: Sequence[NDArray[np.bool_] | None],
    probe: Probe,
    limit: int,
) -> Hits:
    found = []
    per_model = max(limit // max(len(probe.vectors), 1), 1)
    for model, vector in probe.vectors.items():
        near = [
            _nearest(i, s, m, model, vector, per_model * OVERSAMPLE)
            for i, (s, m) in enumerate(zip(segments, masks, strict=True))
        ]
        found.append(_top(_joined(near), per_model))
    return _joined(found)


def _nearest(
    index: int,
    segment: Segment,
    mask: NDArray[np.bool_] | None,
    model: str,
    vector: NDArray[np.float32],
    limit: int,
) -> Hits:
    channel = segment.channel(model)
    if channel is None:
        return _joined([])
    distances = bit_distances(channel.codes, vector)
    if mask is not None:
        distances[~mask] = np.iinfo(distances.dtype).max
    docs = smallest(distances, limit)
    if mask is not None:
        docs = docs[mask[docs]]
    docs = docs[channel.scale[docs] > 0]
    scores = (channel.values[docs].astype(np.float32) @ vector) * channel.scale[docs]
    return Hits(np.full(len(docs), index), docs, scores.astype(np.float32))


def smallest(values: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Return the places of about the count smallest values, in no order."""
    if len(values) <= count:
        return np.arange(len(values))
    if len(values) < 64 * count:
        return np.argpartition(values, count)[:count]
    # A sample tells where the cut lies, which spares partitioning a million values.
    stride = len(values) // (16 * count)
    sample = np.sort(values[::stride])
    cut = sample[min(count // stride + 8, len(sample) - 1)]
    near = np.flatnonzero(values <= cut)
    if len(near) < count:
        return np.argpartition(values, count)[:count]
    return near[np.argpartition(values[near], count - 1)[:count]]


def _joined(parts: Sequence[Hits]) -> Hits:
    if not parts:
        return Hits(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    return Hits(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _top(hits: Hits, count: int, offset: int = 0) -> Hits:
    wanted = count + offset
    if wanted < len(hits.doc):
        best = np.argpartition(-hits.score, wanted)[:wanted]
        hits = Hits(*(column[best] for column in hits))
    order = np.lexsort((hits.doc, hits.segment, -hits.score))[offset:wanted]
    return Hits(*(column[order] for column in hits))


def _united(first: Hits, second: Hits) -> Hits:
    key = (second.segment << 40) | second.doc
    fresh = ~np.isin(key, (first.segment << 40) | first.doc)
    _, once = np.unique(key, return_index=True)
    keep = np.zeros(len(key), bool)
    keep[once] = True
    keep &= fresh
    return _joined([first, Hits(*(column[keep] for column in second))])


def _everything(
    segments: Sequence[Segment], masks: Sequence[NDArray[np.bool_] | None]
) -> Hits:
    parts = []
    for i, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        docs = np.arange(len(segment)) if mask is None else np.flatnonzero(mask)
        parts.append(Hits(np.full(len(docs), i), docs, np.zeros(len(docs), np.float32)))
    return _joined(parts)


def _gathered(
    segments: Sequence[Segment],
    chosen: Hits,
    corpus: Corpus,
    models: Sequence[str],
) -> Pool:
    where, neighbours = _with_neighbours(segments, chosen)
    order = np.argsort(where.segment, kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    groups = [
        (segment, where.doc[where.segment == i])
        for i, segment in enumerate(segments)
        if (where.segment == i).any()
    ]

    def column(name: str) -> NDArray[np.generic]:
        return np.concatenate([s.arrays[name][docs] for s, docs in groups])[back]

    term_starts, terms = _gathered_terms(groups, back)
    return Pool(
        len(chosen.doc),
        0,
        0,
        corpus,
        column("ids"),  # type: ignore[arg-type]
        term_starts,
        terms,
        {model: _gathered_vectors(groups, model)[back] for model in models},
        column("session"),  # type: ignore[arg-type]
        column("author"),  # type: ignore[arg-type]
        column("created"),  # type: ignore[arg-type]
        column("flags"),  # type: ignore[arg-type]
        neighbours,
    )


def _with_neighbours(
    segments: Sequence[Segment], chosen: Hits
) -> tuple[Hits, NDArray[np.int64]]:
    count = len(chosen.doc)
    keys = np.zeros(count, np.uint64)
    for i, segment in enumerate(segments):
        mine = chosen.segment == i
        docs = chosen.doc[mine]
        places = segment.position[docs].astype(np.uint64) * np.uint64(POSITION_STEP)
        keys[mine] = np.where(segment.session[docs] > 0, segment.session[docs] + places, 0)
    steps = np.array(NEIGHBOUR_OFFSETS, np.int64).astype(np.uint64) * np.uint64(POSITION_STEP)
    wanted = (keys[:, None] + steps[None, :]).ravel()
    owner = np.full(len(wanted), -1, np.int64)
    doc = np.full(len(wanted), -1, np.int64)
    asked = np.repeat(keys > 0, len(steps))
    for i, segment in enumerate(segments):
        places = np.where(asked, segment.places(wanted), -1)
        owner[places >= 0] = i
        doc[places >= 0] = places[places >= 0]
    codes = np.where(owner >= 0, (owner << 40) | doc, -1)
    own = (chosen.segment << 40) | chosen.doc
    context = np.setdiff1d(codes[codes >= 0], own)
    rows = np.concatenate([own, context])
    order = np.argsort(rows)
    at = np.minimum(np.searchsorted(rows[order], codes), len(rows) - 1)
    neighbours = np.where(codes >= 0, order[at], -1).reshape(count, len(steps))
    where = Hits(rows >> 40, rows & ((1 << 40) - 1), np.zeros(len(rows), np.float32))
    return where, neighbours


def _gathered_terms(
    groups: Sequence[tuple[Segment, NDArray[np.int64]]], back: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    lengths = np.concatenate([s.forward_starts[d + 1] - s.forward_starts[d] for s, d in groups])
    flat = np.concatenate(
        [
            s.term_keys[s.forward_terms[spans(s.forward_starts[d], s.forward_starts[d + 1] - s.forward_starts[d])]]
            for s, d in groups
        ]
    )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    ordered = lengths[back]
    terms = flat[spans(starts[:-1][back], ordered)]
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(ordered)]), terms


def _gathered_vectors(
    groups: Sequence[tuple[Segment, NDArray[np.int64]]], model: str
) -> NDArray[np.float32]:
    parts: list[NDArray[np.float32] | int] = []
    width = 0
    for segment, docs in groups:
        channel = segment.channel(model)
        if channel is None:
            parts.append(len(docs))
            continue
        width = channel.values.shape[1]
        parts.append(channel.values[docs].astype(np.float32) * channel.scale[docs, None])
    return np.concatenate(
        [np.zeros((p, width), np.float32) if isinstance(p, int) else p for p in parts]
    )
