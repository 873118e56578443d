"""Whatever a program tries: it ends in time, the host lives, the next program is right."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from milepost.programs.values import KINDS
from milepost.sandbox.runner import Sandbox
from sandbox.attacks import ATTACKS, INNER
from sandbox.conftest import Run
from support import on_this_machine

LIMITS = {"timeout_s": 0.3, "sleep_s": 0.1}
# Twice the CPU time, the sleep and a second is the outer limit; the rest is for a busy machine.
END_S_MAX = 5.0


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_contained(run: Run, name: str) -> None:
    before = time.monotonic()
    done = run(ATTACKS[name], **LIMITS)
    assert time.monotonic() - before < on_this_machine(END_S_MAX)
    # A fast machine may run out of memory where a slow one runs out of time.
    assert done.error is None or done.error.kind in KINDS
    assert done.stats.peak_memory_mb < 200
    assert len(done.printed) <= 1_000_000
    assert run("6 * 7").value == "42"


def test_what_a_program_changes_is_gone_for_the_next(run: Run) -> None:
    run(
        "import builtins, json, sys, milepost\nbuiltins.leak = 1\njson.leak = 1\n"
        "sys.modules['leak'] = json\nmilepost.leak = 1\nstate['leak'] = 1\nleak = 1"
    )
    code = (
        "import builtins, json, sys, milepost\n"
        "[hasattr(o, 'leak') for o in (builtins, json, milepost)] "
        "+ ['leak' in sys.modules, 'leak' in globals(), state]"
    )
    # Both workers, several times.
    for _ in range(6):
        assert run(code).value == "[False, False, False, False, False, {}]"


def test_no_text_of_a_program_steers_a_terminal(run: Run) -> None:
    done = run("print('\\x1b[31mred\\x07\\r\\nnext\\x00\\x9b')\n'\\x1b]0;title\\x07'")
    assert done.printed == "\\x1b[31mred\\x07\nnext\\x00\\x9b\n"
    assert done.value == "\\x1b]0;title\\x07"
    failed = run("raise ValueError('\\x1b[2J')")
    assert failed.error is not None
    assert "\x1b" not in failed.error.text + failed.error.message


def forging(answer: str) -> str:
    """Return a program that has the guest tell a lie about how it ended."""
    return (
        "import json\ntrue = json.JSONEncoder.encode\n"
        f"json.JSONEncoder.encode = lambda s, o: {answer} if 'value' in o else true(s, o)\n1"
    )


def test_a_forged_answer_is_no_more_than_text(run: Run) -> None:
    error = '{"kind": "made up", "message": "m", "text": "t"}'
    done = run(forging(repr(f'{{"value": "ok", "error": {error}}}')))
    assert done.error is not None
    assert (done.value, done.error.kind, done.error.text) == ("ok", "error", "t")


@pytest.mark.parametrize(
    "answer",
    [
        "'{' * 1000",
        "'[' * 100_000",
        "'{\"value\": 5}'",
        '\'{"state": "[]"}\'',
        '\'{"state": "{\\\\"a\\\\": \\\\"\' + \'x\' * 200_000 + \'\\\\"}"}\'',
        "'{\"value\": \"' + 'x' * 8_000_000 + '\"}'",
    ],
)
def test_a_forged_answer_that_makes_no_sense_is_refused(run: Run, answer: str) -> None:
    done = run(forging(answer), state={"a": 1})
    assert (done.stats.ended, done.state) == ("killed", {"a": 1})
    assert run("6 * 7").value == "42"


def test_a_blocked_guest_is_killed_from_outside(run: Run) -> None:
    before = time.monotonic()
    done = run("__import__('select').select([], [], [], 100)", **LIMITS)
    assert done.stats.ended == "timeout"
    assert time.monotonic() - before < on_this_machine(END_S_MAX)
    assert run("6 * 7").value == "42"


def test_a_worker_that_dies_takes_only_its_run_with_it(sandbox: Sandbox, run: Run) -> None:
    def call(name: str, arguments: dict[str, object]) -> None:
        (worker,) = sandbox._pool._busy
        worker.process.kill()

    done = run("print('before')\necho(1)", call)
    assert done.error is not None
    assert (done.error.kind, done.printed) == ("killed", "before\n")
    assert run("6 * 7").value == "42"


def test_nothing_of_the_host_is_in_the_guest(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    os.environ["SANDBOX_SECRET"] = "secret"
    try:
        seen = run("os = __import__('os'); import sys\n(dict(os.environ), sys.argv, os.read(0, 9))")
    finally:
        del os.environ["SANDBOX_SECRET"]
    assert seen.value == "({}, [], b'')"
    read = run(f"__import__('io').open({str(secret)!r}).read()")
    assert read.error is not None
    assert read.error.name == "FileNotFoundError"


def test_the_border_answers_nonsense_with_errors(run: Run) -> None:
    done = run(INNER + "[host.call(n, p) for n in ('', 'echo', '__sleep__') for p in ('', '{}')]")
    assert done.value is not None
    assert done.value.count("invalid_input") == 6
