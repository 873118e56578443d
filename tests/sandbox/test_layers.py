"""The six layers, each by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from milepost.deadline import check_time
from milepost.errors import InvalidInput, SandboxUnavailable
from milepost.programs.values import Limits, Program
from milepost.sandbox import confinement, open_sandbox, pool, process
from milepost.sandbox.process import WorkerProcess
from milepost.sandbox.runner import Sandbox
from sandbox.conftest import Run, echo
from support import PATIENCE_S

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def worker(sandbox: Sandbox) -> WorkerProcess:
    sandbox.run(Program("1"), echo)
    return next(iter(sandbox._pool._idle))


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def confined(step: str, attempt: str) -> list[str]:
    """Run code in a process of its own after a step of the confinement."""
    code = (
        "import ctypes, mmap, os, socket, sys\n"
        "from milepost.sandbox import confinement\n"
        f"confinement.drop_privileges()\nconfinement.{step}()\n"
        f"try:\n    {attempt}\n    print('worked')\n"
        "except OSError as problem:\n    print(problem.strerror)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.stdout.split("\n") or [done.stderr]


class TestIsolation:
    @linux_only
    def test_every_thread_of_a_worker_is_confined(self, worker: WorkerProcess) -> None:
        for task in Path(f"/proc/{worker.process.pid}/task").iterdir():
            told = status(int(task.name))
            assert (told["NoNewPrivs"], told["Seccomp"]) == ("1", "2")
            assert int(told["CapEff"], 16) == int(told["CapPrm"], 16) == 0

    @linux_only
    def test_a_worker_has_an_empty_environment_and_no_descriptors_of_ours(
        self, worker: WorkerProcess
    ) -> None:
        pid = worker.process.pid
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            opened = {fd.name: str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()}
        except PermissionError:
            pytest.skip("only root may look into a process that is not dumpable")
        assert environment == b""
        assert {opened.pop(fd) for fd in "012"} == {"/dev/null"}
        allowed = (".cwasm", "socket:", "anon_inode:", "/proc/", "memfd:")
        assert all(any(part in target for part in allowed) for target in opened.values()), opened
        assert sum("socket:" in target for target in opened.values()) == 1

    @linux_only
    def test_a_worker_cannot_be_looked_into(self, worker: WorkerProcess) -> None:
        folder = Path(f"/proc/{worker.process.pid}")
        # What belongs to a process that is not dumpable belongs to root.
        assert (folder / "mem").stat().st_uid == 0
        assert status(worker.process.pid)["CoreDumping"] == "0"

    @linux_only
    def test_workers_die_with_their_parent(self, cache_folder: Path) -> None:
        code = (
            "import sys, time\nfrom pathlib import Path\n"
            "from milepost.sandbox import open_sandbox\n"
            "from milepost.programs.values import Function, Program\n"
            "sandbox = open_sandbox(Path(sys.argv[1]), workers=1)\n"
            "def call(name, arguments):\n"
            "    print(next(iter(sandbox._pool._busy)).process.pid, flush=True); time.sleep(60)\n"
            "sandbox.run(Program('f()', (Function('f'),)), call)\n"
        )
        parent = subprocess.Popen(
            [sys.executable, "-c", code, str(cache_folder)], stdout=subprocess.PIPE, text=True
        )
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.communicate()
        assert gone(pid)

    def test_every_run_has_a_fresh_interpreter(self, run: Run) -> None:
        for _ in range(4):
            assert (
                run("import builtins\nn = getattr(builtins, 'n', 0)\nbuiltins.n = 1\nn").value
                == "0"
            )

    def test_workers_are_replaced_after_some_runs(
        self, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pool, "RUNS_MAX", 3)
        with open_sandbox(cache_folder, workers=1) as opened:
            pids = []
            for _ in range(6):
                assert opened.run(Program("1"), lambda *_: None).value == "1"
                pids += [w.process.pid for w in (*opened._pool._idle, *opened._pool._busy)]
        assert len(set(pids)) >= 2

    def test_a_worker_that_grows_is_replaced(self, sandbox: Sandbox) -> None:
        used = WorkerProcess.__new__(WorkerProcess)
        used.runs, used._first_memory_mb = 0, None
        for memory_mb in (50.0, 51.0, 200.0):
            used.count_run(memory_mb)
        assert used.growth_mb > pool.GROWTH_MB_MAX


class TestNetwork:
    def test_there_are_no_sockets_in_the_guest(self, run: Run) -> None:
        done = run("__import__('_socket').socket()")
        assert done.error is not None
        assert "no network" in done.error.text
        names = run("__import__('_socket').getaddrinfo('example.com', 80)")
        assert names.error is not None

    @linux_only
    @pytest.mark.parametrize("kind", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"])
    def test_the_filter_knows_no_sockets(self, kind: str) -> None:
        attempt = f"socket.socket(socket.{kind})"
        assert confined("restrict_calls", attempt)[0] == "Operation not permitted"

    @linux_only
    def test_landlock_refuses_tcp(self) -> None:
        if confinement.available()["landlock_network"]:
            pytest.skip("landlock is too old")
        for attempt in ("connect(('127.0.0.1', 9))", "bind(('127.0.0.1', 0))"):
            assert (
                confined("restrict_files", f"socket.socket().{attempt}")[0] == "Permission denied"
            )


class TestFilesystem:
    def test_there_are_no_files_in_the_guest(self, run: Run) -> None:
        for attempt in ("open('/etc/passwd')", "open('x', 'w')", "listdir('/')", "mkdir('/tmp/x')"):
            code = f"m = __import__('io' if {attempt!r}.startswith('open') else 'os')\nm.{attempt}"
            done = run(code)
            assert done.error is not None
            assert done.error.name in {"FileNotFoundError", "PermissionError", "OSError"}

    @linux_only
    @pytest.mark.parametrize(
        "attempt",
        ["open('/etc/passwd')", "open('/tmp/xyz', 'w')", "os.listdir('/')", "os.mkdir('/tmp/xy')"],
    )
    def test_landlock_allows_nothing(self, attempt: str) -> None:
        assert confined("restrict_files", attempt)[0] == "Permission denied"

    @linux_only
    @pytest.mark.parametrize(
        "attempt",
        [
            "open('/etc/passwd')",
            "os.fork()",
            "os.execv('/bin/true', ['true'])",
            "os.kill(1, 0)",
            "os.stat('/')",
            "os.dup(1)",
            "os.pipe()",
            "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)",
        ],
    )
    def test_the_filter_leaves_only_what_runs_a_program(self, attempt: str) -> None:
        assert confined("restrict_calls", attempt)[0] == "Operation not permitted"


class TestResources:
    def test_time_in_callbacks_counts_and_is_told(self, run: Run) -> None:
        done = run("while True: echo(1)", lambda *_: time.sleep(0.2), timeout_s=0.5)
        assert done.error is not None
        assert done.error.kind == "timeout"
        assert "longer than 0.5 s, of which " in done.error.text
        assert "s in echo" in done.error.text
        assert done.stats.callbacks <= 4

    def test_a_callback_can_see_that_the_time_is_up_and_stops(self, run: Run) -> None:
        def endless(name: str, arguments: dict[str, object]) -> None:
            while True:
                check_time()

        done = run("while True:\n try: echo(1)\n except: pass", endless, timeout_s=0.3)
        assert done.stats.ended == "timeout"
        assert run("6 * 7").value == "42"

    def test_what_was_printed_before_the_end_of_time_is_kept(self, run: Run) -> None:
        done = run("print('so far')\nwhile True: len('')", timeout_s=0.2)
        assert (done.printed, done.stats.ended) == ("so far\n", "timeout")

    def test_memory_is_what_was_asked_for(self, run: Run) -> None:
        code = "x = bytearray(60 << 20)\nlen(x) >> 20"
        assert run(code, memory_mb=64).stats.ended == "memory"
        assert run(code, memory_mb=128).value == "60"

    def test_calls_are_counted(self, run: Run) -> None:
        done = run("for i in range(9): echo(i)", callbacks=5)
        assert done.error is not None
        assert "may make 5 calls" in done.error.text
        assert done.stats.callbacks == 6

    def test_bytes_of_calls_are_counted(self, run: Run) -> None:
        done = run("for i in range(9): echo('x' * 1000)", callback_bytes=5_000)
        assert done.error is not None
        assert "5,000 bytes" in done.error.text

    def test_output_ends_at_its_limit(self, run: Run) -> None:
        done = run("for i in range(99): print('é' * 50)", output_bytes=1_001)
        assert done.stats.ended == "output"
        assert 990 <= len(done.printed.encode()) <= 1_001

    def test_a_long_value_is_cut_and_says_so(self, run: Run) -> None:
        done = run("'x' * 5_000", output_bytes=1_000)
        assert done.value is not None
        assert done.value.endswith("(4,000 more bytes)")

    def test_a_long_program_is_not_run(self, run: Run) -> None:
        done = run("x = 1\n" * 1_000, source_bytes=1_000)
        assert done.stats.ended == "refused"

    def test_sleep_is_bounded_and_real(self, run: Run) -> None:
        before = time.monotonic()
        assert run("import time\ntime.sleep(0.2)\n1", sleep_s=0.3).value == "1"
        assert time.monotonic() - before >= 0.2
        assert run("import time\ntime.sleep(0.4)", sleep_s=0.3).stats.ended == "error"

    @pytest.mark.parametrize(
        "wrong", [{"timeout_s": 0}, {"memory_mb": 1}, {"callbacks": -1}, {"timeout_s": "5"}]
    )
    def test_limits_that_make_no_sense_are_refused(
        self, run: Run, wrong: dict[str, object]
    ) -> None:
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            run("1", **wrong)

    @linux_only
    def test_a_worker_as_a_process_is_bounded_too(self, worker: WorkerProcess) -> None:
        limits = Path(f"/proc/{worker.process.pid}/limits").read_text()
        bounds = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()[1:]}
        assert int(bounds["Max data size"]) < 2 << 30
        assert bounds["Max file size"] == bounds["Max core file size"] == "0"
        assert int(bounds["Max open files"]) <= 32


class TestMonitoring:
    def test_a_run_tells_what_it_cost(self, run: Run) -> None:
        code = "a = echo('x' * 1000)\nprint(len(a))\nb = bytearray(20 << 20)\nsum(range(100_000))"
        done = run(code, lambda name, arguments: time.sleep(0.02) or arguments["x"])
        stats = done.stats
        assert stats.ended == "finished"
        assert stats.callbacks == 1
        assert stats.callback_ms >= 20
        assert stats.wall_ms > stats.callback_ms
        assert stats.cpu_ms > 1
        assert 20 < stats.peak_memory_mb < 120
        assert 1_000 < stats.bytes_in < 1_100
        assert 1_000 < stats.bytes_out < 1_200

    @pytest.mark.parametrize(
        ("code", "ended"),
        [
            ("1", "finished"),
            ("1 / 0", "error"),
            ("while 1: len('')", "timeout"),
            ("import os", "refused"),
            ("x = bytearray(1 << 30)", "memory"),
        ],
    )
    def test_a_run_tells_how_it_ended(self, run: Run, code: str, ended: str) -> None:
        limit_s = 1 if ended == "timeout" else PATIENCE_S
        assert run(code, timeout_s=limit_s).stats.ended == ended


class TestStatus:
    def test_the_layers_are_told(self, sandbox: Sandbox, run: Run) -> None:
        run("1")
        told = sandbox.status()
        assert told.available
        assert told.phase == "ready"
        names = ["isolation", "network", "filesystem", "resources", "analysis", "monitoring"]
        assert [layer.name for layer in told.layers] == names

    def test_strict_mode_refuses_to_run_without_a_layer(
        self, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        missing = confinement.available() | {"seccomp": "its numbers are not known for mips"}
        monkeypatch.setattr(confinement, "available", lambda: missing)
        with open_sandbox(cache_folder, strict=True) as strict:
            assert not strict.status().available
            with pytest.raises(SandboxUnavailable, match=r"strict mode .* network .*mips"):
                strict.run(Program("1"), echo)
            with pytest.raises(SandboxUnavailable):
                strict.prepare()
        with open_sandbox(cache_folder) as lenient:
            assert lenient.status().available
            assert "mips" in lenient.status().layers[1].note

    def test_strict_mode_refuses_a_worker_that_is_not_confined(
        self, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            WorkerProcess, "wait_until_ready", lambda self: setattr(self, "layers", {"landlock": 0})
        )
        confined = pytest.raises(SandboxUnavailable, match="could not be confined")
        with open_sandbox(cache_folder, strict=True) as strict, confined:
            strict.run(Program("1"), echo)

    def test_without_linux_the_missing_layers_are_named(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(confinement.sys, "platform", "darwin")  # type: ignore[attr-defined]
        assert all("this is darwin" in why for why in confinement.available().values())

    def test_where_strict_mode_is_satisfied_it_runs(self, cache_folder: Path) -> None:
        if any(confinement.available().values()):
            pytest.skip("this system lacks a layer")
        with open_sandbox(cache_folder, workers=1, strict=True) as strict:
            assert strict.run(Program("1 + 1", limits=Limits()), echo).value == "2"


def gone(pid: int) -> bool:
    """Wait until a process that is not our child has ended."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if status(pid)["State"].startswith("Z"):
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    return False


def test_workers_are_started_with_our_path_and_nothing_else() -> None:
    command = process.python("milepost.sandbox.worker", 3)
    assert command[1:4] == ["-I", "-S", "-c"]
    assert "" not in command[6].split(os.pathsep)
    json.dumps(command)
