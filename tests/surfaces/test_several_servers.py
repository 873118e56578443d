"""Several servers of one store: whoever asks is answered while one of them is there."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hook_runs import DECISION, Hooks
from test_client import problem, scripted
from test_once import Sender

import milepost
from milepost.errors import ConfigError, InvalidInput, NotFound, Unreachable
from milepost.surfaces import client as client_module
from milepost.surfaces.client import MilepostClient
from milepost.transport import servers
from support import PATIENCE_S, on_this_machine, wait_until

THREADS, ROUNDS = 8, 25
Serve = Callable[..., "Served"]


class Served:
    """A `milepost serve` of its own process."""

    def __init__(self, path: Path, port: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "milepost", "serve", "--url", str(path), "--port", str(port)],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"MILEPOST_SANDBOX": "off", "HOME": str(path.parent)},
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if " on http://" in line:
                self.url = line.rpartition(" on ")[2].strip()
                break
        else:
            raise AssertionError("the server did not start")

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self) -> None:
        """Let it take calls and do nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()


@pytest.fixture
def serve(path: Path) -> Iterator[Serve]:
    started: list[Served] = []

    def start(port: int = 0) -> Served:
        started.append(Served(path, port))
        return started[-1]

    yield start
    for server in started:
        server.kill()


def nobody() -> str:
    """Return an address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def black_hole() -> Iterator[str]:
    """Give an address where connections are neither taken nor refused."""
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield f"http://127.0.0.1:{full.getsockname()[1]}"


@contextmanager
def slow(seconds: float) -> Iterator[tuple[str, list[str]]]:
    """Give the address of a server that answers after a while, and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            threading.Event().wait(seconds)
            with suppress(OSError):
                self.send_response(200)
                self.send_header("Content-Length", "10")
                self.end_headers()
                self.wfile.write(b'"00000000"')

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


class Writer:
    """Writes what must not be written twice, and counts what was acknowledged."""

    def __init__(self, client: MilepostClient, number: int) -> None:
        self._client, self._number = client, number
        self.done = 0
        self.steps: dict[str, int] = {}
        self.stored: list[str] = []

    def write(self, turn: int) -> None:
        name = f"{self._number}-{turn}"
        client = self._client
        client.record_event("one", f"event {name}")
        assert client.record_events([{"event_type": "many", "content": name}] * 3) == 3
        (first, second) = client.store_batch([f"fact one of {name}", f"fact two of {name}"])
        assert client.delete(second).deleted == 1
        self.stored.append(first)
        episode = client.create_episode(f"task {name}")
        assert client.add_step(episode, "bash", "ls") == 1
        assert client.add_steps(episode, [{"tool": "bash", "action": "ls"}] * 2) == [2, 3]
        self.steps[episode] = 3
        self.done += 7


@pytest.mark.slow
def test_servers_are_killed_amid_writes_and_nothing_is_lost_or_doubled(serve: Serve) -> None:
    first, second = serve(), serve()
    with MilepostClient(f"{first.url},{second.url}", project="everywhere") as client:
        writers = [Writer(client, number) for number in range(THREADS)]

        def written() -> int:
            return sum(writer.done for writer in writers)

        def work(writer: Writer) -> None:
            for turn in range(ROUNDS):
                writer.write(turn)

        with ThreadPoolExecutor(THREADS) as pool:
            working = [pool.submit(work, writer) for writer in writers]
            wait_until(lambda: written() > THREADS * ROUNDS)
            first.kill()
            at = written()
            again = serve(first.port)
            wait_until(lambda: written() > at + THREADS * ROUNDS or all(w.done() for w in working))
            second.kill()
            for each in working:
                each.result(timeout=PATIENCE_S)

        rounds = THREADS * ROUNDS
        assert again.url == first.url
        assert len(client.recall_events(event_type="one", limit=1000)) == rounds
        assert len(client.recall_events(event_type="many", limit=1000)) == 3 * rounds
        assert client.health().count == rounds
        assert {client.get(name).hash for w in writers for name in w.stored}
        assert client.stats().episodes == rounds
        for writer in writers:
            for episode, steps in writer.steps.items():
                assert len(client.get_episode(episode).steps) == steps


