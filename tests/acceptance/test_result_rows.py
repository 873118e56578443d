"""The object that a program gets from a search."""

import copy
import json
import pickle
from datetime import datetime

import pytest

from milepost import Milepost, NotFound
from milepost.codec import tagged, to_data, untagged

FACT = "The harbour opens at six in the morning. " + "Nothing else was said of it. " * 20


@pytest.fixture
def filled(memory: Milepost) -> Milepost:
    memory.store(FACT, kind="decision", project="port", tags=["sea"], created="2026-03-01")
    memory.store("The harbour closes at ten", created="2026-03-02")
    memory.store("A harbour needs a harbour master", created="2026-03-03")
    return memory


def test_a_result_is_gone_through_like_a_list(filled: Milepost) -> None:
    found = filled.search("harbour")

    assert [row.hash for row in found] == [row.hash for row in found.memories]
    assert len(found) == len(found.memories) == 3
    assert found[0] is found.memories[0]
    assert found[-1] is found.memories[-1]
    assert found[:2] == found.memories[:2]
    assert found[0] in found
    assert list(reversed(found)) == list(found)[::-1]
    assert found
    assert not filled.search("quantum chromodynamics of the pion")


def test_the_fields_stay_by_name(filled: Milepost) -> None:
    found = filled.search("harbour")

    assert found["memories"] is found.memories
    assert found["total"] == found.total == 3
    assert found["query"] == found.query == "harbour"
    with pytest.raises(KeyError, match="there are memories, total, query"):
        found["rows"]


def test_a_row_says_what_else_there_is_to_know(filled: Milepost) -> None:
    row = next(
        row for row in filled.search("when does the harbour open?") if "opens" in row.preview
    )

    assert (row.kind, row.project, row.tags) == ("decision", "port", ("sea",))
    assert datetime.fromisoformat(row.when).timestamp() == row.created
    assert row.when.startswith("2026-03-01T00:00:00")
    assert row.preview.startswith("The harbour opens at six")
    assert row.content == FACT.strip() or row.content == FACT


def test_the_date_stands_in_the_text_and_not_in_the_data(filled: Milepost) -> None:
    row = next(row for row in filled.search("harbour") if "closes" in row.preview)

    assert str(row) == f"{row.hash} 2026-03-02 (older) The harbour closes at ten"
    assert to_data(row)["preview"] == "The harbour closes at ten"
    assert json.loads(json.dumps(to_data(row)))["when"].startswith("2026-03-02")


def test_rows_of_every_list_read_their_content(filled: Milepost) -> None:
    name = filled.search("harbour master", limit=1)[0].hash

    for rows in (
        filled.search_iter("harbour"),
        filled.search_by_tag("sea"),
        filled.recall("harbour"),
        filled.timeline(name),
        filled.similar(name),
    ):
        assert all(row.preview[:10] in row.content for row in rows)


def test_a_row_that_travelled_keeps_what_it_says(filled: Milepost) -> None:
    found = filled.search("when does the harbour open?", limit=1)

    pickled = [pickle.loads(pickle.dumps(found, protocol)) for protocol in range(6)]
    for travelled in (untagged(tagged(found)), *pickled):
        assert travelled == found
        assert str(travelled) == str(found)
        assert (travelled[0].kind, travelled[0].when) == (found[0].kind, found[0].when)
        with pytest.raises(NotFound, match="get\\("):
            _ = travelled[0].content


def test_a_copy_of_a_row_still_reads_its_content(filled: Milepost) -> None:
    found = filled.search("when does the harbour open?")

    for other in (copy.copy(found), copy.deepcopy(found), copy.deepcopy([found])[0]):
        assert other == found
        assert other[0].content == found[0].content


def test_a_result_tells_where_a_memory_is_as_a_list_does(filled: Milepost) -> None:
    found = filled.search("harbour")

    assert [found.index(row) for row in found] == [0, 1, 2]
    assert [found.count(row) for row in found] == [1, 1, 1]
    assert found.count(3) == 0


def test_a_row_tells_its_fields_by_name_as_json_does(filled: Milepost) -> None:
    row = filled.search("harbour")["memories"][0]

    assert (row["hash"], row["kind"], row["content"]) == (row.hash, row.kind, row.content)
    assert row[0] == row.hash
    with pytest.raises(KeyError, match="there are hash"):
        row["text"]


def test_a_result_and_its_rows_become_objects_of_json(filled: Milepost) -> None:
    found = filled.search("when does the harbour open?")

    read = json.loads(json.dumps(found.as_dict()))
    assert (read["total"], read["query"]) == (found.total, found.query)
    for row, was in zip(read["memories"], found, strict=True):
        assert row == json.loads(json.dumps(was.as_dict())) == json.loads(json.dumps(dict(was)))
        assert (row["kind"], row["project"], row["when"]) == (was.kind, was.project, was.when)
    assert json.loads(json.dumps([dict(row) for row in found])) == read["memories"]
    assert {**found[0]}["hash"] == found[0].hash
    whole = filled.get(found[0].hash)
    assert json.loads(json.dumps(whole.as_dict()))["content"] == whole.content


def test_a_row_shows_its_kind_and_project(filled: Milepost) -> None:
    row = next(row for row in filled.search("harbour") if "opens" in row.preview)

    assert repr(row).startswith(f"CompactMemory(hash={row.hash!r}, preview='The harbour opens")
    assert repr(row).endswith("kind='decision', project='port')")
