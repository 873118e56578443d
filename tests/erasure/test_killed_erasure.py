"""An erasure that is killed on the way was not begun, or is finished by whoever comes next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from everywhere import WORD, Place, copied

import milepost
from milepost.sessions import inbox
from support import PATIENCE_S

pytestmark = pytest.mark.slow

# Erases, and is killed when it first calls a function.
KILLED = """
import importlib, os, signal, sys
import milepost
module, _, name = sys.argv[2].partition(":")
owner = importlib.import_module(module)
*places, last = name.split(".")
for place in places:
    owner = getattr(owner, place)
setattr(owner, last, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
milepost.connect(sys.argv[1]).erase(matching=sys.argv[3])
"""
BEFORE = ("milepost.access.erasing:salted", "milepost.surroundings:BesideStore.begun")
AFTER = (
    "milepost.access.erasing:_finished",
    "milepost.surroundings:BesideStore.erase",
    "milepost.access.erasing:_erase_copies",
    "milepost.access.erasing:signed",
    "milepost.access.erasing:write_receipt",
)
AT_COPIES = (
    "milepost.surroundings:BesideStore.rewrite",
    "milepost.storage.sqlite.copying:copy_database",
    "milepost.storage.sqlite.backup:verify",
    "milepost.storage.sqlite.backup:settle",
)


def prepared(place: Place) -> None:
    with milepost.connect(place.url) as memory:
        memory.store_batch([f"the {WORD} has berth {i}" for i in range(30)])
        memory.store("the ferry leaves at nine")
        inbox.append(place.inbox(), "s1", {"turn": {"content": f"the {WORD} again"}})
    copied(place)


def killed(place: Place, at: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, place.url, at, WORD],
        capture_output=True,
        text=True,
        env=os.environ.copy(),
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.mark.parametrize("place", ["plain", "postgres"], indirect=True)
@pytest.mark.parametrize("at", BEFORE)
def test_killed_before_it_is_written_nothing_is_gone(at: str, place: Place) -> None:
    prepared(place)
    killed(place, at)

    with milepost.connect(place.url) as memory:
        assert memory.list_memories().total == 31
        assert memory.erasure_receipts() == []
        memory.erase(matching=WORD)
        assert len(memory.erasure_receipts()) == 1
    assert place.holding() == []


@pytest.mark.parametrize("place", ["plain", "postgres"], indirect=True)
@pytest.mark.parametrize("at", [*AFTER, *AT_COPIES])
def test_killed_after_that_it_is_finished_by_whoever_opens_the_store(at: str, place: Place) -> None:
    if place.kind == "postgres" and at in AT_COPIES:
        pytest.skip("a database has no copies here")
    prepared(place)
    killed(place, at)

    with milepost.connect(place.url) as memory:
        assert memory.search("ferry").total == 1
        if place.kind == "postgres":
            memory.erase(session="none")  # or the job, a minute later
        assert place.holding() == []
        receipt = memory.erasure_receipts()[0]
        assert receipt.rows["memories"] == 30
    assert not Path(f"{place.url}.erasing").exists()
