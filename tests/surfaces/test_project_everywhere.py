"""The project that is worked on is found in the same way by every surface."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from command_line import done
from mcp import Client, StdioServerParameters

from git_repository import Repository
from milepost import Milepost, MilepostClient
from milepost.app import open_memory
from milepost.errors import InvalidInput
from milepost.opening import settings_for
from milepost.surfaces.bridge import Bridge, caller_of
from milepost.surfaces.http import running
from milepost.workspace.values import Place
from support import kept_warm


@pytest.fixture(autouse=True)
def _detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MILEPOST_PROJECT")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit({"src/cart.py": "items = []\n"})
    return made


@pytest.fixture
def memory(path: Path) -> Milepost:
    return open_memory(settings_for(path, project="everywhere"))


def project_of(memory: Milepost, text: str) -> str | None:
    return memory.get(memory.search(text, limit=1)[0].hash).project


def test_a_command_stores_for_the_project_of_its_folder(
    path: Path, shop: Repository, memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.folder / "src")
    done("store", "The cart is a list", "--url", path)
    done("store", "Tea is served at four", "--project", "everywhere", "--url", path)

    assert project_of(memory, "the cart is a list") == "shop"
    assert project_of(memory, "tea is served") is None


def test_a_warm_process_stores_for_the_project_of_who_asks(
    path: Path, shop: Repository, memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept_warm(path) as server:
        monkeypatch.chdir(shop.folder)
        done("store", "The cart is a list", "--url", path)
        assert server._calls > 0

    assert project_of(memory, "the cart is a list") == "shop"


def test_a_client_tells_the_server_its_project(
    path: Path, shop: Repository, memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(memory, settings_for(path)._replace(port=0)) as url:
        monkeypatch.chdir(shop.folder)
        with MilepostClient(url) as client:
            client.store("The cart is a list")
        with MilepostClient(url, project="billing") as client:
            client.store("The ledger is a table")

    assert project_of(memory, "the cart is a list") == "shop"
    assert project_of(memory, "the ledger is a table") == "billing"


def test_without_a_word_a_server_stores_for_no_project(
    path: Path, shop: Repository, memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.folder)  # the server's own folder says nothing of its clients
    with (
        running(memory, settings_for(path)._replace(port=0)) as url,
        MilepostClient(url, project="everywhere") as client,
    ):
        client.store("The cart is a list")

    assert project_of(memory, "the cart is a list") is None


@pytest.mark.slow
@pytest.mark.parametrize("by", ["roots", "folder"])
def test_an_mcp_client_is_asked_for_its_roots(
    path: Path, shop: Repository, memory: Milepost, tmp_path: Path, by: str
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    environment = {**os.environ, "MILEPOST_URL": str(path)}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "milepost", "mcp"],
        env=environment,
        cwd=str(other if by == "roots" else shop.folder),
    )

    async def roots(_context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=shop.folder.as_uri())])

    async def call() -> None:
        told = {"list_roots_callback": roots} if by == "roots" else {}
        async with Client(server, mode="legacy", **told) as client:
            await client.call_tool("store", {"content": "The cart is a list"})

    anyio.run(call)
    assert project_of(memory, "the cart is a list") == "shop"


def test_an_agent_in_some_other_folder_still_works_on_its_project(
    path: Path,
    shop: Repository,
    memory: Milepost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory.brief(session="claude-1", project="shop", folder=shop.root)
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "claude-1")
    (elsewhere := tmp_path / "scratch").mkdir()
    monkeypatch.chdir(elsewhere)
    done("store", "The cart is a list", "--url", path)
    other = Repository(tmp_path / "billing")
    monkeypatch.chdir(other.folder)
    done("store", "The ledger is a table", "--url", path)

    assert project_of(memory, "the cart is a list") == "shop"
    assert project_of(memory, "the ledger is a table") == "billing"


@pytest.mark.parametrize("header", ["a%0A1a2b3c4d%20forged", "a%00b", "a" * 5_000, "a %00b%0Ac"])
def test_a_header_names_a_project_as_a_parameter_does(memory: Milepost, header: str) -> None:
    memory.within(place=Place("a", None, "first")).store("Somebody took the name a")
    asked = Bridge(memory).memory_for(caller_of({"milepost-project": header}))

    try:
        stored = asked.get(asked.store("The cart is a list"))
    except InvalidInput:
        return
    assert stored.project is not None
    assert stored.project.isprintable()
    assert len(stored.project) <= 200


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes there alone")
def test_a_folder_whose_name_is_no_text_has_a_project(
    path: Path, tmp_path: Path, memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Repository(tmp_path / os.fsdecode(b"caf\xe9")).folder)
    done("store", "The cafe opens at six", "--url", path)
    assert project_of(memory, "when the cafe opens") == "caf"
    assert "six" in done("brief", "--url", path)
