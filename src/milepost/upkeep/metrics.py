"""What a process does, counted: how often, how it ended, how long it took; added up in the store.

A figure is a number under a name, and figures of the same name are added, whichever process
counted them. They lie by space, apart from what is remembered: a journal has what was counted
minute by minute, and one value all of it. A process writes what it counted since the last time
some seconds after it began to count again; one that is killed loses that.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import perf_counter
from typing import TypeVar

from milepost.background import Background
from milepost.deadline import working_until
from milepost.errors import MilepostError
from milepost.memory.values import OWN_SPACE
from milepost.ports import CacheUse, Clock, Store

log = logging.getLogger(__name__)

T = TypeVar("T")

# What is counted of: calls of operations, jobs by topic, programs, and transactions that write.
CALL, JOB, PROGRAM, WRITE = "call", "job", "program", "write"
DONE, FAULT = "done", "fault"
# Plain counts.
TOKENS, INSTEAD_OF = "tokens", "instead of"
# What is of no space but of the whole store.
NOWHERE = ""

TOPIC = "metrics"
EVERY_S = 10.0
_NOTE_S = 1.0
_MINUTE_US = 60_000_000
MINUTES_MAX = 1_440
# An entry of every process each few seconds: a day of five, or a week of one that rests at night.
_ENTRIES_MAX = 40_000
# Whoever counts this many calls sorts them in.
_UNSORTED_MAX = 1_000
# The spaces that the counts of all time name; later ones are counted together.
SPACES_NAMED = 30
OTHERS = "*"

# From 10 us to 100 s, ten steps a decade, rounded as on drawings (R10): a percentile that is read
# from them is less than a quarter off.
_STEPS = (1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0)
BOUNDS_S = (*(round(step * 10.0**e, 9) for e in range(-5, 2) for step in _STEPS), 100.0)

Figures = dict[str, float]
# The space, what it was, which, how it ended, for how many seconds it was done and until when.
Done = tuple[str, str, str, str, float, float]


class Metrics:
    """What this process counts of one store, and what all have written of it."""

    def __init__(self, store: Store, clock: Clock, *, writes: bool = True) -> None:
        self._store, self._clock = store, clock
        self._writes = writes
        # When what was counted is to be written; never in a process that only reads.
        self.due_s = float("inf")
        # Whoever has done something adds it, without a lock and without looking at it.
        self.unsorted: deque[Done] = deque()
        self.is_written = not writes
        self._is_long = False
        self._uses: dict[str, CacheUse] = {}
        # Told by whoever keeps answers, how much they are used by now.
        self.cache_uses: Callable[[], Mapping[str, CacheUse]] = dict
        self._background = Background("metrics", self.write, self.close, delay_s=EVERY_S)
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._minutes: dict[int, dict[str, Figures]] = {}

    def _follow_fork(self) -> None:
        if os.getpid() != self._process:
            # What the parent has counted it writes itself.
            self.unsorted.clear()
            self._begin()

    def done(self, space: str, what: str, name: str, code: str, began: float) -> None:
        """Count something that has just been done, from a moment of perf_counter() on."""
        ended = perf_counter()
        self.unsorted.append((space, what, name, code, ended - began, ended))
        if ended > self.due_s or len(self.unsorted) > _UNSORTED_MAX:
            self._tidy(ended)

    def _tidy(self, now_s: float) -> None:
        """Have what was counted written, if it is time, and do not let too much of it wait."""
        if now_s > self.due_s:
            self.due_s = now_s + EVERY_S
            self._is_long = True
            self._background.ask()
        if len(self.unsorted) > _UNSORTED_MAX:
            self._sort()

    def count(self, space: str, name: str, number: float) -> None:
        """Count so many of something."""
        self._follow_fork()
        with self._lock:
            self._add(self._clock() // _MINUTE_US, space, name, number)

    def write_later(self, *, at_end: bool = False) -> None:
        """Have what is counted written some seconds from now, and again and again from then on.

        at_end: also at the end of a process that does not live for so long.
        """
        self._is_long |= at_end
        if not self.is_written:
            self.is_written = True
            self.due_s = perf_counter() + EVERY_S

    def _sort(self) -> None:
        """Add up what was done, each in the minute in which it ended."""
        self._follow_fork()
        with self._lock:
            now_us = self._clock()
            for (minute, space, name, code), times in self._sums(now_us).items():
                self._add(minute, space, f"{name} {code}", times.count)
                self._add(minute, space, f"{name} s", times.seconds)
                for bucket, number in times.buckets.items():
                    self._add(minute, space, f"{name} @{bucket}", number)
            self._add_caches(now_us)
            while len(self._minutes) > MINUTES_MAX:
                del self._minutes[min(self._minutes)]

    def _sums(self, now_us: int) -> dict[tuple[int, str, str, str], Times]:
        """Return what waits by minute, space, name and end."""
        sums: dict[tuple[int, str, str, str], Times] = {}
        base_s = now_us / 1e6 - perf_counter()
        for space, what, name, code, seconds, ended in _taken(self.unsorted):
            key = (int(base_s + ended) // 60, space, f"{what} {name}", code)
            sums.setdefault(key, Times()).add(seconds)
        written = (now_us // _MINUTE_US, NOWHERE, f"{WRITE} {self._store.backend}", DONE)
        for seconds in _taken(self._store.write_times):
            sums.setdefault(written, Times()).add(seconds)
        return sums

    def _add_caches(self, now_us: int) -> None:
        for cache, use in self.cache_uses().items():
            before = self._uses.get(cache)
            for kind in ("hits", "misses", "evictions"):
                known = 0 if before is None else getattr(before, kind)
                if more := getattr(use, kind) - known:
                    self._add(now_us // _MINUTE_US, NOWHERE, f"cache {cache} {kind}", more)
            self._uses[cache] = use

    def _add(self, minute: int, space: str, name: str, number: float) -> None:
        figures = self._minutes.setdefault(minute, {}).setdefault(space, {})
        figures[name] = figures.get(name, 0) + number

    def write(self) -> None:
        """Write what was counted since the last time; what the store does not take waits."""
        self._sort()
        with self._writing:
            with self._lock:
                minutes, self._minutes = self._minutes, {}
            if not minutes or not self._writes:
                return
            try:
                self._write(minutes)
            except MilepostError as problem:
                log.debug("figures are written later: %s", problem)
                with self._lock:
                    for minute, spaces in minutes.items():
                        add(self._minutes.setdefault(minute, {}), spaces)

    def _write(self, minutes: Mapping[int, Mapping[str, Figures]]) -> None:
        all_of_it: dict[str, Figures] = {}
        for spaces in minutes.values():
            add(all_of_it, spaces)
        with (
            working_until(time.monotonic() + _NOTE_S),
            self._store.within(OWN_SPACE).writing(durable=False) as work,
        ):
            for minute, spaces in sorted(minutes.items()):
                at_us = minute * _MINUTE_US
                work.values.note(OWN_SPACE, TOPIC, at_us, [_text(spaces)], _ENTRIES_MAX)
            known = json.loads(work.values.get(OWN_SPACE, TOPIC, "") or "{}")
            add(known, _named(all_of_it, known))
            work.values.put(OWN_SPACE, TOPIC, "", _text(known))

    def since(self, minutes: int, space: str | None) -> dict[str, Figures]:
        """Return what was counted in the last minutes, by space; of one space, or of all."""
        self._sort()
        with self._writing:
            first = self._clock() // _MINUTE_US - minutes + 1
            own = self._store.within(OWN_SPACE).values
            told = own.notes(OWN_SPACE, TOPIC, first * _MINUTE_US, _ENTRIES_MAX)
            counted = [json.loads(entry) for _, entry in told]
            with self._lock:
                counted += [s for minute, s in self._minutes.items() if minute >= first]
        figures: dict[str, Figures] = {}
        for spaces in counted:
            add(figures, spaces if space is None else {space: spaces.get(space, {})})
        return figures

    def ever(self) -> dict[str, Figures]:
        """Return what all processes of the store ever counted, by space."""
        self._sort()
        with self._writing:
            written = self._store.within(OWN_SPACE).values.get(OWN_SPACE, TOPIC, "")
            figures: dict[str, Figures] = json.loads(written or "{}")
            with self._lock:
                for spaces in self._minutes.values():
                    add(figures, _named(spaces, figures))
        return figures

    def close(self) -> None:
        """Write what a process that lived for long has counted last, and end."""
        if os.getpid() == self._process and self._is_long:
            self.write()
        self._background.close()


def _taken(waiting: deque[T]) -> Iterator[T]:
    """Take out what others go on adding to."""
    while waiting:
        try:
            yield waiting.popleft()
        except IndexError:
            return


def _named(spaces: Mapping[str, Figures], known: Mapping[str, Figures]) -> dict[str, Figures]:
    """Return figures by the spaces that are known; of too many, later ones under one name."""
    named: dict[str, Figures] = {}
    for space, figures in spaces.items():
        full = space not in known and len({*known, *named}) >= SPACES_NAMED
        add(named, {OTHERS if full else space: figures})
    return named


def add(total: dict[str, Figures], more: Mapping[str, Mapping[str, float]]) -> None:
    """Add figures to others, space by space."""
    for space, figures in more.items():
        known = total.setdefault(space, {})
        for name, number in figures.items():
            known[name] = known.get(name, 0) + number


def _text(spaces: Mapping[str, Figures]) -> str:
    shortened = {
        space: {name: round(number, 6) for name, number in figures.items()}
        for space, figures in spaces.items()
    }
    return json.dumps(shortened, separators=(",", ":"))


class Times:
    """How often something of a name was done, how it ended and how long that took."""

    __slots__ = ("buckets", "codes", "seconds")

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.seconds = 0.0
        self.buckets: dict[int, int] = {}

    def add(self, seconds: float) -> None:
        """Add one that took so long."""
        self.seconds += seconds
        bucket = bisect_left(BOUNDS_S, seconds)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + 1

    @property
    def count(self) -> int:
        """How often it was done."""
        return sum(self.buckets.values())

    @property
    def failures(self) -> dict[str, int]:
        """How often it ended in which error."""
        return {code: number for code, number in self.codes.items() if code != DONE}

    @property
    def failed(self) -> int:
        """How often it ended in an error."""
        return self.count - self.codes.get(DONE, 0)

    def within_s(self, share: float) -> float:
        """Return in how many seconds such a share of it was done."""
        wanted, seen = share * sum(self.buckets.values()), 0.0
        for bucket, number in sorted(self.buckets.items()):
            if seen + number >= wanted:
                low = BOUNDS_S[bucket - 1] if bucket else 0.0
                high = BOUNDS_S[min(bucket, len(BOUNDS_S) - 1)]
                return low + (high - low) * (wanted - seen) / number
            seen += number
        return 0.0


def times_of(figures: Mapping[str, float], what: str) -> dict[str, Times]:
    """Return by name what figures tell of calls, or of jobs, programs or writes."""
    times: dict[str, Times] = {}
    for key, number in figures.items():
        kind, _, rest = key.partition(" ")
        if kind != what:
            continue
        name, _, about = rest.rpartition(" ")
        found = times.setdefault(name, Times())
        if about == "s":
            found.seconds += number
        elif about.startswith("@"):
            bucket = int(about[1:])
            found.buckets[bucket] = found.buckets.get(bucket, 0) + int(number)
        else:
            found.codes[about] = found.codes.get(about, 0) + int(number)
    return times


def of_caches(figures: Mapping[str, float], kind: str) -> dict[str, int]:
    """Return by cache how many hits, misses or evictions figures tell of."""
    told = {}
    for name, number in figures.items():
        what, _, about = name.partition(" ")
        cache, _, counted = about.partition(" ")
        if what == "cache" and counted == kind:
            told[cache] = int(number)
    return told


def together(spaces: Iterable[Mapping[str, float]]) -> Figures:
    """Return the figures of several spaces added up."""
    total: dict[str, Figures] = {}
    for figures in spaces:
        add(total, {NOWHERE: figures})
    return total.get(NOWHERE, {})
