"""Ask an MCP server for what a session should know: the way that is left when code does not work.

The SDK takes longer to import than a hook may last, and a hook needs three messages of the
protocol, so they are written here. Arguments are sent as JSON, never through a shell.
"""

from __future__ import annotations

import json
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from milepost.sessions.values import Briefing
    from milepost.transport.tls import Tls

PROTOCOL = "2025-06-18"
# What other memory servers call their search, and the name of its question.
SEARCHES = ("retrieve_memory", "recall_memory", "search_memory", "search", "memory_search")
_QUESTIONS = ("query", "text", "q")
_ANSWER_MAX = 1 << 20


def brief_by_mcp(
    server: tuple[str, ...],
    name: str,
    arguments: dict[str, Any],
    timeout_s: float,
    tls: Tls | None = None,
) -> Briefing:
    """Return a briefing from a server: by our own operation, else by whatever search it has."""
    deadline = time.monotonic() + timeout_s
    with connected(server, deadline, tls=tls) as call:
        tools = call("tools/list", {}).get("tools", [])
        listed = {tool["name"]: tool.get("inputSchema", {}) for tool in tools}
        if "call_tool" in listed and "find_tools" in listed:
            wanted = {k: v for k, v in arguments.items() if v is not None}
            inner = {"name": name, "arguments": wanted}
            text = _text(call("tools/call", {"name": "call_tool", "arguments": inner}))
            return _briefing(_ours(text), text, arguments)
        search = next((tool for tool in SEARCHES if tool in listed), None)
        if search is None:
            raise LookupError("the server has no tool that searches")
        asked = _arguments(listed[search], arguments)
        text = _text(call("tools/call", {"name": search, "arguments": asked}))
        return _briefing(_theirs(text, arguments.get("budget", 900)), text, arguments)


