"""The command line does what the functions do, for people and for programs."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import milepost
from milepost.surfaces.cli import main


@pytest.fixture(autouse=True)
def _store(default_memory: Path) -> None:
    """Every command works on the file of its test."""


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error", "-m", "milepost", *arguments]
    return subprocess.run(command, input=given, capture_output=True, timeout=120, check=False)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.rstrip("\n")


def refused(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> str:
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("milepost: ")
    assert len(err.splitlines()) == 1
    return err


@pytest.mark.slow
def test_the_command_stores_searches_and_shows() -> None:
    stored = run("store", "We chose PostgreSQL because of JSONB", "--tags", "db,decision")
    name = stored.stdout.decode().strip()
    found = run("search", "which database did we choose?", "--limit", "3")
    shown = run("get", name[:4], "--json")

    assert (stored.returncode, stored.stderr) == (0, b"")
    assert len(name) == 8
    assert found.stdout.decode().startswith(f"{name} [db decision] ")
    assert json.loads(shown.stdout)["content"] == "We chose PostgreSQL because of JSONB"


def test_a_script_called_milepost_is_installed() -> None:
    command = Path(sys.executable).with_name("milepost")
    if not command.exists():
        pytest.skip("the package is not installed, only its source is on the path")

    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)

    assert told.stdout.split() == ["milepost", milepost.__version__]


def test_every_operation_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--help")

    for name in (
        "store", "search", "recall", "search-by-tag", "search-iter", "get", "similar", "timeline",
        "update", "delete", "delete-by-tag", "store-batch", "delete-batch", "health",
    ):  # fmt: skip
        assert name in text
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0


@pytest.mark.slow
def test_commands_call_the_operations(capsys: pytest.CaptureFixture[str]) -> None:
    name = printed(capsys, "store", "the harbour opens at six", "--tags", "sea", "--kind", "fact")
    other = printed(capsys, "store", "the harbour closes", "--metadata", '{"a": [1]}')

    assert name in printed(capsys, "search", "harbour opens")
    assert name in printed(capsys, "recall", "harbour today")
    assert other not in printed(capsys, "search-by-tag", "sea")
    assert len(printed(capsys, "search-iter", "harbour", "--min-score", "0").splitlines()) == 2
    assert "opens at six" in printed(capsys, "get", name)
    assert "opens at six" in printed(capsys, "get-by-hash", name)
    assert other in printed(capsys, "similar", name)
    assert other in printed(capsys, "timeline", name, "--before", "0")
    assert "1 more" not in printed(capsys, "search", "harbour", "--limit", "1", "--tags", "sea")
    assert milepost.get(other).metadata == {"a": [1]}
    new = printed(capsys, "update", name, "--content", "the harbour opens at seven")
    assert milepost.get(name).superseded_by == new
    assert "would" in printed(capsys, "delete-by-tag", "sea", "--dry-run")
    printed(capsys, "delete", other)
    printed(capsys, "delete-batch", name, new)
    assert printed(capsys, "health") == "healthy, 0 memories, sqlite"


def test_json_is_one_value_that_programs_can_read(capsys: pytest.CaptureFixture[str]) -> None:
    name = json.loads(printed(capsys, "store", "the harbour — 港", "--json"))
    found = json.loads(printed(capsys, "search", "harbour", "--json"))
    lines = printed(capsys, "search-iter", "harbour", "--json").splitlines()
    health = json.loads(printed(capsys, "health", "--json"))

    assert set(found) == {"memories", "total", "query"}
    assert list(found["memories"][0]) == (
        "hash preview tags created score kind project when mark".split()
    )
    assert found["memories"][0]["hash"] == json.loads(lines[0])["hash"] == name
    assert (health["status"], health["count"], health["backend"]) == ("healthy", 1, "sqlite")
    assert json.loads(printed(capsys, "get", name, "--json"))["content"] == "the harbour — 港"


def test_a_dash_reads_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("first line\nsecond line\n"))
    name = printed(capsys, "store", "-")
    assert milepost.get(name).content.splitlines() == ["first line", "second line"]

    monkeypatch.setattr("sys.stdin", io.StringIO('one\n\n{"content": "two", "tags": ["t"]}\n'))
    names = printed(capsys, "store-batch", "-").splitlines()
    assert [milepost.get(name).content for name in names] == ["one", "two"]
    assert milepost.get(names[1]).tags == ("t",)


def test_another_store_and_space_can_be_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    url = str(tmp_path / "other.db")
    printed(capsys, "store", "a fact", "--url", url, "--space", "mine")

    assert "1 memory" in printed(capsys, "health", "--url", url, "--space", "mine")
    assert "0 memories" in printed(capsys, "health", "--url", url)
    assert "0 memories" in printed(capsys, "health")


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", ""),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--limit", "many"),
        ("search", "x", "--min-score", "2"),
        ("search", "x", "--after", "soonish"),
        ("search", "x", "--match", "some"),
        ("get", "deadbeef"),
        ("get", "nothing"),
        ("store", " "),
        ("store", "x", "--metadata", "{not json"),
        ("store", "x", "--metadata", "[1]"),
        ("store-batch", '{"content": "x", "tag": 1}'),
        ("delete-batch", "deadbeef"),
        ("search", "x", "--url", "mysql://x"),
        ("store", "x", "--url", "/proc/nowhere/m.db"),
    ],
    ids=" ".join,
)
def test_what_fails_says_why_in_one_line_and_exits_with_1(
    capsys: pytest.CaptureFixture[str], arguments: Sequence[str]
) -> None:
    refused(capsys, arguments)

    assert milepost.health().count == 0


@pytest.mark.parametrize(
    "arguments",
    [["--json"], ["frobnicate"], ["search"], ["search", "x", "--frobnicate"]],
    ids=" ".join,
)
def test_a_wrong_call_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: Sequence[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_bytes_that_are_not_text_are_refused_without_a_traceback(
    errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", f"utf-8:{errors}")

    ended = run("store", "-", given=b"caf\xe9 \xff\xfe")

    assert ended.returncode == 1
    assert ended.stderr.startswith(b"milepost: ")
    assert b"Traceback" not in ended.stderr
    assert milepost.health().count == 0


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error() -> None:
    milepost.store_batch([f"harbour {i}" for i in range(2_000)])
    command = [sys.executable, "-m", "milepost", "search-iter", "harbour"]
    with subprocess.Popen(
        [*command, "--min-score", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()

    assert b"Traceback" not in err
    assert b"Exception" not in err


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("print(len(search('harbour').memories))", 0),
        ("raise ValueError('no harbour')", 1),
        ("def (", 1),
        ("while True: sum(range(1000))", 1),
        ("import socket", 1),
        ("get('deadbeef')", 1),
    ],
)
def test_a_program_that_fails_fails_the_command(
    code: str, ended: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", code, "--timeout-s", "1"]) == ended
    assert "calls, " in capsys.readouterr().out
