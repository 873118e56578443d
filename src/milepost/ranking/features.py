"""The features by which candidates are ranked: words, meaning, and what stands around them."""

from collections.abc import Sequence
from math import log10
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.groups import group_by
from milepost.ranking.keys import label_key
from milepost.ranking.matching import Matches, match_words
from milepost.ranking.pool import Pool, Probe
from milepost.ranking.products import times_vector
from milepost.ranking.weights import IMAGINED, word_weights

BM25_K1 = 0.9
BM25_B = 0.4

Vector = NDArray[np.floating[Any]]
Named = dict[str, Vector]

_SESSION_FEATURES = (
    "lexical", "covered", "similar", "topical", "best", "top3", "mean", "rank",
)  # fmt: skip
# How long an imagined memory is, in terms.
_IMAGINED_LENGTH = 12.0
_ASSISTANT = label_key("author", "assistant")
_USER = label_key("author", "user")


class Question(NamedTuple):
    """The weights of a question's words; names of authors are asked for apart."""

    weights: Vector
    content: Vector
    everything: float
    total: float


class Rows(NamedTuple):
    """Scores of every row of the pool, from which neighbours and sessions borrow."""

    matches: Matches
    lexical: Vector
    lexical_share: Vector
    soft: Vector
    similarity: Vector
    topical: Vector
    core: Vector


def features(pool: Pool, probe: Probe) -> Named:
    """Return the features of all candidates by name."""
    matches = match_words(pool, probe)
    question = _weigh(pool, probe)
    rows = _rows(pool, probe, matches, question)
    found: Named = {}
    found |= _words(pool, matches, question, rows)
    found |= _meaning(rows)
    found |= _people(pool, probe)
    found |= _windows(pool, matches, question, rows)
    found |= _neighbours(pool, rows)
    found |= _pairs(pool, probe, rows)
    found |= _sessions(pool, question, rows)
    found |= _traits(pool, probe)
    found |= _standing(pool, probe, rows)
    found |= _question(pool, probe, question, rows)
    found |= _chosen(pool, probe)
    return {name: _single(values) for name, values in found.items()}


def _single(values: Vector) -> Vector:
    return values if values.dtype == np.float32 else values.astype(np.float32)


def _weigh(pool: Pool, probe: Probe) -> Question:
    weights = np.array(word_weights(probe, pool.corpus) or [0.0], np.float32)
    present = set(pool.author.tolist())
    named = [label_key("author", word.text) in present for word in probe.words] or [False]
    content = np.where(named, 0, weights).astype(np.float32)
    return Question(
        weights, content, max(float(weights.sum()), 1e-6), max(float(content.sum()), 1e-6)
    )


def _rows(pool: Pool, probe: Probe, matches: Matches, question: Question) -> Rows:
    mean = _mean_length(pool)
    norm = BM25_K1 * (1 - BM25_B + BM25_B * pool.lengths / mean)
    gains = matches.counts * (BM25_K1 + 1) / (matches.counts + norm[:, None])
    lexical = gains @ question.weights
    soft = matches.soft @ question.content / question.total
    vectors = pool.vectors[probe.static]
    similarity = times_vector(vectors, probe.vectors[probe.static])
    topical = times_vector(vectors, _topic(probe, question))
    share = _relative(lexical)
    core = 0.5 * share + 0.5 * _relative(np.maximum(similarity, 0)) + 0.5 * soft
    return Rows(matches, lexical, share, soft, similarity, topical, core)


def _mean_length(pool: Pool) -> float:
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


def _words(pool: Pool, matches: Matches, question: Question, rows: Rows) -> Named:
    soft, held = matches.soft, matches.counts > 0
    weights, total = question.content, question.total
    lengths = pool.lengths
    return {
        "bm_share": rows.lexical_share,
        "bm": rows.lexical / 10,
        "bm_norm": rows.lexical / (question.everything * (BM25_K1 + 1)),
        "soft": rows.soft,
        "soft_share": _relative(rows.soft),
        "soft_squared": (soft * soft) @ weights / total,
        "soft_all": soft @ question.weights / question.everything,
        "soft_rare": soft @ (weights * weights) / max(float(weights @ weights), 1e-6),
        "covered": held @ weights / total,
        "nearly_covered": (soft > 0.7) @ weights / total,
        "covered_all": held @ question.weights / question.everything,
        "best_word": (soft * weights).max(axis=1) / 5,
        "best_exact": (held * weights).max(axis=1) / 5,
        "rarest": soft[:, int(np.argmax(weights))],
        "count": held.sum(axis=1) / held.shape[1],
        "precision": soft.sum(axis=1) / np.sqrt(lengths + 3),
        "adjacent": np.minimum(matches.adjacent, 3),
        "length": np.log1p(lengths),
        "length_soft": np.log1p(lengths) * rows.soft,
    }


