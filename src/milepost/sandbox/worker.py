"""A worker process: loads the guest, gives up everything else, runs one program after the other."""

from __future__ import annotations

import json
import os
import resource
import select
import sys
import time
from contextlib import suppress

from milepost.sandbox import confinement, protocol
from milepost.sandbox.engine import Guest, Host, Instance, Trap

_PROCESS_MB = 512
_NAME_BYTES_MAX = 200
_QUIET_MS = 10
# Uses what wasmtime sets up on first use, while there still are system calls to do so.
_REHEARSAL = (
    "__import__('os').write(1, b'x'), __import__('select').select([], [], [], 0.001), "
    "__import__('time').time(), __import__('os').urandom(1)"
)


class GuestWorker:
    """Serves the host on one descriptor."""

    def __init__(self, fd: int, component: str, memory_mb_max: int) -> None:
        self._fd = fd
        self._sleep_left_s = 0.0
        self._functions = "[]"
        self._memory = ResidentMemory()
        self._awaited = select.poll()
        self._awaited.register(fd, select.POLLIN)
        self._guest = Guest(component, Host(self._call, self._write, self._sleep))
        self._memory_mb_max = memory_mb_max

    def confine(self) -> dict[str, object]:
        """Give up everything but memory, time and the descriptor; tell what worked."""
        confinement.drop_privileges()
        landlock = confinement.restrict_files()
        self._guest.watch.start()
        self._rehearse()
        confinement.restrict_memory((self._memory_mb_max + _PROCESS_MB) << 20)
        return {"landlock": landlock, "seccomp": confinement.restrict_calls()}

    def _rehearse(self) -> None:
        instance = self._guest.fresh()
        instance.prime("[]")
        self._guest.watch.arm(10)
        ended = instance.run(_program(_REHEARSAL), 64)
        self._guest.watch.disarm()
        instance.close()
        if isinstance(ended, Trap) or "error" in json.loads(ended):
            raise RuntimeError(f"the guest does not work: {ended}")

    def serve(self) -> None:
        """Run programs until the host closes its end."""
        while True:
            self._memory.forget()
            instance = self._guest.fresh()
            instance.prime(self._functions)
            # Not between two programs in quick succession, the second of which would wait.
            if not self._awaited.poll(_QUIET_MS):
                instance.rehearse()
            self._serve_one(instance)
            instance.close()

    def _serve_one(self, instance: Instance) -> None:
        """Run the next program in an interpreter that was made while nobody waited."""
        kind, payload = protocol.read_frame(self._fd)
        if kind == protocol.FUNCTIONS:
            self._functions = payload.decode()
            instance.prime(self._functions)
            kind, payload = protocol.read_frame(self._fd)
        limits = json.loads(payload)
        _, program = protocol.read_frame(self._fd)
        self._sleep_left_s = limits["sleep_s"]
        before_s = time.thread_time()
        self._guest.watch.arm(limits["timeout_s"])
        ended = instance.run(program.decode(), limits["memory_mb"])
        self._guest.watch.disarm()
        report = {
            "cpu_ms": (time.thread_time() - before_s) * 1_000,
            "peak_memory_mb": self._memory.growth_mb(),
            "memory_mb": self._memory.before_mb,
        }
        if isinstance(ended, Trap):
            report |= ended._asdict()
        else:
            protocol.write_frame(self._fd, protocol.VALUE, ended.encode())
        protocol.write_frame(self._fd, protocol.ENDED, json.dumps(report).encode())

    def _call(self, name: str, arguments: str) -> str:
        called = name.encode()[:_NAME_BYTES_MAX]
        payload = bytes([len(called)]) + called + arguments.encode()
        protocol.write_frame(self._fd, protocol.CALL, payload)
        _, answer = protocol.read_frame(self._fd)
        return answer.decode()

    def _write(self, text: str) -> None:
        protocol.write_frame(self._fd, protocol.PRINTED, text.encode())

    def _sleep(self, seconds: float) -> bool:
        if not 0 <= seconds <= self._sleep_left_s:
            return False
        self._sleep_left_s -= seconds
        time.sleep(seconds)
        return True


def _program(code: str) -> str:
    bounds = ("output_bytes_max", "value_bytes_max", "state_bytes_max", "argument_bytes_max")
    return json.dumps({"code": code, "state": None, "skills": {}} | dict.fromkeys(bounds, 1_000))


class ResidentMemory:
    """How far the memory of this process grows, read through files that stay open."""

    def __init__(self) -> None:
        self._status = self._reset = -1
        with suppress(OSError):
            self._status = os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)
            self._reset = os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
        self.before_mb = 0.0

    def forget(self) -> None:
        """Count from here on."""
        if self._reset >= 0:
            os.write(self._reset, b"5")
        self.before_mb = self._peak_mb()

    def growth_mb(self) -> float:
        """Return the highest growth since."""
        return round(self._peak_mb() - self.before_mb, 1)

    def _peak_mb(self) -> float:
        if self._status < 0:
            unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
        line = os.pread(self._status, 4_096, 0).partition(b"VmHWM:")[2]
        return int(line.split(None, 1)[0]) / 1_024


def main(fd: str, parent: str, component: str, memory_mb_max: str) -> None:
    """Be a worker."""
    confinement.die_with_parent(int(parent))
    try:
        files = "/dev/fd" if sys.platform == "darwin" else "/proc/self/fd"
        worker = GuestWorker(int(fd), f"{files}/{component}", int(memory_mb_max))
        os.close(int(component))
        report = worker.confine()
    except Exception as problem:  # noqa: BLE001 -- there is nobody else to tell
        report = {"error": f"{type(problem).__name__}: {problem}"[:500]}
    protocol.write_frame(int(fd), protocol.READY, json.dumps(report).encode())
    if "error" in report:
        os._exit(1)
    # The host is gone, or wants no more.
    with suppress(EOFError, BrokenPipeError):
        worker.serve()
    # Without the clean-up of an interpreter, which would ask for system calls that are gone.
    os._exit(0)