def _arguments(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    known = schema.get("properties", {})
    question = next((name for name in _QUESTIONS if name in known), "query")
    count = next((name for name in ("limit", "n_results", "k", "top_k") if name in known), None)
    asked: dict[str, Any] = {question: _question(arguments)}
    return asked | ({count: 8} if count else {})


def _question(arguments: dict[str, Any]) -> str:
    parts = [arguments.get("prompt"), arguments.get("project"), arguments.get("branch")]
    parts += arguments.get("commits") or []
    return " ".join(str(part) for part in parts if part)[:500] or "decisions and preferences"


def _text(result: dict[str, Any]) -> str:
    if result.get("isError"):
        raise LookupError("the server answered with an error")
    blocks = result.get("content", [])
    return "\n".join(b["text"] for b in blocks if b.get("type") == "text")[:_ANSWER_MAX]


def _ours(text: str) -> str:
    """Return a briefing of ours, fenced anew; nothing where the answer is none."""
    from milepost.text.fence import CLOSING, OPENING, as_data, fenced

    first, *lines = text.splitlines() or [""]
    if not first.startswith(OPENING):
        return ""
    label = as_data(first.removeprefix(OPENING)).replace(">", "")
    shown = "\n".join(as_data(line) for line in lines if line != CLOSING)
    return fenced(shown, "", label and f" {label}")


def _theirs(text: str, budget: int) -> str:
    """Return what another server found, without secrets and fenced, or nothing."""
    from milepost.text.fence import as_data, fenced
    from milepost.text.fit import cut
    from milepost.text.secrets import without_secrets

    plain = "\n".join(as_data(line) for line in without_secrets(text).splitlines())
    shown = cut(plain.strip(), budget - 40)
    return fenced(shown) if shown else ""


def _briefing(text: str, whole: str, arguments: dict[str, Any]) -> Briefing:
    from milepost.sessions.values import Briefing
    from milepost.text.tokens import estimate

    tokens = estimate(text)
    instead = max(tokens, estimate(whole))
    return Briefing(text, _hashes(text), tokens, instead, arguments.get("project"))


def _hashes(text: str) -> tuple[str, ...]:
    """Return the hashes that lines of a briefing begin with."""
    firsts = (line.partition(" ")[0] for line in text.splitlines())
    return tuple(w for w in firsts if len(w) >= 6 and not w.strip("0123456789abcdef"))


class connected:  # noqa: N801 -- reads as a function
    """A conversation with a server for as long as the block lasts."""

    def __init__(
        self,
        server: tuple[str, ...],
        deadline: float,
        environment: dict[str, str] | None = None,
        tls: Tls | None = None,
    ) -> None:
        self._peer: Any = (
            _Http(server[0], deadline, tls)
            if server[0].startswith(("http://", "https://"))
            else _Process(server, deadline, environment)
        )
        self._number = 0

    def __enter__(self) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
        about = {"name": "milepost-hook", "version": "1"}
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
        try:
            self._call("initialize", hello)
            self._peer.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        except BaseException:
            self._peer.close()
            raise
        return self._call

    def __exit__(self, *_: object) -> None:
        self._peer.close()

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        answer = self._peer.ask(message)
        if "error" in answer:
            raise LookupError(f"{method}: {answer['error'].get('message', 'failed')}")
        result: dict[str, Any] = answer.get("result", {})
        return result


class _Process:
    """A server on the other side of two pipes."""

    def __init__(
        self, command: tuple[str, ...], deadline: float, environment: dict[str, str] | None
    ) -> None:
        import subprocess
        from queue import SimpleQueue
        from threading import Thread

        self._deadline = deadline
        self._process = subprocess.Popen(  # noqa: S603 -- named by the user's own settings
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment,
        )
        # A thread, for on Windows nobody can wait for a pipe and for the time at once.
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        line = b"..."
        while line:
            line = self._process.stdout.readline(4 * _ANSWER_MAX)
            self._lines.put(line)

    def tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as problem:
            raise EOFError("the MCP server ended") from problem

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.tell(message)
        while True:
            answer = json.loads(self._line())
            if isinstance(answer, dict) and answer.get("id") == message["id"]:
                return answer

    def _line(self) -> bytes:
        from queue import Empty

        try:
            line = self._lines.get(timeout=max(0.0, self._deadline - time.monotonic()))
        except Empty:
            raise TimeoutError("the MCP server did not answer in time") from None
        if not line:
            raise EOFError("the MCP server ended")
        return line

    def close(self) -> None:
        from contextlib import suppress

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(0.2)
        except Exception:  # noqa: BLE001 -- it is killed then
            self._kill()
            self._process.wait()
        self._reader.join(0.2)
        if not self._reader.is_alive():
            self._process.stdout.close()

    def _kill(self) -> None:
        """Kill it, and what it started where such belong together."""
        import os
        import signal

        if hasattr(os, "killpg") and hasattr(signal, "SIGKILL"):
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.terminate()  # as good as killing it, where there are no groups


class _Http:
    """A server that speaks MCP over HTTP."""

    def __init__(self, url: str, deadline: float, tls: Tls | None) -> None:
        from milepost.transport.connections import Transport, parse_address

        left = max(0.05, deadline - time.monotonic())
        base, mark, query = url.partition("?")
        self._path = f"{'/' if base.endswith('/') else ''}{mark}{query}"
        address = parse_address(base, "hook_server")
        self._transport = Transport(address, left, bytes_max=4 * _ANSWER_MAX, tls=tls)
        self._session: str | None = None

    def tell(self, message: dict[str, Any]) -> None:
        self._post(message)

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        for line in self._post(message).splitlines():
            text = line.removeprefix("data:").strip()
            if text.startswith("{"):
                answer = json.loads(text)
                if answer.get("id") == message["id"]:
                    return dict(answer)
        raise EOFError("the MCP server gave no answer")

    def _post(self, message: dict[str, Any]) -> str:
        from milepost.transport.connections import Request

        headers: dict[str, str | bytes] = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL,
        }
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        body = json.dumps(message).encode()
        reply = self._transport.ask(Request("POST", self._path, headers, body))
        if reply.status >= 300:
            raise LookupError(f"the MCP server answered with status {reply.status}")
        self._session = reply.headers["Mcp-Session-Id"] or self._session
        return reply.body.decode("utf-8", "replace")

    def close(self) -> None:
        self._transport.close()
