"""What the services need from outside: a store, embedders, a clock."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from milepost.model.memory import Analysis, Changes, Draft, Indexed, Record
from milepost.model.query import Filter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.model.execution import Call, Execution, Program, Progress, Status
    from milepost.ranking.pool import Pool, Probe


class Clock(Protocol):
    """Tells the time in microseconds since the epoch."""

    def __call__(self) -> int: ...


class EmbedderStatus(Protocol):
    """How an embedder is doing."""

    @property
    def model(self) -> str: ...
    @property
    def healthy(self) -> bool: ...
    @property
    def note(self) -> str: ...


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def model(self) -> str: ...
    @property
    def dim(self) -> int: ...
    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]": ...
    def embed_query(self, text: str) -> "NDArray[np.float32]": ...
    def status(self) -> EmbedderStatus: ...


class FallibleEmbedder(Protocol):
    """An embedder that may be away: it then returns None."""

    @property
    def model(self) -> str: ...
    def try_embed(self, texts: Sequence[str]) -> "NDArray[np.float32] | None": ...
    def try_embed_query(self, text: str) -> "NDArray[np.float32] | None": ...
    def status(self) -> EmbedderStatus: ...


class Lexicon(Protocol):
    """Knows single words: the terms of those akin in meaning, and how common each is."""

    def kin(self, word: str) -> list[tuple[int, float]]: ...
    def rank(self, word: str) -> int: ...


class Page(NamedTuple):
    """Some of the memories that pass a filter, and how many do in all."""

    ids: list[int]
    total: int


class Store(Protocol):
    """Keeps memories of many spaces; every write is one durable transaction."""

    @property
    def backend(self) -> str: ...

    def add(self, drafts: Sequence[Draft]) -> None:
        """Store memories; known content gains the tags and project and holds again."""
        ...

    def change(self, memory_id: int, changes: Changes) -> None:
        """Change a memory in place."""
        ...

    def remove(self, ids: Sequence[int]) -> int:
        """Delete memories and all that was derived from them; return how many there were."""
        ...

    def hashes(self, space: str, prefix: str, limit: int) -> list[str]:
        """Return the full hashes that start with a prefix."""
        ...

    def shortest(self, space: str, hashes: Sequence[str], at_least: int) -> list[str]:
        """Return of each hash the shortest prefix that no other memory of the space shares."""
        ...

    def record(self, space: str, full_hash: str) -> Record | None:
        """Return a memory by its full hash."""
        ...

    def records(self, ids: Sequence[int]) -> list[Record]:
        """Return memories in the order of the ids; deleted ones are left out."""
        ...

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        """Return the newest memories that pass a filter."""
        ...

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        """Return the memories just before and after one in time, in order, with itself."""
        ...

    def pool(self, probe: "Probe", where: Filter, limit: int, offset: int = 0) -> "Pool":
        """Return the candidates of a search that pass its filter."""
        ...

    def vectors(self, memory_id: int) -> "Mapping[str, NDArray[np.float32]]":
        """Return the vectors of a memory by model."""
        ...

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        """Return memories past an id that have no vector of a model, by id."""
        ...

    def put_vectors(self, model: str, vectors: "Mapping[int, NDArray[np.float32]]") -> None:
        """Add vectors of a model to memories."""
        ...

    def count(self, space: str, now: int) -> int:
        """Count the memories that hold now."""
        ...

    def kept(self, space: str, topic: str, key: str) -> str | None:
        """Return a value that was kept under a name."""
        ...

    def keep(self, space: str, topic: str, key: str, value: str | None) -> None:
        """Keep a value under a name in place of the one before; None forgets it."""
        ...

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        """Add entries to a journal, which forgets all but its most recent ones."""
        ...

    def noted(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        """Return the latest entries of a journal since a time, oldest first, with their times."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class CodeRunner(Protocol):
    """Runs programs that are not trusted."""

    def run(
        self, program: "Program", call: "Call", progress: "Progress | None" = None
    ) -> "Execution":
        """Run a program; `call` answers its calls in this thread, `progress` is told of waits."""
        ...

    def prepare(self) -> None:
        """Get ready in the background."""
        ...

    def status(self) -> "Status":
        """Tell whether programs can be run, and which layers work."""
        ...

    def close(self) -> None:
        """Stop all workers."""
        ...


class Analyser(Protocol):
    """Makes an analysis of a text; stores use it when their terms are of an older kind."""

    def __call__(self, memory: Indexed) -> Analysis: ...
