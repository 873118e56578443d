"""Vectors as the signs of their components: a bit each, by which a million are compared at once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# After so many sums and differences of its halves, each component of a vector tells as much as
# any other; models put most into the first, whose signs would count no more than the last.
_TURNS = 6
_TURNED_ROWS = 8_192
# What is made of so many rows on the way stays in the cache of the processor.
_COMPARED_ROWS = 131_072
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
    step = float(size.sum()) * _WEIGHT_STEP / len(size) or 1.0
    weight = np.minimum(np.rint(size / step), _WEIGHT_MAX).astype(np.uint8)
    return Signs(*_packed(np.concatenate([turned > 0, weight & 1, weight & 2], axis=1)).T)


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
        turned = np.empty_like(turned)
        np.add(first, second, out=turned[::2])
        np.subtract(first, second, out=turned[1::2])
    return turned


def _packed(bits: NDArray[Any]) -> NDArray[np.uint64]:
    rows = np.ascontiguousarray(np.packbits(bits, axis=0).T)
    return rows.view(np.uint64).T


def bit_distances(codes: NDArray[np.uint64], wanted: Signs) -> NDArray[np.uint16]:
    """Return in how many signs each vector differs from the question."""
    total = np.zeros(codes.shape[1], np.uint16)
    for start in range(0, codes.shape[1], _COMPARED_ROWS):
        rows = slice(start, start + _COMPARED_ROWS)
        for column, signs in zip(codes[:, rows], wanted.signs, strict=True):
            total[rows] += np.bitwise_count(column ^ signs)
    return total


def weighed_distances(codes: NDArray[np.uint64], wanted: Signs) -> NDArray[np.uint16]:
    """Return what the signs weigh in which each vector differs from the question."""
    total: Any = np.uint16(0)
    for column, signs, one, two in zip(codes, *wanted, strict=True):
        differing = column ^ signs
        twice = np.bitwise_count(differing & two)
        total += np.bitwise_count(differing & one) + 2 * twice
    distances: NDArray[np.uint16] = total
    return distances
