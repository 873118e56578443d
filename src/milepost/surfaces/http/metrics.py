"""Counts of what a server does, and all processes of its store, as Prometheus reads them."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from milepost.app import Milepost, Operations
from milepost.ports import CacheUse
from milepost.surfaces.resident import resident_bytes
from milepost.upkeep.alerts.values import FIRING, OFF, Alerts
from milepost.upkeep.backups.values import BackupStatus
from milepost.upkeep.metrics import (
    BOUNDS_S,
    CALL,
    DONE,
    INSTEAD_OF,
    JOB,
    PROGRAM,
    TOKENS,
    WRITE,
    Times,
    of_caches,
    times_of,
    together,
)
from milepost.upkeep.values import DEAD, RUNNING, WAITING, Backlog

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Latencies:
    """How many requests took how long."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS_S) + 1)
        self.seconds = 0.0

    def add(self, seconds: float, number: int = 1) -> None:
        """Count one, or so many."""
        self._counts[bisect_left(BUCKETS_S, seconds)] += number
        self.seconds += seconds * number

    def lines(self, name: str, label: str) -> Iterator[str]:
        """Yield the lines of a histogram."""
        total = 0
        for bound, count in zip((*BUCKETS_S, "+Inf"), self._counts, strict=True):
            total += count
            yield f'{name}_bucket{{{label}{"," if label else ""}le="{bound}"}} {total}'
        own = f"{{{label}}}" if label else ""
        yield f"{name}_sum{own} {self.seconds:.6f}"
        yield f"{name}_count{own} {total}"


class Counted(NamedTuple):
    """What a memory says of itself: figures of all its processes, by space; what is of this one."""

    memories: int
    figures: Mapping[str, Mapping[str, float]] | None = None
    backlog: Sequence[Backlog] = ()
    caches: Mapping[str, CacheUse] = {}
    watched: Sequence[tuple[Alerts, BackupStatus]] = ()


def counted(memory: Operations) -> Counted:
    """Return what a memory says of itself; without figures while its store is away."""
    health = memory.health()
    if not isinstance(memory, Milepost) or not health.ready:
        return Counted(health.count)
    uses, watched = memory.cache_uses, memory.watched
    return Counted(health.count, memory.figures, memory.backlogs, uses, watched)


class Metrics:
    """What has happened since the server was made; used on the event loop only."""

    def __init__(self) -> None:
        self.in_flight = 0
        self._requests: Counter[tuple[str, int]] = Counter()
        self._latencies: dict[str, Latencies] = {}
        self._started = time.time()

    def add(self, operation: str, status: int, seconds: float) -> None:
        """Count one request that was answered."""
        self._requests[operation, status] += 1
        self._latencies.setdefault(operation, Latencies()).add(seconds)

    def text(self, memory: Counted | None = None) -> str:
        """Return everything in Prometheus's text format."""
        lines = [
            *_head("milepost_requests_total", "counter", "Requests by operation and status."),
            *(
                f'milepost_requests_total{{operation="{operation}",status="{status}"}} {count}'
                for (operation, status), count in sorted(self._requests.items())
            ),
            *_head("milepost_request_seconds", "histogram", "Time from request to answer."),
        ]
        for operation, latencies in sorted(self._latencies.items()):
            lines += latencies.lines("milepost_request_seconds", f'operation="{operation}"')
        lines += _gauge("milepost_requests_in_flight", self.in_flight, "Requests under way.")
        if memory is not None:
            lines += _of_memory(memory)
        lines += _gauge("process_resident_memory_bytes", resident_bytes(), "Memory in RAM.")
        uptime = round(time.time() - self._started, 3)
        lines += _gauge("milepost_uptime_seconds", uptime, "Time since the server was made.")
        return "\n".join(lines) + "\n"


def _of_memory(memory: Counted) -> Iterator[str]:
    yield from _gauge("milepost_memories", memory.memories, "Memories in the default space.")
    if memory.figures is not None:
        yield from _of_all_processes(memory.figures)
        yield from _of_backlog(memory.backlog)
    yield from _of_caches(memory.caches, together((memory.figures or {}).values()))
    yield from _of_watched(memory.watched)


def _of_watched(watched: Sequence[tuple[Alerts, BackupStatus]]) -> Iterator[str]:
    """Yield which rules fire in any store, and how the oldest of the newest backups stands."""
    firing: dict[str, int] = {}
    for alerts, _ in watched:
        for alert in alerts.alerts:
            if alert.state != OFF:
                firing[alert.rule] = max(firing.get(alert.rule, 0), int(alert.state == FIRING))
    yield from _head("milepost_alert_firing", "gauge", "Whether a rule of alerts fires.")
    for rule, fires in firing.items():
        yield f'milepost_alert_firing{{rule="{rule}"}} {fires}'
    backups = [backups for _, backups in watched if backups.to]
    made = [each.last.made for each in backups if each.last is not None]
    tried = [each.drilled for each in backups if each.drilled is not None]
    if made:
        text = "When the newest scheduled backup was made."
        yield from _gauge("milepost_last_backup_timestamp_seconds", round(min(made), 3), text)
    if tried:
        name, text = "milepost_last_drill_success_timestamp_seconds", "When a drill last went well."
        yield from _gauge(name, round(min(tried), 3), text)
    drills = [each.drill for each in backups if each.drill is not None]
    if drills:
        ready = int(all(drill.ready for drill in drills))
        yield from _gauge("milepost_last_drill_ready", ready, "Whether the last drill went well.")


