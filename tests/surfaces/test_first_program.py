"""The first program on a machine: the sandbox is compiled for it, and whoever waits hears of it."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from command_line import milepost, on_terminal
from mcp import Client, StdioServerParameters

from milepost.app import open_memory
from milepost.errors import Overloaded
from milepost.opening import settings_for
from milepost.sandbox import can_compile
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import endpoints, running
from support import PATIENCE_S, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("sandbox")]

HASTY = """
from milepost.surfaces.mcp import server
server.CLIENT_S = 3.0
from milepost.surfaces.cli import main
main(["mcp"])
"""


class Compiler:
    """Another process, as far as anyone can see, which compiles until it is told to give up."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, mode=0o700)
        self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def give_up(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where nothing is compiled yet."""
    monkeypatch.setenv("MILEPOST_CACHE_FOLDER", str(tmp_path / "cache"))
    monkeypatch.setenv("MILEPOST_URL", "memory://")
    return tmp_path / "cache" / "sandbox"


@pytest.fixture
def compiler(folder: Path) -> Iterator[Compiler]:
    """Somebody who compiles already."""
    compiler = Compiler(folder)
    yield compiler
    compiler.give_up()


def client(*arguments: str) -> Client:
    command = list(arguments or ("-m", "milepost", "mcp"))
    return Client(StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ)))


@pytest.mark.parametrize("way", ["pipes", "http"])
def test_a_client_hears_what_its_first_program_waits_for(
    compiler: Compiler, path: Path, way: str
) -> None:
    heard: list[tuple[float, str | None]] = []

    async def hear(done: float, _total: float | None, message: str | None) -> None:
        heard.append((done, message))
        if len(heard) == 2:
            compiler.give_up()

    async def ask(connecting: Client) -> Any:
        with anyio.fail_after(PATIENCE_S):
            async with connecting as connected:
                program = {"code": "40 + 2"}
                return await connected.call_tool("execute_code", program, progress_callback=hear)

    if way == "pipes":
        answer = anyio.run(ask, client())
    else:
        settings = settings_for(path)._replace(port=0)
        with open_memory(settings) as memory, running(memory, settings) as url:
            answer = anyio.run(ask, Client(f"{url}/mcp"))

    assert not answer.is_error
    assert answer.content[0].text.startswith("42")
    assert "compiling the sandbox for this machine" in str(heard[0][1])
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})


def test_a_client_is_asked_to_call_again_before_it_loses_patience(compiler: Compiler) -> None:
    async def ask() -> list[Any]:
        with anyio.fail_after(PATIENCE_S):
            async with client("-c", HASTY) as connected:
                program = {"code": "40 + 2"}
                first = await connected.call_tool("execute_code", program)
                search = await connected.call_tool("search", {"query": "which database?"})
                compiler.give_up()
                again = first
                while again.is_error:
                    again = await connected.call_tool("execute_code", program)
                return [first, search, again]

    first, search, second = anyio.run(ask)

    assert first.is_error
    assert "overloaded" in first.content[0].text
    assert "compiling the sandbox for this machine" in first.content[0].text
    assert "Call again" in first.content[0].text
    assert not search.is_error
    assert second.content[0].text.startswith("42")


def test_a_program_over_http_is_refused_before_its_client_gives_up(
    compiler: Compiler, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "CLIENT_S", 1.0)
    settings = settings_for(path)._replace(port=0)

    with (
        open_memory(settings) as memory,
        running(memory, settings) as url,
        MilepostClient(url) as client,
        pytest.raises(Overloaded, match="Call again"),
    ):
        client.execute_code("1")


def test_a_server_compiles_while_nobody_asks(folder: Path) -> None:
    async def connect() -> None:
        async with client():
            await anyio.to_thread.run_sync(wait_until, lambda: [*folder.glob("*.json")])

    anyio.run(connect)
    assert not can_compile(folder)


def test_one_line_tells_of_it_on_a_terminal(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    said = on_terminal("install", "claude-code", "--yes", HOME=str(tmp_path / "home"))

    line = "compiling the sandbox for this machine, once, "
    assert said.count(f"\r\x1b[K{line}") > 1
    assert "compiled the sandbox for this machine in" in said
    assert line not in said.rpartition("\r\x1b[K")[2]
    assert not can_compile(folder)


def test_doctor_compiles_when_asked_to(folder: Path) -> None:
    def sandbox(*flags: str) -> dict[str, str]:
        checks = milepost("doctor", "--json", *flags).data["checks"]
        found: dict[str, str] = next(check for check in checks if check["name"] == "sandbox")
        return found

    assert "milepost doctor --compile" in sandbox()["repair"]
    assert can_compile(folder)
    assert "compiled the sandbox" in sandbox("--compile")["found"]
    assert not can_compile(folder)
    assert "compile" not in sandbox("--compile")["found"]
