"""What every test may use: memories in files of their own, and Python in another process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import milepost
from milepost.opening import open_runner, settings_for
from milepost.programs.values import Program
from milepost.surfaces.remote_memory import WarmMemory
from support import PATIENCE_S, Running, RunPython, StartPython, kept_warm, on_this_machine

if TYPE_CHECKING:
    from milepost.testing.postgres import Databases

# More than this a test takes only when it is marked as slow, and `make check` leaves it out.
QUICK_S_MAX = 1.0
_SLOW_FIXTURES = {"mounted", "run_python", "sandbox", "start_python"}

# A shell that starts the tests in the background has them, and all that they start, ignore it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# However busy the machine is, an example may take its time. In CI the same code gets the same
# examples, at home new ones each time.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("home", _PATIENT)
settings.register_profile("ci", _PATIENT, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")


pytest_plugins = ["milepost.testing.plugin"]

# Read before the tests are kept away from the environment.
_GIVEN_POSTGRES = os.environ.get("MILEPOST_TEST_POSTGRES", "")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what needs another process or disk, and measure nothing of what is slow here."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
        elif _SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail what has become slow, where the quick tests run alone."""
    began = time.monotonic()
    yield
    spent = time.monotonic() - began
    if item.config.option.markexpr == "not slow" and spent > QUICK_S_MAX:
        assert spent < on_this_machine(QUICK_S_MAX), f"took {spent:.1f} s: mark it as slow"


@pytest.fixture(scope="session", autouse=True)
def _environment(
    no_settings: None, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Keep all tests away from the memory and the settings of whoever runs them."""
    # The compiled sandbox is kept between sessions, for it takes ten seconds to make.
    cache = getattr(pytestconfig, "cache", None)  # which can be switched off
    folder = cache.mkdir("sandbox").parent if cache else tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_CACHE_FOLDER", str(folder))
        yield


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
def postgres() -> Iterator[Databases]:
    """A PostgreSQL for all tests of this process, or the one that MILEPOST_TEST_POSTGRES names."""
    from milepost.testing.postgres import given_server, postgres_server

    with given_server(_GIVEN_POSTGRES) if _GIVEN_POSTGRES else postgres_server() as databases:
        yield databases


@pytest.fixture
def postgres_url(postgres: Databases) -> Iterator[str]:
    """An empty database, as the role that owns it; a new one takes as long as some tables."""
    url = postgres.new_database()
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="session")
def migrated_postgres(postgres: Databases) -> str:
    """Return a database with the newest schema, of which copies are made."""
    from milepost.storage.postgres.connections import Connections
    from milepost.storage.postgres.migrate import migrate
    from milepost.storage.postgres.sql import migrations

    url = postgres.new_database()
    connections = Connections(url)
    migrate(connections, migrations())
    connections.close()
    return url


@pytest.fixture
def postgres_store_url(postgres: Databases, migrated_postgres: str) -> Iterator[str]:
    """Return a database of the test's own, whose schema is made already."""
    url = postgres.new_database(template=migrated_postgres)
    yield url
    postgres.drop_database(url)


SEALED_BY = "5e" * 32


@pytest.fixture(scope="session")
def encrypted_postgres(postgres: Databases, migrated_postgres: str) -> str:
    """Return a database whose texts are sealed, of which copies are made."""
    from milepost.sealing import new_key
    from milepost.storage import maintenance

    url = postgres.new_database(template=migrated_postgres)
    maintenance.recode(url, lambda _: new_key(SEALED_BY), lambda _: 0, lambda *_: None)
    return url


@pytest.fixture
def sealed_postgres_store_url(
    postgres: Databases, encrypted_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Return a database of the test's own whose texts are sealed, by a key that is offered."""
    from milepost.storage import offered

    monkeypatch.setattr(offered, "_OFFERED", {})
    url = postgres.new_database(template=encrypted_postgres)
    offered.offer(url, lambda: [SEALED_BY])
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="session")
def sandbox() -> None:
    """Skip where no program can be run at all; where one can, the sandbox is compiled."""
    runner = open_runner(settings_for("memory://"))
    status = runner.status()
    if status.available:
        runner.run(Program("1"), lambda *_: None)
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
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, f"exit code {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(script, process.returncode, out, err)

    return run
