"""Keep a vector as bytes: one scale, then one byte a dimension."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_HEAD = 4  # bytes of the scale


def quantised(
    vectors: Sequence[NDArray[np.float32]],
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return the scale and the values of vectors; an all-zero one has scale 0."""
    matrix = np.asarray(vectors, np.float32)
    scale: NDArray[np.float32] = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(127)
    return scale, np.round(matrix / np.where(scale > 0, scale, 1)).astype(np.int8)


def pack_vectors(vectors: Sequence[NDArray[np.float32]]) -> list[bytes]:
    """Quantise vectors for the database."""
    scale, values = quantised(vectors)
    return [s.tobytes() + v.tobytes() for s, v in zip(scale, values, strict=True)]


def unpack_vectors(blobs: Sequence[bytes | None]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the values and scales of packed vectors; a missing one has scale 0."""
    width = next(len(b) for b in blobs if b is not None) - _HEAD
    blank = bytes(_HEAD + width)
    raw = np.frombuffer(b"".join(b or blank for b in blobs), np.uint8).reshape(len(blobs), -1)
    values = np.ascontiguousarray(raw[:, _HEAD:]).view(np.int8)
    return values, np.ascontiguousarray(raw[:, :_HEAD]).view(np.float32).ravel()
