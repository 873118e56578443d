"""The candidates of a search, out of one packed row."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import FADED, Filter
from milepost.ranking.candidates import CandidateSet, Corpus, Hit, Probe, no_candidates
from milepost.storage.pooling import (
    HitParts,
    hits_of,
    neighbours_of,
    places_in,
    session_key,
    tag_hits,
)
from milepost.storage.postgres.vectors import from_halves

# What PostgreSQL puts before the elements of an array.
_HEAD = 20


class Packed(NamedTuple):
    """A row of the function `candidates`; what is bytes is a column of all candidates."""

    memories: int
    length: int
    held: list[int] | None
    matched: int
    reached: int
    ids: bytes | None
    created: bytes
    position: bytes
    speaker: bytes
    traits: bytes
    standing: bytes
    elsewhere: bytes
    lengths: bytes
    terms: bytes
    sessions: str
    tags: str | None
    vectors: list[bytes] | None


def pool_of(packed: Packed, probe: Probe, where: Filter) -> CandidateSet:
    """Return the candidates."""
    frequencies = dict(zip((word.term for word in probe.words), packed.held or (), strict=True))
    mean_length = packed.length / max(packed.memories, 1)
    corpus = Corpus(int(packed.memories), float(mean_length), frequencies)
    if packed.ids is None:
        return no_candidates(corpus)
    ids, created = _numbers(packed.ids, 8), _numbers(packed.created, 8)
    keys = [session_key(where.space, session) for session in json.loads(packed.sessions)]
    session = np.array(keys, np.uint64)
    places = places_in(session, _numbers(packed.position, 8))
    vectors = {
        model: from_halves(data, len(vector))
        for (model, vector), data in zip(probe.vectors.items(), packed.vectors or (), strict=True)
    }
    lengths = _numbers(packed.lengths, 4)
    return CandidateSet(
        corpus=corpus,
        matched=packed.matched,
        next_offset=packed.reached,
        ids=ids,
        created=created,
        lengths=lengths.astype(np.float32),
        hits=Hit(*hits_of(lengths, _which(packed.terms, probe), list(_tagged(packed, probe)))),
        vectors=vectors,
        session=session,
        author=_numbers(packed.speaker, 8).view(np.uint64),
        traits=_numbers(packed.traits, 4).astype(np.uint16),
        neighbours=neighbours_of(places, ids, session, created, vectors.get(probe.static)),
        elsewhere=None if where.home is None else _numbers(packed.elsewhere, 4) > 0,
        faded=_numbers(packed.standing, 4) == FADED,
    )


def _numbers(data: bytes, size: int) -> NDArray[np.int64]:
    """Return the numbers of an array as PostgreSQL sends it, each after its size."""
    parts = np.frombuffer(data, np.dtype([("size", ">i4"), ("number", f">i{size}")]), offset=_HEAD)
    numbers: NDArray[np.int64] = parts["number"].astype(np.int64)
    return numbers


def _which(data: bytes, probe: Probe) -> NDArray[Any]:
    """Return which term of a question each term is, counted from 1, 0 for none."""
    terms = np.frombuffer(data, np.uint32)
    if len(probe.terms) == 0:
        return np.zeros(len(terms), np.int64)
    at = np.minimum(np.searchsorted(probe.terms, terms), len(probe.terms) - 1)
    return np.where(probe.terms[at] == terms, at + 1, 0)


def _tagged(packed: Packed, probe: Probe) -> Iterator[HitParts]:
    """Yield the hits of words that are tags."""
    tags = json.loads(packed.tags) if packed.tags else []
    for number, word in enumerate(probe.words):
        rows = [row for row, names in enumerate(tags) if names and word.text in names]
        if rows:
            yield tag_hits(np.array(rows, np.int64), probe, number)