def test_one_call_that_reaches_both_servers_at_once_is_done_by_one(serve: Serve) -> None:
    both = [Sender(serve().url) for _ in range(2)]
    calls: list[tuple[str, dict[str, object]]] = [
        ("record_event", {"event_type": "test", "content": "x"}),
        ("create_episode", {"task": "x"}),
        ("store", {"content": "x"}),
        ("record_events", {"events": [{"event_type": "many", "content": "x"}] * 2}),
    ]
    with ThreadPoolExecutor(2) as pool:
        for turn in range(20):
            for name, given in calls:
                send = partial(Sender.send, name=name, given=given, key=f"{name} {turn}")
                one, two = pool.map(send, both)
                assert one == two
                assert one.status == 200
    events = both[0].send("recall_events", {"limit": 1000}, "").body
    stats = both[0].send("stats", {}, "").body
    for sender in both:
        sender.close()
    kinds = [event["event_type"] for event in json.loads(events)]
    assert (kinds.count("test"), kinds.count("many")) == (20, 40)
    assert json.loads(stats)["episodes"] == 20
    assert json.loads(stats)["memories"] == 1


def test_a_server_that_is_away_costs_less_than_a_second(serve: Serve) -> None:
    server = serve()
    with black_hole() as silent:
        for absent in (nobody(), silent):
            with MilepostClient(f"{absent},{server.url}") as client:
                began = time.monotonic()
                name = client.store("a fact")
                assert time.monotonic() - began < on_this_machine(1.0)
                began = time.monotonic()
                assert client.get(name).content == "a fact"
                assert time.monotonic() - began < on_this_machine(servers.PATIENCE_S / 2)
                assert client.health().notes == (f"{absent} does not answer",)


