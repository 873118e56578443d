"""The features by which candidates are ranked: words, meaning, and what stands around them.

They are few on purpose. Each says something that holds for any kind of text; what only told one
collection from another (who speaks, traits of chats, ranks among the candidates) was left out when
weights were judged on sources that they had not seen (`bench/README.md`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.age import Rivals, rivals
from milepost.ranking.candidates import CandidateSet, Probe
from milepost.ranking.keys import label_key
from milepost.ranking.matching import (
    IMAGINED,
    Matches,
    best_windows,
    match_words,
    word_weights,
)
from milepost.ranking.numerics import group_by, times_vector, times_vectors

BM25_K1 = 0.9
BM25_B = 0.4

Vector = NDArray[np.floating[Any]]
Named = dict[str, Vector]

# How long an imagined memory is, in terms.
_IMAGINED_LENGTH = 12.0
# What stands in so many first terms is the head of a memory: a title, a first sentence.
_HEAD = 18
# More names that no memory knows tell nothing more.
_UNKNOWN_NAMES = 2


class Question(NamedTuple):
    """The weights of a question's words; names of authors are asked for apart."""

    weights: Vector
    content: Vector
    everything: float
    total: float


class Features(NamedTuple):
    """What is known of the candidates by name, and of pairs of them."""

    columns: Named
    rivals: Rivals


class Rows(NamedTuple):
    """Scores of every row of the pool, from which neighbours and sessions borrow."""

    matches: Matches
    lexical: Vector
    soft: Vector
    similarity: Vector
    topical: Vector
    core: Vector


def features(pool: CandidateSet, probe: Probe) -> Features:
    """Return the features of all candidates.

    A search is a few hundred candidates, so that each call of numpy costs more than what it
    computes: whatever can share a call does.
    """
    matches = match_words(pool, probe)
    question = _weigh(pool, probe)
    rows = _rows(pool, probe, matches, question)
    columns = {
        **_words(pool, probe, question, rows),
        **_meaning(rows),
        **_around(pool, rows),
        "author_asked": _asked_authors(pool, probe),
        "session_lexical": _session_lexical(pool, matches),
        **_question(pool, probe, question, rows),
        **_chosen(pool, probe),
    }
    by_content = question.content / question.total
    return Features(columns, rivals(pool, probe, rows.core, matches.soft, by_content))


def _weigh(pool: CandidateSet, probe: Probe) -> Question:
    weights = np.array(word_weights(probe, pool.corpus) or [0.0], np.float32)
    present = probe.authors.intersection(pool.author.tolist())
    named = [label_key("author", word.text) in present for word in probe.words] or [False]
    content = np.where(named, 0, weights).astype(np.float32)
    return Question(
        weights, content, max(float(weights.sum()), 1e-6), max(float(content.sum()), 1e-6)
    )


def shared_words(pool: CandidateSet, probe: Probe) -> Vector:
    """Return which part of a question's words each candidate holds, by how much each tells."""
    question = _weigh(pool, probe)
    return _lexical(pool, match_words(pool, probe), question) / _most(question)


def _lexical(pool: CandidateSet, matches: Matches, question: Question) -> Vector:
    norm = BM25_K1 * (1 - BM25_B + BM25_B * pool.lengths / _mean_length(pool))
    gains = matches.counts * (BM25_K1 + 1) / (matches.counts + norm[:, None])
    lexical: Vector = gains @ question.weights
    return lexical


def _most(question: Question) -> float:
    """Return what no candidate reaches, however often it holds every word."""
    return question.everything * (BM25_K1 + 1)


def _rows(pool: CandidateSet, probe: Probe, matches: Matches, question: Question) -> Rows:
    lexical = _lexical(pool, matches, question)
    soft = matches.soft @ (question.content / question.total)
    directions = np.array([probe.vectors[probe.static], _topic(probe, question)])
    similarity, topical = times_vectors(pool.vectors[probe.static], directions)
    core = 0.5 * (_relative(lexical) + _relative(np.maximum(similarity, 0)) + soft)
    return Rows(matches, lexical, soft, similarity, topical, core)


def _mean_length(pool: CandidateSet) -> float:
    corpus = pool.corpus
    total = corpus.mean_length * corpus.documents + _IMAGINED_LENGTH * IMAGINED
    return total / (corpus.documents + IMAGINED)


def _topic(probe: Probe, question: Question) -> Vector:
    """Return the direction of the question's words, weighed by how much each tells."""
    if len(probe.words) == 0:
        return probe.vectors[probe.static]
    topic = question.content @ probe.word_vectors
    return topic / max(float(np.linalg.norm(topic)), 1e-6)


def _relative(values: Vector) -> Vector:
    best = float(values.max(initial=0))
    return values / best if best > 0 else np.zeros_like(values)


