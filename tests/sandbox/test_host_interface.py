"""The host against a worker that has been taken over: nothing but clean ends."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.errors import InvalidInput
from milepost.programs.values import KINDS, Execution, Function, FunctionParameter, Limits, Program
from milepost.sandbox import callbacks, protocol
from milepost.sandbox.conversation import Conversation
from support import PATIENCE_S, on_this_machine

FUNCTION = Function("echo", (FunctionParameter("x"), FunctionParameter("times", False, 1)))
LIMITS = Limits(
    timeout_s=PATIENCE_S, sleep_s=0, callbacks=20, callback_bytes=20_000, argument_bytes=5_000,
    output_bytes=2_000, state_bytes=500,
)  # fmt: skip
ENDED = (protocol.ENDED, b"{}")


def frame(kind: int, payload: bytes) -> bytes:
    return protocol.HEADER.pack(kind, len(payload)) + payload


def call(name: bytes, arguments: bytes) -> bytes:
    return frame(protocol.CALL, bytes([len(name)]) + name + arguments)


class Talk:
    """What came of a conversation with a worker that sends some bytes and hangs up."""

    def __init__(self, sent: bytes, hang_up: bool = True, answer: Any = None) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        ours, theirs = socket.socketpair()
        channel = protocol.WorkerChannel(ours.detach())
        worker = threading.Thread(target=self._play, args=(theirs, sent, hang_up))
        worker.start()
        try:
            self.conversation = Conversation(channel, _program(hang_up), answer or self._answer)
            self.done = self._converse()
        finally:
            channel.close()
            worker.join()
            theirs.close()

    def _answer(self, name: str, arguments: dict[str, Any]) -> Any:
        self.calls.append((name, arguments))
        return arguments

    def _converse(self) -> Execution | None:
        try:
            self.conversation.begin(b"[]", b"")
        except protocol.ProtocolError:
            return None
        return self.conversation.finish()

    @staticmethod
    def _play(theirs: socket.socket, sent: bytes, hang_up: bool) -> None:
        drain = threading.Thread(target=_drain, args=(theirs,))
        drain.start()
        try:
            theirs.sendall(sent)
            if hang_up:
                theirs.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        drain.join()


def _program(hang_up: bool) -> Program:
    limits = LIMITS if hang_up else LIMITS._replace(timeout_s=0.1)
    return Program("1", (FUNCTION,), {"before": 1}, limits=limits)


def _drain(theirs: socket.socket) -> None:
    try:
        while theirs.recv(65_536):
            pass
    except OSError:
        pass


def ended(sent: bytes, **options: Any) -> str:
    done = Talk(sent, **options).done
    assert done is not None
    assert done.stats.ended in {*KINDS, "finished"}
    assert len(done.printed) <= LIMITS.output_bytes
    return done.stats.ended


@pytest.mark.parametrize(
    ("sent", "how"),
    [
        (b"", "killed"),
        (b"\x14", "killed"),
        (frame(*ENDED), "finished"),
        (frame(protocol.ENDED, b"not json"), "killed"),
        (frame(protocol.ENDED, b"[]"), "killed"),
        (frame(protocol.ENDED, b'{"cpu_ms": "x"}'), "killed"),
        (frame(protocol.ENDED, b'{"kind": "made up", "message": "m"}'), "error"),
        (frame(protocol.ENDED, b"[" * 60_000), "killed"),
        (protocol.HEADER.pack(protocol.ENDED, 1 << 31), "killed"),
        (protocol.HEADER.pack(protocol.CALL, (1 << 32) - 1), "killed"),
        (frame(protocol.PROGRAM, b"x"), "killed"),
        (frame(protocol.READY, b"{}"), "killed"),
        (frame(255, b""), "killed"),
        (frame(protocol.PRINTED, b"\xff\xfe") + frame(*ENDED), "finished"),
        (frame(protocol.PRINTED, b"x" * 2_001), "killed"),
        (frame(protocol.PRINTED, b"x" * 1_500) * 2, "output"),
        (frame(protocol.PRINTED, b"") * 3_000, "output"),
        (frame(protocol.VALUE, b'{"value": 5}') + frame(*ENDED), "killed"),
        (frame(protocol.VALUE, b'{"value": "\xff"}') + frame(*ENDED), "killed"),
        (frame(protocol.VALUE, b'{"state": "[]"}') + frame(*ENDED), "killed"),
        (frame(protocol.VALUE, b'{"state": "' + b"x" * 600 + b'"}'), "killed"),
        (frame(protocol.CALL, b"") + frame(*ENDED), "finished"),
        (frame(protocol.CALL, b"\xffecho") + frame(*ENDED), "finished"),
        (call(b"echo", b"{}") * 125, "callbacks"),
    ],
)
def test_a_worker_that_lies_ends_cleanly(sent: bytes, how: str) -> None:
    assert ended(sent) == how


def test_a_worker_that_says_nothing_is_given_up() -> None:
    before = time.monotonic()
    assert ended(b"", hang_up=False) == "timeout"
    assert ended(struct.pack("<BI", protocol.CALL, 100) + b"x", hang_up=False) == "timeout"
    assert time.monotonic() - before < on_this_machine(10)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (b"nope", b"{}"),
        (b"__sleep__", b"{}"),
        (b"", b"{}"),
        (b"\xff\xfe", b"{}"),
        (b"echo", b""),
        (b"echo", b"[]"),
        (b"echo", b"null"),
        (b"echo", b'{"x": 1, "y": 2}'),
        (b"echo", b'{"times": 1}'),
        (b"echo", b'{"x": \xff}'),
        (b"echo", b'{"x": "\\ud800"}'),
        (b"echo", b'{"x": ' + b"[" * 4_000),
        (b"echo", b'{"x": ' + b"[" * 70 + b"]" * 70 + b"}"),
        (b"echo", b'{"x": 1e999}'),
        (b"echo", b'{"x": NaN}'),
        (b"echo", b'{"__class__": 1, "x": 1}'),
    ],
)
def test_a_call_that_makes_no_sense_is_refused_and_never_made(
    name: bytes, arguments: bytes
) -> None:
    talk = Talk(call(name, arguments) + frame(*ENDED))
    assert talk.done is not None
    assert talk.done.error is None
    assert talk.calls == []


def test_a_large_number_is_a_number_or_refused() -> None:
    talk = Talk(call(b"echo", b'{"x": ' + b"9" * 4_000 + b"}") + frame(*ENDED))
    assert talk.done is not None
    assert talk.done.error is None


def test_no_more_calls_are_made_than_allowed() -> None:
    talk = Talk(call(b"echo", b'{"x": 1}') * 60 + frame(*ENDED))
    assert len(talk.calls) == LIMITS.callbacks


def test_no_more_bytes_are_handed_over_than_allowed() -> None:
    talk = Talk(call(b"echo", b'{"x": 1}') * 10 + frame(*ENDED), answer=lambda *_: "x" * 6_000)
    assert talk.done is not None
    assert talk.done.stats.bytes_in < LIMITS.callback_bytes + 2_000


def test_an_error_in_a_function_is_not_told_in_detail(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the password is x")

    with caplog.at_level("ERROR"):
        talk = Talk(call(b"echo", b'{"x": 1}') * 3 + frame(*ENDED), answer=fail)
    assert talk.done is not None
    assert len(caplog.records) == 1
    assert b"password" not in callbacks.problem(InvalidInput("no"))


def test_a_result_that_cannot_travel_is_an_error_not_an_end() -> None:
    talk = Talk(call(b"echo", b'{"x": 1}') + frame(*ENDED), answer=lambda *_: object())
    assert talk.done is not None
    assert talk.done.error is None


def test_a_worker_that_does_not_read_does_not_hold_the_host() -> None:
    ours, theirs = socket.socketpair()
    channel = protocol.WorkerChannel(ours.detach())
    with theirs, pytest.raises(protocol.TimedOut):
        channel.send(protocol.RESULT, bytes(50_000_000), time.monotonic() + 0.2)
    channel.close()


KINDS_SENT = st.sampled_from(
    [protocol.CALL, protocol.PRINTED, protocol.VALUE, protocol.ENDED, protocol.READY, 0, 255]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
).map(lambda value: json.dumps(value).encode())
NAMED = st.tuples(st.sampled_from([b"echo", b"no"]), JSON | st.binary(max_size=50)).map(
    lambda pair: bytes([len(pair[0])]) + pair[0] + pair[1]
)
FRAMES = st.tuples(KINDS_SENT, JSON | NAMED | st.binary(max_size=200)).map(lambda f: frame(*f))


@settings(max_examples=200, deadline=None)
@given(st.lists(FRAMES | st.binary(max_size=30), max_size=12).map(b"".join))
def test_whatever_is_sent_the_host_ends_cleanly(sent: bytes) -> None:
    assert ended(sent)


@settings(max_examples=300, deadline=None)
@given(JSON | st.binary(max_size=300))
def test_arguments_are_read_or_refused(payload: bytes) -> None:
    try:
        found = callbacks.arguments(FUNCTION, payload)
    except InvalidInput:
        return
    assert "x" in found
    assert set(found) <= {"x", "times"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.just("$") | st.integers(), inner, max_size=4)
    ),
    max_leaves=15,
)


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_values_arrive_in_the_guest_as_they_were(value: object) -> None:
    from milepost.sandbox.guest import exchange as guest

    assert _same(guest.result(callbacks.result(value).decode()), value)


def _same(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))  # type: ignore[arg-type]
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(_same, one.values(), other.values()))  # type: ignore[call-overload,attr-defined]
    return one == other


def test_a_channel_reads_frames_that_arrive_in_pieces() -> None:
    read, write = os.pipe()
    channel = protocol.WorkerChannel(read)
    sent = frame(protocol.PRINTED, b"hello") + frame(*ENDED)

    def trickle(done: Callable[[], None]) -> None:
        for i in range(len(sent)):
            os.write(write, sent[i : i + 1])
        done()

    thread = threading.Thread(target=trickle, args=(lambda: os.close(write),))
    thread.start()
    sizes = {protocol.PRINTED: 100, protocol.ENDED: 100}
    until = time.monotonic() + PATIENCE_S
    assert channel.receive(sizes, until) == (protocol.PRINTED, b"hello")
    assert channel.receive(sizes, until) == ENDED
    with pytest.raises(protocol.ProtocolError):
        channel.receive(sizes, until)
    thread.join()
    channel.close()
