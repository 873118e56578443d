"""What the services need from outside: a store, embedders, a clock."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from milepost.experience.values import (
    ClosingEntry,
    Episode,
    EpisodeChanges,
    EpisodeEntry,
    EpisodeFilter,
    Insight,
    Kept,
    Peer,
    Reward,
    Step,
    StepEntry,
)
from milepost.memory.values import Analysis, Changes, Draft, Filter, Indexed, Record
from milepost.upkeep.values import Job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.programs.values import Execution, Program, Status
    from milepost.ranking.candidates import Pool, Probe


# Answers a call of a program; is told of waits.
Call = Callable[[str, dict[str, Any]], Any]
Progress = Callable[[str], None]


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
        """Delete memories and all that was derived from them; return how many there were.

        Their texts are blanked and their hashes left out in what is kept and waits in their space,
        and all of it is forgotten when neither a memory nor an episode is left there.
        """
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

    def problems(self) -> Sequence[str]:
        """Tell in words what keeps the store from working as it should; mends what it can."""
        ...

    def kept(self, space: str, topic: str, key: str) -> str | None:
        """Return a value that was kept under a name."""
        ...

    def keep(self, space: str, topic: str, key: str, value: str | None) -> None:
        """Keep a value under a name in place of the one before; None forgets it."""
        ...

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        """Add entries to a journal, which forgets all but its most recent ones, sooner or later.

        They hold no text of memories: a deletion does not look for any.
        """
        ...

    def noted(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        """Return the latest entries of a journal since a time, oldest first, with their times."""
        ...

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        """Add work that is due at a time, once; asked for while it runs, it is done once more."""
        ...

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        """Take the work that has been due longest; it is due again when the lease ends."""
        ...

    def finish(self, job_id: int, claim: str) -> bool:
        """Forget work that is done; False when the claim has passed to another."""
        ...

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        """Give work back to be tried later, or for None to be kept as dead."""
        ...

    def jobs(self, space: str, state: str | None, limit: int) -> list[Job]:
        """Return work of a state, or of any, by when it is due."""
        ...

    def retry(self, space: str, now: int) -> int:
        """Let dead work be tried again; return how much there was."""
        ...

    def log(
        self,
        entries: Sequence[EpisodeEntry | StepEntry | ClosingEntry],
        *,
        durable: bool = True,
    ) -> list[int]:
        """Write down what happens in episodes, in order.

        Returns the number of each step, 0 when its episode is unknown; 1 for an episode that begins
        or ends, 0 when it had begun or ended before. A step with a number that is taken gets the
        next one, unless it is the same step. What is not durable is seen by all, and on disk with
        the next write that is.
        """
        ...

    def last_step(self, space: str, episode: str) -> int | None:
        """Return the highest number of a step, 0 without steps, None without the episode."""
        ...

    def episodes(self, where: EpisodeFilter, limit: int) -> list[Episode]:
        """Return the newest episodes that pass a filter, without their steps."""
        ...

    def count_episodes(self, where: EpisodeFilter) -> int:
        """Count the episodes that pass a filter."""
        ...

    def episodes_named(self, space: str, ids: Sequence[str]) -> list[Episode]:
        """Return episodes in the order of the ids, without steps; unknown ones are left out."""
        ...

    def steps(self, space: str, episode: str) -> list[Step]:
        """Return the steps of an episode by their numbers."""
        ...

    def change_episode(self, space: str, episode: str, changes: EpisodeChanges, now: int) -> bool:
        """Change an episode; False when there is none.

        An outcome makes it one that was not learned from.
        """
        ...

    def reward_of(self, space: str, episode: str) -> Reward | None:
        """Return the reward of a completed episode with its terms."""
        ...

    def remove_episode(self, space: str, episode: str) -> bool:
        """Delete an episode with its steps; False when there is none."""
        ...

    def peers(self, space: str, task_type: str, domain: str | None, limit: int) -> list[Peer]:
        """Return the episodes of a type and domain that were completed last."""
        ...

    def idle_episodes(self, space: str, before: int, limit: int) -> list[str]:
        """Return the ids of open episodes that nobody worked on since a time, oldest first."""
        ...

    def traced(self, ids: Sequence[int]) -> dict[int, str]:
        """Return by memory the episode or pattern that it is the trace of."""
        ...

    def patterns(
        self, space: str, kind: str | None, retired: bool | None, limit: int
    ) -> list[Kept]:
        """Return patterns by falling confidence."""
        ...

    def patterns_named(self, space: str, ids: Sequence[str]) -> list[Kept]:
        """Return patterns in the order of the ids; unknown ones are left out."""
        ...

    def patterns_of(self, space: str, episode: str) -> list[Kept]:
        """Return the patterns that an episode speaks for or against."""
        ...

    def learn(self, space: str, episode: str | None, patterns: Sequence[Kept]) -> bool:
        """Put patterns, all of them or, when one was changed meanwhile, none: then it is False.

        With an episode they are put once for each time it is completed: what was learned from it
        already is not put again.
        """
        ...

    def remove_patterns(self, space: str, ids: Sequence[str]) -> None:
        """Delete patterns."""
        ...

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        """Note that whoever works on an episode was told of patterns."""
        ...

    def shown_to(self, space: str, episode: str) -> list[str]:
        """Return the patterns that were shown for an episode."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Reflector(Protocol):
    """Words the lessons of an episode better than rules do; may be away, it then returns None."""

    def __call__(self, episode: Episode) -> tuple[Insight, ...] | None: ...


class CodeRunner(Protocol):
    """Runs programs that are not trusted."""

    def run(self, program: "Program", call: Call, progress: Progress | None = None) -> "Execution":
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
