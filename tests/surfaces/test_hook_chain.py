"""The ways of a hook to the memory, each broken in the way that it breaks on real machines.

Every test runs what a client runs: a command line in a shell, with JSON on its standard input.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from hook_runs import Done, Hooks

from milepost import Milepost
from milepost.config import load_settings
from milepost.surfaces import warm
from milepost.surfaces.install.invocations import SH, hook_command
from support import PATIENCE_S, on_this_machine

SOURCES = Path(__file__).parents[2] / "src"
# An interpreter that has nothing but its own library.
BARE = Path(sys.base_prefix) / "bin" / "python3"
TIMEOUT_MS = 4_000


def client(hooks: Hooks, line: str, **variables: str) -> Done:
    """Run a line of a client's settings as the client does."""
    sent = json.dumps({"session_id": "s1", "cwd": str(hooks.repo), "transcript_path": ""})
    began = time.monotonic()
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=sent.encode(),
        capture_output=True,
        env={**hooks.environment, **variables},
        timeout=PATIENCE_S,
        cwd=hooks.repo,
        check=False,
    )
    took = time.monotonic() - began
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode(), took)


def line_of(interpreter: str | Path, event: str = "session-start") -> str:
    """Return the line that install writes, for another interpreter."""
    line = hook_command(event, shared=False, shell_is=SH)
    return line.replace(sys.executable, str(interpreter), 1)


def programs(folder: Path, **links: Path) -> str:
    """Return a PATH with git and these programs alone."""
    folder.mkdir()
    for name, target in links.items():
        (folder / name).symlink_to(target)
    for name in ("git", "sh"):
        (folder / name).symlink_to(Path("/usr/bin") / name)
    return str(folder)


def package(folder: Path, name: str, content: str) -> str:
    """Return a PYTHONPATH on which a package is what it should not be."""
    (folder / f"{name}.py").write_text(content)
    return os.pathsep.join((str(folder), str(SOURCES)))


# The command line


