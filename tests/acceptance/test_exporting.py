"""A memory is written to a file, and another is made of it that gives the same file again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import milepost
from everything import fill, told
from milepost.surfaces.cli.commands import exports

pytestmark = pytest.mark.slow

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs the command line on a store."""

    def call(url: str, *words: str, ends: int = 0, **options: object) -> object:
        monkeypatch.setenv("MILEPOST_URL", url)
        done = subprocess.run(
            [sys.executable, "-m", "milepost", *words],
            capture_output=True,
            check=False,
            **options,  # type: ignore[call-overload]
        )
        assert done.returncode == ends, done.stderr.decode()
        return done

    return call  # type: ignore[return-value]


@pytest.fixture
def filled(tmp_path: Path) -> str:
    """Return a file with something of everything."""
    url = str(tmp_path / "source.db")
    with milepost.connect(url) as memory, milepost.connect(url, space="team") as other:
        other.store("Nobody else knows that the cellar is damp", metadata={"who": "Ines ☕"})
        fill(memory)
    return url


def _rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def test_what_is_exported_imported_and_exported_again_is_the_same(
    filled: str, run: Run, tmp_path: Path, postgres_store_url: str
) -> None:
    first, second, third = (tmp_path / f"{n}.jsonl" for n in range(3))
    there, back = postgres_store_url, str(tmp_path / "back.db")

    run(filled, "export", "--to", str(first), "--all-spaces")
    run(there, "import", str(first))
    run(there, "export", "--to", str(second), "--all-spaces")
    run(back, "import", str(second))
    run(back, "export", "--to", str(third), "--all-spaces")

    assert second.read_bytes() == first.read_bytes()
    assert third.read_bytes() == first.read_bytes()
    parts = {row["part"] for row in _rows(first) if "part" in row}
    assert parts >= {"memories", "entities", "merged entities", "names", "relations", "episodes",
                     "observations", "mentions", "steps", "events", "kept", "links"}  # fmt: skip


def test_what_was_imported_answers_as_before(filled: str, run: Run, tmp_path: Path) -> None:
    file, there = tmp_path / "all.jsonl", str(tmp_path / "there.db")

    run(filled, "export", "--to", str(file))
    run(there, "import", str(file))

    with milepost.connect(filled) as before, milepost.connect(there) as after:
        expected, found = told(before), told(after)
        # A plan rests on what can be taken back, which is not exported.
        assert str(after.consolidation_status()).count("weekly") == 1
        del expected["schedule"], found["schedule"]
        assert found == expected
        for memory in before.list_memories(limit=100, include_superseded=True):
            assert after.get(memory.hash) == before.get(memory.hash)


def test_the_same_export_twice_adds_nothing(
    filled: str, run: Run, tmp_path: Path, postgres_store_url: str
) -> None:
    file, again = tmp_path / "all.jsonl", tmp_path / "again.jsonl"
    run(filled, "export", "--to", str(file))
    for there in (str(tmp_path / "there.db"), postgres_store_url):
        run(there, "import", str(file))

        second = json.loads(run(there, "import", str(file), "--json").stdout)
        run(there, "export", "--to", str(again))

        assert [space["new"] for space in second] == [dict.fromkeys(second[0]["known"], 0)]
        assert again.read_bytes() == file.read_bytes()


def test_what_is_there_already_stays_as_it_is(filled: str, run: Run, tmp_path: Path) -> None:
    file, there = tmp_path / "all.jsonl", str(tmp_path / "there.db")
    run(filled, "export", "--to", str(file))
    with milepost.connect(there) as memory:
        memory.store("Money is rounded half-even", tags=["mine"], kind="decision")
        own = memory.store("The crew drinks tea at four")

    run(there, "import", str(file))

    with milepost.connect(there) as memory, milepost.connect(filled) as source:
        (found,) = memory.search("how is money rounded?", limit=1).memories
        assert (found.tags, found.kind) == (("mine",), "decision")
        assert memory.get(own).content == "The crew drinks tea at four"
        old = source.list_memories(limit=100, include_superseded=True)
        assert {m.hash for m in old} < {
            m.hash for m in memory.list_memories(limit=100, include_superseded=True)
        }
        assert memory.neighbours("Ines", depth=2) == source.neighbours("Ines", depth=2)


def test_what_was_deleted_is_in_no_export(filled: str, run: Run) -> None:
    with milepost.connect(filled) as memory:
        memory.delete(
            memory.store("Zanzibar is told by Quentin Xylander of the Vogelkop Institute")
        )

    text = run(filled, "export", "--to", "-", "--all-spaces").stdout.decode()

    for word in ("harbour", "Zanzibar", "Xylander", "Vogelkop"):
        assert word not in text


