"""What is published, built once for all tests of this folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RELEASE = ROOT / "release"


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with everything that `make dist` builds."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, str(RELEASE / "build.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder
