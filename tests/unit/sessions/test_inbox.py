"""What hooks leave for later is neither lost nor mixed up, whatever happens to its files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from milepost.sessions import inbox
from milepost.sessions.digest import collect

END = {"mark": "end", "session": "s"}
TURN = {"turn": {"type": "user"}, "of": {"session": "s", "space": "default"}}
DEAD = 2**22 + 1  # no process has this number


def collected(folder: Path) -> list[dict[str, Any]]:
    left: list[dict[str, Any]] = []
    collect(str(folder), lambda _, found: left.append(found))
    return left


def test_a_line_that_a_full_disk_cut_off_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "inbox"
    inbox.append(str(folder), "s", TURN)
    (file,) = folder.iterdir()
    with file.open("ab") as half:
        half.write(b'{"turn": {"type": "us')
    inbox.append(str(folder), "s", END)
    (found,) = collected(folder)
    assert found["mark"] == END
    assert TURN in found["entries"]


def test_a_word_in_what_a_tool_was_asked_is_no_mark(tmp_path: Path) -> None:
    asked = {"turn": {"type": "assistant", "input": {"mark": "end"}}}
    inbox.append(str(tmp_path / "i"), "s", asked)
    assert collected(tmp_path / "i") == []
    assert len(list((tmp_path / "i").iterdir())) == 1


def test_what_whoever_died_had_taken_is_taken_again(tmp_path: Path) -> None:
    inbox.append(str(tmp_path), "s", END)
    (file,) = tmp_path.glob("*.jsonl")
    file.rename(f"{file}.{DEAD}-1.taken")
    assert len(collected(tmp_path)) == 1
    assert collected(tmp_path) == []


def test_what_cannot_be_passed_on_is_found_again(tmp_path: Path) -> None:
    def full(_: str, __: dict[str, Any]) -> None:
        raise OSError("full")

    inbox.append(str(tmp_path), "s", END)
    with pytest.raises(OSError, match="full"):
        collect(str(tmp_path), full)
    assert len(collected(tmp_path)) == 1


def test_a_session_that_fell_silent_is_read_as_one_that_ended(tmp_path: Path) -> None:
    inbox.append(str(tmp_path), "s", TURN)
    assert collected(tmp_path) == []
    (file,) = tmp_path.iterdir()
    long_ago = time.time() - 200_000
    os.utime(file, (long_ago, long_ago))
    (found,) = collected(tmp_path)
    assert found["mark"] == {"mark": "end", "session": "s", "space": "default"}


def test_sessions_with_long_names_have_files_of_their_own(tmp_path: Path) -> None:
    for last in "ab":
        inbox.append(str(tmp_path), "x" * 150 + last, END)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_leads_elsewhere_is_not_written_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "inbox").symlink_to(other)
    with pytest.raises(PermissionError):
        inbox.append(str(tmp_path / "inbox"), "s", END)
    assert list(other.iterdir()) == []


def test_a_file_that_leads_elsewhere_is_not_written_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "s.jsonl").symlink_to(other)
    with pytest.raises(OSError, match=r"s\.jsonl"):
        inbox.append(str(tmp_path / "inbox"), "s", END)
    assert other.read_text() == "mine"


@pytest.mark.skipif(os.name != "posix", reason="needs pipes that are files")
def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.jsonl")
    assert collected(tmp_path) == []
    assert inbox.tail(str(tmp_path / "s.jsonl"), 100) == []
    with pytest.raises(OSError, match=r"s\.jsonl"):
        inbox.append(str(tmp_path), "s", END)


@pytest.mark.parametrize("strange", ["/dev/zero", "/", "a\0b", "\ud800", "/proc/self/mem"])
def test_what_is_no_plain_file_has_no_last_lines(strange: str) -> None:
    assert inbox.tail(strange, 1_000) in ([], [""])
