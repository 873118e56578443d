"""The client: a server's memory as if it were here, through real connections."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.request import urlopen

import pytest

import milepost
from milepost import Milepost, MilepostClient, errors
from milepost.app import open_memory
from milepost.errors import (
    Ambiguous,
    ConfigError,
    InvalidInput,
    MilepostError,
    NotFound,
    Overloaded,
    StoreBusy,
    Unreachable,
)
from milepost.memory.values import CompactMemory
from milepost.opening import settings_for
from milepost.registry import Operation, operations_of
from milepost.surfaces import client as client_module
from milepost.surfaces.http import running
from milepost.surfaces.http.limits import ServerLimits
from milepost.surfaces.remote_memory import WarmMemory
from milepost.transport import connections
from milepost.transport.timing import Timing
from milepost.upkeep.values import CompactHealthInfo
from support import PATIENCE_S, forget_functions, on_this_machine, patched

StartPython = Callable[..., "Popen[str]"]

OPERATIONS = operations_of(Milepost)
USUAL = ServerLimits()
KEY = "correct horse battery staple"


@contextmanager
def served(
    path: Path, limits: ServerLimits = USUAL, **settings: Any
) -> Iterator[tuple[str, Milepost]]:
    """Serve a store; gives the address and the memory behind it."""
    chosen = settings_for(path)._replace(port=0, **settings)
    with open_memory(chosen) as memory, running(memory, chosen, limits) as url:
        yield url, memory


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Milepost]]:
    """A server with some memories, for tests that change nothing."""
    with served(tmp_path_factory.mktemp("client") / "m.db") as (url, memory):
        memory.store("We chose PostgreSQL because of JSONB", tags=["db"], metadata={"n": 1})
        memory.store("Auth tokens live for ten minutes", tags=["auth"], author="Ann")
        memory.store_batch([f"Ticket {i} is about the database" for i in range(300)])
        yield url, memory


@pytest.fixture
def client(shared: tuple[str, Milepost]) -> Iterator[MilepostClient]:
    with MilepostClient(shared[0]) as opened:
        yield opened


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts follow each other at once."""
    at_once = client_module.REPEATING._replace(wait_s_base=0.001)
    monkeypatch.setattr(client_module, "REPEATING", at_once)


