"""`milepost monitor`: the state of a memory on one screen, again and again."""

import re
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from milepost.app import Operations
from milepost.config import Settings
from milepost.errors import Forbidden, MilepostError, NotFound, Unreachable
from milepost.location import is_database, shown
from milepost.secret_sources import revealed
from milepost.storage import maintenance, store_file
from milepost.surfaces.cli.command import SHOWN, Call, Misuse, missing_store
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import moment, size, table
from milepost.surfaces.reach import tls_of
from milepost.text.fence import cleaned
from milepost.text.lines import counted
from milepost.transport.connections import Request, Transport, TransportError, parse_address
from milepost.upkeep.values import MetricsReport

_CLEAR = "\x1b[H\x1b[2J"
_TIMEOUT_S = 5.0
_ANSWER_BYTES_MAX = 1_000_000
_SEARCHES = ("search", "recall", "search_by_tag", "search_iter", "similar", "timeline")
_SAMPLE = re.compile(r'^(\w+)(?:\{operation="(\w+)"\})? (\S+)$', re.MULTILINE)


class Traffic(NamedTuple):
    """What a server has done since it started."""

    uptime_s: float = 0.0
    searches: float = 0.0
    seconds: float = 0.0


class MemoryState(NamedTuple):
    """A memory at one moment, with the speed of a server where one is asked."""

    at: float
    url: str
    health: str
    ready: bool
    memories: int
    bytes: int | None
    daemon: str
    searches_per_s: float | None = None
    latency_ms: float | None = None
    metrics: MetricsReport | None = None

    def __str__(self) -> str:
        return "  ".join([moment(self.at), *(f"{name} {value}" for name, value in _rows(self)[2:])])


_NOTHING = "nothing is remembered yet"
# Of what was measured: how far back, and the operations that took most of the time.
_MINUTES = 5
_OPERATIONS = 10


def watch(call: Call) -> object:
    """Show the state until interrupted, or once; a terminal is written over, else lines follow."""
    interval = call.values["interval"]
    if interval <= 0:
        raise Misuse("--interval must be more than 0")
    states = _states(call, call.memory(), interval)
    if call.values["once"]:
        state = next(states)
        return View(state, table(_rows(state)), state.ready)
    if call.values.get("form", "human") != "human" or not sys.stdout.isatty():
        return states
    for state in states:
        print(f"{_CLEAR}{table(_rows(state))}", flush=True)
    return SHOWN


def _states(call: Call, memory: Operations, interval: float) -> Iterator[MemoryState]:
    server, before = call.values.get("server"), Traffic()
    while True:
        state = _state(call.settings, memory)
        if server:
            traffic = _asked(server, call.settings)
            state, before = _measured(state, traffic, before), traffic
        yield state
        time.sleep(interval)


def _state(settings: Settings, memory: Operations) -> MemoryState:
    if missing_store(settings.url):
        daemons = _daemon(settings)
        return MemoryState(time.time(), shown(settings.url), _NOTHING, True, 0, None, daemons)
    health = memory.health()
    return MemoryState(
        time.time(),
        shown(settings.url),
        str(health),
        health.ready,
        health.count,
        _bytes(settings) if health.ready else None,
        _daemon(settings),
        metrics=_metrics(memory) if health.ready else None,
    )


def _metrics(memory: Operations) -> MetricsReport | None:
    """Return what all processes did lately, in all spaces as far as one may see them."""
    try:
        return memory.get_metrics(_MINUTES, all_spaces=True)
    except Forbidden:
        return memory.get_metrics(_MINUTES)
    except NotFound:  # a server of before
        return None


def _bytes(settings: Settings) -> int | None:
    kept_here = store_file(settings.url) is not None or is_database(settings.url)
    return sum(maintenance.sizes(settings.url)) if kept_here else None


def _daemon(settings: Settings) -> str:
    from milepost.surfaces import daemon

    try:
        processes = daemon.status(settings)
    except MilepostError as problem:
        return str(problem)
    return ", ".join(f"{d.role} {d.pid} ({d.calls:,} calls)" for d in processes) or "none"


