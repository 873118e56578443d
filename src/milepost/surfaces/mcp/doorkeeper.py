"""Answer what a client asks first while the SDK, which takes most of a second, is being imported.

These are the greeting and the lists, whose results never change; a test compares them with what the
SDK's server answers. That server still gets the greeting, to know its client, but says nothing.
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import Queue
from typing import Any, Literal

from milepost.surfaces.mcp.lists import ABOUT, Result
from milepost.surfaces.mcp.wire import Wire, read_lines, write_line

Era = Literal["handshake", "stateless"]

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
CAPABILITIES = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
STEADY_MS = 3_600_000
_PREFIX = "io.modelcontextprotocol/"
# What every such result has besides, since the protocol is stateless.
_STEADY = {
    "ttlMs": STEADY_MS,
    "cacheScope": "public",
    "resultType": "complete",
    "_meta": {f"{_PREFIX}serverInfo": ABOUT},
}
END = b""
# Beyond these the client waits until there is room in the pipe.
LINES_WAITING = 128


class Doorkeeper:
    """Reads a wire from the first moment on; what it cannot answer waits in `lines`.

    There a line that was too long is None, and END follows the last.
    """

    def __init__(self, wire: Wire, instructions: str, lists: Mapping[str, Result]) -> None:
        self._wire, self._told, self._lists = wire, instructions, lists
        self._on_duty = True
        self._era: Era | None = None
        self.lines: Queue[bytes | None] = Queue(LINES_WAITING)
        self.greeted: object = None
        # A daemon: waiting for the client must not keep the process alive.
        threading.Thread(target=self._read, daemon=True).start()

    def leave(self) -> None:
        """Answer nothing any more; the server is there."""
        self._on_duty = False

    def _read(self) -> None:
        with suppress(OSError):
            for line in read_lines(self._wire):
                if line is None or (line.strip() and not self._answers(line)):
                    self.lines.put(line)
        self.lines.put(END)

    def _answers(self, line: bytes) -> bool:
        """Answer a line if that can be done already; return whether nothing remains to be done."""
        if not self._on_duty:
            return False
        message = _message(line)
        result = self._result(message)
        if result is None:
            # Whoever begins in another way is for the server to deal with.
            self._on_duty = self._era is not None
            return False
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        write_line(self._wire, text.encode())
        if message["method"] != "initialize":
            return True
        self.greeted = message["id"]
        return False

    def _result(self, message: Mapping[str, Any]) -> Result | None:
        method, params = message.get("method"), message.get("params", {})
        identified = isinstance(message.get("id"), str) or type(message.get("id")) is int
        if not identified or message.get("jsonrpc") != "2.0" or not isinstance(params, dict):
            return None
        if self._era is None:
            self._era = _era(method, params)
            if self._era == "handshake":
                return _hello(params["protocolVersion"], self._told)
        if self._era == "stateless":
            return self._alone(str(method), params)
        return self._lists.get(str(method)) if self._era and not params else None

    def _alone(self, method: str, params: Mapping[str, Any]) -> Result | None:
        if params.keys() != {"_meta"} or not _stands_alone(params):
            return None
        result = _offer(self._told) if method == "server/discover" else self._lists.get(method)
        return None if result is None else result | _STEADY


def _message(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _era(method: object, params: Mapping[str, Any]) -> Era | None:
    """Tell from the first request which kind of protocol a client speaks."""
    if method == "initialize":
        return "handshake" if _is_greeting(params) else None
    return "stateless" if _stands_alone(params) else None


def _is_greeting(params: Mapping[str, Any]) -> bool:
    client, offered = params.get("clientInfo"), params.get("capabilities")
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and isinstance(offered, dict)
        and all(isinstance(value, dict) for value in offered.values())
        and isinstance(client, dict)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
    )


def _stands_alone(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return (
        isinstance(meta, dict)
        and meta.get(f"{_PREFIX}protocolVersion") in STATELESS
        and isinstance(meta.get(f"{_PREFIX}clientCapabilities"), dict)
    )


def _hello(wanted: str, instructions: str) -> Result:
    return {
        "protocolVersion": wanted if wanted in HANDSHAKES else HANDSHAKES[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": ABOUT,
        "instructions": instructions,
    }


def _offer(instructions: str) -> Result:
    return {
        "supportedVersions": list(STATELESS),
        "capabilities": CAPABILITIES,
        "instructions": instructions,
    }
