"""A dry run says what would be done, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from command_line import done, milepost, refused

import milepost as memory
from milepost.app import Milepost
from milepost.registry import operations_of
from milepost.storage.sqlite.sql import migrations
from milepost.surfaces.cli.builtin import COMMANDS
from milepost.surfaces.cli.command_line import all_commands
from milepost.surfaces.cli.operation_commands import command_path

OLDER_SCHEMA = f"PRAGMA user_version = {len(migrations()) - 1}"
OLDER_ANALYSIS = "UPDATE meta SET value = 0 WHERE key = 'analysis'"
pytestmark = pytest.mark.usefixtures("default_memory")


@pytest.fixture
def name(path: Path) -> str:
    return memory.store("the harbour opens at six", tags=["sea"])


def files(path: Path) -> dict[str, bytes]:
    """Everything beside the store, but for what SQLite shares between processes."""
    return {
        str(file): file.read_bytes()
        for file in sorted(path.parent.rglob("*"))
        if file.is_file() and not file.name.endswith(("-shm", "lock"))
    }


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["store", "a new fact", "--tags", "x"], "would store 1 memory (00460bf7)"),
        (["store", "the harbour opens at six"], "known already"),
        (["store-batch", "one", '{"content": "two"}'], "would store 2 memories"),
        (["store", "seven", "--supersedes", "NAME"], "would hide 1 memory (NAME) as replaced"),
        (["update", "NAME", "--content", "at seven"], "would hide 1 memory (NAME) as replaced"),
        (["update", "NAME", "--tags", "a,b", "--kind", "fact"], "would change tags and kind of"),
        (["update", "NAME"], "would change nothing"),
        (["store", "the password is swordfish77"], "would hide 1 secret"),
        (["update", "NAME", "--metadata", '{"password": "swordfish77"}'], "would hide 1 secret"),
        (["delete", "NAME"], "would delete 1 memory (NAME)"),
        (["delete-batch", "NAME"], "would delete 1 memory (NAME)"),
        (["delete-by-tag", "sea"], "would delete 1: NAME"),
        (["jobs", "retry"], "would let 0 jobs be tried again"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_operation_is_only_described(words: list[str], told: str, name: str, path: Path) -> None:
    memory.search("harbour")
    before = files(path)

    shown = done(*[word.replace("NAME", name) for word in words], "--dry-run")

    assert told.replace("NAME", name) in shown
    assert files(path) == before
    assert memory.health().count == 1


def test_what_would_fail_fails(name: str) -> None:
    assert "No memory has the hash" in refused("delete", "deadbeef", "--dry-run")
    assert "content is empty" in refused("store", " ", "--dry-run")
    assert "no field" in refused("store-batch", '{"content": "x", "tag": 1}', "--dry-run")


@pytest.mark.usefixtures("name")
def test_one_thing_is_told_of_as_one_and_what_has_no_name_by_its_topic() -> None:
    memory.create_episode("a task", id="login-7")
    memory.add_step("login-7", "bash", "ls")
    memory.store("We decided that the harbour opens at six", kind="decision")

    deleted = done("episode", "delete", "login-7", "--dry-run")
    assert "would delete login-7 with 1 step" in deleted.splitlines()
    briefed = done("session", "brief", "--session", "s", "--dry-run").splitlines()
    assert {"would keep usage of default", "would keep session s of default"} <= {*briefed}


@pytest.mark.parametrize(
    "words", [("store", "a fact"), ("delete-by-tag", "sea"), ("jobs", "retry"), ("jobs", "run")]
)
def test_a_store_that_is_not_there_is_not_made(words: tuple[str, ...], tmp_path: Path) -> None:
    url = tmp_path / "new" / "m.db"

    assert "would" in done(*words, "--dry-run", "--url", url)
    assert not url.parent.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "older", "closed"),
    [
        (("store", "a fact"), OLDER_SCHEMA, True),
        (("store", "a fact"), OLDER_SCHEMA, False),
        (("store", "a fact"), OLDER_ANALYSIS, True),
        (("delete-by-tag", "sea"), OLDER_SCHEMA, True),
        (("pattern", "decay"), OLDER_ANALYSIS, False),
        (("jobs", "retry"), OLDER_SCHEMA, True),
        (("jobs", "run"), OLDER_SCHEMA, True),
        (("import", "claude-code", "."), OLDER_SCHEMA, True),
    ],
)
def test_a_store_of_an_older_version_is_left_as_it_is(
    words: tuple[str, ...], older: str, closed: bool, name: str, tmp_path: Path
) -> None:
    url = tmp_path / "older" / "m.db"
    with memory.connect(url) as other:
        other.store("the harbour opens at six", tags=["sea"])
    connection = apsw.Connection(str(url))
    connection.execute(older)
    if closed:
        connection.close()
    before = files(url)

    said = refused(*words, "--dry-run", "--url", url)

    assert "was written by an older Milepost" in said
    assert "milepost health" in said
    assert files(url) == before
    connection.close()
    done("health", "--url", url)
    assert "would store 1 memory" in done("store", "a fact", "--dry-run", "--url", url)


def test_programs_can_read_it(name: str) -> None:
    told = milepost("delete", name, "--dry-run", "--json").data

    assert told == {"would": [f"delete 1 memory ({name})"], "dry_run": True}


def test_every_command_that_changes_something_offers_it() -> None:
    offering = {command.path for command in all_commands() if command.changes}
    made_for_people = {command.path for command in COMMANDS}

    for operation in operations_of(Milepost).values():
        if command_path(operation.name, operation.spec.category) in made_for_people:
            continue
        words = (operation.name.replace("_", "-"),)
        offered = words in offering or operation.takes("dry_run")
        assert offered != operation.spec.read_only, operation.name
    for words in (
        ("config", "set"), ("config", "unset"), ("storage", "compact"), ("storage", "reembed"),
        ("backup", "create"), ("backup", "restore"), ("daemon", "start"), ("daemon", "stop"),
    ):  # fmt: skip
        assert words in offering


def test_what_a_program_lets_be_written_later_is_not_written_either(
    path: Path, sandbox: None
) -> None:
    memory.create_episode("a task", id="login-7")
    code = "add_step('login-7', 'bash', 'ls', wait=False); get_episode('login-7').step_count"

    told = done("execute-code", code, "--dry-run")
    assert "would add the step" in told
    assert "would note 1 entry under executions" in told
    assert memory.get_episode("login-7").step_count == 0
