"""Real repositories to work in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from git_repository import Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return Repository(tmp_path / "shop")
