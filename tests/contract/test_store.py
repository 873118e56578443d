"""What every store must do, whatever it keeps memories in; a new backend is one more line here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost.config import Settings
from milepost.errors import NotFound
from milepost.memory.remember import content_hash
from milepost.memory.texts import Texts
from milepost.memory.values import FOREVER, Changes, Draft, Filter, Indexed
from milepost.opening import open_context
from milepost.ports import Store
from milepost.ranking.candidates import Pool, Probe
from milepost.storage.memory import MemoryStore
from milepost.storage.sqlite.store import SqliteStore

T0 = 1_700_000_000_000_000
SECOND = 1_000_000
NOW = T0 + 1_000_000 * SECOND
MODEL = "another model"

BACKENDS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "m.db", lambda it: texts().analyse([it])[0]),
    "memory": lambda folder: MemoryStore(),
}


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = BACKENDS[request.param](tmp_path)
    yield opened
    opened.close()


@cache
def texts() -> Texts:
    return open_context(Settings("memory://")).texts


def drafts(contents: Sequence[str], **fields: Any) -> list[Draft]:
    created = fields.pop("created", T0)
    values: dict[str, Any] = {
        "space": "default",
        "kind": "note",
        "tags": (),
        "metadata": {},
        "session": None,
        "author": None,
        "projects": (),
        "recorded": created,
        "created": created,
        "valid_from": created,
        "supersedes": None,
    }
    values |= fields
    made = texts().analyse([Indexed(0, c, values["author"], created) for c in contents])
    return [
        Draft(hash=content_hash(content), content=content, analysis=analysis, **values)
        for content, analysis in zip(contents, made, strict=True)
    ]


def add(store: Store, content: str, **fields: Any) -> int:
    store.add(drafts([content], **fields))
    return id_of(store, content, fields.get("space", "default"))


def id_of(store: Store, content: str, space: str = "default") -> int:
    record = store.record(space, content_hash(content))
    assert record is not None
    return record.id


def where(space: str = "default", **conditions: Any) -> Filter:
    return Filter(space, NOW, **conditions)


def listed(store: Store, **conditions: Any) -> list[str]:
    return contents_of(store, store.page(where(**conditions), 100_000).ids)


def contents_of(store: Store, ids: Sequence[int]) -> list[str]:
    return [record.content for record in store.records(ids)]


def by_words(question: str) -> Probe:
    return texts().probe(question)._replace(vectors={})


def candidates(pool: Pool) -> list[int]:
    found: list[int] = pool.ids.tolist()
    return found


def found(store: Store, question: str, limit: int = 400, **conditions: Any) -> set[str]:
    pool = store.pool(texts().probe(question), where(**conditions), limit)
    return set(contents_of(store, candidates(pool)))


# What is added comes back.


def test_a_stored_memory_comes_back_as_it_was_given(store: Store) -> None:
    store.add(
        drafts(
            ["the harbour opens at six"],
            kind="fact",
            tags=("sea", "time"),
            metadata={"n": [1, None, "é"]},
            session="s",
            author="Ann",
            projects=("port",),
            recorded=T0 + 5,
            created=T0 + 3,
            valid_from=T0 + 4,
        )
    )

    record = store.record("default", content_hash("the harbour opens at six"))

    assert record is not None
    assert record == store.records([record.id])[0]
    assert record._replace(id=0) == record._make(
        (
            0,
            "default",
            content_hash("the harbour opens at six"),
            "the harbour opens at six",
            "fact",
            ("sea", "time"),
            {"n": [1, None, "é"]},
            "s",
            0,
            "Ann",
            ("port",),
            T0 + 5,
            T0 + 3,
            T0 + 4,
            FOREVER,
            None,
        )
    )


def test_an_unknown_memory_is_none(store: Store) -> None:
    assert store.record("default", content_hash("never stored")) is None


def test_storing_nothing_changes_nothing(store: Store) -> None:
    store.add([])

    assert store.count("default", NOW) == 0


def test_known_content_gains_tags_and_projects_and_keeps_the_rest(store: Store) -> None:
    first = add(store, "a fact", tags=("b",), projects=("p",), author="Ann", kind="fact")
    second = add(store, "a fact", tags=("a", "b"), projects=("q",), author="Bob", created=T0 + 9)

    (record,) = store.records([first])
    assert second == first
    assert record.tags == ("a", "b")
    assert record.projects == ("p", "q")
    assert (record.author, record.kind, record.created) == ("Ann", "fact", T0)
    assert listed(store, tags=("a",)) == listed(store, project="q") == ["a fact"]
    assert store.count("default", NOW) == 1


def test_content_twice_in_one_batch_is_one_memory_with_both_tags(store: Store) -> None:
    store.add([*drafts(["a fact"], tags=("x",)), *drafts(["a fact"], tags=("y",))])

    assert store.page(where(), 10).total == 1
    assert store.records([id_of(store, "a fact")])[0].tags == ("x", "y")


def test_places_in_a_session_rise_in_the_order_of_storing(store: Store) -> None:
    for content in ("one", "two", "three"):
        add(store, content, session="s")
    add(store, "elsewhere", session="other")

    positions = [store.records([id_of(store, c)])[0].position for c in ("one", "two", "three")]
    assert positions == [0, 1, 2]
    assert store.records([id_of(store, "elsewhere")])[0].position == 0


def test_a_memory_stored_after_the_last_of_a_session_was_deleted_comes_last(store: Store) -> None:
    first, second = add(store, "one", session="s"), add(store, "two", session="s")
    store.remove([second])
    third = add(store, "three", session="s")

    before, after = store.records([first, third])
    assert after.position > before.position


# Superseding.


def test_a_superseded_memory_is_hidden_and_names_its_successor(store: Store) -> None:
    old = add(store, "we use MySQL", created=T0)
    add(store, "we use PostgreSQL", created=T0 + 9, supersedes=content_hash("we use MySQL"))

    (record,) = store.records([old])
    assert record.valid_to == T0 + 9
    assert record.superseded_by == content_hash("we use PostgreSQL")
    assert listed(store) == ["we use PostgreSQL"]
    assert found(store, "we use MySQL") == {"we use PostgreSQL"}
    assert store.count("default", NOW) == 1


def test_storing_superseded_content_again_lets_it_hold_again(store: Store) -> None:
    old = add(store, "we use MySQL")
    add(store, "we use PostgreSQL", created=T0 + 9, supersedes=content_hash("we use MySQL"))
    add(store, "we use MySQL", created=T0 + 20)

    (record,) = store.records([old])
    assert (record.valid_to, record.superseded_by) == (FOREVER, None)
    assert set(listed(store)) == {"we use MySQL", "we use PostgreSQL"}


def test_two_memories_can_change_places(store: Store) -> None:
    add(store, "on")
    add(store, "off", created=T0 + 5, supersedes=content_hash("on"))
    add(store, "on", created=T0 + 9, valid_from=T0 + 9, supersedes=content_hash("off"))

    assert listed(store) == ["on"]


def test_a_memory_does_not_supersede_itself(store: Store) -> None:
    add(store, "a fact")
    add(store, "a fact", supersedes=content_hash("a fact"))

    assert listed(store) == ["a fact"]


def test_superseding_an_unknown_memory_is_refused_and_stores_nothing(store: Store) -> None:
    with pytest.raises(NotFound):
        store.add(
            [*drafts(["first"]), *drafts(["second"], supersedes=content_hash("never stored"))]
        )

    assert store.page(where(), 10).total == 0
    assert store.count("default", NOW) == 0


def test_deleting_a_successor_lets_the_older_memory_hold_again(store: Store) -> None:
    old = add(store, "we use MySQL")
    new = add(store, "we use PostgreSQL", created=T0 + 9, supersedes=content_hash("we use MySQL"))
    store.remove([new])

    (record,) = store.records([old])
    assert (record.valid_to, record.superseded_by) == (FOREVER, None)
    assert listed(store) == ["we use MySQL"]


def test_deleting_a_middle_version_does_not_bring_back_the_first(store: Store) -> None:
    add(store, "version one")
    add(store, "version two", created=T0 + 5, supersedes=content_hash("version one"))
    add(store, "version three", created=T0 + 9, supersedes=content_hash("version two"))
    store.remove([id_of(store, "version two")])

    assert listed(store) == ["version three"]


# Changing in place.


def test_a_change_in_place_is_seen_by_filters_at_once(store: Store) -> None:
    memory_id = add(store, "a fact", tags=("old",), metadata={"a": 1})
    assert listed(store, tags=("old",)) == ["a fact"]

    store.change(memory_id, Changes(tags=("new", "fresh"), kind="decision", metadata={"b": 2}))

    (record,) = store.records([memory_id])
    assert (record.tags, record.kind, record.metadata) == (("fresh", "new"), "decision", {"b": 2})
    assert listed(store, tags=("old",)) == listed(store, kind="note") == []
    assert listed(store, tags=("new",)) == listed(store, kind="decision") == ["a fact"]


def test_what_a_change_does_not_name_stays(store: Store) -> None:
    memory_id = add(store, "a fact", tags=("t",), kind="fact", metadata={"a": 1})

    store.change(memory_id, Changes(metadata={"a": 2}))
    store.change(memory_id, Changes(kind="error"))

    (record,) = store.records([memory_id])
    assert (record.tags, record.kind, record.metadata) == (("t",), "error", {"a": 2})


def test_tags_and_metadata_can_be_emptied(store: Store) -> None:
    memory_id = add(store, "a fact", tags=("t",), metadata={"a": 1})

    store.change(memory_id, Changes(tags=(), metadata={}))

    (record,) = store.records([memory_id])
    assert (record.tags, record.metadata) == ((), {})


def test_a_memory_deleted_meanwhile_is_not_changed_back_to_life(store: Store) -> None:
    memory_id = add(store, "a fact")
    store.remove([memory_id])

    with suppress(NotFound):
        store.change(memory_id, Changes(tags=("t",), kind="error", metadata={"a": 1}))

    assert store.records([memory_id]) == []
    assert listed(store) == listed(store, tags=("t",)) == []


def test_what_a_caller_does_to_a_record_does_not_reach_the_store(store: Store) -> None:
    given: dict[str, Any] = {"a": [1]}
    memory_id = add(store, "a fact", metadata=given)
    given["a"].append(2)
    store.records([memory_id])[0].metadata["a"].append(3)

    assert store.records([memory_id])[0].metadata == {"a": [1]}


# Removing.


def test_a_removed_memory_is_gone_everywhere(store: Store) -> None:
    contents = [f"the harbour has berth {i}" for i in range(20)]
    store.add(drafts(contents, tags=("sea",), session="s"))
    store.put_vectors(MODEL, {id_of(store, contents[3]): np.ones(8, np.float32)})
    gone = id_of(store, contents[3])
    assert contents[3] in found(store, "berth 3")

    assert store.remove([gone]) == 1

    assert store.records([gone]) == []
    assert store.record("default", content_hash(contents[3])) is None
    assert store.hashes("default", content_hash(contents[3]), 5) == []
    assert store.vectors(gone) == {}
    assert contents[3] not in listed(store)
    assert contents[3] not in listed(store, tags=("sea",))
    assert contents[3] not in found(store, "berth 3")
    assert gone not in store.pool(texts().probe("berth 3"), where(), 400).ids
    assert store.count("default", NOW) == 19
    assert gone not in [memory.id for memory in store.lacking(MODEL, 0, 100)]


def test_removing_what_is_not_there_removes_nothing(store: Store) -> None:
    memory_id = add(store, "a fact")

    assert store.remove([]) == 0
    assert store.remove([memory_id + 1]) == 0
    assert store.remove([memory_id, memory_id]) == 1
    assert store.remove([memory_id]) == 0


def test_removed_content_can_be_stored_anew(store: Store) -> None:
    first = add(store, "a fact", tags=("old",))
    store.remove([first])
    second = add(store, "a fact", tags=("new",))

    assert second != first
    assert listed(store, tags=("new",)) == found(store, "a fact").pop().splitlines() == ["a fact"]
    assert listed(store, tags=("old",)) == []


def test_everything_can_be_removed_and_the_store_used_again(store: Store) -> None:
    store.add(drafts([f"old {i}" for i in range(700)]))
    assert len(listed(store)) == 700
    store.remove(store.page(where(), 1_000).ids)
    assert listed(store) == []

    store.add(drafts([f"new {i}" for i in range(700)]))

    assert len(listed(store)) == 700
    assert all(content.startswith("new") for content in listed(store))


# Hashes.


def test_hashes_with_a_prefix_are_listed_in_order_up_to_a_limit(store: Store) -> None:
    contents = [f"memory {i}" for i in range(200)]
    store.add(drafts(contents))
    known = sorted(map(content_hash, contents))
    prefix = known[100][:1]
    fitting = [text for text in known if text.startswith(prefix)]

    assert store.hashes("default", prefix, 1_000) == fitting
    assert store.hashes("default", prefix, 3) == fitting[:3]
    assert store.hashes("default", known[5], 3) == [known[5]]
    assert store.hashes("default", "", 1_000) == known
    assert store.hashes("other", prefix, 3) == []


def test_the_shortest_name_is_told_apart_from_all_others(store: Store) -> None:
    contents = [f"memory {i}" for i in range(200)]
    store.add(drafts(contents))
    add(store, "memory 0", space="other")

    for full in map(content_hash, contents):
        (short,) = store.shortest("default", [full], 1)
        assert store.hashes("default", short, 2) == [full]
        if len(short) > 1:
            assert len(store.hashes("default", short[:-1], 2)) == 2
    zero = content_hash("memory 0")
    assert store.shortest("default", [zero], 8) == [zero[:8]]
    assert store.shortest("other", [zero], 1) == [zero[0]]


# Listing.


def test_records_come_in_the_order_asked_for_without_the_deleted(store: Store) -> None:
    one, two, three = (add(store, content) for content in ("one", "two", "three"))
    store.remove([two])

    assert contents_of(store, [three, two, one, 10**9]) == ["three", "one"]
    assert store.records([]) == []


def test_a_page_shows_the_newest_first_and_ties_by_id(store: Store) -> None:
    for content, age in (("a", 5), ("b", 9), ("c", 5), ("d", 1), ("e", 5)):
        add(store, content, created=T0 - age)

    assert listed(store) == ["d", "e", "c", "a", "b"]


def test_pages_by_offset_cover_everything_once(store: Store) -> None:
    store.add(drafts([f"memory {i}" for i in range(25)]))
    pages = [store.page(where(), 10, offset) for offset in range(0, 40, 10)]

    assert [len(page.ids) for page in pages] == [10, 10, 5, 0]
    assert {page.total for page in pages} == {25}
    assert [memory_id for page in pages for memory_id in page.ids] == store.page(where(), 100).ids


def test_a_page_filters_by_any_or_all_tags(store: Store) -> None:
    add(store, "only a", tags=("a",), created=T0 + 3)
    add(store, "only b", tags=("b",), created=T0 + 2)
    add(store, "both", tags=("a", "b"), created=T0 + 1)
    add(store, "none")

    assert listed(store, tags=("a",)) == ["only a", "both"]
    assert listed(store, tags=("a", "b")) == ["only a", "only b", "both"]
    assert listed(store, tags=("a", "b"), match_all=True) == ["both"]
    assert listed(store, tags=("a", "unknown"), match_all=True) == []
    assert listed(store, tags=("unknown",)) == []


def test_a_page_filters_by_kind_and_project(store: Store) -> None:
    add(store, "first", kind="decision", projects=("p",))
    add(store, "second", kind="note", projects=("p",))
    add(store, "third", kind="decision", projects=("q",))
    add(store, "fourth", kind="decision", tags=("p",))

    assert listed(store, kind="decision", project="p") == ["first"]
    assert set(listed(store, project="p")) == {"first", "second"}
    assert listed(store, project="unknown") == listed(store, kind="p") == []


def test_times_are_half_open_from_after_up_to_before(store: Store) -> None:
    for i in range(5):
        add(store, f"at {i}", created=T0 + i)

    assert listed(store, after=T0 + 3) == ["at 4", "at 3"]
    assert listed(store, before=T0 + 1) == ["at 0"]
    assert listed(store, after=T0 + 1, before=T0 + 3) == ["at 2", "at 1"]
    assert listed(store, after=T0 + 2, before=T0 + 2) == []


def test_spaces_see_only_their_own(store: Store) -> None:
    add(store, "shared words", tags=("t",), session="s")
    add(store, "shared words", space="other", tags=("u",), session="s")
    add(store, "more words", space="other", tags=("t",), session="s")

    assert listed(store) == ["shared words"]
    assert set(listed(store, space="other")) == {"shared words", "more words"}
    assert found(store, "words") == {"shared words"}
    assert store.count("other", NOW) == 2
    assert store.records([id_of(store, "shared words")])[0].tags == ("t",)
    store.remove([id_of(store, "shared words")])
    assert set(listed(store, space="other")) == {"shared words", "more words"}
    assert listed(store, space="unknown") == []


def test_superseding_stays_within_a_space(store: Store) -> None:
    add(store, "old", space="other")
    with pytest.raises(NotFound):
        add(store, "new", supersedes=content_hash("old"))

    assert listed(store, space="other") == ["old"]


def test_the_past_is_seen_as_it_was(store: Store) -> None:
    add(store, "version 1", created=T0)
    add(store, "version 2", created=T0 + 10, supersedes=content_hash("version 1"))
    add(store, "version 3", created=T0 + 20, supersedes=content_hash("version 2"))

    assert listed(store) == ["version 3"]
    assert listed(store, include_superseded=True) == ["version 3", "version 2", "version 1"]
    assert listed(store, as_of=T0 - 1) == []
    assert listed(store, as_of=T0) == ["version 1"]
    assert listed(store, as_of=T0 + 9) == ["version 1"]
    assert listed(store, as_of=T0 + 10) == ["version 2"]
    assert listed(store, as_of=T0 + 25) == ["version 3"]
    assert found(store, "version", as_of=T0 + 15) == {"version 2"}


def test_a_count_is_of_the_memories_that_hold(store: Store) -> None:
    add(store, "version 1")
    add(store, "version 2", created=T0 + 10, supersedes=content_hash("version 1"))

    assert store.count("default", NOW) == 1
    assert store.count("other", NOW) == 0


# Around a memory.


def test_neighbours_in_time_are_in_order_with_the_memory_between(store: Store) -> None:
    for i in (4, 0, 2, 6, 1, 5, 3):
        add(store, f"at {i}", created=T0 + i)
    (middle,) = store.records([id_of(store, "at 3")])

    def around(before: int, after: int) -> list[str]:
        return contents_of(store, store.around(middle, where(), before, after))

    assert around(2, 1) == ["at 1", "at 2", "at 3", "at 4"]
    assert around(0, 0) == ["at 3"]
    assert around(100, 100) == [f"at {i}" for i in range(7)]


def test_neighbours_at_the_same_moment_are_ordered_by_id(store: Store) -> None:
    ids = [add(store, f"tie {i}") for i in range(7)]
    (middle,) = store.records([ids[3]])

    assert store.around(middle, where(), 2, 2) == ids[1:6]


def test_neighbours_pass_the_filter_but_the_memory_itself_need_not(store: Store) -> None:
    add(store, "before", created=T0 - 1, projects=("p",))
    add(store, "hidden", created=T0 - 1)
    add(store, "after", created=T0 + 1, projects=("p",))
    (middle,) = store.records([add(store, "middle")])

    ids = store.around(middle, where(project="p"), 5, 5)

    assert contents_of(store, ids) == ["before", "middle", "after"]


# The pool of a search.


def test_ten_that_pass_the_filter_are_all_in_the_pool_whatever_the_rest(store: Store) -> None:
    crowd = [f"harbour harbour harbour number {i}" for i in range(990)]
    few = [f"report {i} mentions a harbour once among many other things" for i in range(10)]
    store.add(drafts(crowd))
    store.add(drafts(few, tags=("wanted",), kind="report", projects=("p",), created=T0 - 5))

    for conditions in ({"tags": ("wanted",)}, {"kind": "report"}, {"project": "p"}, {"before": T0}):
        for limit in (10, 12, 400):
            pool = store.pool(texts().probe("harbour"), where(**conditions), limit)
            assert set(contents_of(store, candidates(pool))) == set(few)
            assert pool.matched == 10


def test_filtered_memories_without_a_common_word_are_in_a_pool_that_has_room(store: Store) -> None:
    store.add(drafts([f"crowd number {i}" for i in range(990)]))
    few = [f"quiet thing {i}" for i in range(10)]
    store.add(drafts(few, tags=("wanted",)))

    assert found(store, "xylophone", limit=10, tags=("wanted",)) == set(few)


def test_a_pool_counts_the_matches_by_words(store: Store) -> None:
    store.add(drafts([f"harbour {i}" for i in range(700)]))
    store.add(drafts([f"mountain {i}" for i in range(300)]))

    assert store.pool(texts().probe("harbour"), where(), 50).matched == 700
    assert store.pool(by_words("harbour mountain"), where(), 50).matched == 1_000
    assert store.pool(by_words("xylophone"), where(), 50).size == 0


def test_a_pool_prefers_the_matches_by_words(store: Store) -> None:
    store.add(drafts([f"mountain path {i}" for i in range(600)]))
    wanted = [f"harbour {i}" for i in range(8)]
    store.add(drafts(wanted))

    assert set(wanted) <= found(store, "harbour", limit=40)


def test_a_pool_keeps_to_its_limit_and_holds_no_memory_twice(store: Store) -> None:
    store.add(drafts([f"harbour {i}" for i in range(600)]))
    pool = store.pool(texts().probe("harbour"), where(), 40)

    assert 0 < pool.size <= 40
    assert len(set(candidates(pool))) == pool.size


@pytest.mark.parametrize("limit", [7, 100, 400])
def test_paging_a_pool_meets_every_match_by_words_exactly_once(store: Store, limit: int) -> None:
    # All score the same, so only a stable order keeps the pages apart.
    store.add(drafts([f"harbour {'abcdefghij'[i % 10]}{i:03d}" for i in range(900)]))
    store.add(drafts([f"mountain {i}" for i in range(50)]))

    met = [memory_id for page in pages(store, by_words("harbour"), limit) for memory_id in page]

    assert len(met) == len(set(met)) == 900
    assert all(content.startswith("harbour") for content in contents_of(store, met))


def test_what_is_found_by_meaning_is_on_the_first_page_only(store: Store) -> None:
    store.add(drafts([f"harbour {'abcdefghij'[i % 10]}{i:03d}" for i in range(900)]))
    store.add(drafts([f"mountain {i}" for i in range(50)]))

    first, *others = pages(store, texts().probe("harbour"), 100)

    later = [memory_id for page in others for memory_id in page]
    assert len(later) == len(set(later))
    assert all(content.startswith("harbour") for content in contents_of(store, later))
    assert len({c for c in contents_of(store, [*first, *later]) if c.startswith("harbour")}) == 900


def pages(store: Store, probe: Probe, limit: int) -> Iterator[list[int]]:
    offset = 0
    while True:
        pool = store.pool(probe, where(), limit, offset)
        yield candidates(pool)
        assert pool.matched == 900
        assert pool.next_offset > offset
        offset = pool.next_offset
        if offset >= pool.matched:
            return


def test_a_pool_knows_which_candidates_are_neighbours_in_a_session(store: Store) -> None:
    store.add(drafts([f"turn number {i}" for i in range(5)], session="talk"))
    store.add(drafts(["the harbour"], session="talk"))
    store.add(drafts([f"reply number {i}" for i in range(5)], session="talk"))
    store.add(drafts(["the harbour again"]))
    store.add(drafts(["stranger"], session="talk", space="other"))

    pool = store.pool(texts().probe("harbour"), where(), 400)

    assert neighbours(store, pool, "the harbour") == [
        "turn number 4",
        "reply number 0",
        "turn number 3",
        "reply number 1",
    ]
    assert neighbours(store, pool, "reply number 4") == [
        "reply number 3",
        None,
        "reply number 2",
        None,
    ]
    assert neighbours(store, pool, "the harbour again") == [None] * 4


def neighbours(store: Store, pool: Pool, content: str) -> list[str | None]:
    rows = contents_of(store, candidates(pool))
    return [rows[row] if row >= 0 else None for row in pool.neighbours[rows.index(content)]]


def test_a_pool_has_the_neighbours_of_the_best_but_only_those_that_pass(store: Store) -> None:
    store.add(drafts([f"mountain path {i}" for i in range(600)], tags=("t",)))
    store.add(drafts(["six", "the harbour", "seven"], session="talk", tags=("t",)))
    add(store, "eight", session="talk")

    everyone = store.pool(by_words("harbour"), where(), 20)
    filtered = store.pool(by_words("harbour"), where(tags=("t",)), 20)

    assert set(contents_of(store, candidates(everyone))) >= {"six", "seven", "eight"}
    assert set(contents_of(store, candidates(filtered))) >= {"six", "seven"}
    assert "eight" not in contents_of(store, candidates(filtered))
    assert neighbours(store, filtered, "the harbour")[:2] == ["six", "seven"]


def test_a_pool_tells_what_ranking_needs_of_each_candidate(store: Store) -> None:
    store.add(drafts(["the harbour opens"], author="Ann", created=T0 + 1, session="s"))
    store.add(drafts(["a harbour"], created=T0 + 2))
    (draft,) = drafts(["the harbour opens"], author="Ann", created=T0 + 1)
    question = texts().probe("harbour")
    terms = np.frombuffer(draft.analysis.terms, np.uint32)
    (word,) = question.words

    pool = store.pool(question, where(), 10)

    row = candidates(pool).index(id_of(store, "the harbour opens"))
    exact = (pool.hits.row == row) & (question.terms[pool.hits.term] == word.term)
    assert pool.hits.place[exact].tolist() == np.flatnonzero(terms == word.term).tolist()
    assert pool.lengths[row] == len(terms)
    assert pool.traits[row] == draft.analysis.traits
    assert pool.session[row] != 0
    assert pool.author[row] != 0
    assert pool.session[1 - row] == pool.author[1 - row] == 0
    for model, vector in draft.analysis.vectors.items():
        assert np.allclose(pool.vectors[model][row], vector, atol=0.01)
    assert pool.corpus.documents == 2
    assert pool.corpus.frequencies[word.term] == 2


# Vectors.


def test_vectors_come_back_by_model(store: Store) -> None:
    (draft,) = drafts(["a fact"])
    memory_id = add(store, "a fact")
    given = np.linspace(-1, 1, 24, dtype=np.float32)
    store.put_vectors(MODEL, {memory_id: given, 10**9: given})

    kept = store.vectors(memory_id)

    assert set(kept) == {*draft.analysis.vectors, MODEL}
    assert np.allclose(kept[MODEL], given, atol=0.01)
    assert store.vectors(10**9) == {}


def test_putting_no_vectors_changes_nothing(store: Store) -> None:
    add(store, "a fact")
    store.put_vectors(MODEL, {})

    assert len(store.lacking(MODEL, 0, 10)) == 1


def test_a_vector_can_be_replaced(store: Store) -> None:
    memory_id = add(store, "a fact")
    store.put_vectors(MODEL, {memory_id: np.ones(8, np.float32)})
    store.put_vectors(MODEL, {memory_id: -np.ones(8, np.float32)})

    assert np.allclose(store.vectors(memory_id)[MODEL], -1, atol=0.01)


def test_memories_that_lack_a_model_are_listed_by_id_until_they_have_it(store: Store) -> None:
    ids = [add(store, f"memory {i}", author="Ann", created=T0 + i) for i in range(5)]
    store.put_vectors(MODEL, {ids[1]: np.ones(8, np.float32)})

    lacking = store.lacking(MODEL, 0, 3)

    assert lacking[0] == Indexed(ids[0], "memory 0", "Ann", T0)
    assert [memory.id for memory in lacking] == [ids[0], ids[2], ids[3]]
    assert [memory.id for memory in store.lacking(MODEL, ids[3], 10)] == [ids[4]]


def test_memories_are_found_by_the_vectors_of_any_model_they_have(store: Store) -> None:
    rng = np.random.default_rng(1)
    store.add(drafts([f"memory {i}" for i in range(600)]))
    ids = store.page(where(), 1_000).ids
    vectors = rng.standard_normal((300, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store.put_vectors(MODEL, dict(zip(ids[:300], vectors, strict=True)))
    question = by_words("xylophone")._replace(vectors={MODEL: vectors[7]})

    pool = store.pool(question, where(), 20)

    assert ids[7] in candidates(pool)
    best = int((pool.vectors[MODEL] @ vectors[7]).argmax())
    assert pool.ids[best] == ids[7]
    assert set(candidates(pool)) <= set(ids[:300])


# The feed that keeps derived indexes up to date.


def test_every_write_raises_the_change_number_and_shows_in_the_rows_after(store: Any) -> None:
    def changed(since: int) -> list[int]:
        rows = list(store.rows_after(since))
        numbers = [row.change for row in rows]
        assert numbers == sorted(set(numbers))
        assert all(since < number <= store.latest_change() for number in numbers)
        return [row.id for row in rows]

    one, two = add(store, "one"), add(store, "two")
    seen = store.latest_change()
    assert changed(0) == [one, two]
    assert changed(seen) == []

    for write, touched in (
        (lambda: store.change(one, Changes(kind="error")), [one]),
        (lambda: store.put_vectors(MODEL, {two: np.ones(8, np.float32)}), [two]),
        (lambda: store.add(drafts(["one"], tags=("t",))), [one]),
    ):
        write()
        assert store.latest_change() > seen
        assert changed(seen) == touched
        assert list(store.removed_after(seen)) == []
        seen = store.latest_change()

    three = add(store, "three", supersedes=content_hash("two"))
    assert set(changed(seen)) == {two, three}
    seen = store.latest_change()
    store.remove([three])
    assert store.latest_change() > seen
    assert changed(seen) == [two]
    assert list(store.removed_after(seen)) == [three]


def test_many_threads_may_write_and_read_at_once(store: Store) -> None:
    def work(thread: int) -> None:
        for i in range(12):
            memory_id = add(store, f"harbour {thread} {i}", tags=(f"t{thread}",), session="s")
            assert store.count("default", NOW) > 0
            assert memory_id in store.page(where(tags=(f"t{thread}",)), 100).ids
            assert memory_id in store.pool(texts().probe(f"{i}"), where(), 400).ids
            store.lacking(MODEL, 0, 1_000)
            store.shortest("default", [content_hash(f"harbour {thread} {i}")], 8)
        store.remove([id_of(store, f"harbour {thread} 0")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    assert len(listed(store)) == len(set(listed(store))) == 8 * 11
    records = store.records(store.page(where(), 1_000).ids)
    assert len({record.position for record in records}) == len(records)


def test_a_value_is_kept_by_its_name_until_it_is_forgotten(store: Store) -> None:
    store.keep("default", "state", "s1", "one")
    store.keep("default", "state", "s1", "two")
    store.keep("other", "state", "s1", "theirs")

    assert store.kept("default", "state", "s1") == "two"
    assert store.kept("default", "state", "s2") is None
    assert store.kept("other", "state", "s1") == "theirs"
    store.keep("default", "state", "s1", None)
    assert store.kept("default", "state", "s1") is None
    assert store.kept("other", "state", "s1") == "theirs"


def test_a_journal_keeps_its_latest_entries_in_order(store: Store) -> None:
    for i in range(6):
        store.note("default", "runs", T0 + i, [f"entry {i}a", f"entry {i}b"], most=5)
    store.note("other", "runs", T0, ["theirs"], most=5)

    everything = ["entry 3b", "entry 4a", "entry 4b", "entry 5a", "entry 5b"]
    assert [entry for _, entry in store.noted("default", "runs", 0, 100)] == everything
    assert [entry for _, entry in store.noted("default", "runs", 0, 2)] == everything[-2:]
    assert store.noted("default", "runs", T0 + 5, 100) == [
        (T0 + 5, "entry 5a"),
        (T0 + 5, "entry 5b"),
    ]
    assert store.noted("default", "others", 0, 100) == []
    assert [entry for _, entry in store.noted("other", "runs", 0, 100)] == ["theirs"]


def test_a_removed_memory_is_blanked_in_what_is_kept_and_waits_in_its_space(store: Store) -> None:
    gone, other = drafts(["the north gate opens with the amber key", "another fact"])
    store.add([gone, other])
    said = {"said": f"he said {gone.content}", "shown": [gone.hash, other.hash], "count": 3}
    for space in ("default", "other"):
        store.keep(space, "state", "s1", json.dumps(said))
        store.enqueue(space, "work", "w1", json.dumps({"text": gone.content}), T0)
    store.keep("default", "skills", "open", json.dumps(said))
    record = store.record("default", gone.hash)
    assert record is not None

    assert store.remove([record.id]) == 1

    blanked = {"said": "", "shown": [other.hash], "count": 3}
    assert json.loads(store.kept("default", "state", "s1") or "") == blanked
    assert json.loads(store.kept("other", "state", "s1") or "") == said
    assert json.loads(store.kept("default", "skills", "open") or "") == said
    payloads = [store.jobs(space, None, 9)[0].payload for space in ("default", "other")]
    assert [json.loads(payload)["text"] for payload in payloads] == ["", gone.content]


def test_what_is_kept_beside_the_last_memory_goes_with_it(store: Store) -> None:
    first, second = drafts(["one", "two"])
    store.add([first, second])
    for space in ("default", "other"):
        store.keep(space, "state", "s1", "{}")
        store.note(space, "runs", T0, ["a"], 10)
    ids = [record.id for d in (first, second) if (record := store.record("default", d.hash))]

    store.remove(ids[:1])
    assert store.kept("default", "state", "s1") == "{}"
    store.remove(ids[1:])

    assert store.kept("default", "state", "s1") is None
    assert store.noted("default", "runs", 0, 10) == []
    assert store.kept("other", "state", "s1") == "{}"
    assert len(store.noted("other", "runs", 0, 10)) == 1
