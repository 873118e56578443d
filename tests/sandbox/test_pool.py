"""Many callers, few workers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from milepost.errors import Overloaded, SandboxUnavailable
from milepost.programs.values import Function, FunctionParameter, Limits, Program
from milepost.sandbox import open_sandbox, pool
from milepost.sandbox.process import WorkerFailed
from milepost.sandbox.runner import Sandbox
from sandbox.conftest import ECHO, echo
from support import PATIENCE_S, wait_until

WAIT = Function("wait")
PROGRAM = Program("wait()", (WAIT,), limits=Limits(timeout_s=PATIENCE_S))


def test_twenty_at_once_are_all_answered(sandbox: Sandbox) -> None:
    def one(n: int) -> str | None:
        program = Program(f"sum(echo(i) for i in range({n}))", (ECHO,))
        return sandbox.run(program, echo).value

    with ThreadPoolExecutor(20) as threads:
        assert list(threads.map(one, range(20))) == [str(sum(range(n))) for n in range(20)]


def test_calls_are_answered_in_the_thread_that_runs_the_program(sandbox: Sandbox) -> None:
    seen = []
    sandbox.run(Program("echo(1)", (ECHO,)), lambda *_: seen.append(threading.get_ident()))
    assert seen == [threading.get_ident()]


def test_programs_with_different_functions_do_not_mix(sandbox: Sandbox) -> None:
    def one(n: int) -> bool:
        function = Function(f"f{n}", (FunctionParameter("x"),))
        places = "[*globals(), *vars(__import__('milepost'))]"
        code = f"{{k for k in {places} if k[0] == 'f' and k[1:].isdigit()}}, f{n}({n})"
        return sandbox.run(Program(code, (function,)), echo).value == f"({{'f{n}'}}, {n})"

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(one, range(30)))


def test_too_many_are_refused_and_the_others_answered(cache_folder: Path) -> None:
    hold = threading.Event()

    def waiting(*_: object) -> bool:
        return hold.wait(PATIENCE_S)

    with open_sandbox(cache_folder, workers=1, waiting_max=2) as opened:
        assert opened.run(Program("1"), echo).value == "1"
        with ThreadPoolExecutor(3) as threads:
            held = threads.submit(opened.run, PROGRAM, waiting)
            wait_until(lambda: opened._pool._busy)
            queued = [threads.submit(opened.run, Program(f"{n}"), echo) for n in range(2)]
            wait_until(lambda: opened.status().waiting == 2)
            with pytest.raises(Overloaded, match="2 programs wait"):
                opened.run(Program("1"), echo)
            hold.set()
            assert held.result().value == "True"
            assert [run.result().value for run in queued] == ["0", "1"]


def test_a_worker_that_died_while_it_rested_is_replaced_unnoticed(sandbox: Sandbox) -> None:
    assert sandbox.run(Program("1"), echo).value == "1"
    for worker in list(sandbox._pool._idle):
        worker.process.kill()
        worker.process.wait()
    assert sandbox.run(Program("2"), echo).value == "2"


def test_waiting_for_a_worker_is_told(cache_folder: Path) -> None:
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_TELL_S", 0.001)
        with open_sandbox(cache_folder, workers=1) as opened:
            assert opened.run(Program("1"), echo, lambda doing, _s: told.append(doing)).value == "1"
    assert any(text.startswith("starting a worker") for text in told)


def test_who_stops_waiting_leaves_the_queue(cache_folder: Path) -> None:
    hold = threading.Event()

    def waiting(*_: object) -> bool:
        return hold.wait(PATIENCE_S)

    def interrupted(_text: str, _seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_TELL_S", 0.05)
        with open_sandbox(cache_folder, workers=1) as opened, ThreadPoolExecutor(1) as threads:
            threads.submit(opened.run, PROGRAM, waiting)
            wait_until(lambda: opened._pool._busy)
            with pytest.raises(KeyboardInterrupt):
                opened.run(Program("1"), echo, interrupted)
            assert opened.status().waiting == 0
            hold.set()


def test_an_interrupted_call_costs_only_its_worker(sandbox: Sandbox) -> None:
    def interrupted(name: str, arguments: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sandbox.run(Program("echo(1)", (ECHO,)), interrupted)
    assert sandbox.run(Program("2"), echo).value == "2"


def test_a_worker_that_cannot_start_is_a_clear_error_and_tried_again(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_sandbox(cache_folder, workers=1) as opened:
        with monkeypatch.context() as patch:

            def fail(self: pool.Pool) -> None:
                raise WorkerFailed("no memory")

            patch.setattr(pool.Pool, "_started", fail)
            with pytest.raises(SandboxUnavailable, match="no memory"):
                opened.run(Program("1"), echo)
            assert opened.status().note == "Programs cannot be run: no memory."
        assert opened.run(Program("1"), echo).value == "1"
        assert opened.status().available


def test_closing_stops_the_workers_and_what_runs(cache_folder: Path) -> None:
    opened = open_sandbox(cache_folder, workers=1)
    begun = threading.Event()
    program = Program("wait()\nwhile True: len('')", (WAIT,))
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(opened.run, program, lambda *_: begun.set())
        wait_until(begun.is_set)
        (worker,) = opened._pool._busy
        opened.close()
        assert running.result().stats.ended == "killed"
    assert worker.process.poll() is not None
    with pytest.raises(SandboxUnavailable, match="closed"):
        opened.run(Program("1"), echo)
    opened.close()


def test_a_sandbox_that_is_forgotten_stops_its_workers(cache_folder: Path) -> None:
    opened = open_sandbox(cache_folder, workers=1)
    assert opened.run(Program("1"), echo).value == "1"
    (worker,) = opened._pool._idle
    del opened
    assert worker.process.poll() is not None


def test_a_sandbox_is_not_shared_with_a_forked_process(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_sandbox(cache_folder, workers=1) as opened:
        assert opened.run(Program("1"), echo).value == "1"
        (worker,) = opened._pool._idle
        with monkeypatch.context() as forked:
            forked.setattr(pool.os, "getpid", lambda: -1)  # type: ignore[attr-defined]
            with pytest.raises(SandboxUnavailable, match="another process"):
                opened.run(Program("1"), echo)
            opened._pool.close()
        assert worker.process.poll() is None
