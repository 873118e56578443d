"""What every test may use: memories in files of their own, and Python in another process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from shutil import rmtree, which
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings

import milepost
from milepost.config import AGENT_VARIABLES, SESSION_VARIABLES
from milepost.opening import open_runner, settings_for
from milepost.surfaces.remote_memory import WarmMemory
from support import Running, RunPython, StartPython, kept_warm

PROCESS_TIMEOUT_S = 120

# A shell that starts the tests in the background has them, and all that they start, ignore it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# However busy the machine is, an example may take its time. In CI the same code gets the same
# examples, at home new ones each time.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("home", _PATIENT)
settings.register_profile("ci", _PATIENT, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")


@pytest.fixture(scope="session", autouse=True)
def _environment(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[None]:
    """Keep the tests away from the memory and the settings of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("MILEPOST_")]:
            patch.delenv(name)
        # Nor shall commands take whoever runs the tests for an agent that reads what they print.
        for name in (*AGENT_VARIABLES, *SESSION_VARIABLES):
            patch.delenv(name, raising=False)
        folder = tmp_path_factory.mktemp("default")
        patch.setenv("MILEPOST_URL", str(folder / "memory.db"))
        patch.setenv("MILEPOST_CONFIG", str(folder / "milepost.toml"))
        # The compiled sandbox is kept between sessions, for it takes ten seconds to make.
        patch.setenv("MILEPOST_CACHE_FOLDER", str(pytestconfig.cache.mkdir("sandbox").parent))
        # Not below pytest's folder: the path of a socket must be short.
        run = Path(mkdtemp(prefix="mp-"))
        patch.setenv("MILEPOST_RUNTIME_FOLDER", str(run))
        yield
        rmtree(run)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's store lies."""
    return tmp_path / "m.db"


@pytest.fixture
def mode() -> str:
    """How memories are asked: "embedded" here; a module may have its tests run "warm" as well."""
    return "embedded"


@pytest.fixture
def memory(path: Path, mode: str) -> Iterator[milepost.Milepost]:
    """An empty memory in a file."""
    with kept_warm(path) if mode == "warm" else nullcontext(), milepost.connect(path) as opened:
        assert isinstance(opened, WarmMemory) == (mode == "warm")
        yield opened


@pytest.fixture
def default_memory(path: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let the functions of the module work on an empty file; gives its path."""
    monkeypatch.setenv("MILEPOST_URL", str(path))
    with kept_warm(path) if mode == "warm" else nullcontext():
        yield path


@pytest.fixture(scope="session")
def sandbox() -> None:
    """Skip where no program can be run at all."""
    runner = open_runner(settings_for("memory://"))
    status = runner.status()
    runner.close()
    if not status.available:
        pytest.skip(status.note)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a small disk with the given options, as often as asked."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", options, "milepost-test", str(folder)]
        if which("mount") is None or subprocess.run(command, check=False).returncode:
            pytest.skip("no disk can be mounted here")
        return folder

    yield mount
    while folder.is_mount():
        subprocess.run(["umount", "-l", str(folder)], check=True)


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
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def run_python(start_python: StartPython) -> RunPython:
    """Run a script in another Python to its end, which must be a good one."""

    def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        process = start_python(script, *arguments)
        out, err = process.communicate(timeout=PROCESS_TIMEOUT_S)
        assert process.returncode == 0, f"exit code {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(script, process.returncode, out, err)

    return run
