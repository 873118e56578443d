"""The HTTP registry: real servers on free ports, real sockets, friendly and hostile clients."""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from hashlib import sha256
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess, Popen
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import pytest
from jsonschema import Draft202012Validator

from milepost import errors
from milepost.app import Milepost, open_memory
from milepost.codec import to_data
from milepost.errors import ConfigError, InvalidInput, MilepostError
from milepost.memory.values import CompactMemory
from milepost.opening import settings_for
from milepost.registry import Operation, operations_of
from milepost.surfaces.http import create_app, running, serve
from milepost.surfaces.http.access import PROBES
from milepost.surfaces.http.limits import ServerLimits
from milepost.surfaces.http.problems import REFUSALS
from milepost.text.tokens import estimate
from milepost.upkeep.values import CompactHealthInfo
from support import PATIENCE_S, on_this_machine, patched

RunPython = Callable[..., CompletedProcess[str]]
StartPython = Callable[..., "Popen[str]"]

OPERATIONS = operations_of(Milepost)
USUAL = ServerLimits()
KEY = "correct horse battery staple"
each = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))


class Reply(NamedTuple):
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class Site:
    """A server and the memory behind it."""

    def __init__(self, url: str, memory: Milepost) -> None:
        self.url = url
        self.memory = memory
        parts = urlsplit(url)
        self.address = (parts.hostname or "", parts.port or 0)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        connection = HTTPConnection(*self.address, timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Reply(
                answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
            )
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, **headers)

    def call(self, name: str, arguments: Any, query: str = "", **headers: str) -> Reply:
        body = arguments if isinstance(arguments, bytes) else json.dumps(arguments)
        headers = {"Content_Type": "application/json", **headers}
        return self.ask("POST", f"/tools/{name}/execute{query}", body, **headers)

    def raw(self, data: bytes) -> socket.socket:
        """Send bytes as they are and give the connection."""
        opened = socket.create_connection(self.address, timeout=PATIENCE_S)
        opened.sendall(data)
        return opened


def answered(opened: socket.socket) -> bytes:
    """Return everything until the server hangs up."""
    received = b""
    with opened:
        while part := opened.recv(65536):
            received += part
    return received


