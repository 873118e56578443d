"""Who is to know is told once when something is wrong with a store, and once when it is over."""

from __future__ import annotations

import hmac
import json
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from milepost import Forbidden, InvalidInput, Milepost, MilepostClient, connect
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.cli import main
from milepost.surfaces.http import running
from milepost.upkeep.alerts.values import FIRING, QUIET
from support import StartPython, wait_until

ByHand = Callable[[str], None]


@pytest.fixture(params=["file", "database"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "m.db")
    url: str = request.getfixturevalue("postgres_store_url")
    return url


@pytest.fixture
def by_hand(store: str) -> ByHand:
    """Run SQL as one does by hand, with the program of the database."""

    def run(statement: str) -> None:
        if not store.startswith("postgresql://"):
            with closing(sqlite3.connect(store)) as connection, connection:
                connection.execute(statement)
            return
        import psycopg

        with psycopg.connect(store) as connection:
            connection.execute("SET search_path TO milepost, public")
            connection.execute(statement.encode())

    return run


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict[str, Any]]]:
    """Have a command told of alerts, and return what it heard."""
    heard, program = tmp_path / "heard", tmp_path / "listen.py"
    program.write_text(f"import sys\nopen({str(heard)!r}, 'a').write(sys.stdin.read() + '\\n')\n")
    monkeypatch.setenv("MILEPOST_ALERT_COMMAND", f"{sys.executable} {program}")

    def lines() -> list[dict[str, Any]]:
        return (
            [json.loads(line) for line in heard.read_text().splitlines()] if heard.exists() else []
        )

    return lines


def fill(memory: Milepost, count: int = 100) -> None:
    memory.store_batch([f"Captain {i} of the harbour keeps key {i * 7}" for i in range(count)])


def states(memory: Milepost) -> dict[str, str]:
    return {alert.rule: alert.state for alert in memory.check_alerts().alerts}


def test_memories_that_are_deleted_behind_its_back_raise_an_alarm_once_and_it_is_over_once(
    store: str, by_hand: ByHand, told: Callable[[], list[dict[str, Any]]]
) -> None:
    with connect(store) as memory:
        fill(memory)
        assert states(memory)["memories"] == QUIET
        by_hand("DELETE FROM memories WHERE id % 10 <> 0")
        fired = {alert.rule: alert for alert in memory.check_alerts().alerts}["memories"]
        assert fired.state == FIRING
        assert "of 100 memories of default are gone, and no operation removed them" in fired.found
        assert memory.check_alerts().firing, "it is told once"
        fill(memory, 60)
        assert states(memory)["memories"] == FIRING, "what comes later brings nothing back"
        memory.set_alert("memories", "usual")
        assert states(memory)["memories"] == QUIET
        memory.run_jobs()
        wait_until(lambda: len(of(told(), "memories")) == 2)
    began, ended = of(told(), "memories")
    assert (began["state"], ended["state"]) == ("firing", "solved")
    assert began["threshold"] == "5%"
    assert "password" not in json.dumps(told())


def of(told: list[dict[str, Any]], rule: str) -> list[dict[str, Any]]:
    return [message for message in told if message["alert"] == rule]


