"""A store is copied by itself to where it was told to, and drills show whether that helps."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from milepost import Forbidden, InvalidInput, Milepost, MilepostClient, connect
from milepost.app import open_memory
from milepost.errors import MilepostError
from milepost.opening import now, settings_for
from milepost.storage.backups.manifest import SUFFIX
from milepost.surfaces.cli import main
from milepost.surfaces.http import running
from milepost.transport import s3
from milepost.upkeep.backups.schedules import TOPIC
from milepost.upkeep.jobs import ATTEMPTS_MAX
from s3_server import KEY_ID, SECRET, S3Server, serving
from support import StartPython, wait_until

KEY = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with serving(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def bucket(server: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setenv("MILEPOST_S3_ENDPOINT", server.endpoint)
    monkeypatch.setenv("MILEPOST_S3_KEY_ID", KEY_ID)
    secret = tmp_path / "s3-secret"
    secret.write_text(SECRET)
    monkeypatch.setenv("MILEPOST_S3_SECRET_KEY_FILE", str(secret))
    return f"s3://bucket/{tmp_path.name}"


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MILEPOST_CACHE_FOLDER", str(tmp_path / "cache"))


@pytest.fixture(params=["file", "database"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "m.db")
    url: str = request.getfixturevalue("postgres_store_url")
    return url


@pytest.fixture
def filled(store: str) -> Iterator[Milepost]:
    with connect(store) as memory:
        memory.worker.close()  # work is done when a test says so
        memory.store_batch([f"Captain {i} of the harbour keeps key {i * 7}" for i in range(40)])
        yield memory


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the clock stand so many seconds from now."""
    monkeypatch.setattr("milepost.opening.now", lambda: now() + int(seconds * 1e6))


def test_a_store_is_copied_at_once_and_then_every_day_and_as_many_copies_stay_as_were_asked_for(
    store: str, filled: Milepost, tmp_path: Path, clock_of_copies: Callable[[int], None]
) -> None:
    to = tmp_path / "kept"
    scheduled = filled.schedule_backup("daily", keep=2, to=str(to))
    assert (scheduled.every, scheduled.to, scheduled.last) == ("daily", str(to), None)
    for day in range(4):
        clock_of_copies(day)
        with connect(store) as memory:
            memory.worker.close()
            assert memory.run_jobs() >= 1
            assert memory.run_jobs() == 0, "the next is due tomorrow"
            status = memory.backup_status()
            listed = memory.list_backups()
        assert status.last is not None
        assert status.last.memories == 40
        assert status.due is not None
        assert round((status.due - scheduled_at(scheduled)) / 86_400) == day + 1
        copies = sorted(file.name for file in to.glob("*.db"))
        assert len(copies) == min(day + 1, 2)
        assert sorted(f"{name}{SUFFIX}" for name in copies) == sorted(
            file.name for file in to.glob(f"*{SUFFIX}")
        )
        assert [Path(copy.file).name for copy in listed] == copies[::-1]
        assert all(copy.elsewhere for copy in listed)


def scheduled_at(scheduled: object) -> float:
    due: float | None = scheduled.due  # type: ignore[attr-defined]
    assert due is not None
    return due


