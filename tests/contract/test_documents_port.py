"""Documents and their memories, in every store."""

from __future__ import annotations

from collections.abc import Sequence

from made_memories import NOW, T0, add, contents_of, drafts, listed, where

from milepost.documents.values import Piece, Place, StoredDocument
from milepost.memory.remember import content_hash
from milepost.ports import Store

SPACE = "default"
GUIDE = StoredDocument(
    0, "/docs/guide.md", "guide.md", "guide.md", "d1", "s1", "auto", "md", "Guide", T0
)


def pieces(contents: Sequence[str]) -> list[Piece]:
    return [Piece(0, content_hash(c), number, f":{number}") for number, c in enumerate(contents)]


def put(store: Store, contents: Sequence[str], document: StoredDocument = GUIDE) -> int:
    with store.writing() as work:
        work.memories.add(drafts(contents, session=document.session))
        return work.documents.put(SPACE, document, pieces(contents))


def places(store: Store, document: int) -> list[tuple[str, int, str]]:
    found = store.documents.pieces(SPACE, document)
    texts = contents_of(store, [piece.id for piece in found])
    return [(text, one.number, one.place) for text, one in zip(texts, found, strict=True)]


def test_a_document_is_found_by_its_path_folder_and_digest(store: Store) -> None:
    number = put(store, ["one", "two"])

    known = store.documents.at(SPACE, GUIDE.path)
    assert known == GUIDE._replace(id=number, pieces=2)
    assert store.documents.below(SPACE, "/docs") == [known]
    assert store.documents.below(SPACE, "/doc") == []
    assert store.documents.like(SPACE, "d1") == [known]
    assert store.documents.every(SPACE) == [known]
    assert store.documents.at("other", GUIDE.path) is None


def test_memories_are_the_pieces_of_a_document_in_its_order(store: Store) -> None:
    number = put(store, ["one", "two", "three"])

    assert places(store, number) == [("one", 0, ":0"), ("two", 1, ":1"), ("three", 2, ":2")]
    ids = [piece.id for piece in store.documents.pieces(SPACE, number)]
    assert store.documents.places(ids)[ids[1]] == Place("guide.md", ":1")
    assert store.documents.places([10**9]) == {}


def test_what_a_document_no_longer_says_is_kept_apart(store: Store) -> None:
    number = put(store, ["one", "two", "three"])
    put(store, ["one", "new", "three"], GUIDE._replace(id=number, digest="d2"))

    assert places(store, number) == [
        ("two", -1, ":1"), ("one", 0, ":0"), ("new", 1, ":1"), ("three", 2, ":2"),
    ]  # fmt: skip
    ids = [piece.id for piece in store.documents.pieces(SPACE, number)]
    positions = [record.position for record in store.memories.records(ids)]
    assert positions[1:] == [0, 1, 2]
    assert positions[0] < -1


def test_a_document_that_moved_keeps_its_pieces_which_say_where_it_is(store: Store) -> None:
    number = put(store, ["one"])
    known = store.documents.at(SPACE, GUIDE.path)
    assert known is not None
    version = store.version(SPACE, NOW)
    store.documents.put(SPACE, known._replace(path="/docs/manual.md", name="manual.md"), None)

    (piece,) = store.documents.pieces(SPACE, number)
    assert store.documents.places([piece.id])[piece.id].name == "manual.md"
    assert store.documents.at(SPACE, GUIDE.path) is None
    assert store.version(SPACE, NOW) != version, "an answer would name the old place"


def test_what_another_document_says_as_well_is_told(store: Store) -> None:
    first = put(store, ["one", "two"])
    other = put(store, ["two"], GUIDE._replace(path="/docs/copy.md", session="copy.md"))
    ids = [piece.id for piece in store.documents.pieces(SPACE, first)]

    assert store.documents.said_elsewhere(first, ids) == {ids[1]}
    store.documents.end(other, T0)
    assert store.documents.said_elsewhere(first, ids) == set()
    assert store.documents.shares_session(SPACE, "copy.md", GUIDE.path)
    assert not store.documents.shares_session(SPACE, "guide.md", GUIDE.path)


def test_pieces_go_with_their_memories_and_a_document_with_its_last(store: Store) -> None:
    number = put(store, ["one", "two"])
    one, two = (piece.id for piece in store.documents.pieces(SPACE, number))
    store.memories.remove([one])

    assert [piece.id for piece in store.documents.pieces(SPACE, number)] == [two]
    store.memories.remove([two])
    assert store.documents.at(SPACE, GUIDE.path) is None


def test_memories_that_end_hold_until_then(store: Store) -> None:
    one = add(store, "one")
    store.memories.end([one], T0 + 1_000)

    assert listed(store) == []
    assert store.memories.count(where(as_of_us=T0 + 500)) == 1


def test_an_end_is_taken_back_by_its_deed(store: Store) -> None:
    one = add(store, "one")
    with store.writing() as work:
        deed = work.deeds.begin(SPACE, "ingest", T0)
        work.memories.end([one], T0 + 1_000, deed)
    store.deeds.take_back(deed, NOW)

    assert listed(store) == ["one"]


def test_lists_can_leave_out_what_documents_say(store: Store) -> None:
    add(store, "a note")
    add(store, "a page", kind="document")
    add(store, "a draft", tags=("draft",))

    assert sorted(listed(store, without_kinds=("document",))) == ["a draft", "a note"]
    left_out = {"without_kinds": ("document",), "without": ("draft",)}
    assert listed(store, **left_out) == ["a note"]
    assert contents_of(store, store.candidates.newest(where(**left_out), 10)) == ["a note"]
