"""Programs behind a server: others are served while they run, and their number is the caller's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from milepost.app import Milepost, open_memory
from milepost.opening import open_runner, settings_for
from milepost.programs.quotas import Programs
from milepost.surfaces.http import running
from support import PATIENCE_S

LONG = {"code": "while True: len('')", "timeout_s": 30}


class Site:
    """A server and the memory behind it."""

    def __init__(self, url: str, memory: Milepost) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or 0)
        self.memory = memory

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        connection = HTTPConnection(*self._address, timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        usual = {"Content-Type": "application/json", "Accept": "application/json"}
        try:
            connection.request("POST", path, json.dumps(body), usual | named)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def call(self, name: str, arguments: Any, **headers: str) -> tuple[int, Any]:
        return self.post(f"/tools/{name}/execute", arguments, **headers)

    def tool(self, name: str, arguments: Any, **headers: str) -> str:
        """Call a tool by the Model Context Protocol."""
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = "application/json, text/event-stream"
        _, told = self.post(
            "/mcp", body, Accept=accept, Mcp_Protocol_Version="2025-06-18", **headers
        )
        text: str = told["result"]["content"][0]["text"]
        return text


@pytest.fixture
def start(path: Path) -> Iterator[Callable[..., Site]]:
    """Start a server with settings of its own; it ends with the test."""
    runner = open_runner(settings_for("memory://"))
    status = runner.status()
    runner.close()
    if not status.available:
        pytest.skip(status.note)
    with ExitStack() as stack:

        def begin(**settings: Any) -> Site:
            chosen = settings_for(path)._replace(port=0, **settings)
            memory = stack.enter_context(open_memory(chosen))
            return Site(stack.enter_context(running(memory, chosen)), memory)

        yield begin


@pytest.mark.parametrize("way", ["call", "tool"])
def test_a_search_does_not_wait_for_programs(start: Callable[..., Site], way: str) -> None:
    site = start()
    site.memory.store("We chose PostgreSQL")
    site.memory.execute_code("1")
    programs = site.memory._context.part(Programs)
    with ThreadPoolExecutor(8) as pool:
        run = getattr(site, way)
        begun = [pool.submit(run, "execute_code", LONG) for _ in range(8)]
        try:
            # Two run, the others wait for them.
            while programs.runner.status().waiting < 6:
                assert not any(program.done() for program in begun)
            assert site.call("search", {"query": "database"})[1]["total"] == 1
            assert "PostgreSQL" in site.tool("search", {"query": "which database?"})
            assert not any(program.done() for program in begun)
        finally:
            programs.close()


def test_too_many_programs_are_refused_and_searches_are_not(start: Callable[..., Site]) -> None:
    site = start()
    site.memory.execute_code("1")
    programs = site.memory._context.part(Programs)
    with ThreadPoolExecutor(32) as pool:
        begun = [pool.submit(site.call, "execute_code", LONG) for _ in range(32)]
        try:
            while programs.runner.status().waiting < 30:
                assert not any(program.done() for program in begun)
            assert site.call("execute_code", {"code": "1"})[0] == 429
            assert site.call("save_skill", {"name": "a", "code": "a", "description": "a"})[0] == 429
            assert site.call("search", {"query": "database"})[0] == 200
        finally:
            programs.close()


def test_no_name_that_a_caller_chooses_gives_it_more_programs(start: Callable[..., Site]) -> None:
    site = start(programs_per_minute=4)
    names = [{"session": "a"}, {"session": "b"}, {}, {}]
    for i, name in enumerate(names):
        status, _ = site.call("execute_code", {"code": "1"} | name, Milepost_Space=f"space-{i}")
        assert status == 200

    refused = site.call("execute_code", {"code": "1", "session": "c"}, Milepost_Space="another")
    assert (refused[0], refused[1]["code"]) == (429, "overloaded")
    assert "programs a minute" in site.tool("execute_code", {"code": "1"}, Milepost_Space="more")
    # What this process runs itself is another's.
    assert site.memory.execute_code("1").output == "1"


def test_a_skill_that_came_over_the_network_says_from_where(start: Callable[..., Site]) -> None:
    site = start()
    given = {"name": "ops", "code": "def ops(): return 1", "description": "list ops notes"}
    site.call("save_skill", given)
    assert "by 127.0.0.1, without a test" in site.tool("find_tools", {"need": "list ops notes"})
    site.tool("call_tool", {"name": "save_skill", "args": given | {"name": "more"}})
    assert "by 127.0.0.1" in str(site.memory.find_skills("more ops notes")[0])
    said = site.tool("store", {"content": "evil", "kind": "skill"})
    assert "save_skill" in said
