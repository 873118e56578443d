"""Sums and products over rows, and vectors compared by the signs of their components."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating[Any]]


def times_vector(matrix: Matrix, vector: Matrix) -> Matrix:
    """Return matrix @ vector."""
    product: Matrix = np.einsum("ij,j->i", matrix, vector)
    return product


def times_vectors(matrix: Matrix, vectors: Matrix) -> Matrix:
    """Return the product of a matrix with each of several vectors, one row a vector."""
    return np.array([times_vector(matrix, vector) for vector in vectors])


def weighted_rows(rows: Matrix, weights: Matrix) -> Matrix:
    """Return the sum of rows, each times its weight."""
    total: Matrix = np.einsum("ij,i->j", rows, weights)
    return total


class Groups(NamedTuple):
    """Rows sorted by group, where each group starts among them, and the group of each row."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    of: NDArray[np.int64]

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of each group."""
        return np.add.reduceat(values[self.order], self.starts, axis=0)

    def max(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest of each group."""
        return np.maximum.reduceat(values[self.order], self.starts, axis=0)


def group_by(keys: NDArray[Any]) -> Groups:
    """Group rows by their keys, of which there is at least one."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.empty(len(keys), bool)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    of = np.empty(len(keys), np.int64)
    of[order] = np.cumsum(first) - 1
    return Groups(order, np.flatnonzero(first), of)


# After so many sums and differences of its halves, each component of a vector tells as much as
# any other; models put most into the first, whose signs would count no more than the last.
_TURNS = 6
_TURNED_ROWS = 8_192
# What the sign of a component weighs in a question, in steps of its mean size, up to 3.
_WEIGHT_STEP = 0.8
_WEIGHT_MAX = 3


class Signs(NamedTuple):
    """The signs of a question's vector, and the two bits of what each of them weighs."""

    signs: NDArray[np.uint64]
    ones: NDArray[np.uint64]
    twos: NDArray[np.uint64]


def bit_codes(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the signs of vectors, turned, as columns of 64 bits, one row a column."""
    codes = np.empty((-(-values.shape[1] // 64), len(values)), np.uint64)
    for start in range(0, len(values), _TURNED_ROWS):
        rows = slice(start, start + _TURNED_ROWS)
        codes[:, rows] = _packed(_turned(values[rows]) > 0)
    return codes


def question_signs(vector: NDArray[np.float32]) -> Signs:
    """Return what vectors are compared with by their codes."""
    turned = _turned(vector[None, :])
    size = np.abs(turned)
    step = max(float(size.mean()) * _WEIGHT_STEP, np.finfo(np.float32).tiny)
    weight = np.minimum(np.rint(size / step), _WEIGHT_MAX).astype(np.uint8)
    bits = (turned > 0, weight & 1, weight & 2)
    return Signs(*(_packed(plane.astype(bool))[:, 0] for plane in bits))


def _turned(vectors: NDArray[Any]) -> NDArray[Any]:
    """Return vectors as columns, in a basis in which all components are about as large.

    Whole numbers stay whole, so that a code is the same wherever it is made.
    """
    width = -(-vectors.shape[1] // 64) * 64
    whole = np.issubdtype(vectors.dtype, np.integer)
    turned = np.zeros((width, len(vectors)), np.int16 if whole else np.float32)
    turned[: vectors.shape[1]] = vectors.T
    for _ in range(_TURNS):
        first, second = turned[: width // 2], turned[width // 2 :]
        turned = np.stack([first + second, first - second], axis=1).reshape(width, -1)
    return turned


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    rows = np.ascontiguousarray(np.packbits(bits, axis=0).T)
    return rows.view(np.uint64).T


def bit_distances(codes: NDArray[np.uint64], wanted: Signs) -> NDArray[np.uint16]:
    """Return in how many signs each vector differs from the question."""
    total = np.zeros(codes.shape[1], np.uint16)
    for column, signs in zip(codes, wanted.signs, strict=True):
        total += np.bitwise_count(column ^ signs)
    return total


def weighed_distances(codes: NDArray[np.uint64], wanted: Signs) -> NDArray[np.uint16]:
    """Return what the signs weigh in which each vector differs from the question."""
    ones, twos = (np.zeros(codes.shape[1], np.uint16) for _ in range(2))
    for column, signs, one, two in zip(codes, *wanted, strict=True):
        differing = column ^ signs
        ones += np.bitwise_count(differing & one)
        twos += np.bitwise_count(differing & two)
    return ones + 2 * twos


def unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scale each row to length one and leave a row of zeros as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (rows / lengths).astype(np.float32, copy=False)
    return scaled
