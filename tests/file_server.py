"""A real HTTP server on loopback that has files, and misbehaves on request."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Misdeed:
    """One answer that is not the right one.

    cut: how many bytes are sent before the connection ends.
    """

    status: int = 0
    location: str = ""
    cut: int | None = None
    whole: bool = False


class FileServer(ThreadingHTTPServer):
    """Has files by path, knows of ranges."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.files: dict[str, bytes] = {}
        self.misdeeds: deque[Misdeed] = deque()
        # The path and the range of every request.
        self.asked: list[tuple[str, str | None]] = []


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append((self.path, wanted))
        misdeed = self.server.misdeeds.popleft() if self.server.misdeeds else Misdeed()
        content = self.server.files.get(self.path)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if misdeed.status or content is None:
            self._answer(misdeed.status or 404, b"", {"Location": misdeed.location})
        elif start >= len(content) > 0:
            self._answer(416, b"", {})
        elif wanted and not misdeed.whole:
            where = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self._answer(206, content[start:], {"Content-Range": where}, misdeed.cut)
        else:
            self._answer(200, content, {}, misdeed.cut)

    def _answer(
        self, status: int, body: bytes, headers: dict[str, str], cut: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:cut])

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def serving() -> Iterator[FileServer]:
    """Run a server until the end."""
    server = FileServer()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
