"""One run as the host sees it: answer the worker's calls, count everything, believe nothing."""

from __future__ import annotations

import logging
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from milepost.deadline import check_time, working_until
from milepost.errors import InvalidInput, MilepostError, OutOfTime, Overloaded
from milepost.ports import Call
from milepost.programs.values import KINDS, Error, Execution, Function, Program, RunStats
from milepost.sandbox import callbacks, protocol
from milepost.sandbox.guest import is_too_deep

_REFUSALS_MAX = 100
_ESCAPE_BYTES_MAX = 6
_TEXT_MAX, _NAME_MAX = 10_000, 100
# After its time a program ends itself; one that is blocked is killed when this has passed too.
GRACE_S = 1.0
# What a call must have taken of the time to be named.
_SHARE_MIN = 0.2
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_T = TypeVar("_T")
_log = logging.getLogger("milepost.sandbox")


class Stopped(Exception):
    """A run that the host ended by killing its worker."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _Problem(msgspec.Struct):
    kind: str
    message: str
    text: str
    name: str = ""
    line: int | None = None


class _Value(msgspec.Struct):
    value: str | None = None
    state: str | None = None
    error: _Problem | None = None


class _Ended(msgspec.Struct):
    cpu_ms: float = 0.0
    peak_memory_mb: float = 0.0
    memory_mb: float = 0.0
    kind: str = ""
    message: str = ""


class Conversation:
    """Takes a worker's frames until a program ends."""

    def __init__(self, channel: protocol.WorkerChannel, program: Program, call: Call) -> None:
        self._channel, self._program, self._call = channel, program, call
        self._limits = program.limits
        self._functions = {function.name: function for function in program.functions}
        self._printed = bytearray()
        self._printed_bytes = self._refusals = 0
        self._state = dict(program.state or {})
        self._failed = False
        self._callbacks = self._bytes_in = self._bytes_out = self._quota_bytes = 0
        self._spent_s: defaultdict[str, float] = defaultdict(float)
        self._started = time.monotonic()
        self._end = self._started + self._limits.timeout_s
        self._told = _Value()
        self.ended: _Ended | None = None

    def begin(self, functions: bytes, known: bytes) -> bytes:
        """Send the program; return the functions that the worker then knows."""
        if functions != known:
            self._send(protocol.FUNCTIONS, functions)
        self._send(protocol.LIMITS, msgspec.json.encode(self._limits._asdict()))
        self._send(protocol.PROGRAM, _told(self._program))
        return functions

    def finish(self) -> Execution:
        """Serve the program to its end, good or bad."""
        try:
            while self.ended is None:
                self._take(*self._channel.receive(self._sizes(), self._until()))
            return self._execution(self._error())
        except Stopped as problem:
            return self._execution(_error(problem.kind, str(problem)))
        except protocol.TimedOut:
            return self._execution(self._too_long())
        except protocol.ProtocolError as problem:
            message = f"The program's process ended or misbehaved: {problem}."
            return self._execution(_error("killed", message))

    def _sizes(self) -> dict[int, int]:
        limits = self._limits
        shown = _ESCAPE_BYTES_MAX * (limits.output_bytes + limits.state_bytes)
        return {
            protocol.CALL: limits.argument_bytes + protocol.SMALL_BYTES_MAX,
            protocol.PRINTED: limits.output_bytes,
            protocol.VALUE: shown + protocol.SMALL_BYTES_MAX,
            protocol.ENDED: protocol.SMALL_BYTES_MAX,
        }

    def _until(self) -> float:
        """Return when the worker must have sent its next frame."""
        until = self._end + GRACE_S
        if time.monotonic() > until:
            raise protocol.TimedOut
        return until

    def _send(self, kind: int, payload: bytes) -> None:
        self._channel.send(kind, payload, self._until())

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == protocol.CALL:
            self._answer(payload)
        elif kind == protocol.PRINTED:
            self._print(payload)
        elif kind == protocol.VALUE:
            self._bytes_out += len(payload)
            self._told = _decoded(payload, _Value)
            self._keep_state(self._told.state)
        else:
            self.ended = _decoded(payload, _Ended)

    def _keep_state(self, state: str | None) -> None:
        if state is None:
            return
        if len(state) > self._limits.state_bytes:
            raise protocol.ProtocolError("its state is too large")
        values = _decoded(state.encode(errors="replace"), dict[str, Any])
        if is_too_deep(values):
            raise protocol.ProtocolError("its state is nested too deeply")
        self._state = values

    def _print(self, payload: bytes) -> None:
        self._bytes_out += len(payload)
        # Empty frames cost something too.
        self._printed_bytes += max(len(payload), 1)
        if self._printed_bytes > self._limits.output_bytes:
            raise Stopped("output", f"A run may print {self._limits.output_bytes:,} bytes.")
        self._printed += payload

    def _answer(self, payload: bytes) -> None:
        """Run one of the offered functions for the program."""
        before = time.monotonic()
        try:
            with working_until(self._end):
                answer = self._answered(payload)
        finally:
            self._spent_s[_called(payload)] += time.monotonic() - before
        self._bytes_in += len(answer)
        self._send(protocol.RESULT, answer)

    def _answered(self, payload: bytes) -> bytes:
        self._bytes_out += len(payload)
        self._quota_bytes += len(payload)
        try:
            function = self._asked(payload)
            arguments = callbacks.arguments(function, payload[1 + payload[0] :])
            answer = callbacks.result(self._call(function.name, arguments))
            self._quota_bytes += len(answer)
            self._check_bytes()
        except MilepostError as problem:
            return callbacks.problem(problem)
        except Stopped:
            raise
        except Exception:  # noqa: BLE001 -- the edge to code that is not ours to trust or to blame
            if not self._failed:
                _log.exception("a function that a program called failed")
            self._failed = True
            return callbacks.problem(MilepostError("It failed inside Milepost, which logged why."))
        return answer

    def _asked(self, payload: bytes) -> Function:
        """Return the function that is called, if the run may still call any."""
        self._callbacks += 1
        if self._callbacks > self._limits.callbacks:
            raise self._over(f"make {self._limits.callbacks:,} calls")
        self._check_bytes()
        check_time()
        name = _called(payload)
        function = self._functions.get(name)
        if function is None:
            raise InvalidInput(f"There is no function {name[:100]!r}.")
        return function

    def _check_bytes(self) -> None:
        if self._quota_bytes > self._limits.callback_bytes:
            most = f"{self._limits.callback_bytes:,}"
            raise self._over(f"exchange {most} bytes of arguments and results")

    def _over(self, quota: str) -> Overloaded:
        """Refuse a call beyond the quota; kill a program that does not take it."""
        self._refusals += 1
        if self._refusals > _REFUSALS_MAX:
            raise Stopped("callbacks", f"A run may {quota}; it went on calling.")
        return Overloaded(f"A run may {quota}; ask for less.")

    def _error(self) -> Error | None:
        assert self.ended is not None
        if self.ended.kind == "timeout":
            return self._too_long()
        if self.ended.kind:
            return _error(_known(self.ended.kind), self.ended.message)
        problem = self._told.error
        if problem is None:
            return None
        if problem.name == OutOfTime.__name__ and time.monotonic() >= self._end:
            line = _cleaned(problem.text[:_TEXT_MAX]).partition("\n")[0]
            too_long = self._too_long()
            return too_long._replace(text=f"{line}\n{too_long.text}", line=problem.line)
        message, text = _cleaned(problem.message[:_TEXT_MAX]), _cleaned(problem.text[:_TEXT_MAX])
        name = _cleaned(problem.name[:_NAME_MAX])
        return Error(_known(problem.kind), message, text, name, problem.line)

    def _too_long(self) -> Error:
        """Say that the time is up, and what took it."""
        slowest = max(self._spent_s, key=self._spent_s.__getitem__, default="")
        spent_s, whole_s = self._spent_s[slowest], self._limits.timeout_s
        named = f", of which {spent_s:.1f} s in {slowest}" if spent_s > _SHARE_MIN * whole_s else ""
        return _error("timeout", f"The program took longer than {whole_s:.3g} s{named}.")

    def _execution(self, error: Error | None) -> Execution:
        ended, report = self.ended or _Ended(), self._told
        stats = RunStats(
            wall_ms=(time.monotonic() - self._started) * 1_000,
            cpu_ms=_bounded(ended.cpu_ms),
            callback_ms=sum(self._spent_s.values()) * 1_000,
            peak_memory_mb=_bounded(ended.peak_memory_mb),
            callbacks=self._callbacks,
            bytes_in=self._bytes_in,
            bytes_out=self._bytes_out,
            ended=error.kind if error else "finished",
        )
        printed = self._printed.decode(errors="replace")
        most = self._limits.output_bytes + _NAME_MAX
        value = None if report.value is None else _cleaned(report.value[:most])
        return Execution(value, _cleaned(printed), error, self._state, stats)


