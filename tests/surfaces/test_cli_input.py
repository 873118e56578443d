"""What is typed reaches the memory whole, and what is stored cannot harm a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from milepost.surfaces.cli import main


def run(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    assert main([*words, "--url", str(path)]) == 0
    return capsys.readouterr().out


def test_a_repeated_option_adds_to_the_list(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    known = run(capsys, path, "store", "a fact", "--tags", "a,b", "--tags", "c").strip()

    shown = json.loads(run(capsys, path, "get", known, "--json"))
    assert shown["tags"] == ["a", "b", "c"]


def test_a_json_list_is_many_items(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    given = json.dumps([{"content": "one"}, "two"])

    assert len(run(capsys, path, "store-batch", given, "[not json]").split()) == 3


def test_control_characters_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    known = run(capsys, path, "store", "a \x1b[31mred\x07 fact").strip()

    for words in (["get", known], ["search", "red fact"], ["search-iter", "red fact"]):
        shown = run(capsys, path, *words)
        assert "fact" in shown
        assert not {"\x1b", "\x07"} & set(shown)


def test_a_port_that_no_server_can_have_is_refused(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    assert main(["serve", "--port", "99999", "--url", str(path)]) == 1
    assert "--port must be at most 65535" in capsys.readouterr().err
