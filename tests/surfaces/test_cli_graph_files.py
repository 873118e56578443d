"""The file of the MCP reference memory server, read and written by commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import milepost


def entity(name: str) -> str:
    return json.dumps({"type": "entity", "name": name, "entityType": "t", "observations": []})


def test_empty_lines_are_counted_and_say_nothing(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(f"\ufeff{entity('Ann')}\n\n{entity('Bob')}\n\n", "utf-8")
    assert milepost("graph", "import", file, "--url", path).out == (
        "2 entities, 0 observations, 0 relations\n"
    )

    file.write_text(f"{entity('Cid')}\n\nno JSON\n", "utf-8")
    refused = milepost("graph", "import", file, "--url", path)
    assert (refused.code, refused.out) == (1, "")
    assert "item 3: a line is not JSON" in refused.err
    assert "Cid" not in milepost("graph", "export", "--url", path).out


@pytest.mark.slow
def test_what_is_written_before_a_bad_line_is_told(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    lines = [entity(f"thing {i}") for i in range(10_000)]
    file.write_text("\n".join([*lines, entity("more"), "no JSON"]), "utf-8")

    refused = milepost("graph", "import", file, "--url", path)

    assert "The first 10,000 lines are written; of those after them item 2" in refused.err
    assert milepost("graph", "export", "--url", path).out.count("\n") == 10_000
