"""What works where there is no POSIX: the calls that Windows lacks are taken away, then all is run.

The library of Python and of others is loaded before, for it knows by itself where it runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from milepost.location import file_of, is_server
from milepost.sessions.edits import short_path
from milepost.surfaces.install import invocations
from milepost.surfaces.install.invocations import POWERSHELL, hook_command, wrote_hook
from support import PATIENCE_S

LACKING = """
import asyncio, importlib, io, json, os, pkgutil, select, signal, socket, _socket, subprocess, sys
import anyio, apsw, mcp, mcp.server.lowlevel, multiprocessing, numpy, platformdirs, starlette
import starlette.applications, starlette.testclient, tempfile, threading, uvicorn
import anyio._backends._asyncio

for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in (
    "fork", "forkpty", "geteuid", "getuid", "getgid", "getegid", "killpg", "setsid", "uname",
    "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_DIRECTORY", "pwrite", "pread",
    "fchmod", "fdatasync", "getloadavg", "posix_spawnp", "posix_spawn", "register_at_fork",
    "sched_getaffinity", "mkfifo", "chown", "statvfs", "sysconf", "nice", "POSIX_SPAWN_DUP2",
):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGSTOP", "SIGCONT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM"):
    delattr(signal, name)
# What asyncio wakes itself with; Windows has its own.
pair, unix = _socket.socketpair, socket.AF_UNIX
socket.socketpair = lambda: [socket.socket(fileno=end.detach()) for end in pair(unix)]
for module in (socket, _socket):
    for name in ("AF_UNIX", "SO_PEERCRED"):
        delattr(module, name)
