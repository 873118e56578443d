"""Hooks and the warm process with a memory on PostgreSQL, and when that goes away."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_runs import DECISION, Hooks

from milepost import connect
from milepost.config import inbox_folder
from milepost.opening import settings_for
from milepost.testing.postgres import PostgresServer, postgres_server
from support import PATIENCE_S

pytestmark = pytest.mark.slow

_WISH = "From now on always use tabs in Makefiles, please remember that #remember"


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server that can be killed."""
    with postgres_server() as made:
        yield made


class DatabaseHooks(Hooks):
    """Runs hooks on a database."""

    def __init__(self, url: str, home: Path, repo: Path) -> None:
        super().__init__(home / "unused", repo)
        self.url = url
        self.environment |= {
            "MILEPOST_URL": url,
            "MILEPOST_DAEMON": "use",
            "MILEPOST_RUNTIME_FOLDER": str(home / "run"),
            "MILEPOST_HOOK_TIMEOUT": "10000",
            "XDG_DATA_HOME": str(home),
        }

    def run(self, *words: str) -> str:
        """Run a command."""
        return self._run(*words)

    def left(self) -> list[Path]:
        """Return what waits in the inbox."""
        told = subprocess.run(
            [sys.executable, "-c", _INBOX],
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return [Path(name) for name in json.loads(told.stdout)]


_INBOX = """
import json, pathlib
from milepost.config import inbox_folder, load_settings
folder = pathlib.Path(inbox_folder(load_settings()))
print(json.dumps([str(file) for file in folder.glob("*")]))
"""


@pytest.fixture
def on_database(server: PostgresServer, tmp_path: Path, repo: Path) -> Iterator[DatabaseHooks]:
    """Hooks on a database that knows a decision of the project."""
    hooks = DatabaseHooks(server.new_database(), tmp_path, repo)
    with connect(hooks.url) as memory:
        memory.store(DECISION, kind="decision", project="shop")
    yield hooks
    hooks.run("daemon", "stop")


def test_a_session_is_told_by_the_database_and_by_a_warm_process(
    on_database: DatabaseHooks,
) -> None:
    first = on_database("session-start")
    assert DECISION in first.told

    on_database.run("daemon", "start")  # unless the hook did already
    again = on_database("session-start", session_id="s2")

    assert DECISION in again.told
    (process,) = json.loads(on_database.run("daemon", "status", "--json"))
    assert process["calls"] >= 1
    assert process["url"].startswith("postgresql://milepost:********@")


def test_hooks_go_on_without_the_database_and_what_they_left_is_taken_in_later(
    server: PostgresServer, on_database: DatabaseHooks
) -> None:
    server.kill()

    started = on_database("session-start")
    asked = on_database("prompt-submit", prompt=_WISH)
    ended = on_database("session-end")

    assert [hook.code for hook in (started, asked, ended)] == [0, 0, 0]
    assert started.told == asked.told == ""
    assert max(hook.seconds for hook in (started, asked, ended)) < PATIENCE_S / 2
    assert on_database.left()

    server.start()
    on_database.run("jobs", "run")
    with connect(on_database.url) as memory:
        texts = [m.preview for m in memory.list_memories()]
    assert any("tabs in Makefiles" in text for text in texts), texts
    assert not on_database.left()


def test_a_warm_process_outlives_its_database(
    server: PostgresServer, on_database: DatabaseHooks
) -> None:
    on_database.run("daemon", "start")
    assert DECISION in on_database("session-start").told
    server.kill()

    while_away = on_database("session-start", session_id="s2")
    server.start()
    after = on_database("session-start", session_id="s3")

    assert (while_away.code, while_away.told) == (0, "")
    assert DECISION in after.told


def test_two_databases_have_two_inboxes(tmp_path: Path) -> None:
    one, other = (
        inbox_folder(settings_for(f"postgresql://me:{word}@host/{name}"))
        for word, name in (("a", "one"), ("b", "other"))
    )
    again = inbox_folder(settings_for("postgresql://me:another@host/one"))
    assert one != other
    assert one == again, "a password may change"