def _of_all_processes(spaces: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield what all processes of the store have counted; it never becomes less."""
    by_space = {space: times_of(figures, CALL) for space, figures in sorted(spaces.items())}
    calls = [
        (f'operation="{name}",space="{_escaped(space)}"', times)
        for space, named in by_space.items()
        for name, times in sorted(named.items())
    ]
    yield from _totals("milepost_calls", "Calls of operations by how they ended.", calls)
    yield from _histogram("milepost_call_seconds", "Time of operations.", calls)
    all_of_it = together(spaces.values())
    jobs = [(f'topic="{name}"', times) for name, times in sorted(times_of(all_of_it, JOB).items())]
    yield from _totals("milepost_jobs", "Work that was put off, by how it ended.", jobs)
    yield from _histogram("milepost_job_seconds", "Time of that work.", jobs)
    programs = times_of(all_of_it, PROGRAM).get(PROGRAM, Times())
    yield from _head("milepost_programs_total", "counter", "Programs by how they ended.")
    for code, number in sorted(programs.codes.items()):
        ended = "finished" if code == DONE else code
        yield f'milepost_programs_total{{ended="{ended}"}} {number}'
    yield from _histogram("milepost_program_seconds", "Time of programs.", [("", programs)])
    writes = [(f'backend="{name}"', times) for name, times in times_of(all_of_it, WRITE).items()]
    yield from _histogram("milepost_write_seconds", "Time of transactions that write.", writes)
    done = {name: times.codes.get(DONE, 0) for name, times in times_of(all_of_it, CALL).items()}
    yield from _head("milepost_episodes_total", "counter", "Episodes created and completed.")
    for event in ("create", "complete"):
        number = done.get(f"{event}_episode", 0)
        yield f'milepost_episodes_total{{event="{event}d"}} {number}'
    for name, figure, text in _TOKENS:
        yield from _head(name, "counter", text)
        yield f"{name} {int(all_of_it.get(figure, 0))}"


_TOKENS = (
    ("milepost_tokens_total", TOKENS, "Tokens that were handed to models."),
    ("milepost_tokens_instead_total", INSTEAD_OF, "Tokens that whole objects would have cost."),
)


def _totals(name: str, text: str, found: Sequence[tuple[str, Times]]) -> Iterator[str]:
    yield from _head(f"{name}_total", "counter", text)
    for labels, times in found:
        for code, number in sorted(times.codes.items()):
            yield f'{name}_total{{{labels},outcome="{code}"}} {number}'


def _histogram(name: str, text: str, found: Sequence[tuple[str, Times]]) -> Iterator[str]:
    yield from _head(name, "histogram", text)
    for labels, times in found:
        latencies = Latencies()
        for bucket, number in times.buckets.items():
            latencies.add(BOUNDS_S[min(bucket, len(BOUNDS_S) - 1)], number)
        latencies.seconds = times.seconds
        yield from latencies.lines(name, labels)


def _of_backlog(backlog: Sequence[Backlog]) -> Iterator[str]:
    yield from _head("milepost_backlog", "gauge", "Work that is put off now.")
    for each in backlog:
        for state in (WAITING, RUNNING, DEAD):
            number = getattr(each, state)
            yield f'milepost_backlog{{topic="{each.topic}",state="{state}"}} {number}'
    late_s = max((each.late_s for each in backlog), default=0.0)
    yield from _gauge("milepost_backlog_late_seconds", late_s, "How late the oldest of it is.")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _of_caches(caches: Mapping[str, CacheUse], figures: Mapping[str, float]) -> Iterator[str]:
    """Yield how much all processes gave again, and what this one keeps."""
    counted = (
        ("hits", "Reads that were answered from what is kept."),
        ("misses", "Reads that were not."),
        ("evictions", "What was kept and made room for what came later."),
    )
    for kind, text in counted:
        yield from _head(f"milepost_cache_{kind}_total", "counter", text)
        for cache, number in sorted(of_caches(figures, kind).items()):
            yield f'milepost_cache_{kind}_total{{cache="{cache}"}} {number}'
    for kind, text in (("entries", "How much is kept."), ("bytes", "What that takes in RAM.")):
        yield from _head(f"milepost_cache_{kind}", "gauge", text)
        for cache, use in sorted(caches.items()):
            yield f'milepost_cache_{kind}{{cache="{cache}"}} {getattr(use, kind)}'


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"


def _gauge(name: str, value: float, text: str) -> list[str]:
    return [*_head(name, "gauge", text), f"{name} {value}"]