_ADVICE = {
    "timeout": "Do less in one run, or ask for a longer timeout_s.",
    "memory": "Keep less at a time, or ask for more memory_mb.",
    "recursion": "Use a loop instead.",
}


def _called(payload: bytes) -> str:
    """Return the name of the function in a call."""
    return payload[1 : 1 + payload[0]].decode(errors="replace") if payload else ""


def _known(kind: str) -> str:
    """Return a kind of error that the guest told, if it is one: kinds are counted."""
    return kind if kind in KINDS else "error"


def _bounded(number: float) -> float:
    """Return a figure that a worker told, if it can be one."""
    return min(max(number, 0.0), 1e9)


def _error(kind: str, message: str) -> Error:
    message = _cleaned(message[:2_000])
    return Error(kind, message, f"{message} {_ADVICE.get(kind, '')}".strip())


def _cleaned(text: str) -> str:
    """Return text without what would steer a terminal."""
    plain = text.replace("\r\n", "\n")
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], plain)


def _decoded(payload: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(payload, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise protocol.ProtocolError(f"it told something unreadable ({problem})") from problem


def offered(functions: Sequence[Function]) -> bytes:
    """Return functions as the guest takes them."""
    return msgspec.json.encode(
        [
            {"name": f.name, "doc": f.doc, "parameters": [tuple(p) for p in f.parameters]}
            for f in functions
        ]
    )


def _told(program: Program) -> bytes:
    """Return the program as the guest takes it."""
    return msgspec.json.encode(
        {
            "code": program.code,
            "state": program.state,
            "skills": dict(program.skills),
            "output_bytes_max": program.limits.output_bytes,
            "value_bytes_max": program.limits.output_bytes,
            "state_bytes_max": program.limits.state_bytes,
            "argument_bytes_max": program.limits.argument_bytes,
        }
    )
