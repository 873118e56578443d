"""`milepost storage` tells what the store holds, whether it is whole, and makes it smaller."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import apsw
import pytest
from command_line import done, milepost, refused

import milepost as memory
from milepost import Milepost
from milepost.app import open_memory
from milepost.config import load_settings
from milepost.storage.index.folder import IndexFolder
from milepost.storage.index.segment import load_segment

pytestmark = pytest.mark.usefixtures("default_memory")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store of 1,500 memories with an index on disk, and their names."""
    place = tmp_path_factory.mktemp("template") / "m.db"
    items = [
        {"content": f"harbour {i}", "tags": ["sea"] * (i < 30), "kind": "fact" if i < 9 else "note"}
        for i in range(1_500)
    ]
    with memory.connect(place) as opened:
        names = opened.store_batch(items)
        opened.update(names[0], content="harbour zero")
        opened.search("harbour")
    return place, names


@pytest.fixture
def filled(path: Path, template: tuple[Path, list[str]]) -> list[str]:
    """A copy of the template as the test's own store; gives the names."""
    shutil.copytree(template[0].parent, path.parent, dirs_exist_ok=True)
    return template[1]


def segments(path: Path) -> list[Path]:
    folder = Path(f"{path}.index")
    return [folder / name for name in IndexFolder(folder).manifest().files]


def test_info_tells_what_the_store_holds(filled: list[str], path: Path) -> None:
    found = milepost("storage", "info", "--json").data

    assert found["file"] == str(path)
    assert (found["memories"], found["hidden"]) == (1_501, 1)
    assert found["kinds"] == {"note": 1_491, "fact": 10}
    assert found["tags"] == {"sea": 31}
    assert found["spaces"] == {"default": 1_501}
    assert found["oldest"] <= found["newest"]
    assert found["bytes"] > found["index_bytes"] > 0
    text = done("storage", "info")
    assert "1,501, 1 of them replaced" in text


def test_a_store_that_is_not_there_is_told_and_not_made(path: Path) -> None:
    for words in ("info", "check", "compact", "compact --dry-run"):
        assert "no store" in refused("storage", *words.split())
    assert not path.exists()


@pytest.mark.parametrize("url", ["memory://", "https://example.org"])
def test_only_a_file_can_be_looked_after(url: str) -> None:
    for words in ("storage info", "storage check", "backup create", "backup list"):
        assert "not a file" in refused(*words.split(), "--url", url)


def test_a_whole_store_passes_the_check(filled: list[str]) -> None:
    outcome = milepost("storage", "check", "--json")

    assert (outcome.code, outcome.data["problems"], outcome.data["index_problems"]) == (0, [], [])
    assert done("storage", "check").split() == ["store", "ok", "index", "ok"]


