"""Sums and products over rows."""

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


def unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scale each row to length one and leave a row of zeros as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (rows / lengths).astype(np.float32, copy=False)
    return scaled