WATCHING = """
import sys, milepost
memory = milepost.connect(sys.argv[1])
memory.open()
memory.work_for_all()
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
def test_processes_that_live_long_notice_it_by_themselves_and_one_of_them_tells(
    store: str, by_hand: ByHand, told: Callable[[], list[dict[str, Any]]],
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("MILEPOST_ALERT_EVERY", "1")
    with connect(store) as memory:
        fill(memory)
    watching = [start_python(WATCHING, store) for _ in range(3)]
    for process in watching:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    with connect(store) as memory:
        wait_until(lambda: memory.alerts().checked)
        by_hand("DELETE FROM memories WHERE id % 10 <> 0")
        wait_until(lambda: of(told(), "memories"))
        checked = memory.alerts().checked
        assert checked
        # The one that looks is killed; another takes its turn.
        for process in watching[:2]:
            process.kill()
            process.wait()
        wait_until(lambda: (memory.alerts().checked or 0.0) > checked + 3.0)
    assert len(of(told(), "memories")) == 1, "three processes have not all told"


def test_what_operations_remove_is_no_alarm(store: str) -> None:
    with connect(store) as memory:
        fill(memory, 40)
        states(memory)
        names = [each.hash for each in memory.list_memories(limit=40).memories]
        memory.delete_batch(names[:10])
        memory.delete(names[10], erase=True)
        memory.erase(matching="captain 7 of the harbour")
        memory.set_retention("memory", days=1)
        assert states(memory)["memories"] == QUIET
        from milepost.memory.holding import empty_bin

        assert empty_bin(memory._context) >= 10
        assert states(memory)["memories"] == QUIET
        for each in memory.list_memories(limit=40).memories:
            memory.delete(each.hash, erase=True)
        assert memory.health().count == 0
        assert states(memory)["memories"] == QUIET
        fill(memory, 5)
        assert states(memory)["memories"] == QUIET


def test_what_comes_in_place_of_a_space_is_no_alarm(store: str, tmp_path: Path) -> None:
    with connect(store) as memory:
        fill(memory, 40)
        states(memory)
    with connect(tmp_path / "few.db") as few:
        fill(few, 4)
    copied = ["migrate", "--from", str(tmp_path / "few.db"), "--to", store, "--replace"]
    assert main([*copied, "--space", "default"]) == 0
    with connect(store) as memory:
        assert memory.health().count == 4
        assert states(memory)["memories"] == QUIET


def test_a_loss_in_a_small_space_is_seen_beside_a_large_one(store: str, by_hand: ByHand) -> None:
    with connect(store) as memory:
        fill(memory, 300)
        small = memory.within("small")
        fill(small, 10)
        states(memory)
        column = "home" if store.startswith("postgresql://") else "space"
        by_hand(f"DELETE FROM memories WHERE {column} = 'small'")
        found = {alert.rule: alert for alert in memory.check_alerts().alerts}["memories"].found
    assert "10 of 10 memories of small are gone" in found


@contextmanager
def listening(answers: list[int]) -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """Listen as a webhook does that answers with these, then with 200."""
    heard: list[tuple[dict[str, str], bytes]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.append((dict(self.headers), body))
            self.send_response(answers.pop(0) if answers else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook?channel=ops", heard
    finally:
        server.shutdown()
        server.server_close()


def test_a_webhook_is_posted_to_signed_and_again_when_it_does_not_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("what both know\n")
    monkeypatch.setenv("MILEPOST_ALERT_SECRET_FILE", str(secret))
    monkeypatch.setattr("milepost.upkeep.jobs.BACKOFF_S", 0.0)
    with listening([503, 500]) as (url, heard):
        monkeypatch.setenv("MILEPOST_ALERT_WEBHOOK", url)
        with connect(tmp_path / "m.db") as memory:
            memory.worker.close()
            memory.set_alert("disk", "900000TB")
            for _ in range(3):
                memory.run_jobs()
            assert memory.list_jobs() == []
            assert memory.test_alerts()[0].reached
    assert len(heard) == 4
    assert heard[0][1] == heard[2][1]
    message = json.loads(heard[0][1])
    assert (message["alert"], message["state"]) == ("disk", "firing")
    moment, _, given = heard[0][0]["Milepost-Signature"].removeprefix("t=").partition(",v1=")
    expected = hmac.new(b"what both know", f"{moment}.".encode() + heard[0][1], sha256)
    assert given == expected.hexdigest()
    assert abs(time.time() - int(moment)) < 3_600


def test_one_who_cannot_be_told_is_dead_work_and_the_test_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = f"{sys.executable} -c 'import sys; sys.exit(\"no\")'"
    monkeypatch.setenv("MILEPOST_ALERT_COMMAND", refusing)
    monkeypatch.setenv("MILEPOST_ALERT_WEBHOOK", "https://127.0.0.1:9/hook")
    monkeypatch.setattr("milepost.upkeep.jobs.BACKOFF_S", 0.0)
    with connect(tmp_path / "m.db") as memory:
        memory.worker.close()
        command, webhook = memory.test_alerts()
        assert not command.reached
        assert "ended with 1: no" in command.problem
        assert "127.0.0.1:9 was not told" in webhook.problem
        memory.set_alert("disk", "900000TB")
        for _ in range(6):
            memory.run_jobs()
        assert {job.topic for job in memory.list_jobs(state="dead")} == {"alert"}
        assert "2 jobs failed for good" in str(memory.check_alerts())
    monkeypatch.delenv("MILEPOST_ALERT_COMMAND")
    monkeypatch.delenv("MILEPOST_ALERT_WEBHOOK")
    with connect(tmp_path / "m.db") as memory:
        assert not memory.test_alerts()[0].reached, "nobody is to be told"


def test_errors_dead_work_and_old_backups_fire_and_mistakes_of_callers_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(tmp_path / "m.db") as memory:
        memory.worker.close()
        fill(memory, 30)
        for _ in range(30):
            with pytest.raises(InvalidInput):
                memory.search("")
        assert states(memory)["errors"] == QUIET

        def failing(*_: object, **__: object) -> None:
            raise RuntimeError

        with monkeypatch.context() as patch:
            patch.setattr("milepost.memory.inventory.Inventory._context", property(failing))
            for _ in range(20):
                with pytest.raises(RuntimeError):
                    memory.tags()
        assert states(memory)["errors"] == FIRING

        jobs = memory._context.store.jobs
        jobs.enqueue("default", "none's", "one", "{}", 0)
        job = jobs.claim(["none's"], 1, 1)
        assert job
        jobs.fail(job.id, job.claim, "no luck", None)
        assert states(memory)["jobs"] == FIRING
        memory.drop_job(job.id)
        assert states(memory)["jobs"] == QUIET

        assert states(memory)["backup"] == QUIET, "none was asked for"
        memory.set_alert("backup", "36h")
        assert states(memory)["backup"] == FIRING
        memory.set_alert("backup", "usual")
        memory.schedule_backup("daily")
        memory.run_jobs()
        assert states(memory)["backup"] == QUIET
        later = time.time_ns() // 1_000 + 3 * 86_400_000_000
        monkeypatch.setattr("milepost.opening.now", lambda: later)
    with connect(tmp_path / "m.db") as memory:
        memory.worker.close()
        found = {alert.rule: alert for alert in memory.check_alerts().alerts}["backup"]
        assert found.found == "the newest backup is 72 hours old"


def test_an_index_that_disagrees_is_told_of_once(
    tmp_path: Path, told: Callable[[], list[dict[str, Any]]]
) -> None:
    with connect(tmp_path / "m.db") as memory:
        fill(memory, 40)
        memory.search("which captain?")
        states(memory)
        for segment in memory._context.store.index.segments():  # type: ignore[attr-defined]
            segment.kill(segment.ids[:10])
        assert states(memory)["index"] == FIRING
        assert states(memory)["index"] == QUIET, "it was made again"
        memory.run_jobs()
        wait_until(lambda: len(of(told(), "index")) == 2)


def test_rules_are_set_turned_off_and_refused_in_words(tmp_path: Path) -> None:
    with connect(tmp_path / "m.db") as memory:
        alerts = memory.set_alert("errors", "10%")
        assert [(a.rule, a.threshold) for a in alerts.alerts][:2] == [
            ("memories", "5%"), ("errors", "10%"),
        ]  # fmt: skip
        assert memory.set_alert("errors", "off").alerts[1].state == "off"
        for rule, threshold, said in (
            ("weather", "5%", "memories, errors, backup"),
            ("errors", "10", "such as 5%"),
            ("disk", "-1GB", "such as 2GB"),
            ("backup", "soon", "such as 36h"),
        ):
            with pytest.raises(InvalidInput, match=said):
                memory.set_alert(rule, threshold)


def test_alerts_stand_in_health_metrics_doctor_and_the_command_and_are_not_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for(tmp_path / "m.db")._replace(key="the server's", port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        memory.set_alert("disk", "900000TB")
        one = memory.create_key("ann", scope="admin")
        with MilepostClient(url, key="the server's") as client:
            assert [alert.rule for alert in client.alerts().firing] == ["disk"]
            assert "alert disk:" in str(client.health())
        with MilepostClient(url, key=one.secret) as ann:
            assert "alert" not in str(ann.health())
            for ask in (ann.alerts, ann.check_alerts, ann.test_alerts):
                with pytest.raises(Forbidden):
                    ask()
        from urllib.request import Request, urlopen

        request = Request(f"{url}/metrics", headers={"Authorization": "Bearer the server's"})
        with urlopen(request) as answer:
            metrics = answer.read().decode()
    assert 'milepost_alert_firing{rule="disk"} 1' in metrics
    assert 'milepost_alert_firing{rule="memories"} 0' in metrics
    path = str(tmp_path / "m.db")
    assert main(["alerts", "list", "--url", path]) == 0
    assert "disk" in capsys.readouterr().out
    main(["doctor", "--url", path])
    assert "alert disk" in capsys.readouterr().out
