"""Write down what happens in episodes: together with others, and if wished without waiting.

Whoever waits shares one transaction with all who wait at the same time. What nobody waits for is
written some milliseconds later; it can be lost when the process is killed before.
"""

import os
import random
import re
import threading
from collections.abc import Callable, Sequence

from milepost.background import Background
from milepost.deadline import without_deadline
from milepost.errors import InvalidInput, NotFound, StoreBusy
from milepost.experience.entries import (
    SALIENT,
    Novelty,
    analysed_episode,
    entry_hash,
    episode_entry,
    episode_space,
    label,
)
from milepost.experience.values import Episode, Step
from milepost.memory.context import Context
from milepost.memory.validation import Intake
from milepost.memory.values import Draft, Filter
from milepost.ports import Store, Work

# The topics of what is learned from an episode after its end, and of looking after all of them.
LEARN, UPKEEP = "episode", "experience"
# Writes into a transaction, and returns what came of it; it does not fail on its own account.
Write = Callable[[Work], int]
Key = tuple[str, str]

# What nobody waits for is written after this time, or when so many writes wait.
DELAY_S = 0.02
BATCH_MAX = 500
# With so many ahead of the disk, whoever adds one writes them.
PENDING_MAX = 20_000
_EPISODES_REMEMBERED = 100_000
# An episode is compared with so many that were completed last.
_PEERS = 60
# A step may be written down a little after the end.
_LATE_S = 1.0
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
# Milliseconds since 2024 need 40 bits until 2058.
_EPOCH_MS = 1_704_067_200_000
_TIME_BITS, _RANDOM_BITS = 40, 20

_naming = threading.Lock()
_last_name = 0


class _Batch:
    """What is written together, and what came of it."""

    def __init__(self, early: list[Write]) -> None:
        # Those of a batch that failed, which nobody waits for.
        self.early = early
        self.writes: list[Write] = []
        self.unwaited: list[Write] = []
        self.results: list[int] = []
        self.problem: Exception | None = None
        self.done = False


