"""The features by which candidates are ranked: words, meaning, and what stands around them."""

from collections.abc import Sequence
from math import log10
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, Probe
from milepost.ranking.keys import label_key
from milepost.ranking.matching import IMAGINED, Matches, match_words, word_weights
from milepost.ranking.numerics import group_by, times_vector, times_vectors

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
# Where the traits of a memory lie in their number: times, numbers, names, first person.
_TRAIT_SHIFTS = np.array([[2], [4], [6], [8]], np.uint16)


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
    similarity_share: Vector
    topical: Vector
    core: Vector


def features(pool: CandidateSet, probe: Probe) -> Named:
    """Return the features of all candidates by name.

    A search is a few hundred candidates, so that each call of numpy costs more than what it
    computes: whatever can share a call does.
    """
    matches = match_words(pool, probe)
    question = _weigh(pool, probe)
    rows = _rows(pool, probe, matches, question)
    found: Named = {}
    found |= _words(pool, matches, question, rows)
    found |= _meaning(rows)
    found |= _people(pool, probe)
    found |= _neighbours(pool, rows)
    found |= _pairs(pool, probe, rows)
    found |= _sessions(pool, question, rows)
    found |= _traits(pool, probe)
    found |= _standing(pool, probe, rows)
    found |= _question(pool, probe, question, rows)
    found |= _chosen(pool, probe)
    return found


def _weigh(pool: CandidateSet, probe: Probe) -> Question:
    weights = np.array(word_weights(probe, pool.corpus) or [0.0], np.float32)
    present = set(pool.author.tolist())
    named = [label_key("author", word.text) in present for word in probe.words] or [False]
    content = np.where(named, 0, weights).astype(np.float32)
    return Question(
        weights, content, max(float(weights.sum()), 1e-6), max(float(content.sum()), 1e-6)
    )


def _rows(pool: CandidateSet, probe: Probe, matches: Matches, question: Question) -> Rows:
    mean = _mean_length(pool)
    norm = BM25_K1 * (1 - BM25_B + BM25_B * pool.lengths / mean)
    gains = matches.counts * (BM25_K1 + 1) / (matches.counts + norm[:, None])
    lexical = gains @ question.weights
    soft = matches.soft @ (question.content / question.total)
    directions = np.array([probe.vectors[probe.static], _topic(probe, question)])
    similarity, topical = times_vectors(pool.vectors[probe.static], directions)
    share, similar = _relative(lexical), _relative(np.maximum(similarity, 0))
    core = 0.5 * (share + similar + soft)
    return Rows(matches, lexical, share, soft, similarity, similar, topical, core)


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


def _words(pool: CandidateSet, matches: Matches, question: Question, rows: Rows) -> Named:
    soft, content, lengths = matches.soft, question.content, pool.lengths
    held = (matches.counts > 0).astype(np.float32)
    near = np.concatenate([soft, np.zeros((1, soft.shape[1]), np.float32)])[pool.neighbours]
    # How well each word is met: by the memory, and by it and its neighbours together.
    met = np.empty((8, *soft.shape), np.float32)
    met[0], met[1], met[2], met[3] = soft, held, soft * soft, soft > 0.7
    np.maximum(soft, near[:, 0], out=met[4])
    np.maximum(soft, near[:, 1], out=met[5])
    np.maximum(met[4], near[:, 1], out=met[6])
    np.maximum(met[6], near[:, 2:].max(axis=1), out=met[7])
    weighings = np.array(
        [
            content / question.total,
            question.weights / question.everything,
            content * content / max(float(content @ content), 1e-6),
            np.ones_like(content),
        ]
    )
    by_content, by_weight, by_rarity, by_count = np.moveaxis(met @ weighings.T, 2, 0)
    best_word, best_exact = (met[:2] * (content / 5)).max(axis=2)
    log_lengths = np.log1p(lengths)
    return {
        "bm_share": rows.lexical_share,
        "bm": rows.lexical / 10,
        "bm_norm": rows.lexical / (question.everything * (BM25_K1 + 1)),
        "soft": rows.soft,
        "soft_share": _relative(rows.soft),
        "soft_squared": by_content[2],
        "soft_all": by_weight[0],
        "soft_rare": by_rarity[0],
        "covered": by_content[1],
        "nearly_covered": by_content[3],
        "covered_all": by_weight[1],
        "best_word": best_word,
        "best_exact": best_exact,
        "rarest": soft[:, int(np.argmax(content))],
        "count": by_count[1] / held.shape[1],
        "precision": by_count[0] / np.sqrt(lengths + 3),
        "adjacent": np.minimum(matches.adjacent, 3),
        "length": log_lengths,
        "length_soft": log_lengths * rows.soft,
        "window_before": by_content[4],
        "window_after": by_content[5],
        "window_three": by_content[6],
        "window_five": by_content[7],
        "window_gain": by_content[6] - rows.soft,
    }


def _meaning(rows: Rows) -> Named:
    similarity, topical = rows.similarity, rows.topical
    spread = float(similarity.std()) + 0.03
    return {
        "similar": similarity,
        "similar_share": rows.similarity_share,
        "similar_z": (similarity - similarity.mean()) / spread,
        "topical": topical,
    }


