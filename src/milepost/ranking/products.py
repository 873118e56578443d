"""Products of small matrices on one core.

The library behind numpy's @ wakes threads for anything larger than a few thousand elements, and on
a busy machine waiting for them costs more than all the rest of a search.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating[Any]]

# Up to so many multiplications a product stays on one core.
_SINGLE = 250_000


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


def mixed_rows(rows: Matrix, mixture: Matrix) -> Matrix:
    """Return mixture.T @ rows, some columns at a time."""
    width = max(_SINGLE // max(mixture.size, 1), 1)
    starts = range(0, rows.shape[1], width)
    return np.concatenate([mixture.T @ rows[:, s : s + width] for s in starts], axis=1)
