"""A tiny OpenAI-compatible server for tests: it answers as told and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from support import PATIENCE_S


class Model(ThreadingHTTPServer):
    """The server; `answer` may also make of what the model is told what it says."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.status = 200
        self.answer: str | Callable[[str], str] = ""
        # A slow one answers when this is set.
        self.ready = Event()
        self.ready.set()
        super().__init__(("127.0.0.1", 0), _Asked)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def told(self) -> list[str]:
        """What the model was given, each time."""
        return [body["messages"][1]["content"] for _, _, body in self.asked]


class _Asked(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        self.server.ready.wait(PATIENCE_S)
        answer = self.server.answer
        said = answer if isinstance(answer, str) else answer(body["messages"][1]["content"])
        data = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
        try:
            self.send_response(self.server.status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Model]:
    """Yield a server that runs."""
    server = Model()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.ready.set()
        server.shutdown()
        thread.join()
        server.server_close()
