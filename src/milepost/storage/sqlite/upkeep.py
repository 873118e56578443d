"""Look after a database file: what it holds, whether it is whole, the space it wastes."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from milepost.errors import StoreCorrupt, StoreUnavailable
from milepost.ports import Store
from milepost.storage.index.agreement import disagreements
from milepost.storage.index.folder import IndexFolder
from milepost.storage.moving.parts import MARKER
from milepost.storage.sqlite.connection import open_untouched, our_errors, size_of
from milepost.storage.sqlite.copying import Progress, open_to_look
from milepost.storage.sqlite.file import index_of, is_in_use
from milepost.storage.sqlite.migrate import APPLICATION_ID, refuse_foreign, schema_version
from milepost.storage.sqlite.sql import migration_names, migrations, statements
from milepost.storage.sqlite.store import SqliteStore
from milepost.text.lines import counted
from milepost.text.words import ANALYSIS_VERSION
from milepost.upkeep.values import BROKEN, NOTE, OK, Check, PendingMigration, SchemaState, StoreInfo

TAGS_SHOWN = 10
PROBLEMS_SHOWN = 20
_WITH_EXPERIENCE = 4


def open_known(path: Path) -> apsw.Connection:
    """Open a store's file for upkeep; refuse what is missing or not a store."""
    if not path.is_file():
        raise StoreUnavailable(f"There is no store at {path}; the first `milepost store` makes it.")
    with our_errors(path):
        refuse_foreign(path, len(migrations()), open_to_look)
        return open_to_look(path)


def refuse_older(path: Path) -> None:
    """Raise when opening a store would bring it to a newer schema, or analyse its texts anew."""
    with our_errors(path), closing(open_untouched(path)) as connection:
        version, known = schema_version(connection), len(migrations())
        if connection.execute("PRAGMA application_id").get != APPLICATION_ID or version > known:
            return  # whoever opens it refuses it
        is_older = version < known
        if not is_older:
            analysis = connection.execute(statements()["analysis_version"]).get
            is_older = analysis != ANALYSIS_VERSION
    if is_older:
        raise StoreUnavailable(
            f"{path} was written by an older Milepost, and a dry run leaves it as it is; run "
            "`milepost health` once, which brings it up to date, and try again."
        )


