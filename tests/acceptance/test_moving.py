"""A memory moves from one store to another and back, with everything that hangs on it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

import milepost
from everything import fill, told
from milepost.app import Milepost
from milepost.errors import ConfigError
from milepost.storage.moving.copying import CopiedSpace, copy_spaces
from support import PATIENCE_S, StartPython

pytestmark = pytest.mark.slow


def _take_back(memory: Milepost, names: dict[str, str]) -> dict[str, object]:
    """Undo what was done before the move; return what there is then."""
    memory.undo(hash=names["gone"])
    memory.merge_entities("Acme", "Beta")
    memory.undo_merge(int(names["merge"]))
    memory.undo_consolidation(names["run"])
    return {
        "back": memory.get(names["gone"]).content,
        "of the graph": [str(memory.neighbours(name)) for name in ("postgres", "PostgreSQL")],
        "memories": sorted(m.hash for m in memory.list_memories(limit=100)),
    }


def _quiet(_done: int, _total: int) -> None:
    """Show no progress."""


def _copy(source: str, target: str, **options: object) -> list[CopiedSpace]:
    return copy_spaces(source, target, None, progress=_quiet, **options)  # type: ignore[arg-type]


@pytest.fixture
def filled(tmp_path: Path) -> tuple[str, dict[str, str]]:
    """Return a file with something of everything in two spaces, and names in it."""
    url = str(tmp_path / "source.db")
    with milepost.connect(url) as memory, milepost.connect(url, space="team") as other:
        other.store("Nobody else knows that the cellar is damp")
        return url, fill(memory)


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Return what makes an empty store of either kind."""

    def make(backend: str) -> str:
        if backend == "postgres":
            return str(request.getfixturevalue("postgres_store_url"))
        path = str(tmp_path / "target.db")
        milepost.connect(path).close()
        return path

    return make


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
def test_everything_is_the_same_after_a_move(
    filled: tuple[str, dict[str, str]], target: Callable[[str], str], kind: str
) -> None:
    url, _ = filled
    there = target(kind)

    copied = _copy(url, there)

    assert [space.space for space in copied] == ["default", "team"]
    assert all(space.agrees for space in copied)
    empty = {part.name for part in copied[0].parts if not part.source.rows}
    unused = {"anchors", "answers", "documents", "journal", "pieces", "shown", "synced"}
    assert empty <= unused, "nothing was stored of these"
    with milepost.connect(url) as before, milepost.connect(there) as after:
        assert told(after) == told(before)
    with milepost.connect(there, space="team") as other:
        assert other.health().count == 1


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
def test_what_was_done_before_a_move_is_taken_back_after_it(
    filled: tuple[str, dict[str, str]], target: Callable[[str], str], kind: str
) -> None:
    url, names = filled
    there = target(kind)
    _copy(url, there)

    with milepost.connect(url) as before, milepost.connect(there) as after:
        assert _take_back(after, names) == _take_back(before, names)


def test_the_way_back_brings_the_same(
    filled: tuple[str, dict[str, str]], postgres_store_url: str, target: Callable[[str], str]
) -> None:
    url, _ = filled
    there = _copy(url, postgres_store_url)

    back = _copy(postgres_store_url, target("sqlite"))

    assert all(space.agrees for space in back)
    assert [[part.target for part in space.parts] for space in back] == [
        [part.source for part in space.parts] for space in there
    ]


def test_one_space_moves_into_a_store_of_others(
    filled: tuple[str, dict[str, str]], postgres_store_url: str, tmp_path: Path
) -> None:
    url, names = filled
    other = str(tmp_path / "other.db")
    with milepost.connect(other, space="crew") as memory:
        kept = memory.store("The crew drinks tea at four")
        dropped = memory.store("The crew drank coffee")
        memory.delete(dropped)
    _copy(url, postgres_store_url)

    copied = copy_spaces(postgres_store_url, other, ["default"], progress=_quiet)

    assert [(space.space, space.agrees) for space in copied] == [("default", True)]
    with milepost.connect(other, space="crew") as memory:
        assert [m.hash for m in memory.search("what does the crew drink?").memories] == [kept]
        memory.undo(hash=dropped)
        assert memory.get(dropped).content == "The crew drank coffee"
    with milepost.connect(url) as before, milepost.connect(other) as after:
        assert told(after) == told(before)
        after.undo(hash=names["gone"])
        assert after.get(names["gone"]).content.startswith("The harbour master")


def test_the_source_of_a_move_is_left_as_it_is(
    filled: tuple[str, dict[str, str]], postgres_store_url: str
) -> None:
    url, _ = filled
    files = sorted(Path(url).parent.rglob("*"))
    before = [(file, file.read_bytes()) for file in files if file.is_file()]

    _copy(url, postgres_store_url)

    files = sorted(Path(url).parent.rglob("*"))
    assert [(file, file.read_bytes()) for file in files if file.is_file()] == before


def test_a_space_that_is_there_is_kept_unless_it_is_to_be_replaced(
    filled: tuple[str, dict[str, str]], target: Callable[[str], str]
) -> None:
    url, _ = filled
    there = target("sqlite")
    with milepost.connect(there) as memory:
        known = memory.store("This was here before")
    with pytest.raises(ConfigError, match="has a space default already; --replace"):
        _copy(url, there)
    with milepost.connect(there) as memory:
        assert [m.hash for m in memory.list_memories()] == [known]

    assert all(space.agrees for space in _copy(url, there, replace=True))

    with milepost.connect(url) as before, milepost.connect(there) as after:
        assert told(after) == told(before)
        assert not after.search("what was here before?").memories


_MOVE = """
import os, sys
from milepost.storage.moving.copying import copy_spaces
from milepost.storage.moving import copying
copying._ROWS = 7
last = int(sys.argv[3])

def progress(done, total):
    if done >= last:
        os.kill(os.getpid(), 9)

copy_spaces(sys.argv[1], sys.argv[2], None, progress=progress)
"""


@pytest.mark.parametrize("kind", ["postgres", "sqlite", "postgres to sqlite"])
def test_a_move_that_was_killed_goes_on_to_the_same_end(
    filled: tuple[str, dict[str, str]],
    target: Callable[[str], str],
    kind: str,
    start_python: StartPython,
) -> None:
    url, _ = filled
    if kind == "postgres to sqlite":
        database = target("postgres")
        _copy(url, database)
        url, kind = database, "sqlite"
    there = target(kind)
    for rows in (10, 40, 80):
        killed = start_python(_MOVE, url, there, rows)
        assert killed.wait(PATIENCE_S) == -signal.SIGKILL
    other = Path(filled[0]).with_name("other.db")
    with milepost.connect(other) as memory:
        memory.store("something else")
    with pytest.raises(ConfigError, match="a part of default"):
        _copy(str(other), there)

    copied = _copy(url, there)

    assert copied[0].resumed
    assert all(space.agrees for space in copied)
    with milepost.connect(url) as before, milepost.connect(there) as after:
        assert told(after) == told(before)
