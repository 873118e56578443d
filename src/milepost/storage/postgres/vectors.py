"""Vectors as PostgreSQL's pgvector takes and gives them, in binary."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from milepost.storage.index.vectors import quantised

HALF, SPARSE = "halfvec", "sparsevec"


class HalfVector(NamedTuple):
    """A vector of half precision."""

    data: bytes


class HalfVectors(NamedTuple):
    """Several of them, which need not be of one size."""

    vectors: Sequence[HalfVector]


class SparseVector(NamedTuple):
    """A vector of which few places are not zero."""

    data: bytes


def half_vectors(vectors: Sequence[NDArray[np.float32]]) -> list[HalfVector]:
    """Return vectors as they are kept: rounded as every store rounds them, so that all agree."""
    if not len(vectors):
        return []
    scale, values = quantised(vectors)
    head = np.array([values.shape[1], 0], ">u2").tobytes()
    return [HalfVector(head + row.tobytes()) for row in (values * scale).astype(">f2")]


def as_half_vector(vector: NDArray[np.float32]) -> HalfVector:
    """Return one vector without rounding it first."""
    head = np.array([len(vector), 0], ">u2").tobytes()
    return HalfVector(head + vector.astype(">f2").tobytes())


def sparse_vector(
    places: NDArray[np.int64], values: NDArray[np.float32], size: int
) -> SparseVector:
    """Return a sparse vector; places count from 0, ascending."""
    head = np.array([size, len(places), 0], ">i4").tobytes()
    return SparseVector(head + places.astype(">i4").tobytes() + values.astype(">f4").tobytes())


def from_halves(data: bytes, size: int) -> NDArray[np.float32]:
    """Return vectors of one size that follow each other without anything between."""
    return np.frombuffer(data, ">f2").astype(np.float32).reshape(-1, size)


def from_half(data: bytes) -> NDArray[np.float32]:
    """Return a vector as pgvector sends it."""
    return np.frombuffer(data, ">f2", offset=4).astype(np.float32)


class _Binary(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        data: bytes = obj.data
        return data


class _Several(Dumper):
    format = Format.BINARY
    of: int

    def dump(self, obj: Any) -> bytes:
        vectors: Sequence[HalfVector] = obj.vectors
        shape = [1, 0, self.of, len(vectors), 1] if vectors else [0, 0, self.of]
        parts = [len(v.data).to_bytes(4) + v.data for v in vectors]
        return np.array(shape, ">i4").tobytes() + b"".join(parts)


def register(connection: Connection[Any], types: Mapping[str, TypeInfo]) -> None:
    """Let a connection send vectors."""
    for name, kind in ((HALF, HalfVector), (SPARSE, SparseVector)):
        if name in types:
            dumper = type(f"{kind.__name__}Dumper", (_Binary,), {"oid": types[name].oid})
            connection.adapters.register_dumper(kind, dumper)
    if HALF in types:
        half = types[HALF]
        head = {"oid": half.array_oid, "of": half.oid}
        connection.adapters.register_dumper(HalfVectors, type("HalvesDumper", (_Several,), head))
