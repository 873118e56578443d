"""Hooks in hostile surroundings: they end well and in time, and lose nothing they need not."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hook_runs import Hooks, git

from milepost import connect
from support import PATIENCE_S, on_this_machine


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


SAID = "We decided to use tabs because the linter wants them."


def places(tmp_path: Path) -> dict[str, str]:
    """Folders in which no project can be told."""
    pipe, package, loop = tmp_path / "pipe", tmp_path / "package", tmp_path / "loop"
    pipe.mkdir()
    os.mkfifo(pipe / ".git")
    package.mkdir()
    os.mkfifo(package / "package.json")
    loop.symlink_to(loop)
    return {
        "pipe": str(pipe),
        "package": str(package),
        "loop": str(loop),
        "gone": str(tmp_path / "gone"),
        "nul": "a\0b",
        "surrogate": "/\ud800",
        "long": "/" + "a" * 5_000,
    }


@pytest.mark.parametrize("name", ["pipe", "package", "loop", "gone", "nul", "surrogate", "long"])
def test_a_turn_is_remembered_wherever_the_agent_says_it_is(
    hooks: Hooks, path: Path, tmp_path: Path, name: str
) -> None:
    where = places(tmp_path)[name]
    done = hooks("stop", cwd=where, last_assistant_message=SAID)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert done.seconds < on_this_machine(4)
    hooks.work()
    with connect(path) as memory:
        assert "tabs" in str(memory.search("which decision about tabs", min_score=0.0))


def test_a_transcript_that_is_a_pipe_holds_up_nobody(hooks: Hooks, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t")
    assert hooks("pre-compact", transcript_path=str(tmp_path / "t")).seconds < on_this_machine(4)
    hooks("session-end", transcript_path=str(tmp_path / "t"))
    hooks.work()


def test_a_tools_answer_of_many_megabytes_is_taken_in_time(hooks: Hooks, path: Path) -> None:
    log = "2026-03-01 INFO token checked for user 12 key=val\n" * 400_000
    done = hooks("post-tool-use", tool_name="Bash", tool_input={"command": "x"}, tool_response=log)
    assert done.code == 0
    (left,) = Path(f"{path}.inbox").iterdir()
    assert b"token checked" in left.read_bytes()


@pytest.mark.parametrize("event", ["session-start", "stop"])
def test_a_disk_that_takes_nothing_is_not_told_of(hooks: Hooks, repo: Path, event: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "milepost", "hook", event],
        input=json.dumps({"session_id": "s", "cwd": str(repo)}).encode(),
        capture_output=True,
        env=hooks.environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_input_that_never_ends_costs_no_more_than_the_timeout(hooks: Hooks) -> None:
    hooks.environment["MILEPOST_HOOK_TIMEOUT"] = "600"
    started = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "milepost", "hook", "stop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=hooks.environment,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"session_id":')
        process.stdin.flush()
        assert process.wait(PATIENCE_S) == 0
    assert time.monotonic() - started < on_this_machine(5)


def test_an_output_that_nobody_reads_is_no_failure(hooks: Hooks, path: Path, repo: Path) -> None:
    with connect(path) as memory:
        memory.store("We decided to use tabs", kind="decision", project="shop")
    given = json.dumps({"session_id": "s", "cwd": str(repo)}).encode()
    for target in (">&-", ">/dev/full"):
        done = subprocess.run(
            ["/bin/sh", "-c", f'"{sys.executable}" -m milepost hook session-start {target}'],
            input=given,
            capture_output=True,
            env=hooks.environment,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
