"""MCP over standard input and output, one message to a line.

Not the SDK's transport, which takes lines of any length, is silent about a line that is no
message, drops what was asked just before the end of input and cannot be stopped while it reads.
"""

import json
import signal
import sys
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import anyio
import anyio.to_thread
from anyio.from_thread import run, run_sync
from anyio.lowlevel import current_token
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from milepost.surfaces.mcp.doorkeeper import END, Doorkeeper
from milepost.surfaces.mcp.wire import LINE_BYTES_MAX, Wire, write_line

# How long what was asked before the end of input may still take.
LAST_ANSWERS_S = 10
LAST_WRITE_S = 2
CANCELLED = "notifications/cancelled"
# What a thread meets when the loop has ended, or no longer listens to it.
GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, CancelledError, RuntimeError)


async def serve(server: Server[Any], wire: Wire, door: Doorkeeper) -> None:
    """Serve the client at the other end of a wire until it hangs up or a signal comes."""
    running = anyio.CancelScope()
    link = Link(wire, door, running)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, running)
        tasks.start_soon(link.pass_answers_on)
        with running:
            link.start()
            await server.run(link.incoming, link.answers, server.create_initialization_options())
        await link.finish()
        tasks.cancel_scope.cancel()


async def _stop_on_signal(running: anyio.CancelScope) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            running.cancel()


class Link:
    """Both directions of a wire: lines that the doorkeeper read, and lines to write.

    Its threads are daemons: a client that does not read must not keep the process alive.
    """

    def __init__(self, wire: Wire, door: Doorkeeper, running: anyio.CancelScope) -> None:
        self._wire, self._door, self._running = wire, door, running
        self._loop = current_token()
        self._feed, self.incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
        self.answers, self._answered = anyio.create_memory_object_stream[SessionMessage]()
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, daemon=True)
        # Requests without an answer yet, and what tells that one got it.
        self._owed: set[object] = set()
        self._settled = anyio.Event()
        self._all_passed_on = anyio.Event()

    def start(self) -> None:
        """Begin to take and to write lines."""
        self._door.leave()
        self._writer.start()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(*GONE):
            while (line := self._door.lines.get()) != END:
                run(self._take, line, token=self._loop)
            run(self._hang_up, token=self._loop)

    async def _take(self, line: bytes | None) -> None:
        try:
            message = parse(line)
        except NoMessage as problem:
            self._put(problem.answer)
            return
        if isinstance(message, JSONRPCRequest):
            self._owed.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._settle((message.params or {}).get("requestId"))
        await self._feed.send(SessionMessage(message))

    async def _hang_up(self) -> None:
        """Let what was asked be answered, then tell the server that no more will come."""
        with anyio.move_on_after(LAST_ANSWERS_S):
            while self._owed:
                self._settled = anyio.Event()
                await self._settled.wait()
        self._feed.close()

    async def pass_answers_on(self) -> None:
        """Give what the server says to the thread that writes."""
        async for said in self._answered:
            answer = said.message
            if not self._is_known(answer):
                self._put(answer)
            if isinstance(answer, JSONRPCResponse | JSONRPCError):
                self._settle(answer.id)
        self._lines.put(None)
        self._all_passed_on.set()

    def _is_known(self, answer: JSONRPCMessage) -> bool:
        """Whether the doorkeeper gave this answer already; ids may be used again."""
        greeted = self._door.greeted
        if greeted is None or not isinstance(answer, JSONRPCResponse) or answer.id != greeted:
            return False
        self._door.greeted = None
        return True

    async def finish(self) -> None:
        """Wait until everything is written, unless the client no longer reads."""
        await self._all_passed_on.wait()
        await anyio.to_thread.run_sync(self._writer.join, LAST_WRITE_S)

    def _put(self, message: JSONRPCMessage) -> None:
        self._lines.put(message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    def _settle(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._owed.discard(request_id)
            self._settled.set()

    def _write(self) -> None:
        try:
            while (line := self._lines.get()) is not None:
                write_line(self._wire, line)
        except OSError:
            with suppress(*GONE):
                run_sync(self._running.cancel, token=self._loop)


class NoMessage(Exception):
    """A line is no message; the answer tells the client why."""

    def __init__(self, request_id: object, code: int, message: str) -> None:
        known = request_id if isinstance(request_id, str) or type(request_id) is int else None
        error = ErrorData(code=code, message=message)
        self.answer = JSONRPCError(jsonrpc="2.0", id=known, error=error)


def parse(line: bytes | None) -> JSONRPCMessage:
    """Return the message of a line; None is a line that was too long."""
    if line is None:
        most = f"{LINE_BYTES_MAX // 2**20} MiB"
        raise NoMessage(None, INVALID_REQUEST, f"A message may have at most {most}.")
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        raise _why_not(line) from None


def _why_not(line: bytes) -> NoMessage:
    try:
        value = json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return NoMessage(None, PARSE_ERROR, "This line is not JSON.")
    known = value.get("id") if isinstance(value, dict) else None
    return NoMessage(known, INVALID_REQUEST, "A line must be one JSON-RPC 2.0 message in UTF-8.")
