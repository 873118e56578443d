"""The commands that stay: servers, the daemon, their log, the monitor."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import command, done, milepost, on_terminal, refused

import milepost as memory
from milepost.config import load_settings
from milepost.surfaces.logging import configure_logging, log_file, release_logging
from milepost.surfaces.rotating import FILE_BYTES
from support import PATIENCE_S, on_this_machine

pytestmark = pytest.mark.usefixtures("default_memory")


@contextmanager
def running(*words: object, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command until the end of the block, then interrupt it."""
    with subprocess.Popen(
        command(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    ) as process:
        try:
            yield process
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_S)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a memory that is served, with one memory in it."""
    url = tmp_path_factory.mktemp("served") / "served.db"
    with memory.connect(url) as opened:
        opened.store("the harbour opens at six")
    with running("serve", "--port", "0", "--key", "hush", "--url", url) as process:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"http://[\d.:]+", line)
        assert found, line
        yield found[0]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert log_file(load_settings({"url": str(url)})).stat().st_mode & 0o777 == 0o600


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILEPOST_KEY", "hush")


@pytest.mark.usefixtures("key")
def test_operations_go_to_a_server_when_the_url_is_one(server: str) -> None:
    name = done("store", "a fact from far away", "--url", server)

    assert done("get", name, "--url", server).endswith("a fact from far away")
    assert done("search", "harbour", "--url", server, "--limit", "1").endswith("opens at six")
    assert "would send delete" in done("delete", name, "--url", server, "--dry-run")
    assert "deleted 1" in done("delete", name, "--url", server)
    assert "No memory" in refused("get", name, "--url", server)


def test_a_server_wants_its_key(server: str) -> None:
    assert refused("search", "x", "--url", server)
    assert "metrics" in refused("monitor", "--once", "--server", server)


@pytest.mark.usefixtures("key")
def test_the_monitor_tells_the_speed_of_a_server(server: str) -> None:
    done("search", "harbour", "--url", server)

    state = milepost("monitor", "--once", "--server", server, "--json").data

    assert state["searches_per_s"] > 0
    assert state["latency_ms"] > 0
    assert "searches/s" in done("monitor", "--once", "--server", server)


def test_the_monitor_shows_lines_to_a_program_and_a_screen_to_a_person(path: Path) -> None:
    memory.store("a fact")
    with running("monitor", "--interval", "0.05", "--json") as process:
        assert process.stdout
        states = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
    assert [state["memories"] for state in states] == [1, 1, 1]
    assert states[0]["at"] < states[2]["at"]
    assert re.search("health +healthy, 1 memory, sqlite", on_terminal("monitor", "--once"))
    assert milepost("monitor", "--interval", "0").code == 2
    assert milepost("monitor", "--once", "--url", path / "below" / "m.db").code == 1


def daemons(path: Path) -> list[dict[str, Any]]:
    """The processes that keep a store warm."""
    found = milepost("daemon", "status", "--json").data
    return [process for process in found if process["url"] == str(path)]


def test_a_daemon_is_started_asked_and_stopped(path: Path) -> None:
    memory.store("the harbour opens at six")
    assert "would start" in done("daemon", "start", "--dry-run")
    assert not daemons(path)
    try:
        assert "keeps" in done("daemon", "start")
        pid = daemons(path)[0]["pid"]
        for _ in range(20):  # a daemon that is slow to greet is not waited for
            assert done("search", "harbour").endswith("opens at six")
            if daemons(path)[0]["calls"]:
                break
        assert daemons(path)[0]["calls"] > 0
        assert str(pid) in done("daemon", "status")
        assert "is in use" in refused("backup", "restore", done("backup", "create").split()[0])
        assert f"daemon {pid}" in done("doctor")
        assert f"daemon {pid}" in done("monitor", "--once")
        assert "would stop" in done("daemon", "stop", "--dry-run")
    finally:
        stopped = done("daemon", "stop")
    assert stopped == f"stopped daemon {pid}"
    assert "a daemon keeps" in done("logs")


def test_mcp_answers_on_standard_output_alone(path: Path) -> None:
    ask = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    with running("mcp", "--tools", "full") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(ask) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
    assert answer["result"]["serverInfo"]["name"] == "milepost"
    assert "nonsense" in refused("mcp", "--tools", "nonsense")


def logged(message: object) -> str:
    told = {"time": "2026-01-01T10:00:00+00:00", "level": "info", "process": 1, "logger": "test"}
    return json.dumps(told | {"message": str(message)}, separators=(",", ":")) + "\n"


def test_logs_shows_the_last_lines(path: Path) -> None:
    place = log_file(load_settings())
    assert "Nothing is logged yet" in refused("logs")
    place.write_text("".join(map(logged, range(100))), "utf-8")

    assert [line.rpartition(": ")[2] for line in done("logs", "-n", "2").split("\n")] == [
        "98",
        "99",
    ]
    assert len(done("logs").splitlines()) == 50
    assert [line["message"] for line in milepost("logs", "-n", "1", "--json").data] == ["99"]
    assert done("logs", "--lines", "0") == ""
    assert milepost("logs", "--lines", "-1").code == 2


def test_logs_follows_the_file_also_when_it_is_rotated(path: Path) -> None:
    place = log_file(load_settings())
    place.write_text(logged("first"))
    with running("logs", "--follow", env={**os.environ, "PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout
        assert process.stdout.readline().endswith(": first\n")
        with place.open("a") as file:
            file.write(logged("second"))
        assert process.stdout.readline().endswith(": second\n")
        place.rename(f"{place}.1")
        place.write_text(logged("third"))
        assert process.stdout.readline().endswith(": third\n")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130


@pytest.fixture
def logging_released() -> Iterator[None]:
    yield
    release_logging()
    logging.getLogger().setLevel(logging.WARNING)


@pytest.mark.usefixtures("logging_released")
def test_the_log_is_private_and_stays_small(path: Path) -> None:
    settings = load_settings({"log_level": "error"})
    configure_logging(settings, to_file=True)
    configure_logging(settings, to_file=True)
    place = log_file(settings)

    for number in range(25):
        logging.getLogger("milepost.test").info("%d %s", number, "x" * (FILE_BYTES // 10))

    files = sorted(place.parent.glob("milepost.log*"))
    assert 2 <= len(files) <= 4
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    assert all(file.stat().st_size <= FILE_BYTES for file in files)
    assert sum(file.read_text().count('"logger":"milepost.test"') for file in files) == 25


@pytest.mark.usefixtures("logging_released")
def test_a_file_that_another_process_rotated_is_followed(path: Path) -> None:
    settings = load_settings()
    configure_logging(settings, to_file=True)
    place, log = log_file(settings), logging.getLogger("milepost.test")

    log.warning("before")
    place.rename(f"{place}.1")
    log.warning("after")

    assert "after" in place.read_text()
    assert "after" not in Path(f"{place}.1").read_text()


@pytest.mark.usefixtures("logging_released")
def test_a_log_that_cannot_be_written_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "occupied").write_text("")

    configure_logging(load_settings({"url": str(tmp_path / "occupied" / "m.db")}), to_file=True)

    assert "nothing is logged" in capsys.readouterr().err


def test_what_is_logged_follows_the_level(path: Path) -> None:
    script = (
        "import logging, sys; from milepost.surfaces.cli import main\n"
        "import milepost.upkeep.admin as admin\n"
        "state = admin._state\n"
        "def told(*args):\n"
        "    logging.getLogger('milepost').info('looked'); return state(*args)\n"
        "admin._state = told\n"
        "sys.exit(main(['health', *sys.argv[1:]]))"
    )

    def said(*words: str) -> str:
        started = [sys.executable, "-c", script, *words]
        return subprocess.run(started, capture_output=True, text=True, check=True).stderr

    assert said() == ""
    assert said("--log-level", "info") == "milepost: INFO: looked\n"
    assert milepost("health", "--log-level", "loud").code == 1


def test_time_is_not_lost_when_a_monitor_is_interrupted() -> None:
    with running("monitor", "--interval", "60") as process:
        assert process.stdout
        process.stdout.readline()
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert time.monotonic() - began < on_this_machine(5)