def test_a_file_that_is_cut_off_or_changed_is_refused(
    filled: str, run: Run, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    there = str(tmp_path / "there.db")
    run(filled, "export", "--to", str(whole))
    content = whole.read_bytes()

    for text, why in (
        (content[: len(content) // 2], "cut off after line"),
        (content.rpartition(b"\n{")[0] + b"\n", "cut off after line"),
        (content[:-1], "cut off after line"),
        (content.replace(b"half-up", b"half-us", 1), "changed after it was written"),
        (content.replace(b'"version":1', b'"version":2', 1), "reads 1"),
    ):
        broken.write_bytes(text)
        assert why in run(there, "import", str(broken), ends=1).stderr.decode()
    refused = run(there, "import", "-", ends=1, input=b'{"name": "x"}\n').stderr.decode()
    assert "no export of Milepost" in refused
    assert not Path(there).exists(), "nothing was made of it"


def test_an_export_that_is_interrupted_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "out" / "all.jsonl"
    file.parent.mkdir()
    file.write_text("what was there")
    with pytest.raises(KeyboardInterrupt):
        exports.write_whole(file, _failing())

    assert [(f.name, f.read_text()) for f in file.parent.iterdir()] == [
        ("all.jsonl", "what was there")
    ]


def _failing() -> Iterator[bytes]:
    yield b"some of it\n"
    raise KeyboardInterrupt


def test_an_import_that_was_killed_goes_on(filled: str, run: Run, tmp_path: Path) -> None:
    file, there = tmp_path / "all.jsonl", str(tmp_path / "there.db")
    with milepost.connect(filled) as memory:
        memory.store_batch([f"the {n}th note is of no use" for n in range(1_200)])
    run(filled, "export", "--to", str(file))
    whole = len(file.read_bytes().splitlines())
    milepost.connect(there).close()
    ends = [whole + 700, whole + 1_250, whole * 2 - 40]  # on the second reading, and the third

    for line in ends:
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, there, str(file), str(line)], check=False
        )
        assert done.returncode == -signal.SIGKILL
    run(there, "import", str(file))

    again = tmp_path / "again.jsonl"
    run(there, "export", "--to", str(again))
    assert again.read_bytes() == file.read_bytes()


_KILLED = """
import os, signal, sys
from milepost.config import Settings
from milepost.opening import open_context
from milepost.storage.moving.importing import contents, import_into
lines = lambda: open(sys.argv[2], "rb")
read = 0
def progress(done, total):
    global read
    read += 1
    if read == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
analyse = open_context(Settings(url="memory://")).texts.analyse
import_into(sys.argv[1], lines, contents(lines), analyse, progress=progress)
"""


def test_an_export_of_an_encrypted_store_is_sealed_when_that_is_asked_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "key"
    key.write_text("7f" * 32)
    key.chmod(0o600)
    monkeypatch.setenv("MILEPOST_ENCRYPTION_KEY_FILE", str(key))
    url, there = str(tmp_path / "a.db"), str(tmp_path / "b.db")
    run(url, "store", "The cellar is damp since Thursday")
    sealed, clear, again = (tmp_path / name for name in ("sealed", "clear", "again"))

    warned = run(url, "export", "--to", str(clear)).stderr.decode()
    assert "is in clear text; --encrypt seals it" in warned
    assert not run(url, "export", "--to", str(sealed), "--encrypt").stderr
    run(there, "import", str(sealed))
    run(there, "export", "--to", str(again))

    assert b"damp" not in sealed.read_bytes()
    assert again.read_bytes() == clear.read_bytes()
    sealed.write_bytes(sealed.read_bytes()[:-40])
    assert "damaged" in run(there, "import", str(sealed), ends=1).stderr.decode()
    monkeypatch.delenv("MILEPOST_ENCRYPTION_KEY_FILE")
    other = str(tmp_path / "c.db")
    assert "is encrypted" in run(other, "import", str(sealed), ends=1).stderr.decode()


def test_only_what_belongs_to_a_project_is_exported(run: Run, tmp_path: Path) -> None:
    url, there = str(tmp_path / "a.db"), str(tmp_path / "b.db")
    with milepost.connect(url) as memory:
        old = memory.store("The shop takes cards by Stripe", project="shop")
        memory.store("The shop takes cards by Adyen", project="shop", supersedes=old)
        memory.store("Hamlet Ostrander grinds coffee at the bakery", project="bakery")
        memory.record_event("deploy", "the shop went live", project="shop")
        memory.record_event("deploy", "the bakery went live", project="bakery")
        memory.create_episode("mend the till", {"project": "shop"})
        memory.create_episode("mend the oven", {"project": "bakery"})
    first, second = tmp_path / "first", tmp_path / "second"

    run(url, "export", "--to", str(first), "--project", "shop")
    run(there, "import", str(first))
    run(there, "export", "--to", str(second))

    text = first.read_text("utf-8")
    assert all(word in text for word in ("Stripe", "Adyen", "the shop went live", "till"))
    assert not any(word in text for word in ("bakery", "Ostrander", "oven"))
    assert second.read_bytes() == first.read_bytes()


def test_a_space_comes_into_another_by_name(filled: str, run: Run, tmp_path: Path) -> None:
    there = str(tmp_path / "there.db")
    team = run(filled, "export", "--to", "-", "--space", "team").stdout

    run(there, "import", "-", "--space", "crew", input=team)

    with milepost.connect(there, space="crew") as memory:
        assert memory.search("what about the cellar?").memories
    every = run(filled, "export", "--to", "-", "--all-spaces").stdout
    refused = run(there, "import", "-", "--space", "crew", input=every, ends=2).stderr.decode()
    assert "--space is for one space" in refused


def test_lines_that_no_store_wrote_are_refused(run: Run, tmp_path: Path) -> None:
    there, file = str(tmp_path / "there.db"), tmp_path / "made.jsonl"
    memory = {"part": "memories", "id": 1, "hash": "ab", "content": "x", "kind": "note"}
    for row, why in (
        ({"part": "keys"}, "no part 'keys'"),
        (memory | {"created": "today"}, "created of memories cannot be 'today'"),
        (memory | {"id": 2}, "not numbered in order"),
        (memory | {"finds": "\x1e1"}, "Nothing is found by"),
        ({"part": "links", "memory_id": 9, "other_id": 1, "kind": "x"}, "There is no number 9"),
    ):
        lines = [{"format": "milepost export", "version": 1}, {"space": "default"}, row]
        body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        end = {"end": {"default": {}}, "sha256": sha256(body).hexdigest()}
        file.write_bytes(body + json.dumps(end).encode() + b"\n")
        assert why in run(there, "import", str(file), ends=1).stderr.decode()