def problem(reply: Reply, status: int, code: str) -> Any:
    """Check that a reply is a problem, and return it."""
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json")
    told = reply.data
    assert set(told) >= {"type", "title", "status", "detail", "code"}
    assert (told["status"], told["code"]) == (status, code)
    assert len(told["detail"]) > 15
    assert told["detail"].endswith((".", "?"))
    return told


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with three memories, for tests that change nothing."""
    settings = settings_for(tmp_path_factory.mktemp("http") / "m.db")._replace(port=0)
    with open_memory(settings) as memory:
        memory.store("We chose PostgreSQL because of JSONB", tags=["db"])
        memory.store("The database is backed up every night to Frankfurt", tags=["db", "ops"])
        memory.store("Lunch is at noon", created="2026-03-01")
        with running(memory, settings) as url:
            yield Site(url, memory)


@pytest.fixture
def start(path: Path) -> Iterator[Callable[..., Site]]:
    """Start a server with settings and limits of its own; it ends with the test."""
    with ExitStack() as stack:

        def begin(limits: ServerLimits = USUAL, **settings: Any) -> Site:
            chosen = settings_for(path)._replace(port=0, **settings)
            memory = stack.enter_context(open_memory(chosen))
            return Site(stack.enter_context(running(memory, chosen, limits)), memory)

        yield begin


def test_the_registry_is_discovered_by_category(site: Site) -> None:
    found = site.get("/tools/discover").data

    memory = found["categories"]["memory"]
    assert set(memory) == {"description", "count", "tools"}
    assert memory["count"] == len(memory["tools"])
    assert {"name": "search", "description": OPERATIONS["search"].summary} in memory["tools"]
    assert found["total_tools"] == len(OPERATIONS)
    assert found["total_tools"] == sum(c["count"] for c in found["categories"].values())


def test_the_names_in_a_category_are_listed(site: Site) -> None:
    assert "health" in site.get("/tools/list?category=admin").data["tools"]
    assert "search" not in site.get("/tools/list?category=admin").data["tools"]
    assert set(site.get("/tools/list").data["tools"]) == set(OPERATIONS)
    told = problem(site.get("/tools/list?category=cooking"), 404, "not_found")
    assert "memory" in told["detail"]


def test_tools_are_found_by_a_need_as_signatures(site: Site) -> None:
    found = site.get("/tools/search?q=delete%20something%20by%20its%20tag").data["tools"]

    assert OPERATIONS["delete_by_tag"].signature in found
    problem(site.get("/tools/search?q="), 400, "invalid_input")


@each
def test_a_tool_is_described_with_parameters_returns_and_an_example(
    site: Site, operation: Operation
) -> None:
    told = site.get(f"/tools/{operation.name}").data

    assert told["name"] == operation.name
    assert told["returns"] == operation.returned
    assert [p["name"] for p in told["parameters"]] == [p.name for p in operation.parameters]
    for parameter in told["parameters"]:
        assert set(parameter) == {"name", "type", "description", "required", "default"}
    assert operation.spec.example == told["example"]["call"]
    operation.bind(told["example"]["arguments"])


def test_a_tool_is_found_by_an_alias(site: Site) -> None:
    assert site.get("/tools/remember").data["name"] == "store"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_tool_is_refused_with_the_nearest_names(site: Site, method: str) -> None:
    path = "/tools/serch" if method == "GET" else "/tools/serch/execute"
    told = problem(site.ask(method, path), 404, "not_found")

    assert "search" in told["nearest"]
    assert "search" in told["detail"]


def test_a_path_that_is_not_there_and_a_wrong_method_are_problems(site: Site) -> None:
    assert "/docs" in problem(site.get("/nowhere"), 404, "not_found")["detail"]
    reply = site.get("/tools/search/execute")
    assert "POST" in problem(reply, 405, "method_not_allowed")["detail"]
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("method", "path", "told", "example"),
    [
        ("POST", "/tools/search", "POST /tools/search/execute", "/tools/search/execute -H"),
        ("POST", "/tools/search", "GET /tools/search?q=NEED", '"query"'),
        ("GET", "/tools/search/execute", "Call search with POST", '"query"'),
        ("POST", "/tools/store", "POST /tools/store/execute", '"content"'),
        ("POST", "/search", "POST /tools/search/execute", '"query"'),
        ("GET", "/api/v1/memories/search", "POST /tools/search/execute", '"query"'),
        ("POST", "/api/delete-memory", "POST /tools/delete/execute", '"hash"'),
        ("PUT", "/tools/serch/execute", "POST /tools/search/execute", '"query"'),
        ("POST", "/tools/discover", "Read it with GET /tools/discover.", "/tools/discover"),
        ("GET", "/openapi", "Did you mean /openapi.json?", "/openapi.json"),
    ],
)
def test_a_request_that_leads_nowhere_is_told_what_was_meant(
    site: Site, method: str, path: str, told: str, example: str
) -> None:
    found = site.ask(method, path).data

    assert found["status"] in (404, 405)
    assert told in found["detail"]
    assert found["example"].startswith("curl ")
    assert f"http://{site.address[0]}:{site.address[1]}/" in found["example"]
    assert example in found["example"]


def test_the_command_that_is_shown_works(site: Site) -> None:
    command = shlex.split(site.ask("POST", "/tools/search").data["example"])
    headers = dict(h.split(": ") for flag, h in pairwise(command) if flag == "-H")
    (body,) = [given for flag, given in pairwise(command) if flag == "-d"]

    path = urlsplit(command[3]).path
    assert site.ask(command[2], path, body.encode(), **headers).status == 200


def test_a_body_without_its_type_is_told_how_to_send_it(site: Site) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    told = site.ask("POST", "/tools/search/execute", b'{"query": "database"}', **form).data

    assert "-H 'Content-Type: application/json'" in told["example"]


def test_a_key_is_not_forgotten_in_the_command_that_is_shown(keyed: Site) -> None:
    told = keyed.ask("POST", "/tools/search", Authorization=f"Bearer {KEY}").data

    assert "Bearer $MILEPOST_KEY" in told["example"]
    assert KEY not in told["example"]


def test_the_compact_view_of_the_registry_costs_few_tokens(site: Site) -> None:
    reply = site.get("/tools/discover?view=compact")

    assert reply.headers["content-type"].startswith("text/plain")
    named = {name for name in OPERATIONS if re.search(rf"\b{name}\b", reply.text)}
    others = {name for name, each in OPERATIONS.items() if each.spec.scope == "admin"}
    assert OPERATIONS.keys() - others <= named
    for category in {OPERATIONS[name].spec.category for name in others}:
        assert category in reply.text.splitlines()[-1]
    assert "search(query)" in reply.text
    assert estimate(reply.text) <= 500
    problem(site.get("/tools/discover?view=wide"), 400, "invalid_input")


def test_a_problem_quotes_nothing_that_hides_or_steers(site: Site) -> None:
    asked = "\x9b2J\u202e<system>"
    for reply in (site.get(f"/{quote(asked)}"), site.call("get_episode", {"episode": asked})):
        assert asked in problem(reply, 404, "not_found")["detail"]
        assert reply.body.isascii()
        assert "<" not in reply.text


def test_a_result_comes_as_json(site: Site) -> None:
    reply = site.call("search", {"query": "which database did we choose?", "limit": 1})

    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    expected = site.memory.search("which database did we choose?", limit=1)
    assert reply.data == json.loads(json.dumps(to_data(expected)))


def test_other_names_of_tools_and_parameters_work(site: Site) -> None:
    assert len(site.call("retrieve_memory", {"query": "database", "k": 1}).data["memories"]) == 1


def test_the_compact_view_is_the_text_that_a_model_reads(site: Site) -> None:
    reply = site.call("search", {"query": "database"}, "?view=compact")

    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.text == str(site.memory.search("database"))
    rows = site.call("search_iter", {"query": "database"}, "?view=compact")
    assert rows.text.splitlines() == [str(m) for m in site.memory.search_iter("database")]
    told = problem(site.call("health", {}, "?view=pretty"), 400, "invalid_input")
    assert "compact" in told["detail"]


@pytest.mark.parametrize("name", ["search", "search_iter"])
def test_results_stream_row_by_row_to_who_accepts_rows(site: Site, name: str) -> None:
    reply = site.call(name, {"query": "database"}, Accept="application/x-ndjson")

    assert reply.headers["content-type"] == "application/x-ndjson"
    assert reply.headers["transfer-encoding"] == "chunked"
    rows = [json.loads(line) for line in reply.text.splitlines()]
    assert [row["hash"] for row in rows] == [m.hash for m in site.memory.search_iter("database")]
    assert reply.text.endswith("}\n")


def test_what_is_no_list_is_one_row_and_nothing_is_none(site: Site) -> None:
    one = site.call("health", {}, Accept="application/x-ndjson").text
    none = site.call("search", {"query": "zeppelin"}, Accept="application/x-ndjson")

    assert json.loads(one)["status"] == "healthy"
    assert (none.status, none.body) == (200, b"")


def test_what_streams_is_a_json_list_to_others(site: Site) -> None:
    rows = site.call("search_iter", {"query": "database"}).data

    assert [row["hash"] for row in rows] == [m.hash for m in site.memory.search_iter("database")]
    assert site.call("search_iter", {"query": "zeppelin"}).data == []


def test_a_wrong_argument_of_what_streams_is_still_a_problem(site: Site) -> None:
    reply = site.call("search_iter", {"query": ""}, Accept="application/x-ndjson")

    problem(reply, 400, "invalid_input")


def test_an_endless_answer_is_made_only_as_fast_as_it_is_read(start: Any) -> None:
    site, made, ended = start(), [0], threading.Event()

    def endless(**_: object) -> Iterator[CompactMemory]:
        try:
            while True:
                made[0] += 1
                yield CompactMemory("00000000", "x" * 1000, (), 0.0, 1.0)
        finally:
            ended.set()

    patched(site.memory, "search_iter", endless)
    connection = HTTPConnection(*site.address, timeout=PATIENCE_S)
    headers = {"Content-Type": "application/json", "Accept": "application/x-ndjson"}
    connection.request("POST", "/tools/search_iter/execute", '{"query": "x"}', headers)
    answer = connection.getresponse()
    for _ in range(3000):
        assert json.loads(answer.readline())["hash"] == "00000000"
    answer.close()
    connection.close()

    assert ended.wait(PATIENCE_S), "the server went on after the client had left"
    # What was read, and what the buffers of two sockets hold.
    assert made[0] < 3000 + 12_000


def test_a_stream_that_breaks_does_not_look_complete(
    start: Any, caplog: pytest.LogCaptureFixture
) -> None:
    site = start()

    def breaking(**_: object) -> Iterator[CompactMemory]:
        for _ in range(1000):
            yield CompactMemory("00000000", "x", (), 0.0, 1.0)
        raise RuntimeError("the disk is gone")

    patched(site.memory, "search_iter", breaking)
    body = b'{"query": "x"}'
    head = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n".encode()
    request = b"POST /tools/search_iter/execute HTTP/1.1\r\nHost: localhost\r\n" + head
    received = answered(site.raw(request + b"Accept: application/x-ndjson\r\n\r\n" + body))

    assert received.startswith(b"HTTP/1.1 200")
    assert not received.endswith(b"0\r\n\r\n")
    assert "the disk is gone" in caplog.text
    assert b"the disk is gone" not in received


BAD_BODIES = {
    "malformed": b'{"query": ',
    "nothing but space": b"  ",
    "trailing": b'{"query": "x"} {}',
    "a list": b'["x"]',
    "a text": b'"x"',
    "null": b"null",
    "NaN": b'{"query": "x", "min_score": NaN}',
    "infinite": b'{"query": "x", "min_score": 1e999}',
    "huge number": b'{"query": "x", "limit": ' + b"9" * 10_000 + b"}",
    "large number": b'{"query": "x", "limit": 99999999999999999999999}',
    "deep list": b'{"query": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "deep object": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "not UTF-8": b'{"query": "\xff\xfe"}',
    "half a pair": b'{"query": "\\ud800"}',
    "a NUL": b'{"query": "a\\u0000b"}',
    "unknown parameter": b'{"query": "x", "colour": "red"}',
    "missing parameter": b"{}",
    "wrong type": b'{"query": {"a": 1}}',
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_body_that_cannot_be_used_is_refused_with_what_is_wrong(site: Site, body: bytes) -> None:
    problem(site.call("search", body), 400, "invalid_input")


@pytest.mark.parametrize("depth", [50, 200, 400, 900])
def test_deeply_nested_metadata_is_kept_or_refused_but_never_a_fault(
    start: Any, depth: int
) -> None:
    site = start()
    nested = b'{"a":' * depth + b"1" + b"}" * depth

    stored = site.call("store", b'{"content": "deep", "metadata": ' + nested + b"}")

    if stored.status == 200:
        assert site.call("get", {"hash": stored.data}).data["metadata"]["a"]
    else:
        problem(stored, 400, "invalid_input")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"]
)
def test_a_body_of_another_type_is_refused(site: Site, kind: str) -> None:
    headers = {"Content_Type": kind} if kind else {}
    reply = site.ask("POST", "/tools/search/execute", '{"query": "x"}', **headers)

    assert "application/json" in problem(reply, 415, "unsupported_media_type")["detail"]


def test_no_body_means_no_arguments(site: Site) -> None:
    assert site.ask("POST", "/tools/health/execute").data["status"] == "healthy"


STATUS = {
    "forbidden": 403,
    "invalid_input": 400,
    "not_found": 404,
    "ambiguous": 409,
    "key_conflict": 409,
    "overloaded": 429,
    "store_busy": 503,
    "space_moved": 503,
    "store_unavailable": 503,
    "embedder_unavailable": 503,
}


def test_every_error_keeps_its_code_and_message(start: Any) -> None:
    site = start()
    for kind in vars(errors).values():
        if not (isinstance(kind, type) and issubclass(kind, MilepostError)):
            continue

        def fail(kind: type[MilepostError] = kind) -> CompactHealthInfo:
            raise kind("The moon is full; wait a night.")

        patched(site.memory, "health", fail)
        reply = site.call("health", {})
        status = STATUS.get(kind.code, 500)
        assert problem(reply, status, kind.code)["detail"] == "The moon is full; wait a night."
        assert ("retry-after" in reply.headers) == (status in (429, 503))


def test_a_fault_is_logged_and_told_without_its_trace(
    start: Any, caplog: pytest.LogCaptureFixture
) -> None:
    site = start()

    def fail() -> CompactHealthInfo:
        raise RuntimeError("secret path /home/ann")

    patched(site.memory, "health", fail)
    reply = site.call("health", {})

    problem(reply, 500, "internal")
    assert "ann" not in reply.text
    assert "Traceback" not in reply.text
    assert "secret path /home/ann" in caplog.text
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_header_chooses_the_tenant(start: Any) -> None:
    site = start()
    site.call("store", {"content": "Ann likes tea"}, Milepost_Space="ann")
    site.call("store", {"content": "Jörg likes tea"}, Milepost_Space="j%C3%B6rg")

    def found(**headers: str) -> list[str]:
        return [
            m["preview"] for m in site.call("search", {"query": "tea"}, **headers).data["memories"]
        ]

    assert found() == []
    assert ["Ann" in text for text in found(Milepost_Space="ann")] == [True]
    assert [m.preview for m in site.memory.within("jörg").search("tea").memories] == [
        "Jörg likes tea"
    ]
    problem(site.call("health", {}, Milepost_Space=" "), 400, "invalid_input")


@pytest.mark.parametrize("path", ["/tools/discover", "/docs", "/nowhere", "/healthz"])
def test_answers_are_neither_guessed_at_nor_kept_nor_shared_with_pages(
    site: Site, path: str
) -> None:
    headers = site.get(path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert not any(name.startswith("access-control") for name in headers)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.7", "", "[::2]"]
)
def test_another_host_is_refused(site: Site, host: str) -> None:
    reply = site.get("/tools/discover", Host=host)

    problem(reply, 421, "misdirected")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:9", "127.0.0.1:1", "[::1]:80", "localhost."]
)
def test_every_name_of_this_machine_is_its_own(site: Site, host: str) -> None:
    assert site.get("/tools/discover", Host=host).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    ],
)
@pytest.mark.parametrize("path", ["/tools/health/execute", "/mcp"])
def test_pages_of_other_origins_are_refused(site: Site, headers: dict[str, str], path: str) -> None:
    problem(site.ask("POST", path, "{}", **headers), 403, "forbidden")


def test_a_preflight_gets_no_permission(site: Site) -> None:
    reply = site.ask(
        "OPTIONS",
        "/tools/health/execute",
        Origin="https://evil.example",
        Access_Control_Request_Method="POST",
    )

    assert reply.status == 403
    assert not any(name.startswith("access-control") for name in reply.headers)


def test_a_page_of_the_server_itself_and_a_followed_link_are_welcome(site: Site) -> None:
    own = site.url
    assert site.get("/tools/discover", Origin=own).status == 200
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert site.get("/docs", **link).status == 200


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", f"Basic {KEY}", f"Bearer {KEY}x", "Bearer \xff"]
)
@pytest.mark.parametrize("path", ["/tools/discover", "/docs", "/metrics", "/nowhere"])
def test_nothing_is_told_without_the_key(keyed: Site, path: str, given: str) -> None:
    reply = keyed.get(path, **({"Authorization": given} if given else {}))

    assert "MILEPOST_KEY" in problem(reply, 401, "unauthorized")["detail"]
    assert reply.headers["www-authenticate"].startswith("Bearer")


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that needs a key."""
    path = tmp_path_factory.mktemp("keyed") / "m.db"
    settings = settings_for(path)._replace(port=0, key=KEY)
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield Site(url, memory)


