"""Whoever is killed while a store is encrypted, decrypted or rekeyed leaves all of its memories."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from encrypted_user import PHRASE, RARE, User

import milepost
from support import PATIENCE_S, StartPython

pytestmark = pytest.mark.slow

# Runs a command and ends itself by a signal that nothing can catch, at one of the calls of what
# writes files; without a number it tells how many there are.
KILLED = """
import os, signal, sys
from milepost.surfaces.cli import main
at, calls = int(sys.argv[1]), 0
PLACES = ("storage/sqlite", "storage/index", "sessions/inbox", "sealing")
def count(frame, event, _):
    global calls
    if event in ("call", "return") and any(p in frame.f_code.co_filename for p in PLACES):
        calls += 1
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(count)
code = main(sys.argv[2:])
sys.setprofile(None)
print(calls, file=sys.stderr)
sys.exit(code)
"""
POINTS = 12
MEMORIES = 600


def stopped(user: User, at: int, *words: object) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(at), *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | user.environment | {"MILEPOST_LOG_LEVEL": "error"},
        timeout=PATIENCE_S,
        check=False,
    )
    return ended.returncode, ended.stderr


def prepare(user: User, command: str) -> tuple[object, ...]:
    """Make a store with an index, a copy and an inbox, as a command finds it; return its words."""
    clear = {"MILEPOST_ENCRYPTION_KEY_FILE": ""} if command == "encrypt" else {}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in clear.items():
            patch.setenv(name, value)
        with milepost.connect(user.path) as memory:
            memory.store_batch([f"{PHRASE}, berth {i}" for i in range(MEMORIES)])
    user.done("search", "berth", **clear)
    user.done("backup", "create", **clear)
    line = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": RARE[0]}}
    user.done("hook", "post-tool-use", given=json.dumps(line), **clear)
    fresh = user.outside / "fresh.key"
    fresh.write_text("a1" * 32)
    fresh.chmod(0o600)
    return ("rekey", "--new-key-file", fresh) if command == "rekey" else (command,)


def held_by(user: User) -> int:
    """Count the memories by whichever key opens the store."""
    for key in (user.key, user.outside / "fresh.key"):
        ended = user.run("storage", "info", "--json", MILEPOST_ENCRYPTION_KEY_FILE=str(key))
        if ended.returncode == 0:
            return int(json.loads(ended.stdout)["memories"])
    raise AssertionError("no key opens the store")


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey"])
def test_a_kill_at_any_point_leaves_the_store_as_it_was_or_as_it_shall_be(
    command: str, user: User
) -> None:
    words = prepare(user, command)
    kept = user.outside / "kept"
    shutil.copytree(user.home, kept)
    code, told = stopped(user, 0, *words)
    assert code == 0, told
    calls = int(told.split()[-1])
    assert calls > 10 * POINTS

    for point in range(1, POINTS + 1):
        shutil.rmtree(user.home)
        shutil.copytree(kept, user.home)
        assert stopped(user, calls * point // (POINTS + 1), *words)[0] == -signal.SIGKILL

        assert held_by(user) == MEMORIES, f"after {point} of {POINTS}"
        assert stopped(user, 0, *words)[0] == 0
        assert held_by(user) == MEMORIES
        key = words[-1] if command == "rekey" else user.key
        after = {"MILEPOST_ENCRYPTION_KEY_FILE": "" if command == "decrypt" else str(key)}
        assert "ok" in user.done("storage", "check", **after)
        (copy,) = json.loads(user.done("backup", "list", "--json", **after))
        assert copy["memories"] == MEMORIES
        assert list(Path(f"{user.path}.inbox").iterdir())
        assert bool(user.readable()) == (command == "decrypt")
        assert not [file for file in user.files() if ".tmp" in file.name]


WRITER = """
import itertools, sys
import milepost
memory = milepost.connect(sys.argv[1])
for i in itertools.count():
    print(memory.store(f"the harbour of {sys.argv[2]} has berth {i}"), flush=True)
    if i % 5 == 0:
        memory.search("harbour")
"""


def test_eight_processes_share_an_encrypted_store_and_a_kill_loses_nothing(
    user: User, start_python: StartPython
) -> None:
    writers = [start_python(WRITER, user.path, RARE[0] + str(i)) for i in range(8)]
    told: list[str] = []
    for writer in writers:
        assert writer.stdout
        told += [writer.stdout.readline().strip() for _ in range(10)]
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
    for writer in writers:
        assert writer.stdout
        lines = writer.stdout.read().splitlines(keepends=True)
        told += [line.strip() for line in lines if line.endswith("\n")]
        writer.wait()

    assert user.readable() == []
    with milepost.connect(user.path) as memory:
        assert all(memory.get(name) for name in told)
        assert len(list(memory.search_iter("harbour", min_score=0))) >= len(told)
    assert user.readable() == []
    assert "ok" in user.done("storage", "check")
