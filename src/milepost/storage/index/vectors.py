"""Keep a vector as bytes (one scale, one byte a dimension) and as a code of sign bits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEAD = 4  # bytes of the scale


def pack_vectors(vectors: Sequence[NDArray[np.float32]]) -> list[bytes]:
    """Quantise vectors for the database; an all-zero one has scale 0."""
    matrix = np.asarray(vectors, np.float32)
    scale = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(127)
    values = np.round(matrix / np.where(scale > 0, scale, 1)).astype(np.int8)
    return [s.tobytes() + v.tobytes() for s, v in zip(scale, values, strict=True)]


def unpack_vectors(
    blobs: Sequence[bytes | None],
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the values and scales of packed vectors; a missing one has scale 0."""
    width = next(len(b) for b in blobs if b is not None) - _HEAD
    blank = bytes(_HEAD + width)
    raw = np.frombuffer(b"".join(b or blank for b in blobs), np.uint8).reshape(len(blobs), -1)
    values = np.ascontiguousarray(raw[:, _HEAD:]).view(np.int8)
    return values, np.ascontiguousarray(raw[:, :_HEAD]).view(np.float32).ravel()


def bit_codes(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the sign bits of vectors as columns of 64 bits, one row a column."""
    bits = np.packbits(values > 0, axis=1)
    padded = np.zeros((len(values), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def bit_distances(codes: NDArray[np.uint64], query: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return in how many signs each vector differs from the query."""
    wanted = bit_codes(query[None, :])[:, 0]
    total = np.zeros(codes.shape[1], np.uint16)
    for column, bits in zip(codes, wanted, strict=True):
        total += np.bitwise_count(column ^ bits)
    return total