def test_the_key_opens_everything_and_probes_need_none(keyed: Site) -> None:
    assert keyed.get("/tools/discover", Authorization=f"Bearer {KEY}").status == 200
    assert keyed.get("/tools/discover", Authorization=f"bearer {KEY}").status == 200
    assert keyed.get("/healthz").data == {"status": "ok"}
    assert keyed.get("/health").data == {"status": "ok"}
    assert keyed.get("/readyz").data == {"status": "healthy"}
    problem(keyed.ask("POST", "/mcp", "{}"), 401, "unauthorized")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "memory.example", ""])
def test_beyond_loopback_there_is_no_server_without_a_key(host: str, path: Path) -> None:
    settings = settings_for(path)._replace(host=host, port=0)
    with open_memory(settings) as memory:
        for begin in (create_app, serve):
            with pytest.raises(ConfigError, match="MILEPOST_KEY"):
                begin(memory, settings)
        assert create_app(memory, settings._replace(key=KEY))


def test_beyond_loopback_the_key_is_asked_for(start: Any) -> None:
    site = start(host="0.0.0.0", key=KEY)

    problem(site.get("/tools/discover"), 401, "unauthorized")
    reply = site.get("/tools/discover", Authorization=f"Bearer {KEY}", Host="box.example")
    assert reply.status == 200


