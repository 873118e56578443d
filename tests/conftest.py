"""What every test may use: memories in files of their own, and Python in another process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import milepost

PROCESS_TIMEOUT_S = 120

# The same examples for the same code in CI; new ones each time at home.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

Running = subprocess.Popen[str]
RunPython = Callable[..., subprocess.CompletedProcess[str]]
StartPython = Callable[..., Running]


@pytest.fixture(scope="session", autouse=True)
def _environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the memory and the settings of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("MILEPOST_")]:
            patch.delenv(name)
        patch.setenv("MILEPOST_URL", str(tmp_path_factory.mktemp("default") / "memory.db"))
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's store lies."""
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[milepost.Milepost]:
    """An empty memory in a file."""
    with milepost.connect(path) as opened:
        yield opened


@pytest.fixture
def default_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the functions of the module work on an empty file; gives its path."""
    monkeypatch.setenv("MILEPOST_URL", str(path))
    return path


@pytest.fixture
def start_python() -> Iterator[StartPython]:
    """Start a script in another Python; what still runs at the end is killed."""
    started: list[Running] = []

    def start(script: str, *arguments: object) -> Running:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run_python(start_python: StartPython) -> RunPython:
    """Run a script in another Python to its end, which must be a good one."""

    def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        process = start_python(script, *arguments)
        out, err = process.communicate(timeout=PROCESS_TIMEOUT_S)
        assert process.returncode == 0, f"exit code {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(script, process.returncode, out, err)

    return run
