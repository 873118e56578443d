"""Episodes, steps and patterns in dictionaries."""

from collections.abc import Sequence
from copy import deepcopy

from milepost.experience.values import (
    ABANDONED,
    OPEN,
    ClosingEntry,
    Episode,
    EpisodeChanges,
    EpisodeEntry,
    EpisodeFilter,
    Kept,
    Peer,
    Reward,
    Step,
    StepEntry,
)
from milepost.memory.values import Draft
from milepost.storage.memory_jobs import MemoryJobs

Entry = EpisodeEntry | StepEntry | ClosingEntry
Key = tuple[str, str]


class MemoryExperience(MemoryJobs):
    """Keeps what was tried, and what was learned from it."""

    def __init__(self) -> None:
        super().__init__()
        self._episodes: dict[Key, Episode] = {}
        self._steps: dict[Key, dict[int, Step]] = {}
        self._asked: dict[Key, dict[int, list[int]]] = {}
        self._rewards: dict[Key, Reward] = {}
        self._touched: dict[Key, int] = {}
        self._learned: set[Key] = set()
        self._patterns: dict[Key, Kept] = {}
        self._shown: dict[Key, set[str]] = {}

    def log(self, entries: Sequence[Entry], *, durable: bool = True) -> list[int]:
        del durable
        with self._lock:
            return [self._entered(entry) for entry in entries]

    def last_step(self, space: str, episode: str) -> int | None:
        with self._lock:
            steps = self._steps.get((space, episode))
            return None if steps is None else max(steps, default=0)

    def episodes(self, where: EpisodeFilter, limit: int) -> list[Episode]:
        return self._passing(where)[:limit]

    def count_episodes(self, where: EpisodeFilter) -> int:
        return len(self._passing(where))

    def episodes_named(self, space: str, ids: Sequence[str]) -> list[Episode]:
        with self._lock:
            found = [self._episodes[space, name] for name in ids if (space, name) in self._episodes]
            return deepcopy(found)

    def steps(self, space: str, episode: str) -> list[Step]:
        with self._lock:
            steps = self._steps.get((space, episode), {})
            return deepcopy([steps[number] for number in sorted(steps)])

    def change_episode(self, space: str, episode: str, changes: EpisodeChanges, now: int) -> bool:
        with self._lock:
            known = self._episodes.get((space, episode))
            if known is not None:
                self._apply((space, episode), known, changes, now)
            return known is not None

    def reward_of(self, space: str, episode: str) -> Reward | None:
        return self._rewards.get((space, episode))

    def remove_episode(self, space: str, episode: str) -> bool:
        with self._lock:
            key = (space, episode)
            for held in (self._steps, self._asked, self._rewards, self._touched, self._shown):
                held.pop(key, None)
            self._learned.discard(key)
            return self._episodes.pop(key, None) is not None

    def _has_experience(self, space: str) -> bool:
        return any(key[0] == space for held in (self._episodes, self._patterns) for key in held)

    def peers(self, space: str, task_type: str, domain: str | None, limit: int) -> list[Peer]:
        with self._lock:
            found = [
                episode
                for (where, _), episode in self._episodes.items()
                if where == space
                and episode.outcome is not None
                and episode.task_type == task_type
                and episode.context.get("domain") == domain
            ]
        found.sort(key=lambda episode: -(episode.completed or 0))
        return [
            Peer(e.id, e.task, e.outcome or "", e.step_count, (e.completed or 0) - e.created)
            for e in found[:limit]
        ]

    def idle_episodes(self, space: str, before: int, limit: int) -> list[str]:
        with self._lock:
            idle = [
                key[1]
                for key, touched in sorted(self._touched.items(), key=lambda item: item[1])
                if key[0] == space and touched < before and self._episodes[key].outcome is None
            ]
        return idle[:limit]

    def patterns(
        self, space: str, kind: str | None, retired: bool | None, limit: int
    ) -> list[Kept]:
        with self._lock:
            found = [
                kept
                for (where, _), kept in self._patterns.items()
                if where == space
                and kind in (None, kept.pattern.kind)
                and retired in (None, kept.pattern.retired)
            ]
        return deepcopy(sorted(found, key=_best_first)[:limit])

    def patterns_named(self, space: str, ids: Sequence[str]) -> list[Kept]:
        with self._lock:
            found = [self._patterns[space, name] for name in ids if (space, name) in self._patterns]
            return deepcopy(found)

    def patterns_of(self, space: str, episode: str) -> list[Kept]:
        found = self.patterns(space, None, None, len(self._patterns))
        return [k for k in found if episode in k.pattern.evidence or episode in k.pattern.against]

    def learn(self, space: str, episode: str | None, patterns: Sequence[Kept]) -> bool:
        with self._lock:
            key = (space, episode or "")
            if episode is not None and (key not in self._episodes or key in self._learned):
                return True
            if any(self._version(space, kept) != kept.version for kept in patterns):
                return False
            for kept in patterns:
                stored = Kept(deepcopy(kept.pattern), kept.version + 1)
                self._patterns[space, kept.pattern.id] = stored
                if kept.draft is not None:
                    self._put(kept.draft)
            if episode is not None:
                self._learned.add(key)
            return True

    def remove_patterns(self, space: str, ids: Sequence[str]) -> None:
        with self._lock:
            for name in ids:
                self._patterns.pop((space, name), None)

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        with self._lock:
            self._shown.setdefault((space, episode), set()).update(patterns)

    def shown_to(self, space: str, episode: str) -> list[str]:
        with self._lock:
            return sorted(self._shown.get((space, episode), ()))

    def _put(self, draft: Draft) -> None:
        """Store what an episode or a pattern is found by, in place of what it was found by."""
        raise NotImplementedError

    def _entered(self, entry: Entry) -> int:
        if isinstance(entry, StepEntry):
            return self._step(entry)
        return self._begin(entry) if isinstance(entry, EpisodeEntry) else self._end(entry)

    def _end(self, entry: ClosingEntry) -> int:
        key = (entry.space, entry.episode)
        known = self._episodes.get(key)
        if known is None or known.outcome not in (None, ABANDONED):
            return 0
        self._apply(key, known, entry.changes, entry.now)
        return 1

    def _begin(self, entry: EpisodeEntry) -> int:
        key = (entry.space, entry.episode.id)
        if key in self._episodes:
            return 0
        self._episodes[key] = deepcopy(entry.episode)
        self._steps[key], self._asked[key] = {}, {}
        self._touched[key] = round(entry.episode.created * 1e6)
        self._put(entry.draft)
        if entry.job is not None:
            self.enqueue(entry.space, *entry.job)
        return 1

    def _step(self, entry: StepEntry) -> int:
        key, step = (entry.space, entry.episode), entry.step
        steps = self._steps.get(key)
        if steps is None:
            return 0
        number = step.number or max(steps, default=0) + 1
        if step.number:
            moved = self._asked[key].get(number, [])
            same = [n for n in [number, *moved] if n in steps and _alike(steps[n], step)]
            if same:
                return same[0]
            if number in steps:
                number = max(steps) + 1
                self._asked[key].setdefault(step.number, []).append(number)
        steps[number] = deepcopy(step._replace(number=number))
        known = self._episodes[key]
        self._episodes[key] = known._replace(step_count=known.step_count + 1)
        self._touched[key] = max(self._touched[key], round(step.at * 1e6))
        return number

    def _apply(self, key: Key, known: Episode, changes: EpisodeChanges, now: int) -> None:
        given = {
            name: value
            for name, value in changes._asdict().items()
            if value is not None and name in Episode._fields and name != "reward"
        }
        if changes.reward is not None:
            given["reward"] = changes.reward.total
            self._rewards[key] = changes.reward
        if changes.relation is not None and changes.relation not in known.relations:
            given["relations"] = (*known.relations, changes.relation)
        if changes.checkpoint is not None:
            given["checkpoints"] = (*known.checkpoints, changes.checkpoint)
        if changes.outcome is not None:
            self._learned.discard(key)
        self._episodes[key] = deepcopy(known._replace(**given))
        self._touched[key] = max(self._touched[key], now)
        if changes.draft is not None:
            self._put(changes.draft)
        if changes.job is not None:
            self.enqueue(key[0], *changes.job)

    def _passing(self, where: EpisodeFilter) -> list[Episode]:
        with self._lock:
            found = [
                episode
                for key, episode in reversed(self._episodes.items())
                if key[0] == where.space and _passes(episode, where, key in self._learned)
            ]
        return deepcopy(sorted(found, key=lambda episode: -episode.created))

    def _version(self, space: str, kept: Kept) -> int:
        known = self._patterns.get((space, kept.pattern.id))
        return 0 if known is None else known.version


def _passes(episode: Episode, where: EpisodeFilter, learned: bool) -> bool:
    created = round(episode.created * 1e6)
    return (
        where.outcome in (None, episode.outcome or OPEN)
        and where.task_type in (None, episode.task_type)
        and where.domain in (None, episode.context.get("domain"))
        and (where.after is None or created >= where.after)
        and (where.before is None or created < where.before)
        and (where.learned is None or (episode.outcome is not None and where.learned == learned))
        and set(where.tags) <= set(episode.tags)
    )


def _alike(known: Step, step: Step) -> bool:
    names = ("tool", "action", "parameters", "observation", "success")
    return all(getattr(known, name) == getattr(step, name) for name in names)


def _best_first(kept: Kept) -> tuple[float, str]:
    return -kept.pattern.confidence, kept.pattern.id
