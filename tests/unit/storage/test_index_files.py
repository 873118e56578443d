"""The search index beside a database: shared by processes, derived, and forgetting what it must."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import milepost
from milepost.ranking.keys import term_key
from milepost.storage.index import index as search_index
from milepost.testing import connect_apart
from milepost.text.words import stem

CROWD = [f"the harbour has berth {i}" for i in range(600)]


def names(memory: milepost.Milepost, query: str = "harbour") -> list[str]:
    everything = memory.search_iter(query, min_score=0)
    return [found.hash for found in everything if query in found.preview]


def index_files(path: Path) -> list[Path]:
    return [file for file in Path(f"{path}.index").rglob("*") if file.is_file()]


def holds_word(path: Path, word: str) -> bool:
    key = term_key(stem(word)).to_bytes(4, "little")
    return any(key in file.read_bytes() for file in index_files(path))


def test_a_store_that_follows_another_sees_all_after_the_other_wrote_the_index(path: Path) -> None:
    with milepost.connect(path) as writer, connect_apart(path) as reader:
        writer.store("the first harbour")
        assert len(names(writer)) == len(names(reader)) == 1
        writer.store_batch(CROWD)

        assert len(set(names(writer))) == 601
        assert len(set(names(reader))) == 601
        assert reader.search_by_tag("none").total == 0


def test_stores_that_write_the_index_in_turn_agree(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 8)
    with milepost.connect(path) as one, connect_apart(path) as other:
        for i in range(12):
            one.store_batch([f"one harbour {i} {k}" for k in range(5)])
            other.store_batch([f"other harbour {i} {k}" for k in range(5)])
            expected = 10 * (i + 1)
            assert len(set(names(other))) == expected
            assert len(set(names(one))) == expected


def test_small_indexes_on_disk_are_merged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 8)
    with milepost.connect(path) as memory:
        for i in range(20):
            memory.store_batch([f"harbour {i} {k}" for k in range(8)])
            assert len(names(memory)) == 8 * (i + 1)
        segments = [file for file in index_files(path) if file.suffix == ".segment"]

    assert 1 <= len(segments) < 8


def test_what_was_deleted_before_the_index_is_written_never_reaches_its_files(path: Path) -> None:
    with milepost.connect(path) as memory:
        secret = memory.store("zyzzyva")
        memory.search("zyzzyva")
        memory.delete(secret, erase=True)
        memory.store_batch(CROWD)
        memory.search("harbour")

    assert index_files(path)
    assert not holds_word(path, "zyzzyva")


def test_what_another_process_deleted_never_reaches_the_files_of_the_index(path: Path) -> None:
    with milepost.connect(path) as one, connect_apart(path) as other:
        secret = one.store("zyzzyva")
        other.search("zyzzyva")
        one.delete(secret, erase=True)
        one.store_batch(CROWD)
        other.search("harbour")

    assert index_files(path)
    assert not holds_word(path, "zyzzyva")


def test_a_deleted_memory_leaves_no_word_in_the_files_of_the_index(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 50)
    with milepost.connect(path) as memory:
        memory.store_batch(CROWD[:60])
        secret = memory.store("zyzzyva quokka")
        memory.store_batch([f"the mountain has path {i}" for i in range(60)])
        memory.search("harbour")
        assert holds_word(path, "zyzzyva")
        memory.delete(secret, erase=True)

        assert not holds_word(path, "zyzzyva")
        assert not holds_word(path, "quokka")
        assert len(memory.search("harbour berth 17", min_score=0).memories) == 5
        assert len(set(names(memory))) == 60

    with milepost.connect(path) as memory:
        assert len(set(names(memory))) == 60
        assert len(set(names(memory, "mountain"))) == 60


def test_a_deleted_memory_leaves_no_text_in_any_file(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch(CROWD[:50])
        secret = memory.store("zyzzyva", tags=["quokka"], metadata={"key": "wombat"})
        memory.store_batch(CROWD[50:100])
        memory.delete(secret, erase=True)

    for file in [*path.parent.glob("m.db*"), *index_files(path)]:
        if file.is_file():
            content = file.read_bytes()
            for word in (b"zyzzyva", b"quokka", b"wombat"):
                assert word not in content, f"{word!r} is still in {file.name}"


def test_only_the_owner_may_read_what_lies_on_disk(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch(CROWD)
        memory.search("harbour")
        inside = [*path.parent.glob("m.db*")]

        assert len(inside) >= 2
        assert [file.name for file in inside if file.stat().st_mode & 0o077] == []


def test_no_temporary_files_are_left_behind(path: Path) -> None:
    with milepost.connect(path) as memory:
        for i in range(3):
            memory.store_batch([f"harbour {i} {k}" for k in range(600)])
            memory.search("harbour")

    assert [file.name for file in index_files(path) if file.suffix == ".tmp"] == []
    manifest = json.loads((Path(f"{path}.index") / "manifest.json").read_text())
    listed = set(manifest["files"])
    assert {file.name for file in index_files(path) if file.suffix == ".segment"} == listed