def test_a_port_that_is_taken_is_told(start: Any, path: Path) -> None:
    site = start()
    settings = settings_for(path)._replace(port=site.address[1])

    with pytest.raises(ConfigError, match="--port"), running(site.memory, settings):
        pass


def test_a_server_without_its_packages_says_how_to_get_them(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    with pytest.raises(ConfigError, match=r'pip install "milepost\[server\]"'):
        serve(memory, settings_for("memory://"))


SMALL = ServerLimits(body_bytes=1000, bodies_bytes=3000, in_flight=4)
HEAD = (
    b"POST /tools/search/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with little room."""
    settings = settings_for(tmp_path_factory.mktemp("small") / "m.db")._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings, SMALL) as url:
        yield Site(url, memory)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with little room and little patience."""
    settings = settings_for(tmp_path_factory.mktemp("hasty") / "m.db")._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings, _hasty()) as url:
        yield Site(url, memory)


def _hasty() -> ServerLimits:
    seconds = on_this_machine(0.15)
    return SMALL._replace(body_seconds=seconds, header_seconds=seconds, reading_seconds=seconds)


def test_a_body_that_is_too_large_is_refused(small: Site) -> None:
    """The client sends all of several megabytes and still sees why they were not taken."""
    reply = small.call("search", {"query": "x" * 5_000_000})

    assert "1,000" in problem(reply, 413, "too_large")["detail"]


def test_a_body_that_says_it_is_too_large_is_refused_before_it_comes(hasty: Site) -> None:
    received = answered(hasty.raw(HEAD + b"Content-Length: 99999999\r\nConnection: close\r\n\r\n"))

    assert received.startswith(b"HTTP/1.1 413")


def test_a_body_of_unknown_size_is_refused_where_it_becomes_too_large(small: Site) -> None:
    chunk = b"3e8\r\n" + b" " * 1000 + b"\r\n"
    chunked = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    received = answered(small.raw(chunked + chunk + chunk))

    assert received.startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("sent", [b"", b'{"que'])
@pytest.mark.parametrize("head", [b"Content-Length: 500", b"Transfer-Encoding: chunked"])
def test_a_body_that_does_not_come_times_out(hasty: Site, head: bytes, sent: bytes) -> None:
    part = b"%x\r\n%s\r\n" % (len(sent), sent) if b"chunked" in head and sent else sent
    received = answered(hasty.raw(HEAD + head + b"\r\n\r\n" + part))

    assert received.startswith(b"HTTP/1.1 408")
    assert b'"code":"timeout"' in received


def test_a_body_that_trickles_times_out_all_the_same(hasty: Site) -> None:
    opened = hasty.raw(HEAD + b"Content-Length: 900\r\n\r\n")
    ended = threading.Event()

    def trickle() -> None:
        while not ended.wait(0.05):
            try:
                opened.sendall(b" ")
            except OSError:
                return

    with ThreadPoolExecutor(1) as pool:
        pool.submit(trickle)
        first = opened.recv(65536)
        ended.set()
    opened.close()

    assert first.startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: loc"])
def test_headers_that_do_not_come_time_out(hasty: Site, sent: bytes) -> None:
    received = answered(hasty.raw(sent))

    assert received.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in received


def test_the_headers_of_a_second_request_time_out_too(hasty: Site) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    opened = hasty.raw(request)
    assert opened.recv(65536).startswith(b"HTTP/1.1 200")
    opened.sendall(request[:16])

    assert b"HTTP/1.1 408" in answered(opened)


def test_the_rest_of_a_refused_body_is_not_waited_for_without_end(hasty: Site) -> None:
    opened = hasty.raw(HEAD + b"Content-Length: 99999999\r\n\r\nx")
    assert opened.recv(65536).startswith(b"HTTP/1.1 413")
    opened.sendall(b"x")

    with suppress(ConnectionResetError):
        answered(opened)


def test_more_than_the_length_says_is_not_part_of_the_body(hasty: Site) -> None:
    body = b'{"query": "x"}'
    head = HEAD + b"Content-Length: %d\r\n\r\n" % len(body)
    received = answered(hasty.raw(head + body + b"and more\r\n\r\n"))

    assert received.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 400" in received


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_not_http_is_refused(hasty: Site, sent: bytes) -> None:
    try:
        received = answered(hasty.raw(sent))
    except ConnectionError:
        return  # it hung up before it had heard everything
    assert received.startswith((b"HTTP/1.1 400", b"HTTP/1.1 408"))
    assert b"application/problem+json" in received


def test_a_client_that_does_not_read_is_left(start: Any) -> None:
    site, ended = start(_hasty()), threading.Event()

    def endless(**_: object) -> Iterator[CompactMemory]:
        try:
            while True:
                yield CompactMemory("00000000", "x" * 10_000, (), 0.0, 1.0)
        finally:
            ended.set()

    patched(site.memory, "search_iter", endless)
    body = b'{"query": "x"}'
    head = HEAD.replace(b"search", b"search_iter") + b"Content-Length: %d\r\n\r\n" % len(body)
    with site.raw(head + body):
        assert ended.wait(PATIENCE_S)


def test_two_hundred_at_once_are_served_or_refused_but_never_left_hanging(small: Site) -> None:
    barrier = threading.Barrier(200)

    def ask(_: int) -> Reply:
        barrier.wait()
        return small.call("search", {"query": "database"})

    with ThreadPoolExecutor(200) as pool:
        replies = list(pool.map(ask, range(200)))

    assert {reply.status for reply in replies} == {200, 429}
    for reply in replies:
        if reply.status == 429:
            problem(reply, 429, "overloaded")
            assert int(reply.headers["retry-after"]) >= 1
    assert small.get("/healthz").status == 200


def test_probes_are_answered_however_busy_the_server_is(start: Any) -> None:
    site = start(ServerLimits(in_flight=1, workers=1, waiting=0))
    begun, release = threading.Event(), threading.Event()

    def slow() -> CompactHealthInfo:
        begun.set()
        release.wait(PATIENCE_S)
        return CompactHealthInfo("healthy", 0, "none")

    patched(site.memory, "health", slow)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(site.call, "health", {})
        begun.wait(PATIENCE_S)
        try:
            problem(site.call("health", {}), 429, "overloaded")
            assert site.get("/healthz").status == 200
            busy = site.get("/readyz")
            assert (busy.status, busy.data) == (503, {"status": "busy"})
        finally:
            release.set()
        assert waiting.result().status == 200


def test_calls_beyond_those_that_may_wait_are_refused(start: Any) -> None:
    site = start(ServerLimits(workers=1, waiting=1))
    release = threading.Event()

    def slow() -> CompactHealthInfo:
        release.wait(PATIENCE_S)
        return CompactHealthInfo("healthy", 0, "none")

    patched(site.memory, "health", slow)
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(site.call, "health", {}) for _ in range(6)]
        while sum(reply.done() for reply in waiting) < 4:
            threading.Event().wait(0.01)
        release.set()
        statuses = sorted(reply.result().status for reply in waiting)

    assert statuses == [200, 200, 429, 429, 429, 429]


def test_connections_beyond_the_limit_are_refused(start: Any) -> None:
    site = start(ServerLimits(connections=3))
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    held = [site.raw(request) for _ in range(3)]
    assert all(one.recv(65536).startswith(b"HTTP/1.1 200") for one in held)

    received = answered(site.raw(b""))

    assert received.startswith(b"HTTP/1.1 429")
    assert b"Retry-After" in received
    for one in held:
        one.close()


def test_bodies_together_may_not_fill_the_memory(start: Any) -> None:
    site = start(ServerLimits(bodies_bytes=3000, body_seconds=PATIENCE_S))
    head = HEAD + b"Connection: close\r\nContent-Length: 2000\r\n\r\n"
    first = site.raw(head + b" " * 1900)
    second = site.raw(head + b" " * 1900)

    assert answered(second).startswith(b"HTTP/1.1 429")
    first.sendall(b" " * 100)
    assert answered(first).startswith(b"HTTP/1.1 400")
    assert site.call("search", b" " * 1500 + b'{"query": "x"}').status == 200


def test_the_openapi_document_is_valid_and_names_every_operation(site: Site) -> None:
    document = site.get("/openapi.json").data

    assert document["openapi"].startswith("3.1")
    for operation in OPERATIONS.values():
        posted = document["paths"][f"/tools/{operation.name}/execute"]["post"]
        assert posted["operationId"] == operation.name
        taken = posted["requestBody"]["content"]["application/json"]["schema"]
        given = posted["responses"]["200"]["content"]["application/json"]["schema"]
        Draft202012Validator.check_schema(taken)
        Draft202012Validator.check_schema(given)
        Draft202012Validator(taken).validate(operation.example)
    for path in ("/tools/discover", "/tools/list", "/tools/search", "/tools/{name}", *PROBES):
        assert "get" in document["paths"][path]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "database"}),
        ("search_iter", {"query": "database"}),
        ("health", {}),
        ("delete_by_tag", {"tags": "db", "dry_run": True}),
    ],
)
def test_results_are_what_the_openapi_document_says(
    site: Site, name: str, arguments: dict[str, Any]
) -> None:
    document = site.get("/openapi.json").data
    posted = document["paths"][f"/tools/{name}/execute"]["post"]
    schema = posted["responses"]["200"]["content"]["application/json"]["schema"]

    Draft202012Validator(schema).validate(site.call(name, arguments).data)


def test_a_whole_memory_is_what_the_openapi_document_says(site: Site) -> None:
    (found,) = site.memory.search("lunch", limit=1).memories
    document = site.get("/openapi.json").data
    posted = document["paths"]["/tools/get/execute"]["post"]
    schema = posted["responses"]["200"]["content"]["application/json"]["schema"]

    Draft202012Validator(schema).validate(site.call("get", {"hash": found.hash}).data)


def test_the_page_of_documentation_needs_nothing_from_elsewhere(site: Site) -> None:
    reply = site.get("/docs")

    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    for operation in OPERATIONS.values():
        assert f'id="{operation.name}"' in reply.text
    assert re.findall("<form data-tool=.(\\w+)", reply.text) == ["search", "store"]
    assert reply.text.index("<form") < reply.text.index("All of it")
    (script,) = re.findall("<script>(.*?)</script>", reply.text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in reply.headers["content-security-policy"]
    assert not re.search(r"(src|href)=.?(https?:)?//", reply.text)
    assert site.get("/").headers["location"] == "/docs"


def test_the_type_of_a_problem_leads_to_its_documentation(site: Site) -> None:
    page = site.get("/docs").text
    place, _, anchor = site.get("/tools/nope").data["type"].partition("#")

    assert place == "/docs"
    assert f'id="{anchor}"' in page
    for code in (*STATUS, *REFUSALS):
        assert f'id="error-{code}"' in page


def test_metrics_count_requests_and_tell_how_long_they_took(start: Any) -> None:
    site = start()
    site.call("store", {"content": "one"})
    site.call("store", {"content": "two"})
    site.call("store", {"content": ""})
    site.get("/tools/made-up-name")
    reply = site.get("/metrics")

    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    figures = dict(line.rsplit(" ", 1) for line in reply.text.splitlines() if line[0] != "#")
    assert figures['milepost_requests_total{operation="store",status="200"}'] == "2"
    assert figures['milepost_requests_total{operation="store",status="400"}'] == "1"
    assert figures['milepost_request_seconds_bucket{operation="store",le="+Inf"}'] == "3"
    assert figures['milepost_request_seconds_count{operation="store"}'] == "3"
    assert 0 < float(figures['milepost_request_seconds_sum{operation="store"}']) < 3
    assert figures["milepost_requests_in_flight"] == "1"
    assert figures["milepost_memories"] == "2"
    assert 10e6 < float(figures["process_resident_memory_bytes"]) < 10e9
    assert float(figures["milepost_uptime_seconds"]) > 0
    # Whatever clients make up, the number of series stays as it is.
    assert "made-up-name" not in reply.text
    for line in reply.text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? \S+', line)


def test_a_server_whose_memory_fails_is_alive_but_not_ready(start: Any) -> None:
    site = start()
    told = CompactHealthInfo("error", 0, "none").noted(["the disk is gone"])
    patched(site.memory, "health", lambda: told)

    assert site.get("/healthz").status == 200
    reply = site.get("/readyz")
    assert (reply.status, reply.data) == (503, {"status": "error"})


def test_mcp_is_answered_by_the_same_server(site: Site) -> None:
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    reply = site.ask(
        "POST",
        "/mcp",
        json.dumps(question),
        Content_Type="application/json",
        Accept="application/json, text/event-stream",
    )

    assert reply.status == 200
    assert "search" in {tool["name"] for tool in reply.data["result"]["tools"]}
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert 'operation="mcp"' in site.get("/metrics").text


SERVE = """
import sys
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import serve

settings = settings_for(sys.argv[1])._replace(port=0, log_level="info")
with open_memory(settings) as memory:
    serve(memory, settings, lambda url: print(url, file=sys.stderr, flush=True))
print("closed", file=sys.stderr)
"""


def told_address(process: Popen[str]) -> str:
    """Return the address that a server says it listens on."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("http://"):
            return line.strip()
    raise AssertionError("the server ended before it listened")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_requests_finish_and_ends_the_server_well(
    start_python: StartPython, path: Path, sent: signal.Signals
) -> None:
    process = start_python(SERVE, path)
    parts = urlsplit(told_address(process))
    opened = socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_S)
    body = b'{"content": "the last words"}'
    head = HEAD.replace(b"search", b"store") + b"Content-Length: %d\r\n\r\n" % len(body)
    opened.sendall(head + body[:5])
    # The server has the beginning of the request when it answers a later one.
    probe = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)
    probe.request("GET", "/healthz")
    assert probe.getresponse().status == 200
    probe.close()

    process.send_signal(sent)
    opened.sendall(body[5:])
    received = answered(opened)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert received.startswith(b"HTTP/1.1 200")
    assert (process.returncode, out) == (0, "")
    assert err.rstrip().endswith("closed")
    assert "POST /tools/store/execute 200" in err
    assert "last words" not in err
    with open_memory(settings_for(path)) as memory:
        assert memory.search("last words").total == 1


def test_the_client_and_the_package_load_no_server(run_python: RunPython) -> None:
    script = (
        "import sys, milepost, milepost.surfaces.http, milepost.surfaces.client\n"
        "print(*{'starlette', 'uvicorn', 'anyio', 'mcp', 'pydantic', 'numpy'} & set(sys.modules))"
    )

    assert run_python(script).stdout.split() == []


def test_a_wrong_setting_of_the_mcp_tools_is_told_before_serving(memory: Milepost) -> None:
    settings = settings_for("memory://")._replace(tools="no_such_tool")

    with pytest.raises((ConfigError, InvalidInput), match="no_such_tool"):
        create_app(memory, settings)
