"""Counts of what a server does, as Prometheus reads them."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

from milepost.ports import CacheUse
from milepost.surfaces.resident import resident_bytes

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Latencies:
    """How many requests took how long."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS_S) + 1)
        self._seconds = 0.0

    def add(self, seconds: float) -> None:
        """Count one request."""
        self._counts[bisect_left(BUCKETS_S, seconds)] += 1
        self._seconds += seconds

    def lines(self, name: str, label: str) -> Iterator[str]:
        """Yield the lines of a histogram."""
        total = 0
        for bound, count in zip((*BUCKETS_S, "+Inf"), self._counts, strict=True):
            total += count
            yield f'{name}_bucket{{{label},le="{bound}"}} {total}'
        yield f"{name}_sum{{{label}}} {self._seconds:.6f}"
        yield f"{name}_count{{{label}}} {total}"


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

    def text(
        self,
        memories: int | None,
        endings: Mapping[str, int],
        caches: Mapping[str, CacheUse],
    ) -> str:
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
        lines += _head("milepost_programs_total", "counter", "Programs by how they ended.")
        lines += [f'milepost_programs_total{{ended="{k}"}} {n}' for k, n in sorted(endings.items())]
        lines += _of_caches(caches)
        if memories is not None:
            lines += _gauge("milepost_memories", memories, "Memories in the default space.")
        lines += _gauge("process_resident_memory_bytes", resident_bytes(), "Memory in RAM.")
        uptime = round(time.time() - self._started, 3)
        lines += _gauge("milepost_uptime_seconds", uptime, "Time since the server was made.")
        return "\n".join(lines) + "\n"


def _of_caches(caches: Mapping[str, CacheUse]) -> Iterator[str]:
    about = (
        ("hits_total", "counter", "Reads that were answered from what is kept."),
        ("misses_total", "counter", "Reads that were not."),
        ("entries", "gauge", "How much is kept."),
        ("bytes", "gauge", "What that takes in RAM."),
        ("evictions_total", "counter", "What was kept and made room for what came later."),
    )
    for position, (name, kind, text) in enumerate(about):
        yield from _head(f"milepost_cache_{name}", kind, text)
        for cache, use in sorted(caches.items()):
            yield f'milepost_cache_{name}{{cache="{cache}"}} {use[position]}'


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"


def _gauge(name: str, value: float, text: str) -> list[str]:
    return [*_head(name, "gauge", text), f"{name} {value}"]