def _people(pool: CandidateSet, probe: Probe) -> Named:
    author, sought = pool.author, probe.sought
    asked = np.zeros(pool.size, np.float32)
    for key in probe.authors:
        asked[author == np.uint64(key)] = 1
    others = (author > 0) * (1 - asked) if asked.any() else np.zeros_like(asked)
    assistant = (author == _ASSISTANT).astype(np.float32)
    user = author == _USER
    return {
        "author_asked": asked,
        "other_asked": others,
        "assistant": assistant,
        "assistant_said": assistant * np.float32(sought.said),
        "user_personal": user * np.float32(sought.first_person * (1 - sought.said)),
    }


def _beside(pool: CandidateSet, values: Sequence[Vector]) -> Vector:
    """Return the values of the neighbours: one row a value, column and candidate; 0 for none."""
    padded = np.zeros((len(values), pool.size + 1), np.float32)
    padded[:, :-1] = values
    return padded[:, pool.neighbours.T]


def _neighbours(pool: CandidateSet, rows: Rows) -> Named:
    questions = pool.traits & 3
    asks, ends = (questions > 0).astype(np.float32), (questions > 1).astype(np.float32)
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


def _pairs(pool: CandidateSet, probe: Probe, rows: Rows) -> Named:
    """Return the similarity of the memory and a neighbour taken as one text."""
    vectors = pool.vectors[probe.static]
    before, after = pool.neighbours[:, 0], pool.neighbours[:, 1]
    joined = np.flatnonzero(before >= 0)
    cosine = np.zeros(pool.size + 1, np.float32)
    cosine[joined] = np.einsum("ij,ij->i", vectors[joined], vectors[before[joined]])
    lengths = np.sqrt(np.maximum(2 + 2 * cosine, 0.1))
    alone = np.array([rows.similarity, rows.topical])
    # What stands after a memory has it before: the pair's cosine is the other's.
    with_before = np.where(before >= 0, (alone + alone[:, before]) / lengths[:-1], alone)
    with_after = np.where(after >= 0, (alone + alone[:, after]) / lengths[after], alone)
    return {
        "similar_with_before": with_before[0],
        "topical_with_before": with_before[1],
        "similar_with_after": with_after[0],
        "topical_with_after": with_after[1],
    }


def _sessions(pool: CandidateSet, question: Question, rows: Rows) -> Named:
    some = (pool.session > 0).astype(np.float32)
    if not some.any():
        return {f"session_{name}": some for name in _SESSION_FEATURES} | {"has_session": some}
    groups = group_by(pool.session)
    ranked = np.lexsort((-rows.core, groups.of))
    rank = np.empty(pool.size, np.float32)
    rank[ranked] = np.arange(pool.size) - groups.starts[groups.of[ranked]]
    leading = rows.core * (rank < 3)
    ones = np.ones(pool.size, np.float32)
    summed = (ones, pool.lengths, rows.similarity, rows.topical, rows.core, leading)
    sums = groups.sum(np.column_stack((*summed, rows.matches.counts)))
    sizes, lengths, similarity, topical, core, top3 = sums.T[: len(summed)]
    largest = groups.max(np.column_stack((rows.core, rows.matches.soft)))
    per_session = np.array(
        [
            _session_lexical(sums[:, len(summed) :], lengths),
            largest[:, 1:] @ (question.content / question.total),
            similarity / sizes,
            topical / sizes,
            largest[:, 0],
            top3 / 3,
            core / sizes,
        ]
    )
    found = [*(per_session[:, groups.of] * some), some / (1 + rank)]
    named = zip(_SESSION_FEATURES, found, strict=True)
    return {f"session_{name}": values for name, values in named} | {"has_session": some}


def _session_lexical(counts: Vector, lengths: Vector) -> Vector:
    """Return BM25 of whole sessions among sessions."""
    sessions = len(counts)
    holders = (counts > 0).sum(axis=0, dtype=np.float32)
    weights = np.log(1 + (sessions - holders + 0.5) / (holders + 0.5))
    norm = 0.9 * (0.4 + 0.6 * lengths / max(float(lengths.mean()), 1.0))
    scores: Vector = (counts * 1.9 / (counts + norm[:, None])) @ weights
    return _relative(scores)


def _traits(pool: CandidateSet, probe: Probe) -> Named:
    packed = (pool.traits >> _TRAIT_SHIFTS) & 3
    times, numbers, names, personal = packed.astype(np.float32)
    sought = probe.sought
    return {
        "times": times,
        "numbers": numbers,
        "names": names,
        "personal": personal,
        "when_times": sought.when * times,
        "many_numbers": sought.many * numbers,
        "where_names": sought.where * names,
        "who_names": sought.who * names,
        "why_length": sought.why * np.log1p(pool.lengths),
    }


def _standing(pool: CandidateSet, probe: Probe, rows: Rows) -> Named:
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
    count, size = scores.shape
    order = np.argsort(-scores, axis=1, kind="stable")
    shares = np.empty(scores.shape, np.float32)
    shares[np.arange(count)[:, None], order] = 1 / (1 + np.arange(size, dtype=np.float32) / 5)
    return shares


def _question(pool: CandidateSet, probe: Probe, question: Question, rows: Rows) -> Named:
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
        "q_when": probe.sought.when,
        "q_many": probe.sought.many,
        "q_said": probe.sought.said,
        "q_personal": probe.sought.first_person,
    }
    block = np.empty((len(values), pool.size), np.float32)
    block[:] = np.array(list(values.values()))[:, None]
    return dict(zip(values, block, strict=True))