def test_a_damaged_page_is_found(filled: list[str], path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(40 * 4096)
        file.write(b"\xa5" * 8192)

    outcome = milepost("storage", "check")

    assert outcome.code == 1
    assert outcome.out.splitlines()[0].split() == ["store", "broken"]
    assert "milepost backup restore" in outcome.out


def test_a_row_that_refers_to_nothing_is_found(filled: list[str], path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = OFF; INSERT INTO tags VALUES (999999, 'lost')")
    connection.close()

    outcome = milepost("storage", "check", "--json")

    assert outcome.code == 1
    assert "memories" in outcome.data["problems"][0]


def test_what_is_no_store_is_told(path: Path) -> None:
    path.write_text("these are my shopping lists\n" * 50)
    assert milepost("storage", "check").code == 1
    assert "not a Milepost store" in refused("storage", "info")

    path.unlink()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE shopping (list)")
    connection.close()
    assert "another program" in refused("storage", "info")
    assert "another program" in refused("storage", "compact")


@pytest.mark.parametrize("column", ["ids", "valid_to", "forward_terms"])
def test_an_index_that_disagrees_is_found_and_made_again(
    filled: list[str], path: Path, column: str
) -> None:
    place = segments(path)[0]
    segment = load_segment(place)
    arrays = {name: array.copy() for name, array in segment.arrays.items()}
    if column == "ids":
        arrays[column][3:] += 1_000_000
    else:
        arrays[column][3] = 0 if arrays[column][3] else 1
    place.unlink()
    type(segment)(arrays, segment.change, segment.models).save(place)

    outcome = milepost("storage", "check")

    assert outcome.code == 1
    assert "memories m" in outcome.out or "memories in" in outcome.out
    assert "made again" in outcome.out
    assert milepost("storage", "check").code == 0


def test_the_check_holds_while_others_write(path: Path, filled: list[str]) -> None:
    stop = threading.Event()

    def write() -> None:
        with memory.connect(path) as other:
            number = 0
            while not stop.is_set():
                number += 1
                name = other.store(f"written meanwhile {number}")
                other.update(filled[number], tags=[f"t{number}"])
                if number % 3 == 0:
                    other.delete(name)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert [milepost("storage", "check").code for _ in range(5)] == [0] * 5
    finally:
        stop.set()
        writer.join()


def test_compacting_frees_what_deletions_left(filled: list[str], path: Path) -> None:
    done("delete-batch", *filled[1:1_200])
    memory.store_batch([f"later {i}" for i in range(600)])
    memory.search("later")
    before = milepost("storage", "info", "--json").data

    assert "would rewrite" in done("storage", "compact", "--dry-run")
    assert milepost("storage", "info", "--json").data["bytes"] == before["bytes"]
    told = milepost("storage", "compact", "--json").data

    after = milepost("storage", "info", "--json").data
    assert told["bytes_saved"] > 0
    assert after["bytes"] < before["bytes"]
    assert (after["segments"], after["memories"]) == (1, before["memories"])
    assert milepost("storage", "check").code == 0
    assert memory.search("harbour zero", limit=1).memories[0].preview.endswith("harbour zero")


def test_others_go_on_reading_and_writing_while_it_is_compacted(
    filled: list[str], path: Path
) -> None:
    with memory.connect(path) as other:
        other.delete_batch(filled[100:1_000])
        assert other.search("harbour 7").memories

        done("storage", "compact")

        assert other.search("harbour 1444").memories[0].hash == filled[1_444]
        name = other.store("a ship came in")
        assert other.search("ship").memories[0].hash == name
    assert milepost("storage", "check").code == 0


def test_an_empty_store_can_be_compacted(path: Path) -> None:
    memory.delete(memory.store("only one"))

    done("storage", "compact")

    assert done("health") == "healthy, 0 memories, sqlite"


def test_reembedding_needs_another_model_than_the_static_one(filled: list[str]) -> None:
    assert "--embedder" in refused("storage", "reembed")


def test_reembedding_tells_when_the_model_does_not_answer(filled: list[str]) -> None:
    # Port 9 is nobody's: every connection is refused at once.
    outcome = milepost("storage", "reembed", "--embedder", "ollama:http://127.0.0.1:9#m")

    assert outcome.code == 1
    assert "0 of 1,501 memories" in outcome.out


class Embedder(BaseHTTPRequestHandler):
    """Answers as Ollama does, with vectors that mean nothing."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.asked.extend(texts)
        answer = json.dumps({"embeddings": [[1.0, 0.5, len(text)] for text in texts]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def embedder() -> Iterator[str]:
    Embedder.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Embedder)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"ollama:http://127.0.0.1:{server.server_port}#letters"
    server.shutdown()
    server.server_close()
    thread.join()


def test_reembedding_gives_every_memory_a_vector(filled: list[str], embedder: str) -> None:
    words = ("storage", "reembed", "--embedder", embedder)

    assert "to 1,501 memories" in done(*words, "--dry-run")
    told = milepost(*words, "--json")

    assert told.code == 0
    assert (told.data["having"], told.data["memories"]) == (1_501, 1_501)
    assert len(Embedder.asked) == len(set(Embedder.asked))  # each once
    assert "to 0 memories" in done(*words, "--dry-run")
    assert 1_501 in milepost("storage", "info", "--json").data["vectors"].values()


def test_joining_an_index_keeps_what_only_memory_held(path: Path) -> None:
    with open_memory(load_settings()) as opened:
        assert isinstance(opened, Milepost)
        name = opened.store("not on disk yet")
        assert not segments(path)
        done("storage", "compact")
        assert len(segments(path)) == 1
        assert opened.search("disk").memories[0].hash == name


def test_the_index_is_made_anew_and_catches_up_when_asked(filled: list[str], path: Path) -> None:
    shutil.rmtree(f"{path}.index")

    assert done("storage", "sync").startswith("1,501 memories in ")
    assert done("storage", "reindex").startswith("1,501 memories in ")
    assert milepost("storage", "check").code == 0


def test_health_looks_at_a_file_and_says_what_is_broken(filled: list[str], path: Path) -> None:
    whole = milepost("storage", "health", "--json")
    names = [check["name"] for check in whole.data["checks"]]
    assert names == ["store", "library", "schema", "file", "index", "jobs"]
    assert {check["status"] for check in whole.data["checks"]} == {"ok"}

    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"broken" * 4_000)

    assert milepost("storage", "health").code == 1


def test_a_store_is_brought_up_to_date_by_migrate(filled: list[str], path: Path) -> None:
    connection = apsw.Connection(str(path))
    known = connection.execute("PRAGMA user_version").get
    connection.execute(f"PRAGMA user_version = {known - 1}")
    connection.close()

    checked = milepost("migrate", "--check", "--json").data
    assert (checked["schema"], checked["known"]) == (known - 1, known)
    (script,) = checked["pending"]
    assert script["safe"]
    assert done("migrate", "--dry-run") == f"would apply {script['name']}"
    assert "nothing is to be done" in done("migrate")
