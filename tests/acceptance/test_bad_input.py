"""Bad input raises one of Milepost's own errors with a sentence, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import milepost
from milepost import InvalidInput, Milepost, MilepostError, NotFound

LONE = "half \ud83d of a pair"
NUL = "a\0b"
KNOWN = "the harbour opens at six"
OTHER = "the mountain is closed"
Call = Callable[[Milepost, str], Any]


class Unwilling:
    """Neither text nor JSON."""


@pytest.fixture
def filled(path: Path) -> Iterator[Milepost]:
    with milepost.connect(path) as memory:
        memory.store_batch([{"content": KNOWN, "tags": ["sea"], "metadata": {"a": 1}}, OTHER])
        yield memory


def snapshot(memory: Milepost) -> list[Any]:
    found = memory.search_iter("the harbour", min_score=0, include_superseded=True)
    return sorted(memory.get(one.hash) for one in found)


def is_a_sentence(problem: BaseException) -> bool:
    text = str(problem)
    return bool(re.match(r"\S.*\s.*", text, re.DOTALL)) and text.rstrip()[-1] in ".)"


BAD: dict[str, Call] = {
    "store: empty": lambda m, h: m.store(""),
    "store: blank": lambda m, h: m.store(" \n\t "),
    "store: None": lambda m, h: m.store(None),
    "store: bytes": lambda m, h: m.store(b"bytes"),
    "store: a number": lambda m, h: m.store(5),
    "store: 10 MB": lambda m, h: m.store("x" * 10_000_000),
    "store: lone surrogate": lambda m, h: m.store(LONE),
    "store: NUL": lambda m, h: m.store(NUL),
    "store: tag is a number": lambda m, h: m.store("new", tags=["a", 5]),
    "store: tag is None": lambda m, h: m.store("new", tags=[None]),
    "store: tag is empty": lambda m, h: m.store("new", tags=["a", ""]),
    "store: tag is long": lambda m, h: m.store("new", tags=["x" * 10_000]),
    "store: tag is a lone surrogate": lambda m, h: m.store("new", tags=[LONE]),
    "store: tag has NUL": lambda m, h: m.store("new", tags=[NUL]),
    "store: tags is a number": lambda m, h: m.store("new", tags=5),
    "store: tags is a mapping": lambda m, h: m.store("new", tags={"a": 1}),
    "store: tags is bytes": lambda m, h: m.store("new", tags=b"a"),
    "store: too many tags": lambda m, h: m.store("new", tags=[str(i) for i in range(10_000)]),
    "store: known content with a bad tag": lambda m, h: m.store(KNOWN, tags=["new", 5]),
    "store: kind is empty": lambda m, h: m.store("new", kind=" "),
    "store: kind is a number": lambda m, h: m.store("new", kind=5),
    "store: memory_type is a number": lambda m, h: m.store("new", memory_type=5),
    "store: author is a lone surrogate": lambda m, h: m.store("new", author=LONE),
    "store: session has NUL": lambda m, h: m.store("new", session=NUL),
    "store: project is a list": lambda m, h: m.store("new", project=["p"]),
    "store: metadata is a list": lambda m, h: m.store("new", metadata=[1]),
    "store: metadata is an object": lambda m, h: m.store("new", metadata={"a": Unwilling()}),
    "store: metadata is NaN": lambda m, h: m.store("new", metadata={"a": float("nan")}),
    "store: metadata is a set": lambda m, h: m.store("new", metadata={"a": {1}}),
    "store: metadata is a lone surrogate": lambda m, h: m.store("new", metadata={"a": LONE}),
    "store: metadata has a tuple for a key": lambda m, h: m.store("new", metadata={(1, 2): 1}),
    "store: metadata contains itself": lambda m, h: m.store("new", metadata=endless()),
    "store: metadata is huge": lambda m, h: m.store("new", metadata={"a": "x" * 10_000_000}),
    "store: a date that is none": lambda m, h: m.store("new", created="2024-13-45"),
    "store: words that are no date": lambda m, h: m.store("new", created="when pigs fly"),
    "store: an empty date": lambda m, h: m.store("new", created=""),
    "store: a date that is a list": lambda m, h: m.store("new", created=[2024]),
    "store: a date that is True": lambda m, h: m.store("new", created=True),
    "store: a date that is NaN": lambda m, h: m.store("new", created=float("nan")),
    "store: a date that is infinite": lambda m, h: m.store("new", created=float("inf")),
    "store: a date in milliseconds": lambda m, h: m.store("new", created=1_700_000_000_000),
    "store: a huge number as date": lambda m, h: m.store("new", created=10**5_000),
    "store: bad valid_from": lambda m, h: m.store("new", valid_from="soonish"),
    "store: supersedes unknown": lambda m, h: m.store("new", supersedes="deadbeef"),
    "store: supersedes no hash": lambda m, h: m.store("new", supersedes="the old one"),
    "store: supersedes a number": lambda m, h: m.store("new", supersedes=12345678),
    "batch: one bad item": lambda m, h: m.store_batch(["new", "newer", ""]),
    "batch: one bad tag": lambda m, h: m.store_batch(["new", {"content": "x", "tags": [5]}]),
    "batch: one too large": lambda m, h: m.store_batch(["new", "x" * 10_000_000]),
    "batch: unknown field": lambda m, h: m.store_batch(["new", {"content": "x", "tag": "t"}]),
    "batch: no content": lambda m, h: m.store_batch(["new", {"tags": "t"}]),
    "batch: an item that is none": lambda m, h: m.store_batch(["new", None]),
    "batch: supersedes unknown": lambda m, h: m.store_batch(
        ["new", {"content": "x", "supersedes": "deadbeef"}]
    ),
    "batch: a string": lambda m, h: m.store_batch("new"),
    "batch: a mapping": lambda m, h: m.store_batch({"content": "new"}),
    "batch: None": lambda m, h: m.store_batch(None),
    "search: empty": lambda m, h: m.search(""),
    "search: blank": lambda m, h: m.search("  \n"),
    "search: None": lambda m, h: m.search(None),
    "search: bytes": lambda m, h: m.search(b"harbour"),
    "search: lone surrogate": lambda m, h: m.search(LONE),
    "search: NUL": lambda m, h: m.search(NUL),
    "search: a book": lambda m, h: m.search("harbour " * 1_000_000),
    "search: limit 0": lambda m, h: m.search("harbour", limit=0),
    "search: limit -1": lambda m, h: m.search("harbour", limit=-1),
    "search: limit True": lambda m, h: m.search("harbour", limit=True),
    "search: limit '5'": lambda m, h: m.search("harbour", limit="5"),
    "search: limit 2.5": lambda m, h: m.search("harbour", limit=2.5),
    "search: limit None": lambda m, h: m.search("harbour", limit=None),
    "search: limit huge": lambda m, h: m.search("harbour", limit=10**30),
    "search: match some": lambda m, h: m.search("harbour", match="some"),
    "search: match None": lambda m, h: m.search("harbour", match=None),
    "search: match a list": lambda m, h: m.search("harbour", match=["any"]),
    "search: tag is a number": lambda m, h: m.search("harbour", tags=[5]),
    "search: kind is a list": lambda m, h: m.search("harbour", kind=["fact"]),
    "search: bad after": lambda m, h: m.search("harbour", after="soonish"),
    "search: bad before": lambda m, h: m.search("harbour", before="2024-02-31"),
    "search: bad as_of": lambda m, h: m.search("harbour", as_of=Unwilling()),
    "search: min_score 2": lambda m, h: m.search("harbour", min_score=2),
    "search: min_score -0.1": lambda m, h: m.search("harbour", min_score=-0.1),
    "search: min_score NaN": lambda m, h: m.search("harbour", min_score=float("nan")),
    "search: min_score text": lambda m, h: m.search("harbour", min_score="0.5"),
    "search: min_score True": lambda m, h: m.search("harbour", min_score=True),
    "search: budget 0": lambda m, h: m.search("harbour", budget=0),
    "search: budget -5": lambda m, h: m.search("harbour", budget=-5),
    "search: budget text": lambda m, h: m.search("harbour", budget="100"),
    "search: project NUL": lambda m, h: m.search("harbour", project=NUL),
    "iter: empty": lambda m, h: m.search_iter(""),
    "iter: batch 0": lambda m, h: m.search_iter("harbour", batch_size=0),
    "iter: bad date": lambda m, h: m.search_iter("harbour", after="soonish"),
    "recall: empty": lambda m, h: m.recall(""),
    "recall: limit 0": lambda m, h: m.recall("harbour", limit=0),
    "recall: lone surrogate": lambda m, h: m.recall(LONE),
    "by tag: empty": lambda m, h: m.search_by_tag([]),
    "by tag: None": lambda m, h: m.search_by_tag(None),
    "by tag: a number": lambda m, h: m.search_by_tag(5),
    "by tag: match": lambda m, h: m.search_by_tag("sea", match="none"),
    "by tag: limit 0": lambda m, h: m.search_by_tag("sea", limit=0),
    "get: unknown": lambda m, h: m.get("deadbeef"),
    "get: empty": lambda m, h: m.get(""),
    "get: three digits": lambda m, h: m.get(h[:3]),
    "get: no hash": lambda m, h: m.get("the harbour"),
    "get: too long": lambda m, h: m.get("a" * 65),
    "get: None": lambda m, h: m.get(None),
    "get: a number": lambda m, h: m.get(12345678),
    "get: SQL": lambda m, h: m.get("' OR 1=1 --"),
    "similar: unknown": lambda m, h: m.similar("deadbeef"),
    "similar: limit 0": lambda m, h: m.similar(h, limit=0),
    "timeline: unknown": lambda m, h: m.timeline("deadbeef"),
    "timeline: before -1": lambda m, h: m.timeline(h, before=-1),
    "timeline: after text": lambda m, h: m.timeline(h, after="3"),
    "update: unknown": lambda m, h: m.update("deadbeef", tags=["t"]),
    "update: empty content": lambda m, h: m.update(h, content=""),
    "update: lone surrogate": lambda m, h: m.update(h, content=LONE),
    "update: 10 MB": lambda m, h: m.update(h, content="x" * 10_000_000, tags=["t"]),
    "update: good kind, bad tags": lambda m, h: m.update(h, kind="error", tags=[5]),
    "update: good tags, bad metadata": lambda m, h: m.update(h, tags="t", metadata=[1]),
    "update: good content, bad kind": lambda m, h: m.update(h, content="new", kind=""),
    "delete: unknown": lambda m, h: m.delete("deadbeef"),
    "delete: empty": lambda m, h: m.delete(""),
    "delete batch: one unknown": lambda m, h: m.delete_batch([h, "deadbeef"]),
    "delete batch: one bad": lambda m, h: m.delete_batch([h, 5]),
    "delete batch: a string": lambda m, h: m.delete_batch(h),
    "delete batch: None": lambda m, h: m.delete_batch(None),
    "delete by tag: empty": lambda m, h: m.delete_by_tag([]),
    "delete by tag: blank": lambda m, h: m.delete_by_tag(" "),
    "delete by tag: match": lambda m, h: m.delete_by_tag("sea", match="none"),
    "stale: folder is a number": lambda m, h: m.stale(folder=5),
    "confirm: folder is a list": lambda m, h: m.confirm(h, folder=[]),
    "brief: folder is bytes": lambda m, h: m.brief(folder=b"x"),
    "remind: folder is a number": lambda m, h: m.remind("what about it?", folder=5),
    "notice: folder is a number": lambda m, h: m.notice("s", [], folder=5),
    "notice: branch is a number": lambda m, h: m.notice("s", [], branch=5),
    "notice: branch is long": lambda m, h: m.notice("s", [], branch="x" * 5_000),
    "notice: branch has NUL": lambda m, h: m.notice("s", [], branch=NUL),
}


def endless() -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    metadata["itself"] = metadata
    return metadata


@pytest.mark.parametrize("call", BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused_with_a_sentence_and_changes_nothing(
    filled: Milepost, call: Call
) -> None:
    before = snapshot(filled)
    known = next(found.hash for found in before if found.content == KNOWN)

    with pytest.raises((InvalidInput, NotFound)) as caught:
        call(filled, known)

    assert is_a_sentence(caught.value)
    assert len(str(caught.value)) < 500
    assert isinstance(caught.value, ValueError if caught.type is InvalidInput else LookupError)
    assert snapshot(filled) == before
    assert filled.health().count == 2


def test_errors_have_stable_codes() -> None:
    codes = {
        getattr(milepost, name).code: name
        for name in milepost.__all__
        if isinstance(getattr(milepost, name), type)
        and issubclass(getattr(milepost, name), MilepostError)
    }

    assert codes == {
        "error": "MilepostError",
        "invalid_input": "InvalidInput",
        "not_found": "NotFound",
        "ambiguous": "Ambiguous",
        "config": "ConfigError",
        "embedder_unavailable": "EmbedderError",
        "forbidden": "Forbidden",
        "held": "Held",
        "overloaded": "Overloaded",
        "unreachable": "Unreachable",
        "unreadable": "Unreadable",
        "sandbox_unavailable": "SandboxUnavailable",
        "store": "StoreError",
        "store_unavailable": "StoreUnavailable",
        "store_busy": "StoreBusy",
        "space_moved": "SpaceMoved",
        "store_too_new": "StoreTooNew",
        "store_corrupt": "StoreCorrupt",
    }


# What cannot be opened.


def shown(value: object) -> str:
    return ascii(value)[:30]


@pytest.mark.parametrize(
    "url",
    [
        "mysql://host/database",
        "sqlite://",
        "sqlite:///",
        "ftp://example.org",
        "://",
        "",
        "~nobody-of-that-name/m.db",
        "/proc/nowhere/m.db",
        "with\0nul.db",
        "lone-\ud83d.db",
        "x" * 5_000,
        5,
        None,
        b"bytes.db",
    ],
    ids=shown,
)
def test_a_store_that_cannot_be_named_so_is_refused(
    url: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(MilepostError) as caught:
        milepost.connect(url)

    assert is_a_sentence(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("space", [5, ["a"], LONE, NUL, " ", "x" * 5_000], ids=shown)
def test_a_space_must_be_a_name(space: Any, path: Path) -> None:
    with pytest.raises(MilepostError) as caught:
        milepost.connect(path, space=space).store("a fact")

    assert is_a_sentence(caught.value)


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(milepost.StoreError) as caught:
        milepost.connect(tmp_path)

    assert str(tmp_path) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["hello\n", "hello, this is only a text file\n" * 1_000])
def test_a_text_file_is_not_a_store_and_is_left_alone(path: Path, text: str) -> None:
    path.write_text(text)

    with pytest.raises(milepost.StoreCorrupt) as caught:
        milepost.connect(path)

    assert is_a_sentence(caught.value)
    assert str(path) in str(caught.value)
    assert path.read_text() == text
    assert list(path.parent.iterdir()) == [path]


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(milepost.StoreCorrupt) as caught:
        milepost.connect(path)

    assert is_a_sentence(caught.value)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_store_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store("a fact")
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(milepost.StoreTooNew, match="9999") as caught:
        milepost.connect(path)

    assert is_a_sentence(caught.value)
    assert path.read_bytes() == before


def test_a_closed_memory_says_so(path: Path) -> None:
    memory = milepost.connect(path)
    name = memory.store("a fact")
    memory.close()

    for call in (
        lambda: memory.store("another"),
        lambda: memory.search("fact"),
        lambda: memory.get(name),
        lambda: memory.delete(name),
    ):
        with pytest.raises(milepost.StoreUnavailable) as caught:
            call()
        assert is_a_sentence(caught.value)
    with milepost.connect(path) as again:
        assert again.health().count == 1


def test_a_damaged_database_is_told_apart(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour {i}" for i in range(300)])
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content) - 4096, 4096):
        content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content)

    with pytest.raises(milepost.StoreCorrupt) as caught, milepost.connect(path) as memory:
        memory.search("harbour")

    assert str(path) in str(caught.value)


def test_metadata_that_nobody_could_read_again_is_refused(memory: milepost.Milepost) -> None:
    nested: dict[str, object] = {}
    for _ in range(900):
        nested = {"in": nested}

    with pytest.raises(InvalidInput, match="nested"):
        memory.store("deep", metadata=nested)
    assert memory.health().count == 0
