"""An embedder that may be away: no vectors instead of an error."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from milepost.embedding.prefixes import knows_english_alone
from milepost.embedding.vector_cache import CachingEmbedder
from milepost.errors import EmbedderError
from milepost.ports import CacheUse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ports import Embedder, EmbedderStatus

T = TypeVar("T")

log = logging.getLogger(__name__)


class ResilientEmbedder:
    """Return None while the embedder is unavailable and log when that changes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._available = True
        self.model = embedder.model
        self.english_alone = knows_english_alone(embedder.model)

    def try_embed(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """Return one unit row per text, or None."""
        return self._try(lambda: self._embedder.embed(texts))

    def try_embed_query(self, text: str) -> NDArray[np.float32] | None:
        """Return the unit vector of one question, or None."""
        return self._try(lambda: self._embedder.embed_query(text))

    def status(self) -> EmbedderStatus:
        """Report the embedder's own status."""
        return self._embedder.status()

    @property
    def cache_use(self) -> CacheUse:
        """How much vectors are used that were made before."""
        embedder = self._embedder
        return embedder.use if isinstance(embedder, CachingEmbedder) else CacheUse()

    def _try(self, action: Callable[[], T]) -> T | None:
        try:
            result = action()
        except EmbedderError as error:
            if self._available:
                log.warning("%s is unavailable, static vectors serve alone: %s", self.model, error)
            self._available = False
            return None
        if not self._available:
            log.warning("%s is available again", self.model)
        self._available = True
        return result
