"""Every promise of SECURITY.md names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (?P<promise>[^|]+) \| `(?P<file>tests/[^`:]+)::(?P<test>\w+)` \|$", re.M)


def test_every_promise_is_proved_by_a_test_that_exists() -> None:
    page = (ROOT / "SECURITY.md").read_text()
    table = page.partition("## Promises")[2]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    proved = _ROW.findall(table)
    missing = [
        f"{file}::{test}"
        for _, file, test in proved
        if not re.search(rf"^(async )?def {test}\(", _text(ROOT / file), re.M)
    ]

    assert missing == []
    assert len(proved) == len(rows), "each row names one test"
    assert len(proved) == len({(file, test) for _, file, test in proved})


def _text(file: Path) -> str:
    return file.read_text() if file.is_file() else ""