class Scripted(BaseHTTPRequestHandler):
    """Answers with what its server was told to answer, one after the other."""

    protocol_version = "HTTP/1.1"
    answers: list[tuple[int, dict[str, str], bytes]]
    asked: list[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append(self.path)
        status, headers, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815 -- the name that the base class calls

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def scripted(*answers: tuple[int, dict[str, str], bytes]) -> Iterator[tuple[str, list[str]]]:
    """Run a server that is none of ours; gives its address and the paths it was asked for."""
    asked: list[str] = []
    kind = type("Told", (Scripted,), {"answers": list(answers), "asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def problem(status: int, code: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    body = json.dumps({"status": status, "code": code, "detail": "Told so."}).encode()
    return status, {"Content-Type": "application/problem+json", **headers}, body


def test_results_are_those_of_the_memory_itself(
    client: MilepostClient, shared: tuple[str, Milepost]
) -> None:
    memory = shared[1]
    (found,) = memory.search("PostgreSQL", limit=1).memories

    assert client.search("PostgreSQL", limit=1) == memory.search("PostgreSQL", limit=1)
    assert str(client.recall("auth")) == str(memory.recall("auth"))
    assert client.get(found.hash) == memory.get(found.hash)
    assert type(client.get(found.hash)) is milepost.Memory
    assert client.health() == memory.health()
    assert client.search_by_tag(("db",)) == memory.search_by_tag("db")
    assert client.delete_by_tag("db", dry_run=True) == memory.delete_by_tag("db", dry_run=True)


def test_what_is_written_is_there(path: Path) -> None:
    with served(path) as (url, memory), MilepostClient(url) as client:
        moment = datetime(2026, 3, 1, 12, tzinfo=UTC)
        name = client.store("A note", tags={"a"}, metadata={"n": [1, 2]}, created=moment)
        assert memory.get(name).metadata == {"n": [1, 2]}
        assert memory.get(name).created == moment.timestamp()
        assert len(client.store_batch(iter(["one", "two"]))) == 2
        assert client.update(name, tags=["b"]) == name
        assert client.delete(name).deleted == 1
        assert client.health().count == memory.health().count == 2


def test_connect_gives_a_client_for_an_address(shared: tuple[str, Milepost]) -> None:
    with milepost.connect(shared[0]) as memory:
        assert isinstance(memory, MilepostClient)
        assert memory.search("PostgreSQL").total >= 1


def public(memory: object) -> set[str]:
    return {name for name in dir(memory) if not name.startswith("_")}


ASKED = {*OPERATIONS, *(alias for o in OPERATIONS.values() for alias in o.spec.aliases)}
TOOLS = {"discover_tools", "list_tools", "get_tool", "search_tools", "call_tool"}


def test_a_client_has_the_operations_and_nothing_that_only_a_store_has(
    client: MilepostClient, path: Path
) -> None:
    assert public(client) == ASKED | TOOLS | {"close", "within"}
    assert public(WarmMemory(settings_for(path))) == ASKED | {"close", "within", "note_model_text"}
    for name in ("worker", "run_jobs", "reembedding", "find_skills", "serch"):
        with pytest.raises(AttributeError) as raised:
            getattr(client, name)
        assert str(raised.value) == f"'MilepostClient' object has no attribute '{name}'"


def test_functions_of_the_module_ask_the_server_of_the_settings(
    shared: tuple[str, Milepost], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_URL", shared[0])
    forget_functions()
    try:
        assert milepost.search("PostgreSQL", limit=1) == shared[1].search("PostgreSQL", limit=1)
        assert "Find the memories" in str(milepost.search.__doc__)
    finally:
        forget_functions()


def test_a_server_may_serve_the_memory_of_another(client: MilepostClient) -> None:
    with running(client, settings_for("memory://")._replace(port=0)) as url:
        with MilepostClient(url) as second:
            assert second.search("PostgreSQL", limit=1) == client.search("PostgreSQL", limit=1)
        with urlopen(f"{url}/metrics") as answer:
            assert b"milepost_memories 302" in answer.read()


def test_rows_are_read_as_they_are_asked_for(path: Path) -> None:
    made = [0]

    def many(**_: object) -> Iterator[CompactMemory]:
        for _ in range(100_000):
            made[0] += 1
            yield CompactMemory("00000000", "x" * 1000, ("a",), 0.0, 1.0)

    with served(path) as (url, memory), MilepostClient(url) as client:
        patched(memory, "search_iter", many)
        rows = client.search_iter("x")
        assert next(rows) == CompactMemory("00000000", "x" * 1000, ("a",), 0.0, 1.0)
        assert made[0] < 50_000
        del rows
        assert client.health().ready


def test_all_rows_come_and_the_connection_is_used_again(
    client: MilepostClient, shared: tuple[str, Milepost]
) -> None:
    assert list(client.search_iter("database")) == list(shared[1].search_iter("database"))
    assert len(client._servers._servers[0].transport._idle) == 1
    with pytest.raises(InvalidInput):
        client.search_iter("")


def test_a_stream_that_breaks_raises(path: Path) -> None:
    def breaking(**_: object) -> Iterator[CompactMemory]:
        for _ in range(500):
            yield CompactMemory("00000000", "x", (), 0.0, 1.0)
        raise RuntimeError

    with served(path) as (url, memory), MilepostClient(url) as client:
        patched(memory, "search_iter", breaking)
        rows = client.search_iter("x")
        with pytest.raises(Unreachable):
            list(rows)


def test_the_registry_is_at_hand(client: MilepostClient) -> None:
    found = client.discover_tools()

    assert found["total_tools"] == len(OPERATIONS)
    assert client.list_tools() == list(OPERATIONS)
    assert client.list_tools("admin") == [t["name"] for t in found["categories"]["admin"]["tools"]]
    assert client.get_tool("search")["parameters"][0]["name"] == "query"
    assert client.get_tool("remember")["name"] == "store"
    assert "delete_by_tag(" in "".join(client.search_tools("delete by tag & more?"))
    with pytest.raises(NotFound, match="search"):
        client.get_tool("serch")
    with pytest.raises(NotFound, match="memory"):
        client.list_tools("cooking & more")


def test_a_tool_is_called_by_name_for_data_or_text(
    client: MilepostClient, shared: tuple[str, Milepost]
) -> None:
    data = client.call_tool("search", query="PostgreSQL", limit=1)
    assert data["memories"][0]["tags"] == ["db"]
    text = client.call_tool("retrieve_memory", query="PostgreSQL", k=1, compact=True)
    assert text == str(shared[1].search("PostgreSQL", limit=1))
    assert isinstance(client.call_tool("search_iter", query="PostgreSQL"), list)
    with pytest.raises(NotFound, match="did you mean"):
        client.call_tool("serch", query="x")


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
def test_every_alias_is_a_method(client: MilepostClient, operation: Operation) -> None:
    for alias in operation.spec.aliases:
        assert getattr(MilepostClient, alias) is getattr(MilepostClient, operation.name)


def test_parameters_go_by_the_names_of_other_memories_too(client: MilepostClient) -> None:
    assert len(client.recall("database", k=3).memories) == 3  # type: ignore[call-arg]
    assert len(client.recall(query="database", n_results=2).memories) == 2  # type: ignore[call-arg]
    assert len(client.retrieve_memory("database", top_k=4).memories) == 4  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="colour"):
        client.search("x", colour="red")  # type: ignore[call-arg]


def test_errors_are_of_the_same_class_and_say_the_same(path: Path) -> None:
    with served(path) as (url, memory), MilepostClient(url) as client:
        client.store("a")
        for call in (
            lambda m: m.get("00000000"),
            lambda m: m.get("zz"),
            lambda m: m.search(""),
            lambda m: m.search("x", limit=0),
            lambda m: m.delete_batch(["00000000"]),
            lambda m: m.search("x", after="not a time at all"),
        ):
            with pytest.raises(MilepostError) as here:
                call(memory)
            with pytest.raises(MilepostError) as there:
                call(client)
            assert type(there.value) is type(here.value)
            assert str(there.value) == str(here.value)


@pytest.mark.parametrize(
    "kind", [Ambiguous, errors.StoreCorrupt, errors.StoreTooNew, MilepostError]
)
def test_an_error_of_any_kind_comes_back_as_itself(path: Path, kind: type[MilepostError]) -> None:
    def fail(**_: object) -> None:
        raise kind("The moon is full; wait a night.")

    with served(path) as (url, memory), MilepostClient(url) as client:
        patched(memory, "get", fail)
        with pytest.raises(MilepostError, match="The moon is full") as raised:
            client.get("00000000")
        assert type(raised.value) is kind


@pytest.mark.parametrize("argument", [float("nan"), b"bytes", object()])
def test_what_json_cannot_carry_is_refused_here(client: MilepostClient, argument: object) -> None:
    with pytest.raises(InvalidInput):
        client.search("x", min_score=argument)  # type: ignore[arg-type]


def test_a_body_too_large_for_the_server_is_invalid_input(path: Path) -> None:
    with served(path, ServerLimits(body_bytes=1000)) as (url, _), MilepostClient(url) as client:
        with pytest.raises(InvalidInput, match="1,000 bytes"):
            client.store("x" * 100_000)
        assert client.health().ready


def test_the_key_is_sent_and_asked_for(path: Path) -> None:
    with served(path, key=KEY) as (url, _):
        with MilepostClient(url, KEY) as client:
            assert client.search("x").total == 0
        for wrong in ("", "wrong", "ключ"):
            with (
                MilepostClient(url, wrong) as client,
                pytest.raises(ConfigError, match="MILEPOST_KEY"),
            ):
                client.search("x")
        with MilepostClient(url, "two\nlines") as client, pytest.raises(ConfigError):
            client.search("x")


def test_tenants_are_apart(path: Path) -> None:
    with served(path) as (url, memory), MilepostClient(url, space="Zoë & Söhne") as client:
        client.store("Zoë likes tea")
        assert client.search("tea").total == 1
        assert client.within("other").search("tea").total == 0
        assert memory.search("tea").total == 0
        assert memory.within("Zoë & Söhne").search("tea").total == 1
        with pytest.raises(InvalidInput):
            MilepostClient(url, space=" ")


def test_a_connection_is_used_again_and_shared_by_threads(
    shared: tuple[str, Milepost], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[HTTPConnection] = []

    class Counting(HTTPConnection):
        def connect(self) -> None:
            opened.append(self)
            super().connect()

    monkeypatch.setattr(connections, "HTTPConnection", Counting)
    with MilepostClient(shared[0]) as client:
        for _ in range(20):
            client.search("PostgreSQL")
        assert len(opened) == 1
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda _: client.search("PostgreSQL", limit=1), range(80)))
        assert len(set(found)) == 1
        assert len(opened) <= 8


def test_an_answer_does_not_wait_for_an_acknowledgement(client: MilepostClient) -> None:
    """Which it would for 40 ms, if the system were let to gather small packets."""
    spent = []
    for _ in range(10):
        before = time.perf_counter()
        client.list_tools("admin")
        spent.append(time.perf_counter() - before)

    assert min(spent) < on_this_machine(0.03)


def test_a_connection_that_the_server_closed_is_not_used(path: Path) -> None:
    """Also not for a call that must not be sent twice."""
    with served(path, ServerLimits(idle_seconds=0)) as (url, _), MilepostClient(url) as client:
        for text in ("one", "two", "three"):
            name = client.store(text)
            (kept,) = client._servers._servers[0].transport._idle
            while kept.is_usable():
                time.sleep(0.005)
            assert client.delete(name).deleted == 1


@pytest.mark.usefixtures("quick")
def test_a_busy_server_is_asked_again_for_writes_go_by_a_key() -> None:
    busy, good = problem(503, "store_busy"), (200, {}, b'"00000000"')
    with scripted(busy, problem(429, "overloaded"), good) as (url, asked):
        assert MilepostClient(url).store("x") == "00000000"
        assert len(asked) == 3
    with scripted(busy, busy, good) as (url, asked):
        assert MilepostClient(url).create_episode("x") == "00000000"
        assert MilepostClient(url).call_tool("made_up_by_a_later_server") == "00000000"
        assert len(asked) == 4
    with scripted(busy) as (url, asked):
        with pytest.raises(StoreBusy, match="Told so"):
            MilepostClient(url).delete("00000000")
        assert len(asked) == 6
    with scripted(problem(429, "overloaded")) as (url, asked):
        with pytest.raises(Overloaded):
            MilepostClient(url).search("x")
        assert len(asked) == 6
    with scripted(problem(400, "invalid_input")) as (url, asked):
        with pytest.raises(InvalidInput):
            MilepostClient(url).search("x")
        assert len(asked) == 1


@pytest.mark.usefixtures("quick")
def test_the_server_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(client_module, "TIMING", Timing(sleep=waited.append))
    later = problem(429, "overloaded", **{"Retry-After": "7"})
    with scripted(later, (200, {}, b'"00000000"')) as (url, _):
        MilepostClient(url).store("x")
    assert 5 < sum(waited) < 9
    with scripted(problem(429, "overloaded", **{"Retry-After": "3600"})) as (url, asked):
        with pytest.raises(Overloaded):
            MilepostClient(url).store("x")
        assert len(asked) == 1


STRANGERS = {
    "a page": (200, {"Content-Type": "text/html"}, b"<html>hello</html>"),
    "other data": (200, {"Content-Type": "application/json"}, b'{"hello": "world"}'),
    "a list": (200, {"Content-Type": "application/json"}, b"[1, 2]"),
    "not found": (404, {"Content-Type": "text/html"}, b"<html>404</html>"),
    "elsewhere": (302, {"Location": "http://127.0.0.1:1/"}, b""),
    "other error": (500, {"Content-Type": "application/json"}, b'{"error": "x"}'),
}


@pytest.mark.parametrize("answer", STRANGERS.values(), ids=STRANGERS)
def test_a_server_that_is_something_else_is_told(answer: tuple[int, dict[str, str], bytes]) -> None:
    with scripted(answer) as (url, _), MilepostClient(url) as client:
        calls: list[Callable[[], object]] = [
            lambda: client.search("x"),
            client.discover_tools,
            client.list_tools,
            lambda: client.get_tool("search"),
        ]
        for call in calls:
            with pytest.raises(Unreachable, match=r"not a Milepost server.*check the URL"):
                call()


@pytest.mark.usefixtures("quick")
def test_a_server_that_is_down_is_told_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with MilepostClient(url) as client:
        for call in (lambda: client.search("x"), lambda: client.delete("00000000")):
            with pytest.raises(Unreachable, match="milepost serve"):
                call()
        health = client.health()
    assert (health.ready, health.count) == (False, 0)
    assert "milepost serve" in health.notes[0]


@pytest.mark.usefixtures("quick")
def test_a_server_that_is_no_http_server_or_silent_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with (
            MilepostClient(url, timeout=0.2) as client,
            pytest.raises(Unreachable, match=r"0\.2 s"),
        ):
            client.search("x")

        def babble() -> None:
            for _ in range(7):
                accepted, _ = listening.accept()
                with accepted:
                    accepted.recv(65536)
                    accepted.sendall(b"220 mail.example ESMTP\r\n")

        speaker = threading.Thread(target=babble)
        speaker.start()
        with MilepostClient(url) as client, pytest.raises(Unreachable):
            client.search("x")
        speaker.join()


@pytest.mark.parametrize(
    "url", ["", "localhost:8765", "ftp://x", "http://", "http://x:port", "http://x?a=1", "x.db"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="http://127"):
        MilepostClient(url)


def test_proxies_of_the_environment_are_not_used(
    client: MilepostClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    assert client.search("PostgreSQL").total >= 1


def test_a_forked_process_opens_connections_of_its_own(client: MilepostClient) -> None:
    client.search("PostgreSQL")
    (kept,) = client._servers._servers[0].transport._idle

    assert kept.is_usable()
    assert not kept._replace(process=os.getpid() + 1).is_usable()
    assert not kept._replace(since=kept.since - 3600).is_usable()


def test_https_is_spoken_and_strangers_certificates_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, secret = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made += ["-keyout", str(secret), "-out", str(certificate)]
    try:
        subprocess.run(made, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl is not here to make a certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, secret)
    kind = type("Told", (Scripted,), {"answers": [(200, {}, b'"00000000"')], "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        url = f"https://localhost:{server.server_port}"
        with MilepostClient(url) as client, pytest.raises(Unreachable, match="certificate"):
            client.store("x")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with MilepostClient(url) as client:
            assert client.store("x") == "00000000"
            assert client.store("x") == "00000000"
            assert len(client._servers._servers[0].transport._idle) == 1
        server.shutdown()


SERVE = """
import sys
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import serve

settings = settings_for(sys.argv[1])._replace(port=int(sys.argv[2]))
with open_memory(settings) as memory:
    serve(memory, settings, lambda url: print(url, flush=True))
"""


def test_a_server_killed_and_started_again_loses_no_call(
    start_python: StartPython, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = client_module.REPEATING._replace(attempts=12)
    monkeypatch.setattr(client_module, "REPEATING", patient)
    first = start_python(SERVE, path, 0)
    assert first.stdout is not None
    url = first.stdout.readline().strip()
    done: list[str] = []

    def store(count: int) -> None:
        for _ in range(count):
            done.append(client.store(f"note {len(done)}"))

    with MilepostClient(url) as client, ThreadPoolExecutor(1) as pool:
        store(20)
        going_on = pool.submit(store, 200)
        while len(done) < 40:
            time.sleep(0.001)
        first.kill()
        first.wait()
        second = start_python(SERVE, path, url.rpartition(":")[2])
        assert second.stdout is not None
        assert second.stdout.readline().strip() == url
        going_on.result(timeout=PATIENCE_S)

        assert client.health().count == len(set(done)) == 220


def test_health_of_a_failing_memory_is_told_not_raised(path: Path) -> None:
    with served(path) as (url, memory), MilepostClient(url) as client:
        told = CompactHealthInfo("error", 0, "none").noted(["the disk is gone"])
        patched(memory, "health", lambda: told)
        assert client.health() == told
        assert client.health().notes == ("the disk is gone",)
