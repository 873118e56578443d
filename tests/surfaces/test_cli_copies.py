"""Every copy of a store is listed and can be removed, and killed ones leave nothing for long."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from command_line import done, milepost, run

import milepost as memory
from support import Running, StartPython

pytestmark = pytest.mark.usefixtures("default_memory")

DAY_S = 86_400
# Makes a copy, and waits in the middle of it.
COPYING = """
import sys
from pathlib import Path
from milepost.storage.sqlite import backup

def progress(done, total):
    print("copying", flush=True)
    sys.stdin.readline()

path, target = map(Path, sys.argv[2:4])
getattr(backup, sys.argv[1])(path, target, progress)
"""


@pytest.fixture(autouse=True)
def filled(path: Path) -> None:
    with memory.connect(path) as opened:
        opened.store_batch([f"harbour {i}" for i in range(50)])


def copying(start_python: StartPython, *words: object) -> Running:
    process = start_python(COPYING, *words)
    assert process.stdout
    assert process.stdout.readline() == "copying\n", process.stderr and process.stderr.read()
    return process


def killed(process: Running) -> None:
    process.kill()
    process.wait()


def unfinished(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.rglob("*") if ".tmp" in file.name)


def listed() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = milepost("backup", "list", "--json").data
    return rows


def kinds() -> list[object]:
    return [row["kind"] for row in listed()]


def aged(file: Path, days: float) -> Path:
    at = time.time() - days * DAY_S
    os.utime(file, (at, at))
    return file


def backup(days: float = 0.0) -> Path:
    return aged(Path(done("backup", "create").splitlines()[0]), days)


def test_what_a_killed_backup_left_goes_when_the_store_is_opened(
    path: Path, start_python: StartPython
) -> None:
    process = copying(start_python, "back_up", path, path.parent / "backups/m-20260101-000000.db")
    killed(process)
    assert len(unfinished(path)) == 1
    assert kinds() == ["leftover"]

    memory.search("harbour")

    assert unfinished(path) == []


def test_what_a_killed_backup_left_elsewhere_goes_with_the_next_one_there(
    path: Path, tmp_path: Path, start_python: StartPython
) -> None:
    target = tmp_path / "elsewhere" / "mine.db"
    killed(copying(start_python, "back_up", path, target))
    assert len(list(target.parent.iterdir())) == 1

    done("backup", "create", target)

    assert list(target.parent.iterdir()) == [target]


def test_what_a_killed_restore_left_goes_when_the_store_is_opened(
    path: Path, start_python: StartPython
) -> None:
    copy = backup()
    killed(copying(start_python, "restore", path, copy))
    assert unfinished(path)

    memory.search("harbour")

    assert unfinished(path) == []
    assert kinds() == ["backup"]


def test_what_an_older_version_left_of_a_migration_goes_after_a_day(path: Path) -> None:
    left = path.parent / "m.db.v3.backup.tmp"
    left.write_bytes(b"half a copy")
    with memory.connect(path) as opened:
        opened.search("harbour")
    assert left.exists()

    aged(left, 2)
    with memory.connect(path) as opened:
        opened.search("harbour")

    assert not left.exists()


def test_a_copy_that_is_being_made_is_left_alone(path: Path, start_python: StartPython) -> None:
    target = path.parent / "backups/m-20260101-000000.db"
    process = copying(start_python, "back_up", path, target)

    memory.search("harbour")
    assert done("backup", "prune", "--keep", "0", "--yes") == "nothing to remove"
    assert len(unfinished(path)) == 1
    _, err = process.communicate("\n" * 10)

    assert process.returncode == 0, err
    assert "50 memories" in done("backup", "verify", target)


def test_files_of_others_are_left_alone(path: Path) -> None:
    names = (
        "m.db.tmp", "m.db.1.tmp.bak", "m.db.x1.tmp", "other.db.999999999.tmp", "m.db.backup.tmp",
    )  # fmt: skip
    for name in names:
        (path.parent / name).write_bytes(b"x")
        aged(path.parent / name, 9)

    memory.search("harbour")

    assert all((path.parent / name).exists() for name in names)


def test_every_kind_of_copy_is_listed_with_what_it_holds(path: Path) -> None:
    copy = backup()
    shutil.copy(path, f"{path}.v3.backup")
    done("store", "one more")
    done("backup", "restore", copy)
    (path.parent / "m.db.999999999.tmp").write_bytes(b"half a copy")

    found = {row["kind"]: row for row in listed()}

    assert {kind: row["memories"] for kind, row in found.items()} == {
        "backup": 50, "migration": 50, "replaced": 51, "leftover": None,
    }  # fmt: skip
    assert found["backup"]["file"] == str(copy)
    assert found["leftover"]["bytes"] == 11
    shown = done("backup", "list")
    assert "stays in copies" in shown
    assert all(str(row["file"]) in shown for row in found.values())


def test_names_that_are_patterns_are_taken_as_they_are(tmp_path: Path) -> None:
    url = ("--url", tmp_path / "m[1]*.db")
    done("store", "a fact", *url)
    done("backup", "create", *url)
    shutil.copy(url[1], f"{url[1]}.v2.backup")

    found = milepost("backup", "list", "--json", *url).data

    assert sorted(row["kind"] for row in found) == ["backup", "migration"]


def test_the_oldest_copies_are_removed(path: Path) -> None:
    copies = [backup(days) for days in (40, 30, 20, 10)]
    upgraded = aged(Path(shutil.copy(path, f"{path}.v3.backup")), 100)

    assert f"would remove {copies[0]}" in done("backup", "prune", "--keep", "3", "--dry-run")
    assert len(kinds()) == 5
    done("backup", "prune", "--kind", "backup", "--keep", "3", "--yes")
    assert [c.exists() for c in copies] == [False, True, True, True]
    done("backup", "prune", "--keep", "1", "--older-than", "25d", "--yes")
    assert [c.exists() for c in copies] == [False, False, True, True]
    assert not upgraded.exists()
    assert done("backup", "prune", "--older-than", "8w", "--yes") == "nothing to remove"


def test_removing_is_asked_for_and_must_be_told_what() -> None:
    copy = backup()

    assert "nobody can be asked" in run("backup", "prune", "--keep", "0").stderr
    assert "--keep 3" in milepost("backup", "prune", "--yes").err
    assert "such as 30d" in milepost("backup", "prune", "--older-than", "soon").err
    assert "0 or more" in milepost("backup", "prune", "--keep", "-1").err
    assert copy.exists()


def test_what_an_earlier_process_of_the_same_number_left_is_removed(path: Path) -> None:
    left = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    making = path.with_name(f"{path.name}.before-restore.{os.getpid()}.tmp")
    for file in (left, making):
        file.touch()
    os.utime(left, (1, 1))

    memory.connect(path).store("harbour")

    assert not left.exists()
    assert making.exists()
