"""Older files are brought up to date after a backup; newer ones are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

import milepost
from milepost.config import Settings
from milepost.memory.values import Analysis, Filter, Indexed
from milepost.opening import open_context
from milepost.storage.sqlite.sql import migrations
from milepost.storage.sqlite.store import SqliteStore

MOOD = "ALTER TABLE memories ADD COLUMN mood TEXT DEFAULT 'calm'; CREATE TABLE extra (a)"
BROKEN = "ALTER TABLE memories ADD COLUMN mood TEXT; INSERT INTO nowhere VALUES (1)"


@contextmanager
def opened(path: Path, extra: Sequence[str] = ()) -> Iterator[SqliteStore]:
    """Open a store as a version would that knows more migrations than this one."""
    texts = open_context(Settings("memory://")).texts

    def analyse(memory: Indexed) -> Analysis:
        return texts.analyse([memory])[0]

    store = SqliteStore(path, analyse, scripts=[*migrations(), *extra])
    try:
        yield store
    finally:
        store.close()


def query(path: Path, statement: str) -> list[object]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [value for row in connection.execute(statement) for value in row]
    finally:
        connection.close()


def backups(path: Path) -> list[Path]:
    return sorted(file for file in path.parent.iterdir() if "backup" in file.name)


@pytest.fixture
def filled(path: Path) -> Path:
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour {i}" for i in range(20)])
    return path


def test_an_older_file_is_migrated_after_a_backup_copy(filled: Path) -> None:
    version = query(filled, "PRAGMA user_version")[0]

    with opened(filled, [MOOD]) as store:
        assert store.memories.count(Filter("default", 1 << 62)) == 20

    assert query(filled, "SELECT DISTINCT mood FROM memories") == ["calm"]
    assert query(filled, "PRAGMA user_version") == [version + 1]
    (backup,) = backups(filled)
    assert query(backup, "PRAGMA user_version") == [version]
    assert query(backup, "SELECT count(*) FROM memories") == [20]
    assert query(backup, "PRAGMA integrity_check") == ["ok"]
    with milepost.connect(backup) as memory:
        assert memory.health().count == 20
        assert memory.search("harbour 7").memories


def test_several_migrations_are_applied_in_order(filled: Path) -> None:
    with opened(filled, [MOOD, "INSERT INTO extra VALUES (1)", "UPDATE extra SET a = a + 1"]):
        pass

    assert query(filled, "SELECT a FROM extra") == [2]


def test_a_migrated_file_is_not_backed_up_again(filled: Path) -> None:
    for _ in range(2):
        with opened(filled, [MOOD]):
            pass

    assert len(backups(filled)) == 1


def test_a_new_file_needs_no_backup(path: Path) -> None:
    with opened(path, [MOOD]):
        pass

    assert backups(path) == []


def test_the_backup_is_as_private_as_the_store(filled: Path) -> None:
    with opened(filled, [MOOD]):
        pass

    (backup,) = backups(filled)
    assert backup.stat().st_mode & 0o077 == 0


def test_a_failing_migration_leaves_the_file_as_it_was(filled: Path) -> None:
    before = query(filled, "SELECT sql FROM sqlite_schema ORDER BY name")
    version = query(filled, "PRAGMA user_version")

    for scripts in ([BROKEN], [MOOD, BROKEN]):
        with pytest.raises(milepost.StoreError) as caught, opened(filled, scripts):
            pass
        assert str(filled) in str(caught.value)

    assert query(filled, "SELECT sql FROM sqlite_schema ORDER BY name") == before
    assert query(filled, "PRAGMA user_version") == version
    with milepost.connect(filled) as memory:
        assert memory.health().count == 20
        memory.store("it still works")


def test_a_backup_is_of_the_file_as_it_is_before_the_migration_that_succeeds(
    filled: Path,
) -> None:
    with pytest.raises(milepost.StoreError), opened(filled, [BROKEN]):
        pass
    with milepost.connect(filled) as memory:
        memory.store("stored between the two attempts")

    with opened(filled, [MOOD]):
        pass

    counts = [query(backup, "SELECT count(*) FROM memories")[0] for backup in backups(filled)]
    assert max(counts) == 21


def test_a_backup_holds_what_is_still_in_the_log(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour {i}" for i in range(5)])
        assert Path(f"{path}-wal").stat().st_size > 0
        with opened(path, [MOOD]):
            pass

    (backup,) = backups(path)
    assert query(backup, "SELECT count(*) FROM memories") == [5]


def test_a_file_newer_than_the_code_is_refused(filled: Path) -> None:
    with opened(filled, [MOOD]):
        pass
    before = filled.read_bytes()

    with pytest.raises(milepost.StoreTooNew, match="newer"):
        milepost.connect(filled)

    assert filled.read_bytes() == before