def _meaning(rows: Rows) -> Named:
    similarity, topical = rows.similarity, rows.topical
    spread = float(similarity.std()) + 0.03
    return {
        "similar": similarity,
        "similar_share": _relative(np.maximum(similarity, 0)),
        "similar_z": (similarity - similarity.mean()) / spread,
        "topical": topical,
    }


def _people(pool: Pool, probe: Probe) -> Named:
    author = pool.author
    asked = np.zeros(len(author), bool)
    for key in probe.authors:
        asked |= author == np.uint64(key)
    anyone = float(asked.any())
    assistant, user = author == _ASSISTANT, author == _USER
    personal = probe.wish.first_person * (1 - probe.wish.said)
    return {
        "author_asked": asked.astype(np.float32),
        "other_asked": (anyone * ~asked * (author > 0)).astype(np.float32),
        "assistant": assistant.astype(np.float32),
        "assistant_said": (assistant * probe.wish.said).astype(np.float32),
        "user_personal": (user * personal).astype(np.float32),
    }


def _beside(pool: Pool, values: Sequence[Vector]) -> Vector:
    """Return the values of the neighbours: one row a value, column and candidate; 0 for none."""
    padded = np.zeros((len(values), pool.size + 1), np.float32)
    padded[:, :-1] = values
    return padded[:, pool.neighbours.T]


def _windows(pool: Pool, matches: Matches, question: Question, rows: Rows) -> Named:
    """Return how much of the question the memory and its neighbours cover together."""
    padded = np.concatenate([matches.soft, np.zeros((1, matches.soft.shape[1]), np.float32)])
    near = padded[pool.neighbours]
    here = matches.soft
    before, after = np.maximum(here, near[:, 0]), np.maximum(here, near[:, 1])
    three = np.maximum(before, near[:, 1])
    five = np.maximum(three, np.maximum(near[:, 2], near[:, 3]))

    def share(window: Vector) -> Vector:
        return window @ question.content / question.total

    return {
        "window_before": share(before),
        "window_after": share(after),
        "window_three": share(three),
        "window_five": share(five),
        "window_gain": share(three) - rows.soft,
    }


def _neighbours(pool: Pool, rows: Rows) -> Named:
    asks = ((pool.traits & 3) > 0).astype(np.float32)
    ends = ((pool.traits & 3) > 1).astype(np.float32)
    near = _beside(pool, (rows.core, rows.soft, rows.similarity, asks, ends))
    (before, after, before2, after2), soft, similarity, asked, ended = near
    return {
        "core": rows.core,
        "core_before": before,
        "core_after": after,
        "core_before2": before2,
        "core_after2": after2,
        "core_beside": np.maximum(before, after),
        "soft_before": soft[0],
        "soft_after": soft[1],
        "similar_before": similarity[0],
        "similar_after": similarity[1],
        "asks": asks,
        "asked_before": asked[0],
        "core_asked_before": before * asked[0],
        "core_ended_before": before * ended[0],
        "core_asks_after": after * asked[1],
        "core_asks": rows.core * asks,
    }


def _pairs(pool: Pool, probe: Probe, rows: Rows) -> Named:
    """Return the similarity of the memory and a neighbour taken as one text."""
    found = {}
    vectors = pool.vectors[probe.static]
    here = vectors
    for column, name in ((0, "before"), (1, "after")):
        at = pool.neighbours[:, column]
        cosine = np.einsum("ij,ij->i", here, vectors[at])
        length = np.sqrt(np.maximum(2 + 2 * cosine, 0.1))
        for kind, scores in (("similar", rows.similarity), ("topical", rows.topical)):
            alone = scores
            joined = np.where(at >= 0, (alone + scores[at]) / length, alone)
            found[f"{kind}_with_{name}"] = joined.astype(np.float32)
    return found


