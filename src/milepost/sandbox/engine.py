"""CPython as a WASM component on wasmtime; imported only in workers and when compiling."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import wasmtime
from wasmtime import component as wasm

_HOST = "milepost:sandbox/host@1.0.0"
# Nothing in the guest opens sockets; should it try, it finds none rather than forbidden ones.
_NO_SOCKETS = ("wasi:sockets/tcp-create-socket@", "wasi:sockets/udp-create-socket@")
_CREATE = {"tcp": "create-tcp-socket", "udp": "create-udp-socket"}
_INTERPRETER_MB = 64
_LOOK_S = 0.02
# Enough for Python to notice most deep recursion itself, and then to raise RecursionError.
_STACK_BYTES = 2 << 20


class Forbidden(Exception):
    """The guest asked for what is not offered; ends the run."""


class Host(NamedTuple):
    """What the guest may ask of its worker."""

    call: Callable[[str, str], str]
    write: Callable[[str], None]
    sleep: Callable[[float], bool]


class Trap(NamedTuple):
    """How the guest came to a bad end."""

    kind: str
    message: str


def _engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.wasm_component_model = True
    config.wasm_exceptions = True
    config.epoch_interruption = True
    config.max_wasm_stack = min(_STACK_BYTES, _own_stack_bytes() // 4)
    return wasmtime.Engine(config)


def _own_stack_bytes() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return 4 * _STACK_BYTES if soft == resource.RLIM_INFINITY else soft


def compile_component(source: Path, target: Path) -> None:
    """Compile ahead of time, to a file that `Guest` loads within milliseconds."""
    target.write_bytes(wasm.Component.from_file(_engine(), str(source)).serialize())


class Guest:
    """The compiled component, ready to be instantiated."""

    def __init__(self, path: str, host: Host) -> None:
        self.engine = _engine()
        self._component = wasm.Component.deserialize_file(self.engine, path)
        self._linker = wasm.Linker(self.engine)
        self._linker.add_wasip2()
        with self._linker.root() as root:
            with root.add_instance(_HOST) as functions:
                functions.add_func("call", lambda _store, *arguments: host.call(*arguments))
                functions.add_func("write", lambda _store, text: host.write(text))
                functions.add_func("sleep", lambda _store, seconds: host.sleep(seconds))
            for name in self._component.type.imports(self.engine):
                if name.startswith(_NO_SOCKETS):
                    with root.add_instance(name) as sockets:
                        sockets.add_func(_CREATE[name.partition("/")[2][:3]], _no_network)
        self.watch = Watch(self.engine)

    def fresh(self) -> Instance:
        """Return an interpreter in which nothing has run."""
        store = wasmtime.Store(self.engine)
        store.set_limits(memory_size=_INTERPRETER_MB << 20, table_elements=100_000)
        store.set_epoch_deadline(1)
        # Without arguments, variables, folders or streams.
        store.set_wasi(wasmtime.WasiConfig())
        return Instance(store, self._linker.instantiate(store, self._component))


def _no_network(*_given: object) -> None:
    raise Forbidden("there is no network here")


class Instance:
    """An interpreter for one run."""

    def __init__(self, store: wasmtime.Store, instance: wasm.Instance) -> None:
        self._store, self._instance = store, instance
        # Looked up while nobody waits.
        self._run = self._exported("run")

    def prime(self, functions: str) -> None:
        """Make the offered functions."""
        self._exported("prime")(self._store, functions)

    def rehearse(self) -> None:
        """Have the memory copied that a run will need."""
        self._exported("rehearse")(self._store)

    def run(self, program: str, memory_mb: int) -> str | Trap:
        """Run a program within some memory; return what it tells, or how it was stopped."""
        self._store.set_limits(memory_size=memory_mb << 20, table_elements=100_000)
        self._store.set_epoch_deadline(1)
        try:
            return str(self._run(self._store, program))
        except wasmtime.ExitTrap as ended:
            return Trap("exit", f"The program ended its interpreter (exit status {ended.code}).")
        except Forbidden as problem:
            return Trap("refused", f"The program was stopped: {problem}.")
        except wasmtime.WasmtimeError as problem:
            return _trap(str(problem))

    def _exported(self, name: str) -> wasm.Func:
        function = self._instance.get_func(self._store, name)
        assert function is not None
        return function

    def close(self) -> None:
        """Give its memory back."""
        self._store.close()


def _trap(text: str) -> Trap:
    cause = text.rpartition("Caused by:")[2].strip() or text.strip()
    if "interrupt" in cause:
        return Trap("timeout", "The program used up its time.")
    if "call stack exhausted" in cause:
        return Trap("recursion", "The program called functions too deeply.")
    return Trap(
        "crash", f"The interpreter gave up, for want of memory or in a deadlock ({cause[:200]})."
    )


class Watch:
    """Stops the guest when its time is up, or as soon as it comes back from the host."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._armed = threading.Event()
        # Without it the end of one run could stop the next.
        self._lock = threading.Lock()
        self._until = 0.0

    def start(self) -> None:
        """Start to watch, from a thread that sleeps while nothing runs."""
        threading.Thread(target=self._look, name="watch", daemon=True).start()

    def arm(self, seconds: float) -> None:
        """Allow the guest so much time from now."""
        with self._lock:
            self._until = time.monotonic() + seconds
            self._armed.set()

    def disarm(self) -> None:
        """Stop counting."""
        with self._lock:
            self._armed.clear()

    def _look(self) -> None:
        while self._armed.wait():
            time.sleep(max(min(self._until - time.monotonic(), _LOOK_S), 0))
            with self._lock:
                if self._armed.is_set() and time.monotonic() >= self._until:
                    self._engine.increment_epoch()
                    self._armed.clear()