@pytest.fixture
def clock_of_copies(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let it be so many days later, for who looks at the clock in whichever way."""
    began = now()

    def set_to(day: int) -> None:
        us = began + day * 86_400_000_000 + 60_000_000
        monkeypatch.setattr("milepost.opening.now", lambda: us)
        monkeypatch.setattr("milepost.copies_elsewhere.time.time", lambda: us / 1e6)

    return set_to


def test_a_copy_in_a_bucket_is_fetched_tried_listed_and_takes_the_place_of_the_store(
    store: str, bucket: str, filled: Milepost, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    filled.schedule_backup("daily", to=bucket)
    filled.run_jobs()
    status = filled.backup_status()
    assert status.last is not None
    assert status.last.file.startswith(f"{bucket}/")
    drill = status.drill
    assert drill is not None, "the first copy is tried at once"
    assert drill.problems == ()
    assert (drill.memories, drill.asked, drill.found) == (40, 20, 20)
    assert drill.rows > 40
    assert status.drilled == drill.at
    assert [copy.file for copy in filled.list_backups()] == [status.last.file]

    filled.delete(filled.list_memories(limit=1).memories[0].hash)
    filled.store("This came later and is not in the copy")
    filled.close()
    assert main(["backup", "list", "--in", bucket]) == 0
    assert status.last.file in capsys.readouterr().out
    assert main(["backup", "restore", status.last.file, "--url", store]) == 0
    assert "40" in capsys.readouterr().out
    with connect(store) as memory:
        assert memory.health().count == 40
        assert not memory.search("what came later?").memories


def test_a_large_copy_is_sent_in_parts_and_one_that_is_cut_off_is_never_there(
    bucket: str, server: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(s3, "PART_BYTES", 5 << 20)
    by = s3.Credentials(server.endpoint, "us-east-1", KEY_ID, SECRET)
    place = s3.Bucket(f"{bucket}/large", by)
    whole, fetched = tmp_path / "whole", tmp_path / "fetched"
    whole.write_bytes(bytes(range(256)) * (12 << 12))
    with whole.open("rb") as file:
        place.put_file("whole.db", file, whole.stat().st_size)
    assert [(each.name, each.bytes) for each in place.files()] == [("whole.db", 12 << 20)]
    with fetched.open("w+b") as file:
        place.fetch("whole.db", file)
    assert fetched.read_bytes() == whole.read_bytes()

    class CutOff(Exception):
        pass

    def cut_off(done: int) -> None:
        if done > s3.PART_BYTES:
            raise CutOff

    monkeypatch.setattr(s3.Bucket, "_abort", lambda *_: None)  # as of one who was killed
    with whole.open("rb") as file, pytest.raises(CutOff):
        place.put_file("half.db", file, whole.stat().st_size, cut_off)
    monkeypatch.undo()
    assert [each.name for each in place.files()] == ["whole.db"]
    assert place.abandon() == 1
    assert place.abandon() == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"MILEPOST_S3_SECRET_KEY_FILE": "{tmp}/wrong"}, "s3_secret_key"),
        ({"MILEPOST_S3_ENDPOINT": "http://127.0.0.1:9"}, "does not answer"),
    ],
)
def test_a_place_that_cannot_be_used_is_refused_when_it_is_named(
    bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    (tmp_path / "wrong").write_text("another secret")
    for name, value in changed.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    monkeypatch.setattr(s3, "_RETRY", s3.Retry(1, 0.0, 0.0))
    with connect(tmp_path / "m.db") as memory:
        with pytest.raises(MilepostError, match=said):
            memory.schedule_backup("daily", to=bucket)
        with pytest.raises(InvalidInput, match="whole path"):
            memory.schedule_backup("daily", to="copies")
        with pytest.raises(MilepostError, match="bucket"):
            memory.schedule_backup("daily", to="s3://No_Bucket")
        with pytest.raises(InvalidInput, match="hourly, daily, weekly"):
            memory.schedule_backup("often")
        assert memory.backup_status().every == "off"


def test_who_comes_from_elsewhere_cannot_say_where_copies_go(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "m.db")._replace(key="the server's", port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        with MilepostClient(url, key="the server's") as client:
            with pytest.raises(Forbidden, match="on its own machine"):
                client.schedule_backup("daily", to=str(tmp_path / "stolen"))
            scheduled = client.schedule_backup("daily", keep=3, drill="daily")
            assert (scheduled.to, scheduled.drill_every) == (str(tmp_path / "backups"), "daily")
        one = memory.create_key("ann", scope="admin")
        with MilepostClient(url, key=one.secret) as ann:
            for ask in (ann.backup_status, ann.drill_backup):
                with pytest.raises(Forbidden, match="not for all"):
                    ask()
    assert not (tmp_path / "stolen").exists()


def test_a_copy_of_which_one_byte_was_changed_is_found_out_by_a_drill(
    filled: Milepost, tmp_path: Path
) -> None:
    filled.schedule_backup("daily", to=str(tmp_path / "kept"))
    filled.run_jobs()
    (copy,) = (tmp_path / "kept").glob("*.db")
    content = bytearray(copy.read_bytes())
    place = content.index(b"Captain 7 of")
    content[place] ^= 1
    copy.write_bytes(content)
    drill = filled.drill_backup()
    assert not drill.ready
    assert "is not as it was made" in drill.problems[0]
    status = filled.backup_status()
    assert status.drill == drill
    assert status.drilled is not None
    assert status.drilled < drill.at, "the last success is another than the last drill"
    assert main(["backup", "restore", str(copy), "--url", str(tmp_path / "other.db")]) == 1
    assert not (tmp_path / "other.db").exists()


def test_a_copy_that_says_something_else_of_a_table_is_found_out_by_a_drill(
    filled: Milepost, tmp_path: Path
) -> None:
    filled.schedule_backup("daily", to=str(tmp_path / "kept"))
    filled.run_jobs()
    (told,) = (tmp_path / "kept").glob(f"*{SUFFIX}")
    about = json.loads(told.read_text())
    about["tables"]["memories"][0] += 1
    told.write_text(json.dumps(about))
    assert "the table memories is not as the copy says (41 rows and 40)" in str(
        filled.drill_backup()
    )


def test_copies_of_an_encrypted_store_hold_nothing_in_clear_text_and_neither_do_those_with_a_key(
    store: str, bucket: str, server: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("cryptography")
    (tmp_path / "key").write_text(KEY)
    monkeypatch.setenv("MILEPOST_BACKUP_KEY_FILE", str(tmp_path / "key"))
    with connect(store) as memory:
        memory.worker.close()
        memory.store("The harbour master keeps the key of the north gate")
        memory.schedule_backup("daily", to=bucket)
        memory.run_jobs()
        status = memory.backup_status()
    assert status.drill is not None
    assert status.drill.problems == ()
    assert status.last is not None
    files = list((server.folder / bucket.removeprefix("s3://")).iterdir())
    assert len(files) == 2
    assert not any(b"harbour" in file.read_bytes() for file in files)
    other = tmp_path / "other.db"
    assert main(["backup", "restore", status.last.file, "--url", str(other)]) == 0
    monkeypatch.delenv("MILEPOST_BACKUP_KEY_FILE")
    with connect(other) as memory:  # the key is for copies alone
        assert memory.search("who keeps the key of the gate?").memories


def test_a_copy_that_cannot_be_made_is_dead_work_and_told_of_until_one_can_be(
    filled: Milepost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "kept"
    filled.schedule_backup("daily", to=str(to))
    to.rmdir()
    to.write_text("no folder any more")
    monkeypatch.setattr("milepost.upkeep.jobs.BACKOFF_S", 0.0)
    for _ in range(ATTEMPTS_MAX):
        filled.run_jobs()
    (dead,) = filled.list_jobs(state="dead")
    assert dead.topic == TOPIC
    assert str(to) in dead.problem
    failed = filled.backup_status()
    assert failed.failed is not None
    assert str(to) in failed.problem
    assert failed.due is not None, "the next is tried all the same"
    to.unlink()
    assert filled.retry_jobs().jobs == 1
    filled.run_jobs()
    assert filled.list_jobs(state="dead") == []
    status = filled.backup_status()
    assert status.last is not None
    assert (status.failed, status.problem) == (None, "")


KILLED = """
import os, signal, sys, milepost
from milepost import copies_elsewhere
from milepost.storage.backups import manifest, places, rooms

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

where = {"copying": (copies_elsewhere, "manifest_of"), "before it counts": (places.Folder, "write"),
         "drill": (copies_elsewhere, "refuse_other")}[sys.argv[3]]
setattr(*where, die)
memory = milepost.connect(sys.argv[1])
memory.worker.close()
memory.schedule_backup("daily", keep=1, to=sys.argv[2], drill="daily")
memory.run_jobs()
"""


@pytest.mark.parametrize("moment", ["copying", "before it counts", "drill"])
def test_a_backup_that_is_killed_leaves_no_copy_that_counts_and_nothing_for_long(
    start_python: StartPython, tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, to = tmp_path / "m.db", tmp_path / "kept"
    with connect(path) as memory:
        memory.store("The harbour master keeps the key of the north gate")
    process = start_python(KILLED, path, to, moment)
    assert process.wait() == -signal.SIGKILL
    at(monkeypatch, 200.0)  # its claim is over
    monkeypatch.setattr("milepost.copies_elsewhere.time.time", lambda: now() / 1e6 + 200.0)
    with connect(path) as memory:
        memory.worker.close()
        whole = memory.list_backups()
        assert len(whole) == (moment == "drill")
        memory.run_jobs()
        assert len(memory.list_backups()) == 1
        assert memory.drill_backup().ready
    left = {each.name for each in to.iterdir()}
    assert left == {Path(memory_copy(to)).name, f"{memory_copy(to)}{SUFFIX}"}
    assert list((tmp_path / "cache" / "drills").iterdir()) == []


def memory_copy(folder: Path) -> str:
    (copy,) = folder.glob("*.db")
    return copy.name


def test_copies_beside_the_store_that_are_erased_from_say_what_they_hold_now(
    tmp_path: Path,
) -> None:
    with connect(tmp_path / "m.db") as memory:
        memory.worker.close()
        memory.store("Ines owes the harbour nine crowns")
        memory.store("Tom paid his berth")
        memory.schedule_backup("daily")
        memory.run_jobs()
        memory.erase(matching="Ines")
        drill = memory.drill_backup()
    assert drill.problems == ()
    assert drill.memories == 1
    (copy,) = (tmp_path / "backups").glob("*.db")
    with closing(sqlite3.connect(copy)) as opened:
        assert opened.execute("SELECT count(*) FROM memories").fetchone() == (1,)


def test_a_schedule_that_is_ended_makes_no_more_copies(filled: Milepost, tmp_path: Path) -> None:
    filled.schedule_backup("daily", to=str(tmp_path / "kept"))
    assert filled.schedule_backup("off").due is None
    filled.run_jobs()
    assert filled.list_backups() == []
    again = filled.schedule_backup("hourly")
    assert again.to == str(tmp_path / "kept"), "it stays where it was"
    wait_until(lambda: filled.run_jobs() >= 0 and filled.list_backups())
