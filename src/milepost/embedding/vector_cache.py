"""Vectors remembered by what they were made from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from milepost.ports import CacheUse

if TYPE_CHECKING:
    from milepost.embedding.prefixes import Purpose
    from milepost.ports import Embedder, EmbedderStatus

BYTES_MAX = 16 * 1024 * 1024

# What a key, an array header and their place in the dictionary take beside the numbers.
ENTRY_BYTES = 320


class CachingEmbedder:
    """Ask the embedder only for texts it has not embedded lately, and once for each."""

    def __init__(self, embedder: Embedder, bytes_max: int = BYTES_MAX) -> None:
        self._embedder = embedder
        self._bytes_max = bytes_max
        self._bytes = self._hits = self._misses = self._evictions = 0
        self._lock = Lock()
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self.model = embedder.model

    @property
    def dim(self) -> int:
        """Return the length of the vectors."""
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text."""
        keys = [self._key("document", text) for text in texts]
        vectors = self._recall(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if missing or not texts:
            fresh = self._embedder.embed(list(missing.values()))
            if not texts:
                return fresh
            vectors.update(zip(missing, fresh, strict=True))
            self._remember(missing, fresh)
        return np.stack([vectors[key] for key in keys])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of one question."""
        key = self._key("query", text)
        vectors = self._recall([key])
        if key in vectors:
            return vectors[key].copy()
        vector = self._embedder.embed_query(text)
        self._remember([key], [vector])
        return vector

    @property
    def use(self) -> CacheUse:
        """How much it is used."""
        entries = len(self._vectors)
        return CacheUse(self._hits, self._misses, entries, self._bytes, self._evictions)

    def status(self) -> EmbedderStatus:
        """Report the embedder's own status."""
        return self._embedder.status()

    def _key(self, purpose: Purpose, text: str) -> bytes:
        content = f"{self.model}\0{purpose}\0{text}"
        return sha256(content.encode("utf-8", "surrogatepass")).digest()

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            vectors = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in vectors:
                self._vectors.move_to_end(key)
            found = sum(key in vectors for key in keys)
            self._hits += found
            self._misses += len(keys) - found
            return vectors

    def _remember(self, keys: Iterable[bytes], vectors: Iterable[NDArray[np.float32]]) -> None:
        with self._lock:
            for key, vector in zip(keys, vectors, strict=True):
                if key not in self._vectors:
                    # A copy: a row would keep the whole batch it came from.
                    self._vectors[key] = vector.copy()
                    self._bytes += vector.nbytes + ENTRY_BYTES
            while self._bytes > self._bytes_max:
                _, dropped = self._vectors.popitem(last=False)
                self._bytes -= dropped.nbytes + ENTRY_BYTES
                self._evictions += 1
