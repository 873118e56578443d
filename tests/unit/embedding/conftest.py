"""A real HTTP server that misbehaves on request, and a clock that only moves when told."""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

from milepost.transport.timing import Timing


@dataclass
class Clock:
    """Time that passes only by sleeping."""

    now_s: float = 1_000.0
    dice: float = 1.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    @property
    def timing(self) -> Timing:
        return Timing(
            monotonic=lambda: self.now_s,
            wall=lambda: self.now_s,
            sleep=self.sleep,
            random=lambda: self.dice,
        )


@dataclass
class Misdeed:
    """One answer that is not the right one; what is left unset stays right."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    payload: Any = None
    body: bytes | None = None
    hang: bool = False
    cut: bool = False
    drop_after: bool = False


@dataclass
class Request:
    path: str
    key: str
    body: dict[str, Any]


def vector(text: str) -> list[float]:
    """Return what the server calls the vector of a text."""
    return [float(len(text)), float(ord(text[0])), 1.0]


class Server(ThreadingHTTPServer):
    """Answer rightly, except for the misdeeds lined up."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.misdeeds: deque[Misdeed] = deque()
        self.requests: list[Request] = []
        self.good_keys: set[str] | None = None
        self.released = Event()
        self.sockets: list[socket.socket] = []

    def then(self, **misdeed: Any) -> None:
        self.misdeeds.append(Misdeed(**misdeed))

    def get_request(self) -> Any:
        accepted = super().get_request()
        self.sockets.append(accepted[0])
        return accepted

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""

    def end(self) -> None:
        self.released.set()
        self.shutdown()
        for connection in self.sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        self.server.requests.append(Request(self.path, key, asked))
        good = self.server.good_keys
        if good is not None and key not in good:
            self._answer(Misdeed(status=401, body=f"no such key: {key}".encode()), asked)
        else:
            misdeeds = self.server.misdeeds
            self._answer(misdeeds.popleft() if misdeeds else Misdeed(), asked)

    def _answer(self, misdeed: Misdeed, asked: dict[str, Any]) -> None:
        if misdeed.hang:
            self.server.released.wait()
            return
        body = misdeed.body
        if body is None:
            payload = misdeed.payload or self._right(asked)
            body = json.dumps(payload).encode()
        self.send_response(misdeed.status)
        for name, value in misdeed.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if misdeed.cut else body)
        self.close_connection = misdeed.cut or misdeed.drop_after

    def _right(self, asked: dict[str, Any]) -> dict[str, Any]:
        vectors = [vector(text) for text in asked.get("input") or asked["texts"]]
        if self.path == "/v2/embed":
            return {"embeddings": {"float": vectors}}
        if self.path == "/api/embed":
            return {"embeddings": vectors}
        return {"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}

    def log_message(self, *args: Any) -> None:
        """Stay quiet."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.end()
    thread.join()
