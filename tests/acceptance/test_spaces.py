"""Spaces are on several stores by a map, and one moves to another store while it is used."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import psycopg
import pytest

import milepost
from milepost.app import Milepost, Operations
from milepost.errors import ConfigError, SpaceMoved, StoreBusy, StoreUnavailable
from milepost.experience.episodes import RecordEpisodes
from milepost.opening import Opening, settings_for
from milepost.placing import MOVED_S, SpacesFile
from milepost.registry import operations_of
from milepost.storage.moving.following import READERS_S, Move, Moved
from milepost.storage.moving.neutral import Digest, digest_of
from milepost.storage.moving.parts import NUMBERS, PARTS, Part
from milepost.storage.moving.sides import Marker, Numbers, Target, open_reader
from milepost.storage.moving.sqlite.leaving import SqliteSource
from support import PATIENCE_S, Running, StartPython, wait_until

AWAY = "postgresql://milepost@127.0.0.1:1/none?connect_timeout=1"


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store of spaces that the map does not name; the map is beside the settings."""
    url = str(tmp_path / "usual.db")
    monkeypatch.setenv("MILEPOST_CONFIG", str(tmp_path / "milepost.toml"))
    monkeypatch.setenv("MILEPOST_URL", url)
    return url


@pytest.fixture
def spaces(usual: str, tmp_path: Path) -> SpacesFile:
    """The map."""
    return SpacesFile(str(tmp_path / "spaces.toml"), usual)


def _write(spaces: SpacesFile, *lines: str) -> None:
    Path(spaces.path).write_text("\n".join(lines))


def _quiet(_done: int, _total: int) -> None:
    """Show no progress."""


def _move(
    spaces: SpacesFile, space: str, target: str, progress: Callable[[int, int], None] = _quiet
) -> Moved:
    source = spaces.read().url_of(space)
    return Move(space, source, target, lambda: spaces.place(space, target), progress).run()


def _contents(memory: Milepost) -> list[str]:
    return sorted(m.content for m in memory.list_memories(limit=1000))


def test_names_come_before_patterns_and_every_space_last(spaces: SpacesFile) -> None:
    _write(spaces, '"*" = "rest.db"', '"team-*" = "teams.db"', '"team-a" = "a.db"')

    names = ("team-a", "team-b", "other")

    urls = [Path(spaces.read().url_of(name)) for name in names]
    folder = Path(spaces.path).parent
    assert urls == [folder / "a.db", folder / "teams.db", folder / "rest.db"]
    _write(spaces, '"team-*" = "teams.db"')
    assert spaces.read().url_of("other") == spaces.read().usual


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['"a" = "a.db"', "team-* = b.db"], "line 2"),
        (["# teams", '"team-*" = 5'], "line 2: 'team-*' must name a store"),
        (['"a" = "http://host:8765"'], "line 1: a space is placed on a file or on postgresql"),
        (["", '"a" = "postgresql://u:${NO_SUCH}@host/db"'], "line 2: neither NO_SUCH nor"),
        (['"a" = "file:/no/such/file"'], "line 1: the address cannot be read from /no/such/file"),
    ],
)
def test_what_is_wrong_in_the_map_is_told_with_its_line(
    spaces: SpacesFile, lines: list[str], said: str
) -> None:
    _write(spaces, *lines)

    with pytest.raises(ConfigError) as refused:
        spaces.read()

    assert said in str(refused.value)


