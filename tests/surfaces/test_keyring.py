"""Secrets are kept in the system's keyring, here one of the test's own, and are never shown."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import done, milepost, refused

from milepost.config import load_settings
from milepost.errors import ConfigError
from milepost.secret_sources import all_revealed, revealed

keyring = pytest.importorskip("keyring", reason='pip install "milepost[keyring]"')
backend = pytest.importorskip("keyring.backend")

SECRET = "hush-hush-0815"


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file of the test's own, which is not there yet."""
    place = tmp_path / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(place))
    return place


class OwnersKeyring(backend.KeyringBackend):  # type: ignore[misc, name-defined]
    """A keyring that keeps its secrets for as long as it lives."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[OwnersKeyring]:
    """The keyring of this system, for the length of a test."""
    before = keyring.get_keyring()
    ours = OwnersKeyring()
    keyring.set_keyring(ours)
    yield ours
    keyring.set_keyring(before)


def shown(name: str) -> tuple[object, str]:
    (row,) = [row for row in milepost("config", "show", "--json").data if row["name"] == name]
    return row["value"], row["source"]


def test_a_secret_is_put_into_the_keyring_and_read_back(ring: OwnersKeyring, file: Path) -> None:
    said = done("config", "set-secret", "key", given=f"{SECRET}\n")

    assert ring.kept == {("milepost", "key"): SECRET}
    assert tomllib.loads(file.read_text()) == {"key": "keyring:"}
    assert revealed("key", load_settings().key) == SECRET
    assert shown("key") == ("********", f"keyring, which {file} names")
    for text in (said, done("config", "show"), file.read_text()):
        assert SECRET not in text


def test_a_secret_that_another_program_put_there_is_found(
    ring: OwnersKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.set_password("milepost", "embedder_keys", "sk-1,sk-2")
    monkeypatch.setenv("MILEPOST_EMBEDDER_KEYS", "keyring:")

    assert all_revealed("embedder_keys", load_settings().embedder_keys) == ("sk-1", "sk-2")


def test_a_secret_that_is_unset_leaves_the_keyring(ring: OwnersKeyring, file: Path) -> None:
    done("config", "set-secret", "embedder_keys", given="sk-1,sk-2\n")
    assert all_revealed("embedder_keys", load_settings().embedder_keys) == ("sk-1", "sk-2")

    done("config", "unset", "embedder_keys")

    assert ring.kept == {}
    assert load_settings().embedder_keys == ()


def test_a_keyring_without_the_secret_says_how_to_put_it_there(
    ring: OwnersKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_KEY", "keyring:")

    with pytest.raises(ConfigError, match="config set-secret key"):
        revealed("key", load_settings().key)
    assert "config set-secret key" in shown("key")[1]


@pytest.mark.parametrize("kind", ["fail", "null"])
def test_a_system_without_a_keyring_says_what_to_do(
    ring: OwnersKeyring, file: Path, kind: str
) -> None:
    __import__(f"keyring.backends.{kind}")
    keyring.set_keyring(getattr(keyring.backends, kind).Keyring())

    said = refused("config", "set-secret", "key", given=f"{SECRET}\n")

    assert "MILEPOST_KEY_FILE" in said
    assert SECRET not in said
    assert not file.exists()


def test_without_the_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    assert "milepost[keyring]" in refused("config", "set-secret", "key", given="x\n")
    assert not file.exists()


def test_reading_the_settings_asks_no_keyring(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    file.write_text('key = "keyring:"\n')

    assert load_settings().key == "keyring:"


def test_nothing_and_what_is_no_secret_are_not_taken(ring: OwnersKeyring) -> None:
    assert milepost("config", "set-secret", "key", given="\n").code == 2
    assert milepost("config", "set-secret", "space", given="x\n").code == 2
    assert "would keep key" in done("config", "set-secret", "key", "--dry-run", given="x\n")
    assert ring.kept == {}
