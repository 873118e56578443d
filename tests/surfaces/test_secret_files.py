"""Secrets come from files, as containers are given them, and are never shown."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from command_line import milepost

from milepost.config import load_settings
from milepost.errors import ConfigError
from milepost.secret_sources import all_revealed, revealed
from milepost.surfaces.http.access import Access

SECRET = "hush-hush-0815"


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file of the test's own, which is not there yet."""
    place = tmp_path / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(place))
    return place


@pytest.fixture
def secret_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the key of the server, as containers are given one."""
    place = tmp_path / "key"
    place.write_text(f"{SECRET}\n")
    place.chmod(0o400)
    monkeypatch.setenv("MILEPOST_KEY_FILE", str(place))
    return place


def shown(name: str) -> tuple[object, str]:
    (row,) = [row for row in milepost("config", "show", "--json").data if row["name"] == name]
    return row["value"], row["source"]


def test_a_secret_in_a_file_is_used_without_its_last_newline(secret_file: Path) -> None:
    settings = load_settings()

    assert revealed("key", settings.key) == SECRET
    headers = {b"authorization": f"Bearer {SECRET}".encode(), b"host": b"x"}
    access = Access(settings._replace(host="0.0.0.0"))
    assert asyncio.run(access.caller("/docs", headers, "10.0.0.1")).name == "server key"
    source = f"file {secret_file}, which environment MILEPOST_KEY_FILE names"
    assert shown("key") == ("********", source)


def test_several_keys_stand_in_a_file_on_lines_or_between_commas(
    secret_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret_file.chmod(0o600)
    secret_file.write_text("sk-1\nsk-2, sk-3\r\n")
    monkeypatch.setenv("MILEPOST_EMBEDDER_KEYS_FILE", str(secret_file))

    assert all_revealed("embedder_keys", load_settings().embedder_keys) == ("sk-1", "sk-2", "sk-3")


def test_a_value_of_its_own_comes_before_a_file(
    secret_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_KEY", "mine")

    assert load_settings().key == "mine"


@pytest.mark.parametrize("name", ["EMBEDDER_KEYS", "KEY", "REFLECTOR_KEY"])
def test_every_secret_may_lie_in_a_file_and_nothing_else_may(
    name: str, secret_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MILEPOST_{name}_FILE", str(secret_file))
    monkeypatch.setenv("MILEPOST_SPACE_FILE", str(secret_file))

    value = getattr(load_settings(), name.lower())
    assert value in (f"file:{secret_file}", (f"file:{secret_file}",))
    assert load_settings().space == "default"


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "No such file"), (b"\n", "is empty"), (b"\xff", "UTF-8"), (b"x" * 70_000, "bytes")],
)
def test_a_file_that_gives_no_secret_is_told(
    secret_file: Path, content: bytes | None, said: str
) -> None:
    secret_file.unlink()
    if content is not None:
        secret_file.write_bytes(content)

    with pytest.raises(ConfigError, match=said) as told:
        revealed("key", load_settings().key)
    assert str(secret_file) in str(told.value)
    assert said in shown("key")[1]


def test_a_file_that_everybody_can_read_is_used_and_told_of(secret_file: Path) -> None:
    assert "every user" not in shown("key")[1]
    secret_file.chmod(0o444)

    assert revealed("key", load_settings().key) == SECRET
    assert "(every user of this machine can read it)" in shown("key")[1]
    (check,) = [c for c in milepost("doctor", "--json").data["checks"] if c["name"] == "secret key"]
    assert (check["status"], check["repair"]) == ("note", f"chmod 600 {secret_file}")


def test_doctor_calls_a_secret_broken_that_is_not_there(secret_file: Path) -> None:
    secret_file.unlink()

    (check,) = [c for c in milepost("doctor", "--json").data["checks"] if c["name"] == "secret key"]
    assert check["status"] == "broken"
    assert "No such file" in check["found"]


@pytest.mark.parametrize(
    ("variable", "name", "embedder"),
    [
        ("MILEPOST_KEY_FILE", "key", "static"),
        ("MILEPOST_REFLECTOR_KEY_FILE", "reflector_key", "static"),
        ("OPENAI_API_KEY_FILE", "embedder_keys", "openai"),
        ("COHERE_API_KEY_FILE", "embedder_keys", "cohere"),
    ],
)
def test_a_file_that_is_missing_is_named_and_no_secret_is_shown_for_it(
    variable: str, name: str, embedder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = str(tmp_path / "no" / "key")
    monkeypatch.setenv("MILEPOST_EMBEDDER", embedder)
    monkeypatch.setenv(variable, missing)

    value, source = shown(name)
    assert value == "cannot be read"
    assert f"{missing}: No such file or directory" in source
    assert source.endswith(f"which environment {variable} names")
    checks = {check["name"]: check for check in milepost("doctor", "--json").data["checks"]}
    assert checks[f"secret {name}"]["status"] == "broken"
    assert missing in checks[f"secret {name}"]["found"]


def test_the_url_may_lie_in_a_file_and_its_password_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "url"
    place.write_text(
        f"https://milepost:{SECRET}@host-a,host-b:5433/memories?sslpassword={SECRET}\n"
    )
    monkeypatch.delenv("MILEPOST_URL")
    monkeypatch.setenv("MILEPOST_URL_FILE", str(place))

    assert SECRET in load_settings().url
    assert shown("url") == (
        "https://milepost:********@host-a,host-b:5433/memories?sslpassword=********",
        "environment MILEPOST_URL_FILE",
    )
    assert SECRET not in str(milepost("flags", "set", "secrets", "off"))

    monkeypatch.setenv("MILEPOST_URL", "notes.db")
    assert load_settings().url == "notes.db"


def test_a_store_that_cannot_be_opened_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MILEPOST_URL", f"nosuchdb://milepost:{SECRET}@host/memories")

    outcome = milepost("search", "anything")
    assert outcome.code == 1
    assert "nosuchdb://milepost:********@host/memories" in outcome.err
    assert SECRET not in outcome.err


def test_a_missing_file_of_the_url_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MILEPOST_URL")
    monkeypatch.setenv("MILEPOST_URL_FILE", str(tmp_path / "no"))

    assert "url cannot be read from" in milepost("search", "anything").err