class Recorder:
    """Takes writes from all threads and does them in the order in which they came."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.waits = False  # whether all that is put is written at once, as in a rehearsal
        self._background = Background(
            "recorder", lambda: self.flush(durable=True), self.close, delay_s=DELAY_S
        )
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._adding = threading.Lock()
        self._writing = threading.Lock()
        self._batch = _Batch([])
        self._last: dict[Key, int] = {}

    def write(self, writes: Sequence[Write]) -> list[int]:
        """Return when writes are on disk, with what came of each."""
        self._follow_fork()
        with self._adding:
            batch = self._batch
            first = len(batch.writes)
            batch.writes += writes
        self._settle(batch)
        if batch.problem is not None:
            raise batch.problem
        return batch.results[len(batch.early) + first :][: len(writes)]

    def put(self, write: Write) -> None:
        """Let something be written soon."""
        self._follow_fork()
        if self.waits:
            self.write([write])
            return
        with self._adding:
            batch = self._batch
            batch.writes.append(write)
            batch.unwaited.append(write)
            waiting = len(batch.writes)
        if waiting >= PENDING_MAX:
            self.flush()
        self._background.ask(now=waiting >= BATCH_MAX)

    def flush(self, *, durable: bool = False) -> None:
        """Return when all is in the store for all to see, or even on disk."""
        self._follow_fork()
        with self._writing:
            # Whoever was writing is done; what failed then waits again.
            batch = self._batch
        if batch.writes or batch.early:
            self._settle(batch, durable=durable)
            if batch.problem is not None:
                raise batch.problem

    def next_step(self, episode: Key) -> int | None:
        """Return the number that the next step of an episode gets; None without the episode.

        Should another process add steps to it meanwhile, it may get a later one.
        """
        known = self._last.get(episode)
        if known is None:
            known = self._store.episodes.last_step(*episode)
        return None if known is None else known + 1

    def remember(self, episode: Key, number: int) -> None:
        """Remember how far the steps of an episode go."""
        if len(self._last) > _EPISODES_REMEMBERED:
            self._last.clear()
        self._last[episode] = max(number, self._last.get(episode, 0))

    def forget(self, episode: Key) -> None:
        """Forget how far the steps of an episode go."""
        self._last.pop(episode, None)

    def close(self) -> None:
        """Write what waits and end."""
        try:
            self.flush(durable=True)
        finally:
            self._background.close()

    def _settle(self, batch: _Batch, *, durable: bool = True) -> None:
        """Return when a batch was written, by this thread or by another that had it first."""
        with self._writing:
            if not batch.done:
                with self._adding:
                    self._batch = _Batch([])
                # Whoever waits for the disk must not be answered by one who does not.
                waited = len(batch.unwaited) < len(batch.writes)
                self._write(batch, durable=durable or waited)

    def _write(self, batch: _Batch, *, durable: bool) -> None:
        try:
            # Those of others are among them, who may have more time.
            with without_deadline(), self._store.writing(durable=durable) as work:
                batch.results = [write(work) for write in (*batch.early, *batch.writes)]
        except BaseException as problem:
            interrupted = StoreBusy("Whoever wrote for all was interrupted; try again.")
            # All who wait are told, and what nobody waits for is written later.
            batch.problem = problem if isinstance(problem, Exception) else interrupted
            with self._adding:
                self._batch.early = [*batch.early, *batch.unwaited]
            if batch.problem is interrupted:
                raise
        finally:
            batch.done = True

    def _follow_fork(self) -> None:
        """Begin anew in a forked child: the parent writes what it has taken."""
        if os.getpid() != self._process:
            self._start()


def new_name(now_us: int) -> str:
    """Return a name that none in this process had, and with all likelihood none elsewhere."""
    global _last_name  # noqa: PLW0603 -- what makes names of one process unique
    ms = max(now_us // 1_000 - _EPOCH_MS, 0) & ((1 << _TIME_BITS) - 1)
    # Not from the system, which would hand the turn to another thread here.
    chance = random.getrandbits(_RANDOM_BITS)
    with _naming:
        number = ms << _RANDOM_BITS | chance
        if number <= _last_name and _last_name >> _RANDOM_BITS <= ms + 1_000:
            number = _last_name + 1
        _last_name = number
    digits = [_DIGITS[number >> shift & 31] for shift in range(55, -1, -5)]
    return "ep_" + "".join(digits)


def episode_name(intake: Intake, value: object) -> str:
    """Return the id under which an episode is begun or asked for."""
    name = intake.name("episode", value)
    if any(sign.isspace() for sign in name):
        raise InvalidInput(f"{name[:60]!r} is not the id of an episode; ids have no spaces.")
    return name


def is_given_name(text: str) -> bool:
    """Tell whether a text has the shape of the ids that episodes get by themselves."""
    return re.fullmatch(r"ep_\w+", text) is not None


def find_episode(context: Context, value: object) -> Episode:
    """Return the episode of an id that somebody asks for, without its steps."""
    name = episode_name(context.lenient().intake(), value)
    context.part(Recorder).flush()
    episodes = context.store.episodes.named(context.space, [name])
    if not episodes:
        raise NotFound(f"There is no episode {name}; list_episodes shows those there are.")
    return episodes[0]


def with_steps(context: Context, episode: Episode) -> Episode:
    """Return an episode with its steps; what was noted after its end is no part of how it went."""
    steps = context.store.episodes.steps(context.space, episode.id)
    end_s = None if episode.completed is None else episode.completed + _LATE_S
    return episode._replace(steps=tuple(s for s in steps if end_s is None or s.at <= end_s))


def beginning(space: str, episode: Episode, entry: Draft, upkeep_us: int) -> Write:
    """Return what writes that an episode begins, with its entry."""

    def write(work: Work) -> int:
        if not work.episodes.begin(space, episode):
            return 0
        work.memories.put(entry)
        work.jobs.enqueue(space, UPKEEP, "", "", upkeep_us)
        return 1

    return write


def stepping(space: str, episode: str, steps: Sequence[Step]) -> Write:
    """Return what adds steps to an episode; it comes to the number of the last, 0 without one."""
    return lambda work: work.episodes.add_steps(space, episode, steps)[-1]


def ending(context: Context, episode: Episode) -> tuple[Episode, Write]:
    """Return an episode that has an outcome as it is after its end, and what writes it.

    It is not written when the episode has ended already; what is to be learned from it is put off.
    """
    from milepost.experience.closing import closed, judged

    store, space = context.store, context.space
    domain = episode.context.get("domain")
    named = domain if isinstance(domain, str) else None
    peers = store.episodes.peers(space, episode.task_type, named, _PEERS)
    names = store.patterns.shown(space, episode.id)
    shown = [stored.pattern for stored in store.patterns.named(space, names)] if names else []
    ended, now_us = closed(episode, peers, shown), context.clock()
    entry = analysed_episode(context, ended.episode)
    outcome = label("outcome", episode.outcome)
    alike = Filter(entry.space, now_us, tags=(outcome,), kind=episode.task_type)
    ended = judged(ended, context.part(Novelty).nearest(entry, alike))
    if not ended.is_salient:
        entry = entry._replace(tags=episode_entry(space, ended.episode, salient=False).tags)

    def write(work: Work) -> int:
        name = episode.id
        if not work.episodes.change(space, name, ended.changes, now_us, unless_ended=True):
            return 0
        work.memories.put(entry)
        work.jobs.enqueue(space, LEARN, name, "", now_us)
        return 1

    return ended.episode, write


def renewed(context: Context, episode: Episode) -> Draft:
    """Return the entry of an episode after it was changed; how salient it is stays."""
    before = context.store.memories.record(episode_space(context.space), entry_hash(episode.id))
    return analysed_episode(context, episode, salient=before is None or SALIENT in before.tags)
