"""Many memories at once from a file or a pipe: with progress, and never half a transaction."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command_line import command, done, milepost, on_terminal, refused

import milepost as memory
from milepost.surfaces.cli.operation_commands import LINES_MAX
from support import PATIENCE_S

pytestmark = pytest.mark.usefixtures("default_memory")


def count() -> int:
    return memory.health().count


def test_lines_of_a_file_are_stored_in_order(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_bytes(
        '\ufeffone\r\n\r\n  \n{"content": "two", "tags": ["t"]}\n"three"\nfour\u2028five'.encode()
    )

    names = done("store-batch", "zero", "--file", file).splitlines()

    contents = [memory.get(name).content for name in names]
    assert contents == ["zero", "one", "two", '"three"', "four\u2028five"]
    assert memory.get(names[2]).tags == ("t",)


def test_more_than_a_batch_is_stored_batch_by_batch(tmp_path: Path) -> None:
    lines = [f"harbour {i}" for i in range(2 * LINES_MAX + 10)]

    names = done("store-batch", "-", given="\n".join(lines)).splitlines()

    assert len(names) == len(lines) == count()
    assert memory.get(names[LINES_MAX]).content == f"harbour {LINES_MAX}"


def test_a_bad_line_stores_nothing_of_its_batch() -> None:
    good = [f"harbour {i}" for i in range(LINES_MAX)]

    assert "items is not JSON" in refused("store-batch", "-", given="one\n{broken\n")
    assert count() == 0
    told = refused("store-batch", "-", given="\n".join([*good, "one", '{"content": " "}']))
    assert "content is empty" in told
    assert f"The {LINES_MAX:,} before were stored." in told
    assert count() == LINES_MAX


def test_input_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")

    assert "not UTF-8" in refused("store-batch", "--file", tmp_path / "latin.txt")
    assert "Cannot read" in refused("store-batch", "--file", tmp_path / "none.txt")
    assert "Cannot read" in refused("store-batch", "--file", tmp_path)
    assert milepost("store-batch").code == 2
    assert done("store-batch", "-", given="\n\n") == ""
    assert count() == 0


def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("\n".join(f"harbour {i}" for i in range(LINES_MAX + 1)))

    seen = on_terminal("store-batch", "--file", file)

    assert f"store-batch {LINES_MAX:,}" in seen
    assert "\r\x1b[K" in seen
    assert "%]" in on_terminal("backup", "create").replace("] 100%", "%]")
    assert milepost("store-batch", "--file", file).err == ""
    assert "\x1b" not in on_terminal("backup", "create", NO_COLOR="1")


def test_an_interrupt_leaves_whole_transactions(path: Path) -> None:
    for fed in (10, LINES_MAX + LINES_MAX // 2):
        with subprocess.Popen(
            command("store-batch", "-"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdin
            assert process.stderr
            before = count()
            lines = "".join(f"fed {fed} harbour {i}\n" for i in range(fed))
            os.write(process.stdin.fileno(), lines.encode()[:60_000])
            _wait_until_reading(process)
            process.send_signal(signal.SIGINT)
            process.stdin.close()
            err = process.stderr.read().decode()
            assert process.wait(PATIENCE_S) == 130
        assert err.startswith("milepost: interrupted")
        assert "Traceback" not in err
        assert (count() - before) % LINES_MAX == 0
    assert milepost("storage", "check").code == 0


def _wait_until_reading(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process sleeps in a read of its standard input, which has no more for it."""
    state = Path(f"/proc/{process.pid}")
    while process.poll() is None:
        call = (state / "syscall").read_text().split()
        if call[0] == "0" and int(call[1], 16) == 0:
            return
        time.sleep(0.01)  # how often to look, not how long it takes


def test_an_interrupt_while_writing_rolls_back(path: Path) -> None:
    script = f"""
import signal, sys, threading
from milepost.storage.tables.memories import MemoryTable
from milepost.surfaces.cli import main
inserted = MemoryTable._insert
def interrupted(self, draft, vectors):
    if draft.content == "harbour {LINES_MAX + 500}":
        signal.raise_signal(signal.SIGINT)
    return inserted(self, draft, vectors)
MemoryTable._insert = interrupted
sys.exit(main(["store-batch", "-"]))
"""
    lines = "".join(f"harbour {i}\n" for i in range(2 * LINES_MAX))
    ended = subprocess.run(
        [command()[0], "-c", script],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert ended.returncode == 130
    assert ended.stderr == f"milepost: interrupted; {LINES_MAX:,} were stored\n"
    assert count() == LINES_MAX
