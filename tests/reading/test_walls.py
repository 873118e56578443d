"""What the processes that read can do: nothing but read what they are handed."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from milepost.errors import Unreadable
from milepost.reading import lacking, open_reader, workers
from milepost.reading.reader import Limits, Reader
from milepost.sandbox import confinement
from support import wait_until

# Run in a worker in the place of a format: what it tries, and what came of it.
_TRIES = """
import os, socket
from milepost.documents.values import Document, Section

def tries():
    yield "open", lambda: open("/etc/passwd").read()
    yield "write", lambda: open("/tmp/written", "w")
    yield "list", lambda: os.listdir("/")
    yield "connect", lambda: socket.create_connection(("127.0.0.1", 9), 1)
    yield "socket", lambda: socket.socket(socket.AF_UNIX)
    yield "fork", os.fork
    yield "start", lambda: os.execv("/bin/true", ["true"])
    yield "kill", lambda: os.kill(os.getppid(), 9)
    yield "grow", lambda: bytearray(4 << 30)

def read(source):
    told = []
    for name, attempt in tries():
        try:
            attempt()
        except (OSError, MemoryError) as problem:
            told.append(f"{name}: {type(problem).__name__}")
        else:
            told.append(f"{name}: done")
    return Document("text", "", (Section("\\n".join(told)),))
"""


_PROGRAM = """
import sys, types
import milepost.reading
module = types.ModuleType("milepost.reading.text")
exec({code!r}, module.__dict__)
sys.modules["milepost.reading.text"] = milepost.reading.text = module
from milepost.reading import worker
worker.main(sys.argv[1], "600")
"""


@pytest.fixture
def read_by(tmp_path, monkeypatch):
    """Read a text by other code, in a worker that is as it always is."""

    def read(code, limits=None):
        path = tmp_path / "a.txt"
        path.write_text("text")

        def command(module, *arguments):
            return [sys.executable, "-c", _PROGRAM.format(code=code), *map(str, arguments)]

        monkeypatch.setattr(workers, "python", command)
        with closing(Reader(limits, workers=1)) as reader:
            return reader.read(path).sections[0].text

    return read


needs_walls = pytest.mark.skipif(bool(lacking()), reason="this system lacks some of the walls")


@pytest.mark.slow
@needs_walls
def test_a_worker_can_do_nothing_but_read(read_by):
    assert read_by(_TRIES).split("\n") == [
        "open: PermissionError",
        "write: PermissionError",
        "list: PermissionError",
        "connect: PermissionError",
        "socket: PermissionError",
        "fork: PermissionError",
        "start: PermissionError",
        "kill: PermissionError",
        "grow: MemoryError",
    ]


@pytest.mark.slow
@needs_walls
def test_a_reader_that_never_ends_is_stopped(read_by):
    with pytest.raises(Unreadable, match="more processor time than a document may"):
        read_by("def read(source):\n    while True: pass", Limits(cpu_s=0.1))
    with pytest.raises(Unreadable, match="takes longer than 2 s"):
        read_by("import time\ndef read(source):\n    time.sleep(1_000)", Limits(wall_s=2))


@pytest.mark.slow
def test_a_reader_that_crashes_or_answers_nonsense_says_so(read_by):
    with pytest.raises(Unreadable, match=r"crashed \(SIGSEGV\)"):
        read_by("import ctypes\ndef read(source):\n    ctypes.string_at(0)")
    with pytest.raises(Unreadable, match=r"damaged \(KeyError: 1\)"):
        read_by("def read(source):\n    {}[1]")
    with pytest.raises(Unreadable, match="answered nonsense"):
        read_by(
            "from milepost.reading import worker\nfrom milepost.reading.wire import Answer\n"
            "def read(source):\n"
            "    worker._answer = None\n"
            "    worker.answer_of = lambda document: Answer(title='x' * 10_000)\n"
            "    return types.SimpleNamespace(sections=[1], notes=(), _replace=lambda **k: None)\n"
            "import types"
        )


def test_this_system_says_which_walls_it_lacks():
    assert set(lacking()) <= set(confinement.available())


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("text")
    with closing(Reader(workers=1)) as reader:
        assert reader.read(path).sections
        (worker,) = reader._workers._idle
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(Unreadable, match="was killed"):
            reader.read(path)
        assert reader.read(path).sections
        reader._workers._origin._process.kill()
        reader._workers._origin._process.wait()
        with pytest.raises(Unreadable):
            reader.read(path)
        assert reader.read(path).sections


@pytest.mark.slow
def test_many_threads_read_at_once_and_each_gets_its_own(tmp_path):
    told = {}
    with closing(Reader(workers=3)) as reader:

        def read(number):
            path = tmp_path / f"{number}.txt"
            path.write_text(f"text {number}")
            told[number] = reader.read(path).sections[0].text

        threads = [threading.Thread(target=read, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == {number: f"text {number}" for number in range(20)}


@pytest.mark.slow
def test_nothing_is_left_running_when_a_reader_is_closed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("text")
    reader = open_reader()
    reader.read(path)
    (worker,) = reader._workers._idle
    reader.close()
    wait_until(lambda: not Path(f"/proc/{worker.pid}").exists())


@pytest.mark.slow
def test_a_reader_that_was_closed_reads_again(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("text")
    reader = open_reader()
    for _ in range(2):
        with closing(reader):
            assert reader.read(path).sections


@pytest.mark.slow
def test_importing_milepost_and_its_commands_loads_no_library_for_documents():
    heavy = "lxml pypdfium2 python_calamine tree_sitter"
    code = (
        "import sys, milepost, milepost.app, milepost.opening, milepost.surfaces.cli\n"
        "from milepost import search\n"
        f"print([name for name in {heavy.split()!r} if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.slow
def test_reading_loads_no_library_for_documents_into_this_process(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("<p>text")
    code = (
        "import sys; from pathlib import Path; from milepost.reading import open_reader\n"
        f"reader = open_reader(); reader.read(Path({str(path)!r})); reader.close()\n"
        "print('lxml' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
