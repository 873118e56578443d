"""The sandbox: programs in, executions out, for any number of threads."""

from __future__ import annotations

import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from milepost.errors import InvalidInput, SandboxUnavailable
from milepost.ports import Call
from milepost.programs.values import Error, Execution, Function, Layer, Program, RunStats, Status
from milepost.sandbox import confinement, guest_cache
from milepost.sandbox.conversation import Conversation, offered
from milepost.sandbox.guest import PARAMETERS_MAX
from milepost.sandbox.policy import MEMORY_MB_MAX, SKILL_BYTES_MAX, checked
from milepost.sandbox.pool import Pool
from milepost.sandbox.process import WorkerProcess
from milepost.sandbox.protocol import ProtocolError, TimedOut
from milepost.waiting import Progress

_ATTEMPTS = 3


class Sandbox:
    """Runs programs in confined workers."""

    def __init__(
        self, cache_folder: Path, workers: int = 2, waiting_max: int = 64, strict: bool = False
    ) -> None:
        self._strict = strict
        self._cache = guest_cache.Cache(cache_folder)
        accept = _confined_only if strict else _any
        self._pool = Pool(self._cache, workers, waiting_max, MEMORY_MB_MAX, accept)
        self._works = False
        self._offered: tuple[tuple[Function, ...], bytes] = ((), offered(()))
        self._finalizer = weakref.finalize(self, self._pool.close)

    def run(self, program: Program, call: Call, progress: Progress | None = None) -> Execution:
        """Run a program; `call` answers its calls in this thread."""
        refused = _refused(program)
        if refused is not None:
            return refused
        functions = self._described(program)
        self._require_layers()
        since = time.monotonic()
        for _ in range(_ATTEMPTS):
            worker = self._pool.lease(progress)
            queue_ms = (time.monotonic() - since) * 1_000
            conversation = Conversation(worker.channel, program, call)
            try:
                worker.functions = conversation.begin(functions, worker.functions)
                execution = conversation.finish()
            except (ProtocolError, TimedOut):
                # It died, or hung, while it rested; nothing of the program has run.
                continue
            finally:
                self._release(worker, conversation)
            return execution._replace(stats=execution.stats._replace(queue_ms=queue_ms))
        raise SandboxUnavailable("Programs cannot be run: the workers die one after the other.")

    def _described(self, program: Program) -> bytes:
        """Return the offered functions as workers take them; most often they are the last ones."""
        known, described = self._offered
        functions = tuple(program.functions)
        if functions != known:
            _check_functions(functions)
            described = offered(functions)
            self._offered = (functions, described)
        return described

    def _release(self, worker: WorkerProcess, conversation: Conversation) -> None:
        ended = conversation.ended
        if ended is not None:
            worker.count_run(ended.memory_mb)
        self._pool.give_back(worker, usable=ended is not None)

    def prepare(self) -> None:
        """Compile the guest, if need be, and start the workers, in the background."""
        self._require_layers()
        self._pool.prepare()

    def status(self) -> Status:
        """Tell whether programs can be run, and which layers work."""
        layers = _layers()
        workers, waiting = self._pool.counts()
        note = guest_cache.why_not() or self._lacking(layers) or self._pool.problem
        if note:
            phase = "closed" if self._pool.closed else "unavailable"
            return Status(False, phase, note, layers, workers, waiting)
        phase = "ready" if workers else "preparing" if self._pool.doing else "idle"
        compiled = "" if self._cache.has_compiled() else "the guest is compiled on first use"
        return Status(True, phase, self._pool.doing or compiled, layers, workers, waiting)

    def close(self) -> None:
        """Stop all workers."""
        self._finalizer()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_problem: object) -> None:
        self.close()

    def _require_layers(self) -> None:
        if self._works:
            return
        note = guest_cache.why_not() or self._lacking(_layers())
        if note:
            raise SandboxUnavailable(f"Programs cannot be run: {note}.")
        self._works = True

    def _lacking(self, layers: tuple[Layer, ...]) -> str:
        """Return which layers are wanted and not there."""
        off = [f"{layer.name} ({layer.note})" for layer in layers if not layer.active]
        if not (self._strict and off):
            return ""
        return f"strict mode wants all layers, and lacks {'; '.join(off)}"


def _confined_only(worker: WorkerProcess) -> None:
    """Refuse a worker that could not confine itself."""
    if not (worker.layers.get("landlock") and worker.layers.get("seccomp")):
        raise SandboxUnavailable("Programs cannot be run: a worker could not be confined.")


def _any(_worker: WorkerProcess) -> None:
    """Take a worker with the layers that this system has."""


def _layers() -> tuple[Layer, ...]:
    missing = confinement.available()
    abi = confinement.landlock_version()
    files, calls = missing["landlock"], missing["seccomp"]
    tcp = missing["landlock_network"]
    network = "; ".join(filter(None, (calls and f"seccomp: {calls}", tcp and f"landlock: {tcp}")))
    always = "fresh store and interpreter per run, empty environment, no descriptors"
    return (
        Layer("isolation", not missing["privileges"], missing["privileges"] or always),
        Layer("network", not network, network or f"no sockets; seccomp, landlock {abi}"),
        Layer("filesystem", not files, files or f"nothing opened; landlock {abi}"),
        Layer("resources", True, "CPU time, memory, calls, bytes, output, outer kill"),
        Layer("analysis", True, "size, nesting, imports, calls, endless loops"),
        Layer("monitoring", True, "time, memory, calls and bytes of every run"),
    )


def _refused(program: Program) -> Execution | None:
    """Check what can be checked without looking into the program."""
    limits = checked(program.limits)
    try:
        size = len(program.code.encode())
        skills = sum(len(source.encode()) for source in program.skills.values())
        msgspec.json.encode(program.state)
    except UnicodeEncodeError:
        return _not_run(program, "The program is not valid text.")
    except (TypeError, AttributeError) as problem:
        raise InvalidInput(f"The program cannot be run as given: {problem}.") from problem
    if size > limits.source_bytes:
        most = f"{limits.source_bytes:,}"
        return _not_run(program, f"The program has {size:,} bytes; at most {most} are run.")
    if not all(name.isidentifier() for name in program.skills):
        raise InvalidInput("The name of a skill must be a Python name.")
    if skills > SKILL_BYTES_MAX:
        return _not_run(program, f"The skills have {skills:,} bytes; remove some.")
    return None


def _check_functions(functions: Sequence[Function]) -> None:
    for function in functions:
        names: list[Any] = [function.name, *(p.name for p in function.parameters)]
        if not all(isinstance(name, str) and name.isidentifier() for name in names):
            raise InvalidInput(f"{function.name!r} cannot be offered: its names are not names.")
        required = [p.required for p in function.parameters]
        if required != sorted(required, reverse=True):
            raise InvalidInput(f"{function.name}: required parameters must come first.")
        if len(required) > PARAMETERS_MAX:
            raise InvalidInput(f"{function.name} has more than {PARAMETERS_MAX} parameters.")


def _not_run(program: Program, message: str) -> Execution:
    error = Error("refused", message, message)
    return Execution(None, "", error, dict(program.state or {}), RunStats(ended="refused"))
