"""Reach the memory from a hook: a warm process, the store, an MCP server, the bare file.

Each way has a part of the time that is left, so that the next one still has some.
"""

from __future__ import annotations

import os
import time

from milepost.errors import MilepostError, worded
from milepost.location import file_of
from milepost.request import REQUEST
from milepost.surfaces import reach, warm
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from milepost.config import Settings
    from milepost.sessions.values import Briefing
    from milepost.surfaces.hooks.options import Options

WARM, STORE, SERVER, MCP, PLAIN = "warm process", "store", "server", "MCP server", "plain reading"
# How much of the time that is left each way may take. A warm process that has the time of a cold
# start and does not answer is not worth more; the last one leaves what it takes to print.
_SHARES = {WARM: 0.3, STORE: 0.75, SERVER: 0.75, MCP: 0.75, PLAIN: 0.95}
_LEAST_S = 0.02


class Unreached(Exception):
    """No way led to the memory; the message says why each of them did not."""

    def __init__(self, message: str, *, last_way: bool = False) -> None:
        super().__init__(message)
        # Whether no other way was allowed, so that somebody wants to know.
        self.last_way = last_way


class Way(NamedTuple):
    """A way to the memory, and how it is asked."""

    name: str
    ask: Callable[[], Any]


class Attempt(NamedTuple):
    """How a way that was tried ended; without a problem it answered."""

    way: str
    seconds: float
    problem: str = ""
    answer: Any = None
    # Whether it goes on in a thread of this process, which then cannot end as usual.
    hangs: bool = False


def ask(
    settings: Settings,
    options: Options,
    name: str,
    arguments: dict[str, Any],
    until: float,
    attempts: list[Attempt],
) -> Any:
    """Return what an operation tells by the first way that works; add all that were tried."""
    for way in ways(settings, options, name, arguments):
        attempts.append(tried(way, until))
        if not attempts[-1].problem:
            return attempts[-1].answer
    reasons = "; ".join(f"{attempt.way}: {attempt.problem}" for attempt in attempts)
    message = reasons or "the memory is switched off for hooks"
    raise Unreached(message, last_way=options.code and not options.fallback)


def ways(
    settings: Settings, options: Options, name: str, arguments: dict[str, Any]
) -> Iterator[Way]:
    """Yield the ways that an operation may be asked by, the first to try first."""
    if options.code:
        if reach.way_to(settings) == reach.SERVER:
            yield Way(SERVER, lambda: getattr(reach.memory_of(settings), name)(**arguments))
        else:
            yield Way(WARM, lambda: warm.call(settings, name, (), arguments))
            yield Way(STORE, lambda: _by_store(settings, name, arguments))
    if not options.fallback:
        return
    if options.server:
        yield Way(MCP, lambda: _by_mcp(settings, options, name, arguments))
    placed = settings.spaces_file and os.path.exists(settings.spaces_file)
    # By a map the space may be elsewhere, and what lies here an old copy.
    if options.code and name == "brief" and file_of(settings.url) is not None and not placed:
        yield Way(PLAIN, lambda: read_plainly(settings, arguments))


def _by_store(settings: Settings, name: str, arguments: dict[str, Any]) -> Any:
    import logging

    # What could not be noted down beside an answer is no word for who reads what a hook says.
    logging.lastResort = logging.NullHandler()
    return reach.ask_store(settings, name, arguments)


def _by_mcp(settings: Settings, options: Options, name: str, arguments: dict[str, Any]) -> Briefing:
    from milepost.surfaces.hooks.mcp import brief_by_mcp

    timeout_s, tls = options.timeout_ms / 1e3, reach.tls_of(settings)
    return brief_by_mcp(options.server, name, arguments, timeout_s, tls)


def read_plainly(settings: Settings, arguments: dict[str, Any]) -> Briefing:
    """Return a briefing that needs Python's own library and the store's file, and nothing else."""
    from milepost.sessions.plain_briefing import brief_plainly
    from milepost.storage import PlainStore

    store = PlainStore(settings.url, settings.space)
    now_us = time.time_ns() // 1_000
    project, identity, branch = map(arguments.get, ("project", "identity", "branch"))
    return brief_plainly(store, project, identity, branch, now_us)


def tried(way: Way, until: float) -> Attempt:
    """Return what a way answers within its part of the time until a moment."""
    import _thread

    began = time.monotonic()
    seconds = max(_LEAST_S, _SHARES[way.name] * (until - began))
    ended = _thread.allocate_lock()
    ended.acquire()
    outcome: list[Attempt] = []
    request = REQUEST.get()

    def work() -> None:
        REQUEST.set(request)
        try:
            answer = way.ask()
            outcome.append(Attempt(way.name, time.monotonic() - began, "", answer))
        except BaseException as problem:  # noqa: BLE001 -- the next way is tried, or the reason told
            outcome.append(Attempt(way.name, time.monotonic() - began, _reason(problem)))
        finally:
            ended.release()

    _thread.start_new_thread(work, ())
    if ended.acquire(timeout=seconds):
        return outcome[0]
    return Attempt(way.name, seconds, f"no answer within {seconds:.1f} s", hangs=True)


def _reason(problem: BaseException) -> str:
    if isinstance(problem, warm.Unanswered):
        return "none answers"
    said = worded(problem)
    return f"{type(problem).__name__}: {said}" if isinstance(problem, MilepostError) else said


def start_work(settings: Settings) -> None:
    """Have the inbox read in the background: a warm process does it, else one is started."""
    if reach.way_to(settings) == reach.WARM:
        return
    from milepost.surfaces.detached import start_detached

    url = warm.canonical(settings.url) or settings.url
    start_detached("jobs", "run", "--space", settings.space, url=url)