def info(path: Path) -> StoreInfo:
    """Return what a store holds and how large it is."""
    sql = statements()
    with our_errors(path), closing(open_known(path)) as connection:

        def rows(name: str, *values: object) -> list[Any]:
            return connection.execute(sql[name], values).fetchall()

        connection.execute("BEGIN")
        stored, indexed = sizes(path)
        # A file of an older version is looked at as it is, before the tables are made.
        known = schema_version(connection) >= _WITH_EXPERIENCE
        episodes, patterns = rows("experience")[0] if known else (0, 0)
        count, hidden, oldest, newest = rows("counts", time.time_ns() // 1_000)[0]
        return StoreInfo(
            file=str(path),
            bytes=stored,
            free_bytes=rows("free")[0][0],
            index_bytes=indexed,
            segments=len(IndexFolder(index_of(path)).manifest().files),
            schema=schema_version(connection),
            memories=count,
            hidden=hidden,
            oldest=None if oldest is None else oldest / 1e6,
            newest=None if newest is None else newest / 1e6,
            kinds=dict(rows("kinds")),
            spaces=dict(rows("spaces")),
            tags=dict(rows("tags", TAGS_SHOWN)),
            vectors=dict(rows("vectors")),
            episodes=episodes,
            patterns=patterns,
            held=rows("held")[0][0],
            tables=dict(rows("table_sizes")),
        )


def sizes(path: Path) -> tuple[int, int]:
    """Return how large a store with its log and its index are."""
    segments = index_of(path).glob("*.segment")
    return size_of(path) + size_of(Path(f"{path}-wal")), sum(map(size_of, segments))


def check(path: Path, *, quick: bool = False) -> tuple[str, ...]:
    """Return what SQLite finds wrong with a file; a quick check does not compare its indexes."""
    statement = "PRAGMA quick_check" if quick else "PRAGMA integrity_check"
    try:
        with our_errors(path), closing(open_known(path)) as connection:
            problems = [str(row[0]) for row in connection.execute(f"{statement}({PROBLEMS_SHOWN})")]
            problems = [line for line in problems if line != "ok"]
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                problems.append(f"row {row} of {table} refers to a row of {parent} that is missing")
    except StoreCorrupt as problem:
        return (str(problem),)
    return tuple(problems[:PROBLEMS_SHOWN])


def check_index(store: SqliteStore) -> tuple[str, ...]:
    """Return how a store's index differs from the store, and make one that does again.

    Writers may go on meanwhile.
    """
    # Whatever changes from here on may be in the index already or not yet, and is left out.
    known = store.feed.latest_change()
    segments = store.index.segments()
    damage = store.index.damage() or store.index.rebuilt
    problems = [f"the index was damaged: {damage}"] if damage else []
    try:
        rows = (row for row in store.feed.rows_after(0) if row.change <= known)
        problems += disagreements(segments, rows, np.array(store.feed.known_ids(known), np.int64))
    except (ValueError, IndexError) as problem:
        problems.append(f"the index cannot be read: {problem}")
    if problems:
        store.index.rebuild(problems[0])
        store.index.segments()
        store.index.rebuilt = ""  # it is told now, and a later check finds what is wrong then
    return tuple(problems)


@contextmanager
def to_look_after(opened: Callable[[], Store]) -> Iterator[SqliteStore]:
    """Open a store whose index is looked after."""
    with closing(opened()) as store:
        assert isinstance(store, SqliteStore)
        yield store


def reindex(opened: Callable[[], Store]) -> str:
    """Make the index beside a file anew; say how much is in it."""
    with to_look_after(opened) as store:
        store.index.rebuild()
        return _told(store)


def sync(opened: Callable[[], Store]) -> str:
    """Let the index catch up with the file; say how much is in it."""
    with to_look_after(opened) as store:
        told = _told(store)
        store.forget_removals()
        return told


def _told(store: SqliteStore) -> str:
    segments = len(store.index.segments())
    return (
        f"{counted(store.index.count(), 'memory')} in {counted(segments, 'segment')} of the index"
    )


def compact(path: Path, opened: Callable[[], Store], progress: Progress) -> None:
    """Free the space that deletions left in a file, and join its index into one segment."""
    with to_look_after(opened) as store:
        progress(0, 2)
        with our_errors(path), closing(open_known(path)) as connection:
            connection.execute("VACUUM")
            with suppress(apsw.BusyError):  # somebody reads: it shrinks at a later checkpoint
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        progress(1, 2)
        store.index.join()
        store.forget_removals()
        progress(2, 2)


def schema_state(path: Path) -> SchemaState:
    """Return how many scripts a file lacks; they can run when nobody else uses it."""
    with our_errors(path), closing(open_known(path)) as connection:
        version = schema_version(connection)
    used = is_in_use(path)
    waits = (f"a process uses {path}; end those of older versions first",) if used else ()
    pending = tuple(
        PendingMigration(name, False, not used, waits) for name in migration_names()[version:]
    )
    return SchemaState(str(path), version, len(migrations()), pending)


def health(path: Path) -> Iterator[Check]:
    """Yield what was looked at of a file, and what would repair it."""
    with our_errors(path), closing(open_known(path)) as connection:
        version, known = schema_version(connection), len(migrations())
        stored, indexed = sizes(path)
        yield Check("store", OK, f"{path}, {stored / 1e6:,.1f} MB")
        yield Check("library", OK, f"SQLite {apsw.sqlite_lib_version()}")
        if version < known:
            found = f"{version} of {known} scripts were applied"
            yield Check("schema", NOTE, found, "`milepost migrate` applies the rest")
            return
        yield Check("schema", OK, str(version))
        problems = [str(row[0]) for row in connection.execute("PRAGMA quick_check(1)")]
        whole = problems == ["ok"]
        repair = "" if whole else "`milepost backup restore FILE` puts a copy in its place"
        yield Check("file", OK if whole else BROKEN, "is whole" if whole else problems[0], repair)
        segments = len(IndexFolder(index_of(path)).manifest().files)
        yield Check("index", OK, f"{counted(segments, 'segment')}, {indexed / 1e6:,.1f} MB")
        sql = statements()
        row: Any = connection.execute(sql["dead_jobs"]).fetchall()[0]
        jobs, dead = row
        finding = f"{counted(jobs, 'job')}, {dead} of them given up"
        repair = "`milepost jobs retry` has them tried again" if dead else ""
        yield Check("jobs", NOTE if dead else OK, finding, repair)
        copies = [row[0] for row in connection.execute(sql["unfinished_copies"], (MARKER,))]
        if copies:
            repair = "`milepost migrate --from … --to …` again goes on with it"
            yield Check("copies", NOTE, f"never finished: {', '.join(copies)}", repair)


def vectors_of(path: Path, model: str) -> int:
    """Count the memories that have a vector of a model."""
    with our_errors(path), closing(open_known(path)) as connection:
        return int(connection.execute(statements()["count_vectors"], (model,)).get)
