"""A change that slows searches or makes answers longer does not pass `bench/compare.py`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

ROOT = Path(__file__).parents[2]
SLOWER = """
_planted = scored
def scored(*given, **named):
    sum(range(400_000))
    return _planted(*given, **named)
"""
LONGER = """
_planted = CompactSearchResult.__str__
CompactSearchResult.__str__ = lambda found: _planted(found) + " and so on, at some length" * 5
"""


def compared(tree: Path) -> subprocess.CompletedProcess[str]:
    """Compare a tree with this one, on few memories."""
    script = str(ROOT / "bench" / "compare.py")
    few = ["--size", "40", "--queries", "15", "--rounds", "2"]
    command = [sys.executable, script, str(ROOT), "--tree", str(tree), *few]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_slower_search_and_longer_answers_are_told(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src")
    package = tmp_path / "src" / "milepost"
    for file, planted in (("ranking/score.py", SLOWER), ("memory/values.py", LONGER)):
        with (package / file).open("a") as source:
            source.write(planted)

    done = compared(tmp_path)

    assert done.returncode == 1, done.stderr
    told = [line.partition(":")[0] for line in done.stderr.splitlines()]
    assert told == ["search, ms", "tokens of searches"]


def test_a_tree_passes_beside_itself() -> None:
    done = compared(ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