del select.poll
assert not any(name.startswith("milepost") for name in sys.modules)
"""


def run(code: str, tmp_path: Path) -> str:
    """Run code in a process that lacks what Windows does."""
    import os

    variables = os.environ | {
        "MILEPOST_URL": str(tmp_path / "m.db"),
        "MILEPOST_RUNTIME_FOLDER": str(tmp_path / "run"),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", LACKING + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=variables,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# What needs a POSIX system: the sandbox, readers of documents, servers of PostgreSQL for tests.
_POSIX = ("milepost.sandbox.", "milepost.testing.postgres", "milepost.reading.")


def test_every_module_can_be_imported_but_those_that_need_posix(tmp_path: Path) -> None:
    told = run(
        """
        import milepost
        failed = {}
        for module in pkgutil.walk_packages(milepost.__path__, "milepost."):
            if module.name == "milepost.__main__":
                continue
            try:
                importlib.import_module(module.name)
            except Exception as problem:
                failed[module.name] = repr(problem)
        print(json.dumps(failed))
        """,
        tmp_path,
    )
    failed = {n: p for n, p in json.loads(told).items() if not n.startswith(_POSIX)}
    assert failed == {}


def test_a_memory_is_stored_found_and_copied(tmp_path: Path) -> None:
    told = run(
        """
        from milepost import connect
        from milepost.storage import maintenance
        with connect("m.db") as memory:
            name = memory.store("Money is rounded half-up", kind="decision", project="shop")
            print([hit.hash for hit in memory.search("how is money rounded?").memories] == [name])
        print([copy.kind for copy in maintenance.copies("m.db")])
        """,
        tmp_path,
    )
    assert told.splitlines() == ["True", "[]"]


def test_hooks_tell_and_leave_what_they_should(tmp_path: Path) -> None:
    told = run(
        """
        from milepost import connect
        with connect("m.db") as memory:
            memory.store("Money is rounded half-up", kind="decision", project="shop")
        os.makedirs("shop")
        from milepost.surfaces.hooks import main
        os.environ["MILEPOST_DAEMON"] = "off"

        class Stdin:
            def __init__(self, **fields):
                sent = {"session_id": "s", "cwd": os.path.abspath("shop")} | fields
                self.buffer = io.BytesIO(json.dumps(sent).encode())

        sys.stdin = Stdin()
        assert main("session-start") == 0
        sys.stdin = Stdin(tool_name="Bash", tool_input={"command": "ls"}, tool_response="a.py")
        assert main("post-tool-use") == 0
        from milepost.sessions import inbox
        from pathlib import Path
        print(Path("m.db.inbox", "s.jsonl").read_text().count("tool_use_id"))
        print(list(inbox.take("m.db.inbox")))
        """,
        tmp_path,
    )
    first, count, taken = told.splitlines()
    assert "half-up" in json.loads(first)["hookSpecificOutput"]["additionalContext"]
    assert (count, taken) == ("1", "[]")


def test_a_process_is_kept_warm_on_a_port_with_a_token(tmp_path: Path) -> None:
    told = run(
        """
        from milepost.app import open_memory
        from milepost.config import load_settings
        from milepost.surfaces import warm
        from milepost.surfaces.warm_server import WarmServer
        warm.GREETING_S = 60
        settings = load_settings()
        with open_memory(settings) as memory:
            memory.store("Money is rounded half-up")
            server = WarmServer(memory, settings, "test")
            assert server.start()
            print(len(warm.call(settings, "search", ("how is money rounded?",), {}).memories))
            warm.close_idle()
            server.stop()
        """,
        tmp_path,
    )
    assert told == "1\n"


def test_tools_that_cannot_work_are_not_listed_and_say_why_when_called(tmp_path: Path) -> None:
    told = run(
        """
        from milepost.app import Operations, open_memory
        from milepost.config import load_settings
        from milepost.errors import SandboxUnavailable
        from milepost.surfaces.bridge import Bridge
        from milepost.surfaces.mcp import _checked
        from milepost.surfaces.mcp.lists import instructions
        from milepost.surfaces.mcp.tools import Toolbox

        settings = load_settings()
        for setting in ("few", "full"):
            listed = _checked(settings._replace(tools=setting))
            print("execute_code" in {tool.name for tool in listed})
        print("execute_code" in instructions(_checked(settings)))
        print("execute_code" in {t.name for t in _checked(settings._replace(url="http://far:1"))})

        async def ask():
            with open_memory(settings) as memory:
                box = Toolbox(Bridge(memory), "")
                print("execute_code" in (await box.call("find_tools", {"need": ""})).text)
                print((await box.call("execute_code", {"code": "1"})).text)

        anyio.run(ask)
        """,
        tmp_path,
    )
    *listed, why = told.splitlines()
    assert listed == ["False", "False", "False", "True", "False"]
    assert "POSIX" in why


def test_an_mcp_server_is_asked_without_waiting_on_pipes(tmp_path: Path) -> None:
    told = run(
        """
        import time
        from milepost.surfaces.hooks.mcp import connected
        server = (sys.executable, "-m", "milepost", "mcp", "--url", "memory://")
        with connected(server, time.monotonic() + 60) as call:
            print(len(call("tools/list", {})["tools"]))
        """,
        tmp_path,
    )
    assert int(told) >= 4


# Paths of Windows, where functions only look at them


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("C:\\Users\\ina\\m.db", "C:\\Users\\ina\\m.db"),
        ("sqlite:C:\\Users\\ina\\m.db", "C:\\Users\\ina\\m.db"),
        ("sqlite:///C:/Users/ina/m.db", "C:/Users/ina/m.db"),
        ("\\\\server\\share\\m.db", "\\\\server\\share\\m.db"),
        ("file:///C:/Users/ina/m.db", None),
    ],
)
def test_a_store_may_be_on_a_drive(url: str, file: str | None) -> None:
    assert file_of(url) == file
    assert not is_server(url)


def test_a_file_on_a_drive_is_told_from_the_project_on() -> None:
    assert short_path("C:\\Users\\ina\\shop\\src\\cart\\money.py") == "src/cart/money.py"
    assert short_path("D:\\money.py") == "D:/money.py"


@pytest.mark.parametrize("path", ["C:\\Python 3\\python.exe", "C:\\tools\\python.exe"])
def test_hooks_are_run_by_an_interpreter_on_a_drive(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(sys, "executable", path)
    in_sh = hook_command("stop", shared=False)
    # The shell of Git takes slashes.
    assert in_sh.startswith(f'"{PureWindowsPath(path).as_posix()}" -P -m milepost hook stop || ')
    in_powershell = hook_command("stop", shared=False, shell_is=POWERSHELL)
    assert in_powershell == f'& "{path}" -P -m milepost hook stop'
    assert wrote_hook(in_sh)
    assert wrote_hook(in_powershell)
    assert invocations.mentions_hook(in_powershell)


def test_on_windows_hooks_are_written_for_its_own_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    from milepost.surfaces.install import client_hooks

    class Windows:
        name = "nt"

    monkeypatch.setattr(client_hooks, "os", Windows)
    written: dict[str, Any] = client_hooks.windsurf(shared=False)
    assert all(wrote_hook(hook["powershell"]) for hook in written.values())
    assert client_hooks.cursor(shared=False)["sessionStart"]["command"].startswith("& ")
