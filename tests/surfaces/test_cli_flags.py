"""`milepost flags` shows and sets in which spaces a setting is in force."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import done, milepost, refused


@pytest.fixture(autouse=True)
def store(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    return path


def shown(name: str, *options: str) -> dict[str, Any]:
    (row,) = [
        row for row in milepost("flags", "list", "--json", *options).data if row["name"] == name
    ]
    return row


def test_without_flags_every_setting_is_in_force_and_no_store_is_made(store: Path) -> None:
    assert all(row["on"] for row in milepost("flags", "list", "--json").data)
    assert "secrets      all spaces" in done("flags", "list")
    assert not store.exists()


def test_a_share_a_space_and_what_they_come_to_are_shown() -> None:
    assert done("flags", "set", "secrets", "25%") == "secrets is in force in 25 % of spaces"
    assert done("flags", "set", "secrets", "on", "--space", "acme") == (
        "secrets is in force in 25 % of spaces; of their own: acme on"
    )

    assert shown("secrets", "--space", "acme") == {
        "name": "secrets", "share": 25.0, "spaces": {"acme": True}, "space": "acme", "on": True
    }  # fmt: skip
    assert "acme on" in done("flags", "ls")


def test_clearing_leaves_nothing_behind() -> None:
    done("flags", "set", "secrets", "off")
    done("flags", "set", "secrets", "off", "--space", "acme")

    assert done("flags", "set", "secrets", "clear", "--space", "acme").endswith("in no space")
    assert done("flags", "set", "secrets", "clear") == "secrets is in force in all spaces"
    assert shown("secrets")["share"] is None


@pytest.mark.parametrize("value", ["maybe", "25", "101%", "-1%", "x%", "nan%", "%"])
def test_what_is_no_share_is_refused(value: str) -> None:
    assert "a share such as 25%" in refused("flags", "set", "secrets", "--", value)


def test_one_space_has_no_share_and_only_some_settings_have_flags() -> None:
    outcome = milepost("flags", "set", "secrets", "25%", "--space", "acme")
    assert outcome.code == 2
    assert "a share is of all spaces" in outcome.err

    outcome = milepost("flags", "set", "port", "on")
    assert outcome.code == 2
    assert (
        "it must be one of audit_reads, embedder, event_days, reflector, secrets, undo_days"
        in outcome.err
    )


def test_a_dry_run_says_what_it_would_do(store: Path) -> None:
    said = done("flags", "set", "secrets", "25%", "--dry-run")

    assert "set to 25% the flag of secrets in every space" in said
    assert not store.exists()


def test_flags_are_set_where_the_store_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILEPOST_URL", "http://127.0.0.1:9")

    assert "set flags where its store is" in refused("flags", "set", "secrets", "off")
