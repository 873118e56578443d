"""What tests of several hooks share: a repository, its hooks, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_runs import DECISION, Hooks, git

from milepost import Milepost, connect


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose last commit is about rounding."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "fix-rounding")
    (folder / "cart.py").write_text("total = 0\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Round cart totals to cents")
    return folder


@pytest.fixture
def hooks(path: Path, repo: Path) -> Hooks:
    return Hooks(path, repo)


@pytest.fixture
def known(path: Path) -> Iterator[Milepost]:
    """A memory that knows a decision of the project."""
    with connect(path) as memory:
        memory.store(DECISION, kind="decision", project="shop")
        yield memory