class Hanging(threading.Thread):
    """Takes connections and calls, says some of an answer and never goes on."""

    def __init__(self, said: bytes) -> None:
        super().__init__(daemon=True)
        self._said = said
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._taken: list[socket.socket] = []
        host, port = self._socket.getsockname()
        self.url = f"http://{host}:{port}"
        self.start()

    def run(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._taken.append(connection)
                connection.recv(1 << 16)
                connection.sendall(self._said)

    def close(self) -> None:
        for each in (self._socket, *self._taken):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self.join(PATIENCE_S)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n"


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\n", HEAD, HEAD + b'"0000'])
def test_a_server_that_hangs_amid_a_call_costs_less_than_a_second(
    serve: Serve, said: bytes
) -> None:
    server = serve()
    hanging = Hanging(said)
    with MilepostClient(f"{hanging.url},{server.url}", project="everywhere") as client:
        began = time.monotonic()
        client.record_event("test", "x")
        assert time.monotonic() - began < on_this_machine(1.0)
        began = time.monotonic()
        assert len(client.recall_events()) == 1
        assert time.monotonic() - began < on_this_machine(servers.PATIENCE_S / 2)
        assert client.health().notes == (f"{hanging.url} does not answer",)
    hanging.close()


def test_a_server_that_was_stopped_and_goes_on_does_nothing_twice(serve: Serve) -> None:
    first, second = serve(), serve()
    with MilepostClient(f"{first.url},{second.url}", project="everywhere") as client:
        episode = client.create_episode("a task")
        first.stop()
        began = time.monotonic()
        assert client.add_step(episode, "bash", "ls") == 1
        client.record_event("test", "x")
        assert time.monotonic() - began < on_this_machine(1.5)
        first.go_on()
        # What it took before it was stopped, it answers in the end as the other one did.
        wait_until(lambda: client.health().notes == ())
        assert len(client.get_episode(episode).steps) == 1
        assert len(client.recall_events(event_type="test")) == 1


def test_where_all_are_slow_the_first_is_believed_and_the_others_are_spared() -> None:
    with slow(1.5) as (one, asked_one), slow(1.5) as (two, asked_two):
        client = MilepostClient(f"{one},{two}")
        for _ in range(4):
            assert client.store("x") == "00000000"
        client.close()
    assert len(asked_one) == 4
    assert 1 <= len(asked_two) <= 2


def test_one_that_says_the_call_is_under_way_elsewhere_is_not_believed_while_that_one_works() -> (
    None
):
    under_way = problem(409, "key_conflict")
    with slow(1.5) as (one, _), scripted(under_way) as (two, asked):
        client = MilepostClient(f"{one},{two}")
        assert client.store("x") == "00000000"
        client.close()
    assert len(asked) == 1


def test_the_one_that_answered_last_is_asked_first_and_one_that_is_back_when_it_fails() -> None:
    good = (200, {}, b'"00000000"')
    with scripted(problem(503, "store_unavailable"), good) as (one, asked_one):
        with scripted(good) as (two, asked_two):
            client = MilepostClient(f"{one},{two}")
            for _ in range(3):
                client.store("x")
            assert (len(asked_one), len(asked_two)) == (1, 3)
        client.close()
        client.store("x")
        client.store("x")
        client.close()
        assert (len(asked_one), len(asked_two)) == (3, 3)


def test_a_busy_server_sends_its_clients_to_the_next_at_once() -> None:
    busy = problem(429, "overloaded", **{"Retry-After": "20"})
    with scripted(busy) as (one, asked), scripted((200, {}, b'"00000000"')) as (two, _):
        client = MilepostClient(f"{one},{two}")
        began = time.monotonic()
        assert client.store("x") == "00000000"
        assert time.monotonic() - began < on_this_machine(1.0)
        assert len(asked) == 1
        client.close()


def test_what_is_refused_is_refused_by_one_server_for_all(serve: Serve) -> None:
    server = serve()
    with MilepostClient(f"{server.url},{nobody()}") as client:
        with pytest.raises(NotFound):
            client.delete("00000000")
        with pytest.raises(InvalidInput):
            client.store(" ")
        assert client.health().notes == ()


def test_without_any_server_the_error_names_one_that_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = client_module.REPEATING._replace(wait_s_base=0.001)
    monkeypatch.setattr(client_module, "REPEATING", at_once)
    one, two = nobody(), nobody()
    with MilepostClient(f"{one},{two}") as client:
        with pytest.raises(Unreachable, match=rf"{one}|{two}.*milepost serve"):
            client.store("x")
        assert client.health().status == "error"


def test_every_key_is_another_and_a_repeated_call_has_the_same() -> None:
    keys: list[str | None] = []

    class Listening(threading.Thread):
        """Drops the first two calls without an answer, then answers."""

        def __init__(self) -> None:
            super().__init__(daemon=True)
            self.socket = socket.create_server(("127.0.0.1", 0))

        def run(self) -> None:
            for number in range(6):
                connection, _ = self.socket.accept()
                with connection, connection.makefile("rb") as stream:
                    headers = iter(stream.readline, b"\r\n")
                    named = dict(line.split(b": ", 1) for line in headers if b": " in line)
                    keys.append(named.get(b"Idempotency-Key", b"").decode().strip() or None)
                    stream.read(int(named.get(b"Content-Length", b"0")))
                    if number >= 2:
                        close = b"Content-Length: 10\r\nConnection: close\r\n\r\n"
                        connection.sendall(b"HTTP/1.1 200 OK\r\n" + close + b'"00000000"')

    listening = Listening()
    listening.start()
    host, port = listening.socket.getsockname()
    client = MilepostClient(f"http://{host}:{port}")
    client.store("x")
    client.store("x")
    client.call_tool("record_event", event_type="test", content="x")
    client.call_tool("search", query="x")
    listening.join(PATIENCE_S)
    listening.socket.close()
    client.close()

    assert keys[0] == keys[1] == keys[2] is not None
    assert len({*keys[2:5]}) == 3
    assert keys[5] is None


@pytest.mark.parametrize("url", ["http://a:1,b:2", "http://a,https://user@b", "http://a,http://"])
def test_an_address_among_several_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="address of the server"):
        milepost.connect(url)


def test_settings_commands_and_hooks_take_several_servers(serve: Serve, hooks: Hooks) -> None:
    server = serve()
    both = f"{nobody()}, {server.url}/"
    with milepost.connect(both, project="everywhere") as memory:
        memory.store(DECISION, kind="decision")

    hooks.environment["MILEPOST_URL"] = both
    assert "half-up" in hooks._run("search", "how is money rounded", "--json")
    assert "half-up" in hooks("session-start", source="startup").told