def _measured(state: MemoryState, now: Traffic, before: Traffic) -> MemoryState:
    """Add the speed since the server was last asked, or since it started."""
    if now.uptime_s < before.uptime_s:
        before = Traffic()  # it is another server by now
    searches, span = now.searches - before.searches, now.uptime_s - before.uptime_s
    mean = (now.seconds - before.seconds) / searches * 1_000 if searches else None
    return state._replace(searches_per_s=searches / span if span else 0.0, latency_ms=mean)


def _asked(server: str, settings: Settings) -> Traffic:
    """Return what a server's /metrics tell."""
    key = revealed("key", settings.key)
    headers = {"Authorization": f"Bearer {key}".encode()} if key else {}
    try:
        address = parse_address(server, "the server")
        tls = tls_of(settings)
        transport = Transport(address, _TIMEOUT_S, bytes_max=_ANSWER_BYTES_MAX, tls=tls)
        reply = transport.ask(Request("GET", "/metrics", headers))
        if reply.status != 200:
            raise TransportError(f"status {reply.status}")
    except TransportError as problem:
        raise Unreachable(f"{server} does not tell its metrics ({problem}).") from problem
    return _read(reply.body.decode(errors="replace"))


def _read(text: str) -> Traffic:
    uptime = searches = seconds = 0.0
    for name, operation, value in _SAMPLE.findall(text):
        if name == "milepost_uptime_seconds":
            uptime = float(value)
        elif operation in _SEARCHES and name == "milepost_request_seconds_count":
            searches += float(value)
        elif operation in _SEARCHES and name == "milepost_request_seconds_sum":
            seconds += float(value)
    return Traffic(uptime, searches, seconds)


def _rows(state: MemoryState) -> list[tuple[str, str]]:
    rows = [("time", moment(state.at)), ("store", state.url), ("health", state.health)]
    if state.bytes is not None:
        rows.append(("size", size(state.bytes)))
    rows.append(("daemon", state.daemon))
    if state.searches_per_s is not None:
        latency = "none yet" if state.latency_ms is None else f"{state.latency_ms:.1f} ms"
        rows += [("searches/s", f"{state.searches_per_s:.1f}"), ("latency", latency)]
    return rows if state.metrics is None else rows + _measured_rows(state.metrics)


def _measured_rows(metrics: MetricsReport) -> list[tuple[str, str]]:
    """Tell what was measured, most of it by operation."""
    per_minute = metrics.calls / metrics.minutes
    rows = [
        (f"in {metrics.minutes} min", f"{counted(metrics.calls, 'call')}, {per_minute:.1f}/min")
    ]
    errors = ", ".join(f"{code} {number:,}" for code, number in metrics.errors.items())
    rows.append(("errors", errors or "none"))
    if metrics.episodes_created or metrics.episodes_completed:
        told = f"{metrics.episodes_created:,} created, {metrics.episodes_completed:,} completed"
        rows.append(("episodes", told))
    rows.append(("put off", "; ".join(map(str, metrics.backlog)) or "nothing"))
    rows += [(f"job {job.name}", job.told) for job in metrics.jobs]
    if metrics.sandbox is not None:
        ended = ", ".join(f"{code} {number:,}" for code, number in metrics.programs.items())
        rows.append(("programs", f"{metrics.sandbox.told}; {ended}"))
    if metrics.writes is not None:
        rows.append(("writes", metrics.writes.told))
    if metrics.tokens:
        rows.append(("tokens", f"{metrics.tokens:,} for {metrics.instead_of:,}"))
    shown = metrics.operations[:_OPERATIONS]
    rows += [("times", "p50, p95 and p99")] if shown else []
    for latency in shown:
        where = f"{latency.space} " if len(metrics.spaces) > 1 else ""
        rows.append((cleaned(f"{where}{latency.name}"), latency.told))
    return rows
