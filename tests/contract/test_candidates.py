"""What every store offers to searches and lists: filtered first, each once, with its vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from made_memories import (
    MODEL,
    SECOND,
    T0,
    add,
    by_words,
    candidates,
    contents_of,
    drafts,
    found,
    id_of,
    listed,
    texts,
    where,
)

from milepost.memory.remember import content_hash
from milepost.memory.texts import day_keys
from milepost.memory.values import Changes, Indexed
from milepost.ports import Store
from milepost.ranking.candidates import CandidateSet, Probe


def test_a_page_shows_the_newest_first_and_ties_by_id(store: Store) -> None:
    for content, age in (("a", 5), ("b", 9), ("c", 5), ("d", 1), ("e", 5)):
        add(store, content, created_us=T0 - age)

    assert listed(store) == ["d", "e", "c", "a", "b"]


def test_the_newest_of_several_kinds_are_what_a_page_of_each_shows(store: Store) -> None:
    for i in range(12):
        kind = ("decision", "error", "note")[i % 3]
        add(store, f"memory {i}", kind=kind, created_us=T0 + i, projects=("p",) if i % 2 else ())
    kinds = ["error", "decision", "unknown"]
    newest = store.candidates.newest_of(where(project="p"), kinds, 1)

    assert list(newest) == kinds
    for kind, ids in newest.items():
        assert ids == store.candidates.page(where(project="p", kind=kind), 1).ids
    assert newest["unknown"] == []


def test_pages_by_offset_cover_everything_once(store: Store) -> None:
    store.memories.add(drafts([f"memory {i}" for i in range(25)]))
    pages = [store.candidates.page(where(), 10, offset) for offset in range(0, 40, 10)]

    assert [len(page.ids) for page in pages] == [10, 10, 5, 0]
    assert {page.total for page in pages} == {25}
    assert [memory_id for page in pages for memory_id in page.ids] == store.candidates.page(
        where(), 100
    ).ids


def test_a_page_filters_by_any_or_all_tags(store: Store) -> None:
    add(store, "only a", tags=("a",), created_us=T0 + 3)
    add(store, "only b", tags=("b",), created_us=T0 + 2)
    add(store, "both", tags=("a", "b"), created_us=T0 + 1)
    add(store, "none")

    assert listed(store, tags=("a",)) == ["only a", "both"]
    assert listed(store, tags=("a", "b")) == ["only a", "only b", "both"]
    assert listed(store, tags=("a", "b"), match_all=True) == ["both"]
    assert listed(store, tags=("a", "unknown"), match_all=True) == []
    assert listed(store, tags=("unknown",)) == []
    assert listed(store, tags=("a",), without=("b", "unknown")) == ["only a"]


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
        add(store, f"at {i}", created_us=T0 + i)

    assert listed(store, after_us=T0 + 3) == ["at 4", "at 3"]
    assert listed(store, before_us=T0 + 1) == ["at 0"]
    assert listed(store, after_us=T0 + 1, before_us=T0 + 3) == ["at 2", "at 1"]
    assert listed(store, after_us=T0 + 2, before_us=T0 + 2) == []


def test_neighbours_in_time_are_in_order_with_the_memory_between(store: Store) -> None:
    for i in (4, 0, 2, 6, 1, 5, 3):
        add(store, f"at {i}", created_us=T0 + i)
    (middle,) = store.memories.records([id_of(store, "at 3")])

    def around(before: int, after: int) -> list[str]:
        return contents_of(store, store.candidates.around(middle, where(), before, after))

    assert around(2, 1) == ["at 1", "at 2", "at 3", "at 4"]
    assert around(0, 0) == ["at 3"]
    assert around(100, 100) == [f"at {i}" for i in range(7)]


def test_neighbours_at_the_same_moment_are_ordered_by_id(store: Store) -> None:
    ids = [add(store, f"tie {i}") for i in range(7)]
    (middle,) = store.memories.records([ids[3]])

    assert store.candidates.around(middle, where(), 2, 2) == ids[1:6]


def test_neighbours_pass_the_filter_but_the_memory_itself_need_not(store: Store) -> None:
    add(store, "before", created_us=T0 - 1, projects=("p",))
    add(store, "hidden", created_us=T0 - 1)
    add(store, "after", created_us=T0 + 1, projects=("p",))
    (middle,) = store.memories.records([add(store, "middle")])

    ids = store.candidates.around(middle, where(project="p"), 5, 5)

    assert contents_of(store, ids) == ["before", "middle", "after"]


def test_ten_that_pass_the_filter_are_all_in_the_pool_whatever_the_rest(store: Store) -> None:
    crowd = [f"harbour harbour harbour number {i}" for i in range(990)]
    few = [f"report {i} mentions a harbour once among many other things" for i in range(10)]
    store.memories.add(drafts(crowd))
    store.memories.add(
        drafts(few, tags=("wanted",), kind="report", projects=("p",), created_us=T0 - 5)
    )

    for conditions in (
        {"tags": ("wanted",)},
        {"kind": "report"},
        {"project": "p"},
        {"before_us": T0},
    ):
        for limit in (10, 12, 400):
            pool = store.candidates.find(texts().probe("harbour"), where(**conditions), limit)
            assert set(contents_of(store, candidates(pool))) == set(few)
            assert pool.matched == 10


def test_filtered_memories_without_a_common_word_are_in_a_pool_that_has_room(store: Store) -> None:
    store.memories.add(drafts([f"crowd number {i}" for i in range(990)]))
    few = [f"quiet thing {i}" for i in range(10)]
    store.memories.add(drafts(few, tags=("wanted",)))

    assert found(store, "xylophone", limit=10, tags=("wanted",)) == set(few)


def test_a_pool_counts_the_matches_by_words(store: Store) -> None:
    store.memories.add(drafts([f"harbour {i}" for i in range(700)]))
    store.memories.add(drafts([f"mountain {i}" for i in range(300)]))

    assert store.candidates.find(texts().probe("harbour"), where(), 50).matched == 700
    assert store.candidates.find(by_words("harbour mountain"), where(), 50).matched == 1_000
    assert store.candidates.find(by_words("xylophone"), where(), 50).size == 0


def test_a_pool_prefers_the_matches_by_words(store: Store) -> None:
    store.memories.add(drafts([f"mountain path {i}" for i in range(600)]))
    wanted = [f"harbour {i}" for i in range(8)]
    store.memories.add(drafts(wanted))

    assert set(wanted) <= found(store, "harbour", limit=40)


def test_a_pool_keeps_to_its_limit_and_holds_no_memory_twice(store: Store) -> None:
    store.memories.add(drafts([f"harbour {i}" for i in range(600)]))
    pool = store.candidates.find(texts().probe("harbour"), where(), 40)

    assert 0 < pool.size <= 40
    assert len(set(candidates(pool))) == pool.size


@pytest.mark.parametrize("limit", [7, 100, 400])
def test_paging_a_pool_meets_every_match_by_words_exactly_once(store: Store, limit: int) -> None:
    # All score the same, so only a stable order keeps the pages apart. Each is of another day, for
    # what stands beside a match comes with the first page.
    contents = [f"harbour {'abcdefghij'[i % 10]}{i:03d}" for i in range(900)]
    contents += [f"mountain {i}" for i in range(50)]
    for day, content in enumerate(contents):
        store.memories.add(drafts([content], created_us=T0 - day * 86_400 * SECOND))

    met = [memory_id for page in pages(store, by_words("harbour"), limit) for memory_id in page]

    assert len(met) == len(set(met)) == 900
    assert all(content.startswith("harbour") for content in contents_of(store, met))


def test_what_is_found_by_meaning_is_on_the_first_page_only(store: Store) -> None:
    store.memories.add(drafts([f"harbour {'abcdefghij'[i % 10]}{i:03d}" for i in range(900)]))
    store.memories.add(drafts([f"mountain {i}" for i in range(50)]))

    first, *others = pages(store, texts().probe("harbour"), 100)

    later = [memory_id for page in others for memory_id in page]
    assert len(later) == len(set(later))
    assert all(content.startswith("harbour") for content in contents_of(store, later))
    assert len({c for c in contents_of(store, [*first, *later]) if c.startswith("harbour")}) == 900


def pages(store: Store, probe: Probe, limit: int) -> Iterator[list[int]]:
    offset = 0
    while True:
        pool = store.candidates.find(probe, where(), limit, offset)
        yield candidates(pool)
        assert pool.matched == 900
        assert pool.next_offset > offset
        offset = pool.next_offset
        if offset >= pool.matched:
            return


def test_a_pool_knows_which_candidates_are_neighbours_in_a_session(store: Store) -> None:
    store.memories.add(drafts([f"turn number {i}" for i in range(5)], session="talk"))
    store.memories.add(drafts(["the harbour"], session="talk"))
    store.memories.add(drafts([f"reply number {i}" for i in range(5)], session="talk"))
    store.memories.add(drafts(["the harbour again"]))
    store.memories.add(drafts(["stranger"], session="talk", space="other"))

    pool = store.candidates.find(texts().probe("harbour"), where(), 400)

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


def neighbours(store: Store, pool: CandidateSet, content: str) -> list[str | None]:
    rows = contents_of(store, candidates(pool))
    return [rows[row] if row >= 0 else None for row in pool.neighbours[rows.index(content)]]


def test_a_pool_has_the_neighbours_of_the_best_but_only_those_that_pass(store: Store) -> None:
    store.memories.add(drafts([f"mountain path {i}" for i in range(600)], tags=("t",)))
    store.memories.add(drafts(["six", "the harbour", "seven"], session="talk", tags=("t",)))
    add(store, "eight", session="talk")

    everyone = store.candidates.find(by_words("harbour"), where(), 20)
    filtered = store.candidates.find(by_words("harbour"), where(tags=("t",)), 20)

    assert set(contents_of(store, candidates(everyone))) >= {"six", "seven", "eight"}
    assert set(contents_of(store, candidates(filtered))) >= {"six", "seven"}
    assert "eight" not in contents_of(store, candidates(filtered))
    assert neighbours(store, filtered, "the harbour")[:2] == ["six", "seven"]


def test_a_pool_tells_what_ranking_needs_of_each_candidate(store: Store) -> None:
    store.memories.add(drafts(["the harbour opens"], author="Ann", created_us=T0 + 1, session="s"))
    store.memories.add(drafts(["a harbour"], created_us=T0 + 2))
    (draft,) = drafts(["the harbour opens"], author="Ann", created_us=T0 + 1)
    question = texts().probe("harbour")
    terms = np.frombuffer(draft.analysis.terms, np.uint32)
    (word,) = question.words

    pool = store.candidates.find(question, where(), 10)

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


def test_vectors_come_back_by_model(store: Store) -> None:
    (draft,) = drafts(["a fact"])
    memory_id = add(store, "a fact")
    given = np.linspace(-1, 1, 24, dtype=np.float32)
    store.candidates.put_vectors(MODEL, {memory_id: given, 10**9: given})

    kept = store.candidates.vectors(memory_id)

    assert set(kept) == {*draft.analysis.vectors, MODEL}
    assert np.allclose(kept[MODEL], given, atol=0.01)
    assert store.candidates.vectors(10**9) == {}


def test_putting_no_vectors_changes_nothing(store: Store) -> None:
    add(store, "a fact")
    store.candidates.put_vectors(MODEL, {})

    assert len(store.candidates.lacking(MODEL, 0, 10)) == 1


def test_a_vector_can_be_replaced(store: Store) -> None:
    memory_id = add(store, "a fact")
    store.candidates.put_vectors(MODEL, {memory_id: np.ones(8, np.float32)})
    store.candidates.put_vectors(MODEL, {memory_id: -np.ones(8, np.float32)})

    assert np.allclose(store.candidates.vectors(memory_id)[MODEL], -1, atol=0.01)


def test_memories_that_lack_a_model_are_listed_by_id_until_they_have_it(store: Store) -> None:
    ids = [add(store, f"memory {i}", author="Ann", created_us=T0 + i) for i in range(5)]
    store.candidates.put_vectors(MODEL, {ids[1]: np.ones(8, np.float32)})

    lacking = store.candidates.lacking(MODEL, 0, 3)

    assert lacking[0] == Indexed(ids[0], "memory 0", "Ann", T0)
    assert [memory.id for memory in lacking] == [ids[0], ids[2], ids[3]]
    assert [memory.id for memory in store.candidates.lacking(MODEL, ids[3], 10)] == [ids[4]]


def test_memories_are_found_by_the_vectors_of_any_model_they_have(store: Store) -> None:
    rng = np.random.default_rng(1)
    store.memories.add(drafts([f"memory {i}" for i in range(600)]))
    ids = store.candidates.page(where(), 1_000).ids
    vectors = rng.standard_normal((300, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store.candidates.put_vectors(MODEL, dict(zip(ids[:300], vectors, strict=True)))
    question = by_words("xylophone")._replace(vectors={MODEL: vectors[7]})

    pool = store.candidates.find(question, where(), 20)

    assert ids[7] in candidates(pool)
    best = int((pool.vectors[MODEL] @ vectors[7]).argmax())
    assert pool.ids[best] == ids[7]
    assert set(candidates(pool)) <= set(ids[:300])


def test_every_write_raises_the_change_number_and_shows_in_the_rows_after(store: Any) -> None:
    if not hasattr(store, "feed"):
        pytest.skip("no index beside this store follows its changes")

    def changed(since: int) -> list[int]:
        rows = list(store.feed.rows_after(since))
        numbers = [row.change for row in rows]
        assert numbers == sorted(set(numbers))
        assert all(since < number <= store.feed.latest_change() for number in numbers)
        return [row.id for row in rows]

    one, two = add(store, "one"), add(store, "two")
    seen = store.feed.latest_change()
    assert changed(0) == [one, two]
    assert changed(seen) == []

    for write, touched in (
        (lambda: store.memories.change(one, Changes(kind="error")), [one]),
        (lambda: store.candidates.put_vectors(MODEL, {two: np.ones(8, np.float32)}), [two]),
        (lambda: store.memories.add(drafts(["one"], tags=("t",))), [one]),
    ):
        write()
        assert store.feed.latest_change() > seen
        assert changed(seen) == touched
        assert list(store.feed.removed_after(seen)) == []
        seen = store.feed.latest_change()

    three = add(store, "three", supersedes=content_hash("two"))
    assert set(changed(seen)) == {two, three}
    seen = store.feed.latest_change()
    store.memories.remove([three])
    assert store.feed.latest_change() > seen
    assert changed(seen) == [two]
    assert list(store.feed.removed_after(seen)) == [three]


def test_rare_words_lead_to_all_who_hold_them(store: Store) -> None:
    best = add(store, "Priya owns the billing service")
    other = add(store, "billing listens on 9443 behind the mesh")
    add(store, "The gateway forwards plain HTTP")
    day, term = day_keys(T0), texts().probe("Priya billing").words[1].term
    rare = store.candidates.rare_words(best, day, 5)

    assert set(rare.ids.tolist()) == {best, other}
    assert set(rare.holders.tolist()) == {2}
    assert store.candidates.rare_words(best, [*day, term], 5).ids.tolist() == []
    assert store.candidates.rare_words(best, day, 1).ids.tolist() == []
    assert store.candidates.rare_words(999, [], 5).ids.tolist() == []


def test_rare_words_are_those_of_what_a_memory_says_now(store: Store) -> None:
    best = add(store, "Priya owns billing")
    add(store, "billing listens on 9443")
    store.memories.add(drafts([f"memory {i}" for i in range(600)]))
    again = add(store, "catalogue and billing share a host")
    rare = store.candidates.rare_words(best, [], 5)

    assert again in rare.ids.tolist()
    assert 3 in rare.holders.tolist()