def test_without_its_interpreter_the_milepost_on_the_path_answers(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    path = programs(tmp_path / "bin", milepost=Path(sys.executable).parent / "milepost")
    done = client(hooks, line_of("/gone/bin/python"), PATH=path)
    assert done.code == 0
    assert "half-up" in done.told


def test_an_interpreter_without_milepost_leaves_the_event_to_the_next(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    path = programs(tmp_path / "bin", milepost=Path(sys.executable).parent / "milepost")
    done = client(hooks, line_of(BARE), PATH=path, PYTHONPATH="")
    assert done.code == 0
    assert "half-up" in done.told


def test_any_python_reads_the_store_with_the_files_that_are_left(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    done = client(hooks, line_of("/gone/bin/python"), PATH=programs(tmp_path / "b", python3=BARE))
    assert done.code == 0
    assert "half-up" in done.told
    assert "by plain reading because the store failed" in done.err


def test_with_no_python_at_all_the_agent_goes_on(hooks: Hooks, tmp_path: Path) -> None:
    done = client(hooks, line_of("/gone/bin/python"), PATH=programs(tmp_path / "bin"))
    assert (done.code, done.out) == (0, "")


def test_an_installation_that_is_cut_in_half_leaves_the_event_to_the_next(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    torn = tmp_path / "torn" / "milepost"
    (torn / "surfaces").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", "values.py", "surfaces/__init__.py"):
        (torn / name).write_bytes((SOURCES / "milepost" / name).read_bytes())
    path = programs(tmp_path / "bin", milepost=Path(sys.executable).parent / "milepost")
    line = f"PYTHONPATH={torn.parent} {line_of(sys.executable)}"
    done = client(hooks, line, PATH=path)
    assert done.code == 0
    assert "half-up" in done.told


# What is imported


@pytest.mark.parametrize("name", ["numpy", "apsw"])
def test_what_cannot_be_imported_is_not_needed_to_brief_a_session(
    hooks: Hooks, known: Milepost, tmp_path: Path, name: str
) -> None:
    hooks.environment["PYTHONPATH"] = package(tmp_path, name, "raise ImportError('no such CPU')")
    done = hooks("session-start")
    assert "half-up" in done.told
    assert "1 memory in " in done.err
    assert "no such CPU" in hooks.log


def test_an_import_that_never_ends_leaves_time_for_the_last_way(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    hooks.environment["PYTHONPATH"] = package(tmp_path, "numpy", "import time; time.sleep(600)")
    hooks.environment["MILEPOST_HOOK_TIMEOUT"] = str(TIMEOUT_MS)
    done = hooks("session-start")
    assert "half-up" in done.told
    assert "no answer within" in hooks.log


def test_what_a_tool_did_is_kept_for_later_without_numpy(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    hooks.environment["PYTHONPATH"] = package(tmp_path, "numpy", "raise ImportError('no')")
    hooks("prompt-submit", prompt="From now on always use Decimal for money")
    assert "Decimal" in Path(f"{hooks.path}.inbox", "s1.jsonl").read_text()


# The warm process


@contextmanager
def stopped_daemon(hooks: Hooks) -> Iterator[None]:
    """A warm process that was stopped, as a debugger or a full machine does."""
    hooks.environment["MILEPOST_DAEMON"] = "use"
    hooks._run("daemon", "start")
    (about,) = json.loads(hooks._run("daemon", "status", "--json"))
    os.kill(about["pid"], signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(about["pid"], signal.SIGCONT)
        hooks._run("daemon", "stop")


def test_a_warm_process_that_was_stopped_is_passed_over(hooks: Hooks, known: Milepost) -> None:
    with stopped_daemon(hooks):
        done = hooks("session-start")
    assert "half-up" in done.told


@contextmanager
def mute_warm_process(path: Path) -> Iterator[None]:
    """A process that greets whoever comes and answers nobody."""
    settings = load_settings()
    place = warm.endpoint(settings.runtime_folder, str(path.resolve()))
    Path(settings.runtime_folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    Path(place).unlink(missing_ok=True)
    kept: list[socket.socket] = []
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(place)
        listener.listen()

        def greet() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                kept.append(connection)
                with suppress(OSError):  # whoever came may be gone again
                    connection.sendall(warm.GREETING)

        threading.Thread(target=greet, daemon=True).start()
        try:
            yield
        finally:
            Path(place).unlink(missing_ok=True)
            for connection in kept:
                connection.close()


def test_a_warm_process_that_greets_and_never_answers_leaves_time_for_the_store(
    hooks: Hooks, known: Milepost
) -> None:
    hooks.environment |= {"MILEPOST_DAEMON": "use", "MILEPOST_HOOK_TIMEOUT": str(3 * TIMEOUT_MS)}
    with mute_warm_process(hooks.path):
        done = hooks("session-start")
    assert "half-up" in done.told
    assert done.seconds < on_this_machine(3 * TIMEOUT_MS / 1e3)


# The store


def test_a_store_that_another_writes_to_is_read(hooks: Hooks, known: Milepost) -> None:
    hooks.environment["MILEPOST_HOOK_TIMEOUT"] = str(TIMEOUT_MS)
    with closing(sqlite3.connect(hooks.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = hooks("session-start")
    assert "half-up" in done.told
    assert all(line.startswith("milepost: ") for line in done.err.splitlines()), done.err


def test_a_store_that_another_keeps_to_itself_is_read_as_it_stands(
    hooks: Hooks, known: Milepost
) -> None:
    known.close()
    hooks.environment["MILEPOST_HOOK_TIMEOUT"] = str(TIMEOUT_MS)
    with closing(sqlite3.connect(hooks.path, isolation_level=None)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        done = hooks("session-start")
    assert "half-up" in done.told
    assert done.seconds < on_this_machine(TIMEOUT_MS / 1e3)


def test_plain_reading_keeps_to_the_project_and_to_what_holds(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    known.store("The invoices go out on Fridays", kind="decision", project="billing")
    known.store("Deploy from the release branch only", kind="preference")
    old = known.store("The cart keeps prices in cents", kind="decision", project="shop")
    known.store("The cart keeps prices as Decimal", kind="decision", project="shop", supersedes=old)
    known.close()
    hooks.environment["PYTHONPATH"] = package(tmp_path, "numpy", "raise ImportError('no')")
    told = hooks("session-start").told
    assert "release branch" in told
    assert "as Decimal" in told
    assert "Fridays" not in told
    assert "in cents" not in told


def test_plain_reading_writes_nothing(hooks: Hooks, known: Milepost, tmp_path: Path) -> None:
    known.close()
    hooks.environment["PYTHONPATH"] = package(tmp_path, "numpy", "raise ImportError('no')")
    before = hooks.path.read_bytes()
    assert hooks("session-start").told
    assert hooks.path.read_bytes() == before


# Another environment


@pytest.fixture
def other_environment(tmp_path: Path) -> Path:
    """An environment of the same interpreter, which notes that it was used."""
    folder = tmp_path / "other"
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    here = next(Path(p) for p in sys.path if p.endswith("site-packages"))
    (site / "here.pth").write_text(f"{SOURCES}\n{here}\n")
    mark = f"open({str(tmp_path / 'used')!r}, 'a').write('x')"
    (site / "sitecustomize.py").write_text(mark)
    return folder / "bin" / "python"


def test_another_environment_of_the_same_interpreter_is_used_once(
    hooks: Hooks, known: Milepost, other_environment: Path, tmp_path: Path
) -> None:
    assert other_environment.resolve() == Path(sys.executable).resolve()
    hooks.environment["MILEPOST_HOOK_PYTHON"] = str(other_environment)
    assert "half-up" in hooks("session-start").told
    assert (tmp_path / "used").read_text().startswith("x")


@pytest.mark.parametrize("script", ["exit 3", "sleep 600", "kill -9 $$"])
def test_an_environment_that_does_not_answer_leaves_it_to_this_one(
    hooks: Hooks, known: Milepost, tmp_path: Path, script: str
) -> None:
    other = tmp_path / "python"
    other.write_text(f"#!/bin/sh\n{script}\n")
    other.chmod(0o755)
    hooks.environment["MILEPOST_HOOK_PYTHON"] = str(other)
    hooks.environment["MILEPOST_HOOK_TIMEOUT"] = str(2 * TIMEOUT_MS)
    assert "half-up" in hooks("session-start").told


def test_an_environment_that_is_gone_leaves_it_to_this_one(hooks: Hooks, known: Milepost) -> None:
    hooks.environment["MILEPOST_HOOK_PYTHON"] = "/gone/bin/python"
    assert "half-up" in hooks("session-start").told


# What a person is told


def test_a_briefing_from_a_server_is_counted_as_well(hooks: Hooks, known: Milepost) -> None:
    known.store("Deploy from the release branch only", kind="preference", project="shop")
    hooks.environment["MILEPOST_HOOK_CODE"] = "off"
    server = f"{sys.executable} -m milepost mcp --url {hooks.path}"
    hooks.environment["MILEPOST_HOOK_SERVER"] = server
    done = hooks("session-start")
    assert "release branch" in done.told
    assert "2 memories in " in done.err
