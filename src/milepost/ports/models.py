"""What is asked beside the store: embedders, a language model, who words lessons better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from milepost.experience.values import Episode, Insight

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CacheUse(NamedTuple):
    """How often something was there and how often not, how much is kept, what made room."""

    hits: int = 0
    misses: int = 0
    entries: int = 0
    bytes: int = 0
    evictions: int = 0


class EmbedderStatus(NamedTuple):
    """How an embedder is doing: which model, whether it works now, and what to know about it."""

    model: str
    healthy: bool
    note: str


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def model(self) -> str: ...
    @property
    def dim(self) -> int: ...
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def embed_query(self, text: str) -> NDArray[np.float32]: ...
    def status(self) -> EmbedderStatus: ...


class FallibleEmbedder(Protocol):
    """An embedder that may be away: it then returns None."""

    @property
    def model(self) -> str: ...
    @property
    def english_alone(self) -> bool: ...
    def try_embed(self, texts: Sequence[str]) -> NDArray[np.float32] | None: ...
    def try_embed_query(self, text: str) -> NDArray[np.float32] | None: ...
    def status(self) -> EmbedderStatus: ...
    @property
    def cache_use(self) -> CacheUse:
        """How much vectors are used that were made before."""


class Unanswered(Exception):
    """A language model gave no answer, or none in time."""


class LanguageModel(Protocol):
    """Does a task over data, in text; what it answers is checked by whoever asked."""

    @property
    def name(self) -> str: ...
    def ask(self, task: str, told: str, tokens_max: int | None = None) -> str:
        """Return its answer; raise Unanswered when none comes in time."""


class Reflector(Protocol):
    """Words the lessons of an episode better than rules do; may be away, it then returns None."""

    def __call__(self, episode: Episode) -> tuple[Insight, ...] | None: ...
