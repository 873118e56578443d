"""A store that is read as ever and only notes what would be written to it."""

from collections.abc import Mapping, Sequence
from typing import Any

from milepost.errors import InvalidInput
from milepost.experience.values import ClosingEntry, EpisodeChanges, EpisodeEntry, Kept, StepEntry
from milepost.memory.values import Changes, Draft
from milepost.ports import Store
from milepost.upkeep.values import DEAD, Job

# Everything else that a store can do is refused: it might write.
READS = frozenset(
    "backend hashes shortest record records page around pool vectors lacking count problems kept "
    "noted "
    "jobs last_step episodes count_episodes episodes_named steps reward_of peers idle_episodes "
    "traced patterns patterns_named patterns_of shown_to close".split()
)
_NAMED = 10
_HASH_DIGITS = 8
_TASK_CHARS = 60


class Rehearsal:
    """Passes reading on and keeps, in words, what writing would do."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.would: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name not in READS:
            raise InvalidInput("This cannot be tried without doing it; leave out the dry run.")
        return getattr(self._store, name)

    def add(self, drafts: Sequence[Draft]) -> None:
        known = {d.hash: None for d in drafts if self._store.record(d.space, d.hash) is not None}
        fresh = [d.hash for d in drafts if d.hash not in known]
        if fresh:
            self.would.append(f"store {_counted(fresh)}")
        if known:
            self.would.append(f"add tags and projects to {_counted(list(known))} known already")
        replaced = [d.supersedes for d in drafts if d.supersedes not in (None, d.hash)]
        if replaced:
            self.would.append(f"hide {_counted([str(h) for h in replaced])} as replaced")

    def change(self, memory_id: int, changes: Changes) -> None:
        named = [name for name, value in changes._asdict().items() if value is not None]
        self.would.append(f"change {' and '.join(named)} of {self._named([memory_id])}")

    def remove(self, ids: Sequence[int]) -> int:
        self.would.append(f"delete {self._named(ids)}")
        return len(ids)

    def put_vectors(self, model: str, vectors: Mapping[int, Any]) -> None:
        self.would.append(f"give vectors of {model} to {self._named(list(vectors))}")

    def keep(self, space: str, topic: str, key: str, value: str | None) -> None:
        self.would.append(f"{'forget' if value is None else 'keep'} {topic} {key} of {space}")

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        del at, most
        self.would.append(f"note {len(entries):,} entries under {topic} of {space}")

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        del payload, at
        self.would.append(f"put off the work {topic} {key} of {space}")

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        del topics, now, lease_us
        return None  # work is left to those who do it

    def finish(self, job_id: int, claim: str) -> bool:
        del job_id, claim
        return False

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        del job_id, claim, problem, retry_at
        return False

    def retry(self, space: str, now: int) -> int:
        del now
        dead = self._store.jobs(space, DEAD, 1 << 31)
        self.would.append(f"let {len(dead):,} jobs be tried again")
        return len(dead)

    def log(
        self, entries: Sequence[EpisodeEntry | StepEntry | ClosingEntry], *, durable: bool = True
    ) -> list[int]:
        del durable
        return [self._entered(entry) for entry in entries]

    def _entered(self, entry: EpisodeEntry | StepEntry | ClosingEntry) -> int:
        if isinstance(entry, EpisodeEntry):
            self.would.append(f"begin the episode {entry.episode.task[:_TASK_CHARS]!r}")
            return 1
        if isinstance(entry, ClosingEntry):
            self.would.append(f"end {entry.episode} as {entry.changes.outcome}")
            return 1
        self.would.append(f"add the step {entry.step.action!r} to {entry.episode}")
        last = self._store.last_step(entry.space, entry.episode)
        return 0 if last is None else last + 1

    def change_episode(self, space: str, episode: str, changes: EpisodeChanges, now: int) -> bool:
        del space, now
        told = changes._replace(draft=None, job=None)._asdict()
        named = [name for name, value in told.items() if value is not None]
        self.would.append(f"change {', '.join(named)} of {episode}")
        return True

    def remove_episode(self, space: str, episode: str) -> bool:
        steps = len(self._store.steps(space, episode))
        self.would.append(f"delete {episode} with {steps:,} steps")
        return True

    def learn(self, space: str, episode: str | None, patterns: Sequence[Kept]) -> bool:
        del space
        source = "" if episode is None else f" learned from {episode}"
        fresh = sum(kept.version == 0 for kept in patterns)
        changed = len(patterns) - fresh
        self.would.append(f"add {fresh:,} patterns and change {changed:,}{source}")
        return True

    def remove_patterns(self, space: str, ids: Sequence[str]) -> None:
        del space
        self.would.append(f"delete the patterns {' '.join(ids)}")

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        """Leave it: what was only rehearsed was shown to nobody."""

    def _named(self, ids: Sequence[int]) -> str:
        return _counted([record.hash for record in self._store.records(ids)])


def _counted(hashes: Sequence[str]) -> str:
    noun = "memory" if len(hashes) == 1 else "memories"
    shown = " ".join(text[:_HASH_DIGITS] for text in hashes[:_NAMED])
    return f"{len(hashes):,} {noun} ({shown}{' …' if len(hashes) > _NAMED else ''})"
