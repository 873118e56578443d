"""Names that other memories publish are understood on every surface, with their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from command_line import milepost as command

import milepost
from milepost.app import Milepost, open_memory
from milepost.codec import to_data
from milepost.opening import settings_for
from milepost.registry import find, operations_of
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import running
from support import forget_functions, kept_warm

OPERATIONS = operations_of(Milepost)
ALIASES = {alias: o.name for o in OPERATIONS.values() for alias in o.spec.aliases}
Call = Callable[..., Any]


@contextmanager
def in_python(path: Path) -> Iterator[Call]:
    with open_memory(settings_for(path)) as memory:
        yield lambda name, **given: getattr(memory, name)(**given)


@contextmanager
def as_functions(path: Path) -> Iterator[Call]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_URL", str(path))
        forget_functions()
        yield lambda name, **given: getattr(milepost, name)(**given)
    forget_functions()


@contextmanager
def warm(path: Path) -> Iterator[Call]:
    with kept_warm(path), milepost.connect(path) as memory:
        yield lambda name, **given: getattr(memory, name)(**given)


@contextmanager
def by_client(path: Path) -> Iterator[Call]:
    settings = settings_for(path)._replace(port=0)
    with (
        open_memory(settings) as memory,
        running(memory, settings) as url,
        MilepostClient(url) as client,
    ):
        yield lambda name, **given: getattr(client, name)(**given)


@contextmanager
def over_http(path: Path) -> Iterator[Call]:
    settings = settings_for(path)._replace(port=0)
    with (
        open_memory(settings) as memory,
        running(memory, settings) as url,
        MilepostClient(url) as client,
    ):
        yield client.call_tool


@contextmanager
def over_mcp(path: Path) -> Iterator[Call]:
    from mcp import Client

    settings = settings_for(path)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:

        async def ask(name: str, given: dict[str, Any]) -> str:
            async with Client(f"{url}/mcp") as client:
                answer = await client.call_tool(name, given)
            assert not answer.is_error, answer
            return "".join(getattr(part, "text", "") for part in answer.content)

        yield lambda name, **given: anyio.run(ask, name, given)


SURFACES: dict[str, Callable[[Path], AbstractContextManager[Call]]] = {
    "python": in_python,
    "functions": as_functions,
    "warm process": warm,
    "client": by_client,
    "http": over_http,
    "mcp": over_mcp,
}


@pytest.mark.parametrize("surface", SURFACES)
def test_calls_as_other_memories_publish_them_are_answered(path: Path, surface: str) -> None:
    with SURFACES[surface](path) as call:
        name = str(call("add_memory", text="the harbour opens at six", tags=["sea"]))
        assert "opens at six" in str(call("get_memory", memory_id=name))
        assert "opens at six" in str(call("search_memory", query="harbour", n_results=3))
        assert "opens at six" in str(call("memory_search", query="harbour", limit=3))
        assert name in str(call("memory_store", content="the harbour opens at six"))
        assert "healthy" in str(call("memory_health"))
        assert "opens at six" in str(call("list_memories", page=1, page_size=5, tag="sea"))
        assert "opens at six" in str(call("get_all_memories", run_id=None))
        start = {"start_date": "2020-01-01", "n_results": 3}
        assert "opens at six" in str(call("recall_by_timeframe", **start))
        newer = str(call("update_memory", memory_id=name, data="the harbour opens at seven"))
        assert "healthy" in str(call("check_database_health"))
        assert newer in str(call("delete_memory", content_hash=newer))
        assert name in str(call("forget", memory_id=name))
        call("add_memory", text="the crane", run_id="run-1", type="fact")
        deleted = call("delete_all", run_id="run-1")
        assert "1" in str(to_data(deleted))


@pytest.mark.usefixtures("sandbox")
def test_programs_understand_them_too(path: Path) -> None:
    with open_memory(settings_for(path)) as memory:
        program = (
            "name = add_memory(text='the harbour opens at six')\n"
            "whole = get_memory(memory_id=name)\n"
            "print(whole.content, forget(memory_id=name).deleted)"
        )
        assert memory.execute_code(program).output == "the harbour opens at six 1"
        assert "cannot be called so" in str(memory.execute_code("forget()").error)
        assert "not defined" in str(
            memory.execute_code("forget(memory_id='x')", read_only=True).error
        )


def test_the_command_line_knows_them(path: Path) -> None:
    for alias, name in ALIASES.items():
        if OPERATIONS[name].spec.category in ("memory", "admin"):
            assert command(alias.replace("_", "-"), "--help").code == 0, alias


def test_the_package_knows_every_name_and_shows_ours() -> None:
    assert set(ALIASES) == set(milepost._ALIASES)
    assert all(milepost._ALIASES[alias] == name for alias, name in ALIASES.items())
    for alias in ALIASES:
        assert getattr(milepost, alias) is not None
        assert alias not in milepost.__all__ or alias == "get_by_hash"
    assert "list" not in milepost.__all__
    forget_functions()


def test_no_name_means_two_operations() -> None:
    names = [*OPERATIONS, *(alias for o in OPERATIONS.values() for alias in o.spec.aliases)]

    assert len(names) == len(set(names))
    for alias, name in ALIASES.items():
        assert find(OPERATIONS, alias).name == name