def test_passwords_come_from_variables_and_files(
    spaces: SpacesFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("from-a-file\n")
    (tmp_path / "address").write_text("postgresql://u:whole@host/db\n")
    monkeypatch.setenv("TEAM_PASSWORD", "from-a-variable")
    monkeypatch.setenv("OTHER_PASSWORD_FILE", str(tmp_path / "secret"))
    _write(
        spaces,
        '"a" = "postgresql://u:${TEAM_PASSWORD}@host/db"',
        '"b" = "postgresql://u:${OTHER_PASSWORD}@host/db"',
        f'"c" = "file:{tmp_path}/address"',
    )

    urls = [spaces.read().url_of(name) for name in "abc"]

    given = ("from-a-variable", "from-a-file", "whole")
    assert urls == [f"postgresql://u:{word}@host/db" for word in given]


@pytest.mark.slow
def test_a_space_is_found_on_its_store_and_on_no_other(
    spaces: SpacesFile, usual: str, postgres_store_url: str
) -> None:
    _write(spaces, f'"team-*" = "{postgres_store_url}"')
    with milepost.connect(usual) as memory:
        team = memory.within("team-a")
        memory.store("The harbour is closed in winter")
        team.store("The harbour of the team is open")

        assert [m.content for m in team.search("harbour").memories] == [
            "The harbour of the team is open"
        ]
        assert (memory.health().backend, team.health().backend) == ("sqlite", "postgres")

    with milepost.connect(postgres_store_url, space="team-a") as alone:
        assert _contents(alone) == ["The harbour of the team is open"]
    with milepost.connect(usual, space="team-a") as placed:
        assert _contents(placed) == ["The harbour of the team is open"]


def test_work_that_was_put_off_is_done_in_every_store(
    spaces: SpacesFile, usual: str, tmp_path: Path
) -> None:
    _write(spaces, f'"team" = "{tmp_path}/team.db"')
    with milepost.connect(usual) as memory:
        for each in (memory, memory.within("team")):
            each.worker.close()
            name = each.create_episode("mend the login test", {}, "test")
            each.complete_episode(name, "success", "the clock was frozen")

        assert memory.run_jobs() == 2
        assert memory.run_jobs() == 0


def test_a_map_that_changes_is_followed_without_a_restart(
    spaces: SpacesFile, usual: str, tmp_path: Path
) -> None:
    with milepost.connect(usual) as memory:
        memory.within("team").store("Before")
        _write(spaces, f'"team" = "{tmp_path}/team.db"')
        memory.within("team").store("After")

        assert _contents(memory.within("team")) == ["After"]

        _write(spaces, '"team" = ')
        assert _contents(memory.within("team")) == ["After"], "a broken map is not followed"
        assert "spaces.toml cannot be read" in str(memory.health())


def test_a_store_that_is_away_takes_no_other_down(
    spaces: SpacesFile, usual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("milepost.storage.postgres.connections.POOL_WAIT_S", 1.0)
    _write(spaces, f'"far" = "{AWAY}"', f'"team" = "{tmp_path}/team.db"')
    with milepost.connect(usual) as memory:
        memory.within("team").store("The harbour is open")

        with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:1"):
            memory.within("far").store("This has nowhere to go")
        assert _contents(memory.within("team")) == ["The harbour is open"]
        health = memory.within("team").health()
        assert health.status == "degraded"
        assert "a store is away" in str(health)

    _write(spaces, f'"default" = "{AWAY}"')
    memory = Milepost(Opening(lambda: settings_for(usual)))
    memory.within("team").store("The harbour is closed")
    with pytest.raises(StoreUnavailable):
        memory.store("Nor has this")
    memory.close()


class Users:
    """Threads that write to a space and read it until they are stopped."""

    def __init__(self, memory: Milepost) -> None:
        self._memory = memory
        self._stopping = threading.Event()
        self.stored: list[str] = []
        self.problems: list[BaseException] = []

    def write(self, name: int) -> None:
        """Store one text after the other; what is refused for the moment is sent again."""
        number = 0
        while not self._stopping.is_set():
            number += 1
            text = f"Note {number} of writer {name}: berth {number * 7 + name} is taken"
            while True:
                try:
                    self._memory.store(text)
                    break
                except StoreBusy:
                    if self._stopping.is_set():
                        return
            self.stored.append(text)
            self._stopping.wait(0.05)  # so that there are less than a list shows

    def read(self, _name: int) -> None:
        """See that what was stored is found, and that nothing fails."""
        while not self._stopping.is_set():
            known = self.stored[-1:]
            try:
                found = set(_contents(self._memory))
                self._memory.search("which berth is taken?")
            except SpaceMoved:  # until the move goes on that was killed
                continue
            assert set(known) <= found, "what was stored is not there"

    def _edge(self, task: Callable[[int], None], name: int) -> None:
        try:
            task(name)
        except BaseException as problem:  # noqa: BLE001 -- told by whoever waits
            self.problems.append(problem)
            self._stopping.set()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let two write and two read meanwhile."""
        tasks = [(self.write, 1), (self.write, 2), (self.read, 1), (self.read, 2)]
        threads = [threading.Thread(target=self._edge, args=task) for task in tasks]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: len(self.stored) >= 10 or bool(self.problems))
            yield
            more = len(self.stored) + 10
            wait_until(lambda: len(self.stored) >= more or bool(self.problems))
        finally:
            self._stopping.set()
            for thread in threads:
                thread.join(PATIENCE_S)
        assert self.problems == []


@pytest.mark.slow
@pytest.mark.parametrize("way", ["to postgres", "to sqlite", "there and back"])
def test_a_space_moves_while_it_is_written_and_read(
    spaces: SpacesFile, usual: str, tmp_path: Path, postgres_store_url: str, way: str
) -> None:
    other = str(tmp_path / "other.db")
    milepost.connect(other).close()
    targets = {
        "to postgres": [postgres_store_url],
        "to sqlite": [other],
        "there and back": [postgres_store_url, usual, postgres_store_url],
    }[way]
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        memory.store("The others are not moved")
        users = Users(team)
        with users.at_work():
            for target in targets:
                _move(spaces, "team", target)

        assert _contents(team) == sorted(users.stored), "nothing is lost, nothing is doubled"
        assert _contents(memory) == ["The others are not moved"]
        found = team.search(users.stored[-1]).memories
        assert found[0].content == users.stored[-1]
    with milepost.connect(targets[-1], space="team") as alone:
        assert _contents(alone) == sorted(users.stored)


@pytest.mark.slow
def test_what_comes_during_a_move_fits_in_though_the_space_came_back_before(
    spaces: SpacesFile, usual: str, postgres_store_url: str
) -> None:
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        team.store("Berth 1 is taken")
        for target in (postgres_store_url, usual):
            _move(spaces, "team", target)
        more = [f"Berth {number} is taken" for number in range(2, 50)]

        def meanwhile(_done: int, _total: int) -> None:
            if more:
                team.store(more.pop())

        for target in (postgres_store_url, usual):
            more.append(f"The move to {target.partition(':')[0]} has begun")
            _move(spaces, "team", target, meanwhile)

        assert len(_contents(team)) + len(more) == 51


def test_writers_wait_for_what_was_touched_and_not_for_all_that_is_there(
    spaces: SpacesFile, usual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    read_all, find = SqliteSource.rows, SqliteSource.find

    def rows(self: SqliteSource, part: Part) -> Iterator[list[object]]:
        compared.append(f"all {part.name}")
        return read_all(self, part)

    def found(self: SqliteSource, part: Part, keys: list[tuple[object, ...]]) -> list[list[object]]:
        compared.extend([part.name] * len(set(keys)))
        return find(self, part, keys)

    monkeypatch.setattr(SqliteSource, "rows", rows)
    monkeypatch.setattr(SqliteSource, "find", found)
    milepost.connect(tmp_path / "other.db").close()
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        team.store_batch([f"Berth {number} is taken" for number in range(100)])
        follow = Move._follow

        def then_store(self: Move, target: Target, position: int) -> int:
            followed = follow(self, target, position)
            team.store("Stored just before writers have to wait")
            return followed

        monkeypatch.setattr(Move, "_follow", then_store)
        _move(spaces, "team", str(tmp_path / "other.db"))

        assert compared.count("memories") == 2, "followed, and found to be the same"
        assert [each for each in compared if each.startswith("all ")] == ["all jobs"] * 2
        assert len(compared) < 30
        assert len(_contents(team)) == 101


@pytest.mark.slow
@pytest.mark.parametrize("backends", ["sqlite postgres", "postgres sqlite", "sqlite sqlite"])
def test_whatever_is_done_during_a_move_is_done_where_the_space_is_then(
    spaces: SpacesFile,
    usual: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    backends: str,
) -> None:
    urls = [str(tmp_path / f"{place}.db") for place in range(2)]
    for place, backend in enumerate(backends.split()):
        if backend == "postgres":
            urls[place] = request.getfixturevalue("postgres_store_url")
        milepost.connect(urls[place]).close()
    _write(spaces, f'"team" = "{urls[0]}"')
    monkeypatch.setattr("milepost.storage.moving.copying._ROWS", 5)
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        team.worker.close()
        deeds = _deeds(team)
        for _ in range(len(_EARLY)):
            next(deeds)()

        def meanwhile(_done: int, _total: int) -> None:
            next(deeds, lambda: None)()

        follow, markers = Move._follow, list[Marker]()

        def then_the_rest(self: Move, target: Target, position: int) -> int:
            followed = follow(self, target, position)
            markers.extend(filter(None, [target.marker()]))
            for deed in deeds:
                deed()
            return followed

        monkeypatch.setattr(Move, "_follow", then_the_rest)
        moved = _move(spaces, "team", urls[1], meanwhile)

    assert moved.followed > 50
    before, there = _digests(urls[0], markers[0].source_bases), _digests(urls[1], markers[0].bases)
    assert there == before
    empty = {name for name, digest in there.items() if not digest.rows}
    assert empty <= {"anchors", "journal", "shown", "answers", "synced"}, (
        "nothing was done with these"
    )


def _digests(url: str, bases: Numbers) -> dict[str, Digest]:
    with closing(open_reader(url)) as side:
        side.enter("team")
        side.count_from(bases)
        # What is noted a moment later of what was done is written where the space is then.
        parts = [part for part in PARTS if not part.is_work and not part.table.startswith("audit")]
        return {part.name: digest_of(part, side.rows(part)) for part in parts}


@pytest.mark.slow
def test_rows_that_change_places_follow_too(
    spaces: SpacesFile, usual: str, postgres_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow, markers = Move._follow, list[Marker]()

    def then_swap(self: Move, target: Target, position: int) -> int:
        followed = follow(self, target, position)
        if not markers:
            with closing(apsw.Connection(usual)) as db:
                for number, name in ((2, "none"), (1, "second"), (2, "first")):
                    db.execute("UPDATE memories SET hash = ? WHERE id = ?", (name, number))
        markers.extend(filter(None, [target.marker()]))
        return followed

    with milepost.connect(usual) as memory:
        memory.within("team").store_batch(["Berth 1 is taken", "Berth 2 is taken"])
        with closing(apsw.Connection(usual)) as db:
            db.execute("UPDATE memories SET hash = CASE id WHEN 1 THEN 'first' ELSE 'second' END")
        monkeypatch.setattr(Move, "_follow", then_swap)
        _move(spaces, "team", postgres_store_url)

    assert len(markers) == 2, "all was compared once more"
    assert _digests(postgres_store_url, markers[0].bases) == _digests(
        usual, markers[0].source_bases
    )


_EARLY = ["The api depends on postgres and Ines maintains it", "Money is rounded half-up", "Tea"]


def _deeds(team: Milepost) -> Iterator[Callable[[], object]]:
    """Yield things to do with a space, one after the other, which rest on those before."""
    for text in _EARLY:
        yield lambda text=text: team.store(text, tags=["early"], project="shop")
    known = {m.content: m.hash for m in team.list_memories()}
    merges: list[int] = []
    episodes: list[str] = []

    def merge() -> None:
        merges.append(team.merge_entities("PostgreSQL", "postgres").id)

    def begin() -> None:
        episodes.append(team.create_episode("mend the login test", {"domain": "web"}, "test"))

    yield lambda: team.delete(known["Tea"])
    yield lambda: team.create_entity("PostgreSQL", "tool")
    yield merge
    yield lambda: team.store(
        "Money is rounded half-even", supersedes=known["Money is rounded half-up"]
    )
    yield begin
    yield lambda: team.add_step(episodes[0], "bash", "pytest", success=False)
    yield lambda: team.undo(hash=known["Tea"])
    yield lambda: team.store("Tea is drunk at four")
    yield lambda: team.undo_merge(merges[0])
    yield lambda: team.create_relation("Ines", "works_at", "Acme")
    yield lambda: team.create_relation("Ines", "works_at", "Beta")
    yield lambda: team.merge_entities("Acme", "Beta")
    yield lambda: team.add_observation("Ines", "has the key of the cellar")
    yield lambda: team.delete(
        known["The api depends on postgres and Ines maintains it"], erase=True
    )
    yield lambda: team.add_step(episodes[0], "edit", "freeze the clock", success=True)
    yield lambda: team.complete_episode(episodes[0], "success", "the clock was not frozen")
    yield team.extract_patterns
    yield lambda: team.record_event("deploy", "version 3 went live", session_id="monday")
    cache = "The cache of the shop is kept in Redis for ten minutes"
    yield lambda: team.store_batch([cache, f"{cache}.", f"{cache}!"])
    yield lambda: team.consolidate(days_back=1000)
    yield lambda: team.schedule_consolidation("weekly")
    yield lambda: team.ingest(str(Path(__file__).parents[2] / "docs" / "testing.md"))
    for number in range(60):
        yield lambda number=number: team.store(f"Berth {number} is taken", tags=["berth"])
    yield lambda: team.delete(known["Tea"], erase=True)


@pytest.mark.slow
def test_moving_there_and_back_makes_no_numbers_grow(
    spaces: SpacesFile, usual: str, postgres_store_url: str
) -> None:
    with milepost.connect(usual) as memory:
        memory.store("Others have numbers, too")
        team = memory.within("team")
        team.store_batch([f"Berth {number} is taken" for number in range(20)])
        team.create_relation("Ines", "works_at", "Acme")
        team.delete(team.list_memories()[0].hash)
        team.record_event("deploy", "version 3 went live")
        team.create_episode("mend the login test", {}, "test")
    before = _numbers(usual)
    for target in (postgres_store_url, usual) * 3:
        _move(spaces, "team", target)

        assert _numbers(target) == before


def _numbers(url: str) -> dict[str, list[int]]:
    with closing(open_reader(url)) as side:
        side.enter("team")
        side.count_from(side.firsts())
        numbered = [part for part in PARTS if part.table in NUMBERS]
        return {part.name: [part.key_of(row)[0] for row in side.rows(part)] for part in numbered}


@pytest.mark.slow
def test_a_space_whose_numbers_do_not_fit_into_a_database_stays_where_it_is(
    spaces: SpacesFile, usual: str, postgres_store_url: str
) -> None:
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        team.store("Berth 1 is taken")
        with closing(apsw.Connection(usual)) as db:
            db.execute("UPDATE sqlite_sequence SET seq = 1 << 33 WHERE name = 'memories'")
        with pytest.raises(ConfigError, match="more numbers to rows"):
            _move(spaces, "team", postgres_store_url)

        team.store("Berth 2 is taken")
        assert _contents(team) == ["Berth 1 is taken", "Berth 2 is taken"]
        assert _noting(usual) == [], "what is refused leaves nothing behind"


def test_two_spaces_leave_a_file_at_once(
    spaces: SpacesFile, usual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("milepost.storage.moving.copying._ROWS", 1)
    other = str(tmp_path / "other.db")
    milepost.connect(other).close()
    with milepost.connect(usual) as memory:
        team, crew = memory.within("team"), memory.within("crew")
        for each in (team, crew):
            each.store("Berth 1 is taken")
        moved: list[Moved] = []

        def meanwhile(_done: int, _total: int) -> None:
            if not moved:
                moved.append(_move(spaces, "crew", other))
                crew.store("Berth 2 is taken")
                team.store("Berth 3 is taken")

        _move(spaces, "team", other, meanwhile)

        assert _contents(team) == ["Berth 1 is taken", "Berth 3 is taken"]
        assert _contents(crew) == ["Berth 1 is taken", "Berth 2 is taken"]
        assert _noting(usual) == []


def _noting(path: str) -> list[object]:
    with closing(apsw.Connection(path)) as db:
        triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'touched_*'"
        return [*db.execute(triggers), *db.execute("SELECT key FROM touched")]


@pytest.mark.slow
def test_all_that_is_copied_is_noted_in_a_database(postgres_store_url: str) -> None:
    milepost.connect(postgres_store_url).close()
    with psycopg.connect(postgres_store_url) as db:
        rows = db.execute(
            "SELECT t.tgargs FROM pg_trigger AS t WHERE t.tgname = 'row_touched' "
            "AND t.tgparentid = 0"
        ).fetchall()

    noted = {tuple(bytes(row[0]).decode().split("\0")[:-1]) for row in rows}
    assert noted == {(part.table, *part.key) for part in PARTS if not part.is_work}


_READ = """
import sys, time
import milepost
from milepost.errors import SpaceMoved
with milepost.connect(sys.argv[1], space="team") as memory:
    while True:
        began = time.time()
        try:
            told = [m.content for m in memory.list_memories()][0]
        except SpaceMoved:
            told = "moved"
        print(began, told, sep="|", flush=True)
        if told == sys.argv[2]:
            break
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["to postgres", "to sqlite"])
def test_no_process_reads_an_old_copy_for_longer_than_a_moment(
    spaces: SpacesFile,
    usual: str,
    tmp_path: Path,
    postgres_store_url: str,
    start_python: StartPython,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    source, target = usual, postgres_store_url
    if way == "to sqlite":
        source, target = target, source
    for file in (spaces.path, str(tmp_path / "old.toml")):
        Path(file).write_text(f'"team" = "{source}"')
    with milepost.connect(usual) as memory:
        memory.within("team").store("Before")
        follower = start_python(_READ, usual, "After")
        monkeypatch.setenv("MILEPOST_SPACES_FILE", str(tmp_path / "old.toml"))
        stale = start_python(_READ, usual, "moved")
        readers = [follower, stale]
        told = [[_line(reader)] for reader in readers]
        _move(spaces, "team", target)
        moved_at = time.time()
        memory.within("team").store("After")
        stored_at = time.time()
        for reader, lines in zip(readers, told, strict=True):
            assert reader.stdout is not None
            lines += [_parsed(line) for line in reader.stdout]
            assert reader.wait(PATIENCE_S) == 0, reader.stderr and reader.stderr.read()

    assert told[0][-1][1] == "After"
    assert {text for began, text in told[0] if began > stored_at} <= {"After"}
    assert told[1][-1][1] == "moved"
    late = [began - moved_at for began, text in told[1] if text == "Before"]
    assert max(late) <= MOVED_S < READERS_S


def _line(process: Running) -> tuple[float, str]:
    assert process.stdout is not None
    return _parsed(process.stdout.readline())


def _parsed(line: str) -> tuple[float, str]:
    began, _, text = line.strip().partition("|")
    return float(began), text


_MOVE = """
import os, sys
from milepost.experience.episodes import RecordEpisodes
from milepost.opening import Opening, settings_for
from milepost.placing import SpacesFile
from milepost.storage.moving import copying, following
from milepost.storage.moving.postgres.leaving import PostgresSource
from milepost.storage.moving.sqlite.leaving import SqliteSource
copying._ROWS = 7
path, usual, source, target, point = sys.argv[1:]
spaces = SpacesFile(path, usual)

def die(*_):
    os.kill(os.getpid(), 9)

def progress(done, total):
    if point == "copying" and done >= 14:
        die()

def switch():
    if point == "noted":
        die()
    spaces.place("team", target)
    if point == "switched":
        die()

if point == "following":
    following._make_alike = die
if point == "held":
    following.Move._ends = die
if point == "compared":
    SqliteSource.move_to = PostgresSource.move_to = die
following.Move("team", source, target, switch, progress).run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
def test_a_move_that_is_killed_goes_on_and_loses_nothing(
    spaces: SpacesFile,
    usual: str,
    postgres_store_url: str,
    start_python: StartPython,
    kind: str,
) -> None:
    source, target = usual, postgres_store_url
    if kind == "sqlite":
        source, target = target, source
        _write(spaces, f'"team" = "{source}"')
    arguments = (spaces.path, usual, source, target)
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        users = Users(team)
        with users.at_work():
            for point in ("copying", "following", "held", "compared", "noted"):
                killed = start_python(_MOVE, *arguments, point)
                assert killed.wait(PATIENCE_S) == -signal.SIGKILL
                assert spaces.read().url_of("team") == source
            with pytest.raises(SpaceMoved, match="team was moved to"):
                team.store("This must wait until the move goes on")
            killed = start_python(_MOVE, *arguments, "switched")
            assert killed.wait(PATIENCE_S) == -signal.SIGKILL
            before = len(users.stored)
            wait_until(lambda: len(users.stored) > before or bool(users.problems))

        assert _contents(team) == sorted(users.stored)
        assert team.health().backend == kind


@pytest.mark.slow
def test_whoever_has_the_old_map_is_refused_and_told_where_the_space_went(
    spaces: SpacesFile, usual: str, postgres_store_url: str, tmp_path: Path
) -> None:
    with milepost.connect(usual) as memory:
        memory.within("team").store("The harbour is open")
        _move(spaces, "team", postgres_store_url)

    Path(spaces.path).unlink()
    with milepost.connect(usual) as stale:
        with pytest.raises(SpaceMoved, match="team was moved to"):
            stale.within("team").store("The harbour is closed")
        stale.store("Other spaces are as they were")

    _write(spaces, f'"team" = "{postgres_store_url}"')
    back = str(tmp_path / "back.db")
    milepost.connect(back).close()
    _move(spaces, "team", back)
    with (
        milepost.connect(postgres_store_url, space="team") as stale,
        pytest.raises(SpaceMoved, match=r"team was moved to .*back\.db"),
    ):
        stale.store("The harbour is closed")


@pytest.mark.slow
def test_what_nobody_waits_for_is_written_where_its_space_is(
    spaces: SpacesFile, usual: str, postgres_store_url: str
) -> None:
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        name = team.create_episode("mend the login test", {}, "test")
        context = team._opening()  # whoever was at work before the space moved
        _move(spaces, "team", postgres_store_url)

        RecordEpisodes(lambda: context).add_step(name, "bash", "pytest", success=True, wait=False)

        wait_until(lambda: team.get_episode(name).step_count == 1)


@pytest.mark.slow
def test_a_call_that_is_sent_again_after_a_move_is_not_done_again(
    spaces: SpacesFile, usual: str, postgres_store_url: str
) -> None:
    record = operations_of(Operations)["record_event"]
    arguments = {"event_type": "deploy", "content": "version 3 is live", "session_id": "monday"}
    with milepost.connect(usual) as memory:
        team = memory.within("team")
        answer = team.once(record, "key-1", arguments)
        _move(spaces, "team", postgres_store_url)

        assert team.once(record, "key-1", arguments) == answer
        assert len(team.recall_events(session_id="monday")) == 1
