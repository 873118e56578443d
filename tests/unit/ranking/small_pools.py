"""Candidates made by hand, small enough to reckon with.

The numbers are chosen so that weights come out even. The words asked for are so common in the
language that half of one of the 20 imagined memories holds each (20 · 2.5 / (92 + 8)). With 43
memories, n of which hold a word, it weighs

    ln(1 + (43 + 20 - (n + ½) + ½) / (n + ½ + ½)) = ln(64 / (n + 1)),

which is 6 ln 2 for a word that no memory holds, 5 ln 2 for one, 4 ln 2 for three, and so on: a
question is asked as its words with their weights in units of ln 2. The mean length is 12, and a
word that stands once in a memory of 12 words gains 1 · 1.9 / (1 + 0.9) = 1.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from ranking_parts import candidates, features, label_key, score, stem, term_key

DOCUMENTS, RANK, LENGTH = 43, 92, 12
STATIC, CHOSEN = "static", "chosen"
HOUR_US = 3_600_000_000


class Note(NamedTuple):
    """A candidate: what stands in it, what it means, and where it comes from."""

    text: str = ""
    vector: Sequence[float] = (0.0, 0.0)
    session: str | None = None
    # Its place in the session; the order of the notes where none is given.
    at: int | None = None
    author: str | None = None
    # 2 where it ends with a question, 1 where it asks on the way.
    traits: int = 0
    length: int = LENGTH
    chosen: Sequence[float] | None = None
    # When it was said, in hours.
    hour: float = 0.0


class Search(NamedTuple):
    """A pool and the probe it was gathered for."""

    pool: candidates.CandidateSet
    probe: candidates.Probe

    def features(self) -> dict[str, np.ndarray]:
        return features.features(self.pool, self.probe).columns

    def rank(self, min_score: float | None = None) -> score.Verdict:
        return score.rank(self.pool, self.probe, min_score)

    def likelihoods(self) -> tuple[float, np.ndarray]:
        """Return how likely the question is answered, and how likely each candidate is relevant.

        By itself: a candidate may be less likely here than one that comes after it.
        """
        columns, rivals = features.features(self.pool, self.probe)
        model = self.model()
        scores = score.scored(model.ranking, model.replaced, columns, rivals).scores
        return score.likelihoods(model, columns | score.standing(scores))

    def model(self) -> score.FusionModel:
        """Return the model that ranks this search."""
        heard = CHOSEN in self.pool.vectors and self.pool.vectors[CHOSEN].any()
        return score.shipped_model("chosen" if heard else "static")

    def chances(self) -> list[float]:
        """Return the probability of each candidate, in the order of the notes."""
        verdict = self.rank(0.0)
        chances = np.zeros(self.pool.size)
        chances[verdict.rows] = verdict.chances
        return chances.tolist()


def search(
    words: Mapping[str, float],
    *notes: Note,
    kin: Mapping[str, Mapping[str, float]] | None = None,
    toward: Sequence[float] = (1.0, 0.0),
    word_vectors: Sequence[Sequence[float]] | None = None,
    toward_chosen: Sequence[float] | None = None,
    documents: int = DOCUMENTS,
    matched: int = 0,
) -> Search:
    """Ask for words, given with their weights, among notes.

    kin: what other words mean to the words asked for: {"crimson": {"red": 0.8}}.
    """
    probe = _probe(words, kin or {}, toward, word_vectors, toward_chosen)
    return Search(_pool(words, notes, probe, documents, matched), probe)


def holders(weight: float, documents: int = DOCUMENTS) -> int:
    """Return how many memories hold a word of a weight."""
    return round((documents + 21) / 2**weight) - 1


def _probe(words, kin, toward, word_vectors, toward_chosen) -> candidates.Probe:
    asked = list(words)
    meanings = {_key(word): {word: 1.0} for word in asked}
    for other, near in kin.items():
        meanings.setdefault(_key(other), {}).update(near)
    terms = sorted(meanings)
    kinship = np.zeros((len(terms), max(len(asked), 1)), np.float32)
    for row, term in enumerate(terms):
        for word, likeness in meanings[term].items():
            kinship[row, asked.index(word)] = likeness
    vectors = {STATIC: _vector(toward)}
    if toward_chosen is not None:
        vectors[CHOSEN] = _vector(toward_chosen)
    return candidates.Probe(
        text=" ".join(asked),
        words=tuple(candidates.Word(word, _key(word), RANK) for word in asked),
        # Unless told otherwise each word means what the question means.
        word_vectors=np.array(word_vectors or [toward] * len(asked), np.float32),
        terms=np.array(terms, np.uint32),
        kinship=kinship,
        static=STATIC,
        vectors=vectors,
        authors=frozenset(label_key("author", word) for word in asked),
    )


def _pool(
    words, notes: Sequence[Note], probe: candidates.Probe, documents, matched
) -> candidates.CandidateSet:
    frequencies = {_key(word): holders(weight, documents) for word, weight in words.items()}
    vectors = {STATIC: np.array([note.vector for note in notes], np.float32)}
    if CHOSEN in probe.vectors:
        unseen = np.zeros_like(probe.vectors[CHOSEN])
        rows = [unseen if note.chosen is None else note.chosen for note in notes]
        vectors[CHOSEN] = np.array(rows, np.float32)
    return candidates.CandidateSet(
        corpus=candidates.Corpus(documents, LENGTH, frequencies),
        matched=matched,
        next_offset=len(notes),
        ids=np.arange(100, 100 + len(notes)),
        created=np.array([round(note.hour * HOUR_US) for note in notes], np.int64),
        lengths=np.array([note.length for note in notes], np.float32),
        hits=_hits(notes, probe),
        vectors=vectors,
        session=_labels("session", [note.session for note in notes]),
        author=_labels("author", [note.author for note in notes]),
        traits=np.array([note.traits for note in notes], np.uint16),
        neighbours=_neighbours(notes),
    )


def _hits(notes: Sequence[Note], probe: candidates.Probe) -> candidates.Hit:
    number = {term: i for i, term in enumerate(probe.terms.tolist())}
    hits = [
        (row, place, number[_key(word)])
        for row, note in enumerate(notes)
        for place, word in enumerate(note.text.split())
        if _key(word) in number
    ]
    return candidates.Hit(*np.array(hits, np.int64).reshape(-1, 3).T)


def _neighbours(notes: Sequence[Note]) -> np.ndarray:
    rows: dict[tuple[str, int], int] = {}
    places = []
    for row, note in enumerate(notes):
        order = sum(note.session == other.session for other in notes[:row])
        places.append(order if note.at is None else note.at)
        if note.session:
            rows[note.session, places[-1]] = row
    return np.array(
        [
            [rows.get((note.session or "", place + offset), -1) for offset in (-1, 1, -2, 2)]
            for note, place in zip(notes, places, strict=True)
        ],
        np.int64,
    )


def _labels(kind: str, names: Sequence[str | None]) -> np.ndarray:
    return np.array([label_key(kind, name) if name else 0 for name in names], np.uint64)


def _vector(values: Sequence[float]) -> np.ndarray:
    return np.array(values, np.float32)


def _key(word: str) -> int:
    return term_key(stem(word))
