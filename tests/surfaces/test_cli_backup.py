"""`milepost backup` makes whole copies while others write, and puts one back without losing any."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import apsw
import pytest
from command_line import command, done, milepost, refused, run

import milepost as memory

pytestmark = pytest.mark.usefixtures("default_memory")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store of 1,000 memories, and their names."""
    place = tmp_path_factory.mktemp("template") / "m.db"
    with memory.connect(place) as opened:
        return place, opened.store_batch([f"harbour {i}" for i in range(1_000)])


@pytest.fixture
def filled(path: Path, template: tuple[Path, list[str]]) -> list[str]:
    """A copy of the template as the test's own store; gives the names."""
    shutil.copytree(template[0].parent, path.parent, dirs_exist_ok=True)
    return template[1]


def count(url: object) -> int:
    return int(milepost("health", "--json", "--url", url).data["count"])


def beside(path: Path) -> set[str]:
    """The files in the store's folder that are not the store's own."""
    return {
        str(file.relative_to(path.parent))
        for file in path.parent.rglob("*")
        if file.is_file() and not file.name.startswith("m.db-") and ".index" not in str(file)
    } - {"m.db"}


def test_a_copy_is_whole_private_and_listed(filled: list[str], path: Path) -> None:
    made = milepost("backup", "create", "--json").data
    copy = Path(made["file"])

    assert copy.parent == path.parent / "backups"
    assert made["memories"] == 1_000
    assert (copy.stat().st_mode & 0o777, copy.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [row["file"] for row in milepost("backup", "list", "--json").data] == [str(copy)]
    assert str(copy) in done("backup", "list")
    assert "1,000 memories" in done("backup", "verify", copy)
    assert list(copy.parent.iterdir()) == [copy]
    assert count(copy) == 1_000


def test_a_copy_goes_where_it_is_told_and_never_over_another_file(
    filled: list[str], tmp_path: Path
) -> None:
    done("backup", "create", tmp_path / "mine.db")
    (tmp_path / "folder").mkdir()
    done("backup", "create", tmp_path / "folder")

    assert "exists already" in refused("backup", "create", tmp_path / "mine.db")
    assert len(list((tmp_path / "folder").iterdir())) == 1
    assert "Cannot write" in refused("backup", "create", "/proc/nowhere/b.db")


def test_two_copies_within_a_second_have_two_names(filled: list[str]) -> None:
    names = {done("backup", "create").splitlines()[0] for _ in range(3)}

    assert len(names) == 3
    assert len(milepost("backup", "list", "--json").data) == 3


def test_a_dry_run_copies_nothing(filled: list[str], path: Path) -> None:
    assert "would copy 1,000 memories" in done("backup", "create", "--dry-run")
    assert beside(path) == set()
    assert "no copies yet" in done("backup", "list")


def test_a_copy_made_while_others_write_is_one_moment(filled: list[str], path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with memory.connect(path) as other:
            number = 0
            while not stop.is_set():
                number += 1
                other.store_batch([f"pair {number} {half}" for half in "ab"])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = [done("backup", "create").splitlines()[0] for _ in range(4)]
    finally:
        stop.set()
        writer.join()

    for copy in copies:
        done("backup", "verify", copy)
        assert (count(copy) - 1_000) % 2 == 0  # a pair is one transaction


def test_a_store_comes_back_as_it_was(filled: list[str], path: Path) -> None:
    copy = done("backup", "create").splitlines()[0]
    done("delete-batch", *filled[:500])
    later = done("store", "written after the copy")
    assert filled[7] not in done("search", "harbour 7")

    told = milepost("backup", "restore", copy, "--json").data

    assert told["memories"] == 1_000
    assert told["kept"] == f"{path}.before-restore"
    assert done("search", "harbour 7", "--limit", "1").startswith(filled[7])
    assert "No memory has" in refused("get", later)
    assert count(told["kept"]) == 501
    assert done("get", later, "--url", told["kept"])
    assert Path(told["kept"]).stat().st_mode & 0o777 == 0o600
    assert milepost("storage", "check").code == 0


def test_a_second_restore_keeps_both_that_it_replaced(filled: list[str], path: Path) -> None:
    copy = done("backup", "create").splitlines()[0]

    done("backup", "restore", copy)
    done("store", "between")
    done("backup", "restore", copy)

    assert count(f"{path}.before-restore") == 1_000
    assert count(f"{path}.before-restore-2") == 1_001


def test_restoring_is_only_described_in_a_dry_run(filled: list[str], path: Path) -> None:
    copy = done("backup", "create").splitlines()[0]
    done("store", "another")

    shown = done("backup", "restore", copy, "--dry-run")

    assert "would put the 1,000 memories" in shown
    assert f"{path}.before-restore" in shown
    assert count(path) == 1_001


def test_a_store_in_use_is_not_replaced(filled: list[str], path: Path) -> None:
    copy = done("backup", "create").splitlines()[0]
    before = beside(path)
    script = "import milepost, sys; milepost.search('x'); print('open', flush=True); input()"
    with subprocess.Popen(
        [command()[0], "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "open\n"

        assert "is in use" in refused("backup", "restore", copy)
        # Nor when SQLite can no longer read it.
        kept = path.read_bytes()
        path.write_bytes(b"\0" * 100 + kept[100:])
        assert "is in use" in refused("backup", "restore", copy)
        path.write_bytes(kept)
        other.communicate("\n")

    assert beside(path) == before
    done("backup", "restore", copy)


@pytest.mark.parametrize("damage", ["overwritten", "cut", "empty", "missing"])
def test_a_damaged_store_is_replaced_and_kept(filled: list[str], path: Path, damage: str) -> None:
    copy = done("backup", "create").splitlines()[0]
    if damage == "missing":
        path.unlink()
    else:
        whole = path.read_bytes()
        broken = {"overwritten": b"garbage " * 9_000, "cut": whole[:50_001], "empty": b""}
        path.write_bytes(broken[damage])
        Path(f"{path}-wal").write_bytes(b"a log of something else")

    told = milepost("backup", "restore", copy, "--json")

    assert told.code == 0, told.err
    assert milepost("storage", "check").code == 0
    assert count(path) == 1_000
    if damage == "overwritten":
        assert Path(told.data["kept"]).read_bytes() == b"garbage " * 9_000


def test_what_is_no_whole_copy_is_refused(filled: list[str], path: Path, tmp_path: Path) -> None:
    copy = Path(done("backup", "create").splitlines()[0])
    cut, foreign, empty = tmp_path / "cut.db", tmp_path / "foreign.db", tmp_path / "empty.db"
    cut.write_bytes(copy.read_bytes()[:100_000])
    empty.write_bytes(b"")
    connection = apsw.Connection(str(foreign))
    connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    connection.close()

    for file in (cut, foreign, empty, tmp_path / "none.db", tmp_path):
        refused("backup", "verify", file)
        refused("backup", "restore", file)
    assert "the store itself" in refused("backup", "restore", path)
    assert count(path) == 1_000
    assert not Path(f"{path}.before-restore").exists()


def test_a_copy_of_a_newer_version_is_refused(filled: list[str], path: Path) -> None:
    copy = done("backup", "create").splitlines()[0]
    connection = apsw.Connection(copy)
    connection.execute("PRAGMA user_version = 999")
    connection.close()

    assert "newer Milepost" in refused("backup", "restore", copy)


@pytest.mark.parametrize("room", [10_000, 300_000])
def test_a_full_disk_leaves_nothing_behind(filled: list[str], path: Path, room: int) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    copy = done("backup", "create").splitlines()[0]
    before = beside(path)

    for words in (["create", path.parent / "b.db"], ["restore", copy]):
        ended = run("backup", *words, preexec_fn=small_files)
        assert ended.returncode == 1
        assert ended.stderr.startswith("milepost: Cannot ")
        assert len(ended.stderr.splitlines()) == 1

    assert beside(path) == before
    assert count(path) == 1_000


def test_an_interrupted_copy_leaves_nothing_behind(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("a fact")
    before = beside(path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("milepost.surfaces.cli.terminal.Progress.__call__", interrupt)
    outcome = milepost("backup", "create")

    assert outcome.code == 130
    assert beside(path) == before


def test_copies_that_upgrades_left_are_listed(filled: list[str], path: Path) -> None:
    shutil.copy(path, f"{path}.v1.backup")
    Path(f"{path}.before-restore-3").write_bytes(b"")
    (path.parent / "other.db").write_bytes(b"")

    files = {Path(row["file"]).name for row in milepost("backup", "list", "--json").data}

    assert files == {"m.db.v1.backup", "m.db.before-restore-3"}