def _sessions(pool: Pool, question: Question, rows: Rows) -> Named:
    some = (pool.session > 0).astype(np.float32)
    if not some.any():
        return {f"session_{name}": some for name in _SESSION_FEATURES} | {"has_session": some}
    groups = group_by(pool.session)
    sizes = groups.sum(np.ones(pool.size, np.float32))
    ranked = np.lexsort((-rows.core, groups.of))
    rank = np.empty(pool.size, np.float32)
    rank[ranked] = np.arange(pool.size) - groups.starts[groups.of[ranked]]
    counts = groups.sum(rows.matches.counts)
    per_session = (
        _session_lexical(counts, groups.sum(pool.lengths)),
        groups.max(rows.matches.soft) @ question.content / question.total,
        groups.sum(rows.similarity) / sizes,
        groups.sum(rows.topical) / sizes,
        groups.max(rows.core),
        groups.sum(rows.core * (rank < 3)) / 3,
        groups.sum(rows.core) / sizes,
    )
    found = [values[groups.of] for values in per_session]
    found.append(1 / (1 + rank))
    named = zip(_SESSION_FEATURES, found, strict=True)
    return {f"session_{name}": values * some for name, values in named} | {"has_session": some}


def _session_lexical(counts: Vector, lengths: Vector) -> Vector:
    """Return BM25 of whole sessions among sessions."""
    sessions = len(counts)
    holders = (counts > 0).sum(axis=0)
    weights = np.log(1 + (sessions - holders + 0.5) / (holders + 0.5))
    norm = 0.9 * (0.4 + 0.6 * lengths / max(float(lengths.mean()), 1.0))
    scores: Vector = (counts * 1.9 / (counts + norm[:, None])) @ weights
    return _relative(scores)


def _traits(pool: Pool, probe: Probe) -> Named:
    packed = pool.traits
    times, numbers, names, personal = (
        ((packed >> shift) & 3).astype(np.float32) for shift in (2, 4, 6, 8)
    )
    wish = probe.wish
    length = np.log1p(pool.lengths)
    return {
        "times": times,
        "numbers": numbers,
        "names": names,
        "personal": personal,
        "when_times": wish.when * times,
        "many_numbers": wish.many * numbers,
        "where_names": wish.where * names,
        "who_names": wish.who * names,
        "why_length": wish.why * length,
    }


def _standing(pool: Pool, probe: Probe, rows: Rows) -> Named:
    """Return where the memory stands among the candidates."""
    core, vectors = rows.core, pool.vectors[probe.static]
    top = np.argsort(-core, kind="stable")[:10]
    liked = core[top[:5]] @ vectors[top[:5]]
    liked /= max(float(np.linalg.norm(liked)), 1e-6)
    scores = np.array([rows.lexical, rows.similarity, rows.soft, rows.topical])
    lexical, similar, soft, topical = _rank_shares(scores)
    return {
        "rank_lexical": lexical,
        "rank_similar": similar,
        "rank_soft": soft,
        "rank_topical": topical,
        "gap": core - float(core[top].mean()),
        "like_best": times_vector(vectors, liked),
    }


def _chosen(pool: Pool, probe: Probe) -> Named:
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
    z = (similarity - mean) / spread
    near = _beside(pool, (z,))[0]
    return {
        "chosen_z": z,
        "chosen_share": (similarity - mean) / max(float(similarity.max()) - mean, 0.01),
        "chosen_rank": _rank_shares(similarity[None])[0],
        "chosen_before": near[0],
        "chosen_after": near[1],
    }


def _rank_shares(scores: Vector) -> Vector:
    """Return for each row of scores how near to its top each stands, 1 for the best."""
    order = np.argsort(-scores, axis=1, kind="stable")
    rank = np.empty(scores.shape, np.float32)
    np.put_along_axis(rank, order, np.arange(scores.shape[1], dtype=np.float32)[None], axis=1)
    return 1 / (1 + rank / 5)


def _question(pool: Pool, probe: Probe, question: Question, rows: Rows) -> Named:
    """Return what is the same for all candidates: how well the question is answered at all."""
    soft = rows.matches.soft.max(axis=0)
    held = (rows.matches.counts > 0).any(axis=0)
    values = {
        "q_words": len(probe.words) / 10,
        "q_rarest": float(question.content.max()) / 5,
        "q_covered": float(held @ question.content) / question.total,
        "q_soft": float(soft @ question.content) / question.total,
        "q_similar": float(rows.similarity.max()),
        "q_best_soft": float(rows.soft.max()),
        "q_documents": log10(1 + pool.corpus.documents) / 5,
        "q_when": probe.wish.when,
        "q_many": probe.wish.many,
        "q_said": probe.wish.said,
        "q_personal": probe.wish.first_person,
    }
    return {name: np.full(pool.size, value, np.float32) for name, value in values.items()}
