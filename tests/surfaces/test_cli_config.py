"""`milepost config` shows the settings and edits milepost.toml without breaking it."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from command_line import done, milepost, refused, run


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file of the test's own, which is not there yet."""
    place = tmp_path / "config" / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(place))
    return place


def shown(*words: str) -> dict[str, tuple[object, str]]:
    found = milepost("config", "show", "--json", *words).data
    return {row["name"]: (row["value"], row["source"]) for row in found}


def test_every_setting_is_shown_with_where_it_comes_from(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.mkdir()
    file.write_text('space = "written"\nport = 1234\n')
    monkeypatch.setenv("MILEPOST_PORT", "4321")
    monkeypatch.setenv("MILEPOST_URL", "/env/m.db")

    found = shown("--url", "/flag/m.db")

    assert found["url"] == ("/flag/m.db", "flag")
    assert found["port"] == (4321, "environment MILEPOST_PORT")
    assert found["space"] == ("written", str(file))
    assert found["host"] == ("127.0.0.1", "default")
    lines = done("config", "show").splitlines()
    assert lines[0].split() == ["setting", "value", "from"]
    assert len(lines) == 1 + len(found)


def test_secrets_are_never_shown(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER_KEYS", "sk-one,sk-two")
    said = done("config", "set", "key", "hush-hush")

    for text in (said, done("config", "show"), done("config", "show", "--format", "yaml")):
        assert "hush" not in text
        assert "sk-" not in text
    assert 'key = "hush-hush"' in file.read_text()


def test_a_setting_is_written_and_removed_again(file: Path) -> None:
    done("config", "set", "space", 'a "b" \\ 港')
    done("config", "set", "port", "9000")
    done("config", "set", "port", "9001")
    done("config", "set", "embedder_keys", "one, two")

    assert tomllib.loads(file.read_text()) == {
        "space": 'a "b" \\ 港',
        "port": 9001,
        "embedder_keys": ["one", "two"],
    }
    assert file.stat().st_mode & 0o777 == 0o600
    assert shown()["port"] == (9001, str(file))
    done("config", "unset", "port")
    assert "not set" in done("config", "unset", "port")
    assert shown()["port"] == (8765, "default")
    assert list(file.parent.iterdir()) == [file]


def test_what_a_person_wrote_around_it_stays(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(
        "# mine\nspace = '''\nport = 1\n'''  # a trap\n"
        'embedder_keys = [\n  "a",  # first\n  "b",\n]\n\nport = 2 # here\n# the end'
    )

    done("config", "set", "port", "3")
    done("config", "set", "embedder_keys", "c")
    done("config", "unset", "space")

    assert file.read_text() == '# mine\nembedder_keys = ["c"]\n\nport = 3\n# the end\n'


@pytest.mark.parametrize(
    ("name", "value"), [("port", "ninety"), ("log_level", "loud"), ("daemon", "maybe")]
)
def test_a_value_that_cannot_be_is_refused(name: str, value: str, file: Path) -> None:
    assert value in refused("config", "set", name, value)
    assert not file.exists()


def test_an_empty_value_is_a_wrong_call(file: Path) -> None:
    assert milepost("config", "set", "space", "").code == 2
    assert not file.exists()


def test_a_dry_run_writes_nothing(file: Path) -> None:
    assert "would set port to 9000" in done("config", "set", "port", "9000", "--dry-run")
    assert not file.exists()
    done("config", "set", "port", "9000")
    assert "would remove port" in done("config", "unset", "port", "--dry-run")
    assert shown()["port"][0] == 9000


def test_a_broken_file_is_neither_overwritten_nor_in_the_way_of_its_path(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("port = [")

    assert str(file) in refused("config", "show")
    assert str(file) in refused("config", "set", "port", "1")
    assert str(file) in refused("config", "unset", "port")
    assert done("config", "path") == str(file)
    assert file.read_text() == "port = ["


def test_a_folder_that_cannot_be_written_to_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "occupied").write_text("a file where a folder should be")
    monkeypatch.setenv("MILEPOST_CONFIG", str(tmp_path / "occupied" / "milepost.toml"))

    assert "Cannot write" in refused("config", "set", "port", "1")


def test_what_comes_first_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILEPOST_PORT", "7")

    assert "environment MILEPOST_PORT comes first" in done("config", "set", "port", "8")


def test_a_written_setting_counts_for_the_next_command(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "MILEPOST_URL"}
    done("config", "set", "url", str(tmp_path / "mine.db"))

    run("store", "a fact", env=environment, check=True)

    assert (tmp_path / "mine.db").exists()


def test_a_file_that_others_could_read_is_its_owners_alone_after_a_change(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("port = 1\r\n")
    file.chmod(0o644)

    done("config", "set", "port", "2")

    assert file.read_bytes() == b"port = 2\r\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_link_to_the_file_stays_a_link(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("port = 1\n")
    file.parent.mkdir()
    file.symlink_to(real)

    done("config", "set", "port", "2")

    assert file.is_symlink()
    assert real.read_text() == "port = 2\n"