def _words(pool: CandidateSet, probe: Probe, question: Question, rows: Rows) -> Named:
    matches, soft = rows.matches, rows.matches.soft
    by_content = question.content / question.total
    held = (matches.counts > 0).astype(np.float32)
    near = np.concatenate([soft, np.zeros((1, soft.shape[1]), np.float32)])[pool.neighbours]
    # How well each word is met: by the memory, and by it and its neighbours together.
    three = np.maximum(soft, near[:, :2].max(axis=1))
    five = np.maximum(three, near[:, 2:].max(axis=1))
    return {
        "bm_share": _relative(rows.lexical),
        "bm_norm": rows.lexical / _most(question),
        "soft": rows.soft,
        "soft_share": _relative(rows.soft),
        "passage": best_windows(pool, probe, by_content),
        "head": _met_by_heads(pool, probe) @ (question.weights / question.everything),
        "covered": held @ by_content,
        "nearly_covered": (soft > 0.7).astype(np.float32) @ by_content,
        "covered_all": held @ (question.weights / question.everything),
        "count": held.sum(axis=1) / held.shape[1],
        "adjacent": np.minimum(matches.adjacent, 3),
        "length": np.log1p(pool.lengths),
        "window_three": three @ by_content,
        "window_five": five @ by_content,
    }


def _met_by_heads(pool: CandidateSet, probe: Probe) -> Vector:
    """Return how well the beginning of each candidate meets each word."""
    met = np.zeros((pool.size, probe.kinship.shape[1]), np.float32)
    row, place, term = pool.hits
    early = place < _HEAD
    row, term = row[early], term[early]
    first = np.flatnonzero(np.diff(row, prepend=-1))
    if len(first):
        met[row[first]] = np.maximum.reduceat(probe.kinship[term], first, axis=0)
    return met


def _meaning(rows: Rows) -> Named:
    similarity = rows.similarity
    spread = float(similarity.std()) + 0.03
    return {
        "similar": similarity,
        "similar_share": _relative(np.maximum(similarity, 0)),
        "similar_z": (similarity - similarity.mean()) / spread,
        "topical": rows.topical,
    }


def _asked_authors(pool: CandidateSet, probe: Probe) -> Vector:
    asked = np.zeros(pool.size, np.float32)
    for key in probe.authors:
        asked[pool.author == np.uint64(key)] = 1
    return asked


def _around(pool: CandidateSet, rows: Rows) -> Named:
    """Return whether a memory asks, and whether it stands beside what asks or tells the same."""
    questions = pool.traits & 3
    asks, ends = (questions > 0).astype(np.float32), (questions > 1).astype(np.float32)
    padded = np.zeros((3, pool.size + 1), np.float32)
    padded[:, :-1] = asks, rows.core * ends, rows.core
    before, after = padded[:, pool.neighbours[:, 0]], padded[2, pool.neighbours[:, 1]]
    return {
        "asks": asks,
        "asked_before": before[0],
        "answers": before[1],
        "beside": np.maximum(before[2], after),
    }


def _session_lexical(pool: CandidateSet, matches: Matches) -> Vector:
    """Return BM25 of the whole session of each memory among the sessions."""
    some = (pool.session > 0).astype(np.float32)
    if not some.any():
        return some
    groups = group_by(pool.session)
    sums = groups.sum(np.column_stack((pool.lengths, matches.counts)))
    lengths, counts = sums[:, 0], sums[:, 1:]
    holders = (counts > 0).sum(axis=0, dtype=np.float32)
    weights = np.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
    norm = 0.9 * (0.4 + 0.6 * lengths / max(float(lengths.mean()), 1.0))
    scores: Vector = (counts * 1.9 / (counts + norm[:, None])) @ weights
    return _relative(scores)[groups.of] * some


def _question(pool: CandidateSet, probe: Probe, question: Question, rows: Rows) -> Named:
    """Return what is the same for all candidates: how well the question is answered at all."""
    soft = rows.matches.soft.max(axis=0)
    held = (rows.matches.counts > 0).any(axis=0)
    named = np.array([word.named for word in probe.words] or [False])
    known = any(word.known for word in probe.words) or not probe.words
    values = {
        "q_words": min(len(probe.words), 12) / 10,
        "q_unknown": min(int(np.count_nonzero(named & ~held)), _UNKNOWN_NAMES),
        "q_covered": float(held @ question.content) / question.total,
        "q_soft": float(soft @ question.content) / question.total,
        "q_similar": float(rows.similarity.max()),
        "q_strange": float(not known and not soft.any()),
    }
    block = np.empty((len(values), pool.size), np.float32)
    block[:] = np.array(list(values.values()))[:, None]
    return dict(zip(values, block, strict=True))


def _chosen(pool: CandidateSet, probe: Probe) -> Named:
    """Return the similarity by a chosen model, relative since models differ in their scales."""
    chosen = next((model for model in probe.vectors if model != probe.static), None)
    if chosen is None or not pool.vectors[chosen].any():
        return {}
    vectors = pool.vectors[chosen]
    similarity = times_vector(vectors, probe.vectors[chosen])
    known = vectors.any(axis=1)
    # A memory that the model has not seen yet counts as an average one.
    mean = float(similarity[known].mean())
    similarity = np.where(known, similarity, mean).astype(np.float32)
    spread = float(similarity[known].std()) + 0.01
    near = (similarity - mean) / spread
    beside = np.append(near, 0)[pool.neighbours[:, :2]].max(axis=1)
    return {
        "chosen_z": near,
        "chosen_share": (similarity - mean) / max(float(similarity.max()) - mean, 0.01),
        "chosen_beside": np.maximum(beside, 0),
    }
