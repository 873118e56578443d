"""What of memories is shown within a ceiling of tokens."""

from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.memory.previews import PREVIEW_CHARS, fit, fit_memory, passage
from milepost.memory.values import CompactMemory, CompactSearchResult, Memory
from milepost.ranking.keys import term_key
from milepost.ranking.passages import Sought
from milepost.text.tokens import at_most, ceiling

NOON = datetime(2026, 3, 1, 12).timestamp()
LONG = (
    "The release was delayed by a week. Marketing was not amused. " * 4
    + "In the end we chose PostgreSQL because of JSONB. "
    + "Nobody has asked for MySQL since then. " * 5
)
PORTS = "6379 5432 8080 443 " * 12
JSONB = Sought(lambda: {term_key("jsonb"): [(0, 1.0)]})


def compact(number, content, wanted=None, tags=()):
    shown = passage(content, wanted, PREVIEW_CHARS)
    return CompactMemory(f"a1b2c{number}", shown, tags, NOON, 0.5)


def result(*contents, more=0, wanted=None):
    memories = tuple(compact(i, content, wanted) for i, content in enumerate(contents))
    return CompactSearchResult(memories, len(contents) + more, "jsonb")


def whole(content, **more):
    named = {"hash": "a1b2c3d4", "content": content, "source": "user", "marks": (), "alike": ()}
    values = dict.fromkeys(Memory._fields) | named
    return Memory(**values | {"kind": "note", "tags": (), "metadata": {}, "created": NOON} | more)


def test_a_preview_is_the_passage_that_answers():
    shown = passage(LONG, JSONB, 100)

    assert shown.startswith("…")
    assert "JSONB" in shown
    assert len(f"2026-03-01 {shown}") <= 100
    assert len(f"2026-03-01 (older) {passage(LONG, JSONB, 100, 'older')}") <= 100


def test_a_preview_of_a_short_memory_is_all_of_it():
    assert passage("Tea is here.", None, 23) == "Tea is here."
    assert passage("Tea is here.", None, 22).endswith("…")


def test_with_room_for_all_nothing_is_changed():
    found = result(LONG, "Tea is here.", PORTS)

    assert fit(found, 1_000, None) == found


def test_a_passage_gets_shorter_before_it_is_left_out():
    found = result(LONG, wanted=JSONB)
    shown = [fit(found, budget, JSONB).memories for budget in range(10, at_most(str(found)) + 20)]
    first = next(i for i, memories in enumerate(shown) if memories)

    assert all(len(memories) == 1 and "JSONB" in memories[0].preview for memories in shown[first:])
    assert len({memories[0].preview for memories in shown[first:]}) == 3


def test_passages_have_200_or_140_or_90_characters():
    found = result("x" * 500)
    shown = [fit(found, budget, None).memories for budget in range(10, 300)]

    lengths = {len(memory.preview) for memories in shown for memory in memories}
    assert lengths == {width - len("2026-03-01 ") for width in (200, 140, 90)}


def test_the_first_passage_is_long_and_the_next_as_long_as_the_rest_of_the_budget_allows():
    found = result(LONG, f"Again: {LONG}")
    budgets = range(10, at_most(str(found)) + 20)
    widths = [[len(m.preview) for m in fit(found, budget, None).memories] for budget in budgets]

    assert any(len(both) == 2 and both[0] > 140 and both[1] <= 90 for both in widths)
    assert not any(len(both) == 2 and both[0] < both[1] for both in widths if both[1:] > [90])


def test_what_was_left_out_is_said():
    found = result(LONG, LONG, LONG, more=7)
    shown = fit(found, 80, None)

    assert 0 < len(shown.memories) < 3
    assert shown.total == 10
    assert str(shown).endswith(f"({10 - len(shown.memories)} more not shown)")


def test_where_nothing_fits_it_is_said_how_much_there_is():
    shown = fit(result(LONG, LONG), 10, None)

    assert shown.memories == ()
    assert str(shown) == "(2 more not shown)"


def test_a_short_memory_is_shown_in_place_of_a_long_one_that_does_not_fit():
    shown = fit(result(PORTS, "Tea is here."), 40, None)

    assert [memory.hash for memory in shown.memories] == ["a1b2c1"]


def test_the_hash_tags_and_score_of_a_shortened_memory_stay():
    found = CompactSearchResult((compact(0, LONG, tags=("db", "choice")),), 1, "q")
    (shown,) = fit(found, 60, None).memories

    assert shown._replace(preview="") == found.memories[0]._replace(preview="")
    assert len(shown.preview) < len(found.memories[0].preview)


contents = st.lists(
    st.one_of(st.text(min_size=1, max_size=300), st.sampled_from([LONG, PORTS, "Tea is here."])),
    max_size=6,
)


@given(contents, st.integers(10, 400), st.integers(0, 50))
def test_a_result_never_costs_more_than_its_budget(contents, budget, more):
    shown = fit(result(*contents, more=more), budget, JSONB)

    assert ceiling(str(shown)) <= budget
    left = len(contents) + more - len(shown.memories)
    assert left == 0 or f"({left} more not shown)" in str(shown)


@given(contents, st.integers(10, 400))
def test_what_is_shown_keeps_its_order(contents, budget):
    found = result(*contents)
    hashes = [memory.hash for memory in fit(found, budget, None).memories]

    assert hashes == sorted(hashes)


def test_more_budget_shows_no_fewer_lines_of_short_memories():
    found = result("Tea is here.", "Ale is there.", "Rum is nowhere.", more=3)
    counts = [len(fit(found, budget, None).memories) for budget in range(10, 150)]

    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 3)


@pytest.mark.xfail(
    strict=True,
    reason="More of the first memory may take the room of the second: 141 tokens show two of these "
    "memories, 142 to 152 the first alone, as do 107 to 124. Of 100 sets of memories 12 had a "
    "budget from 10 to 300 that showed fewer than a smaller one.",
)
def test_more_budget_shows_no_fewer_lines_of_memories_that_can_be_shortened():
    found = result(PORTS, "Tea is here.")
    counts = [len(fit(found, budget, None).memories) for budget in range(10, 250)]

    assert counts == sorted(counts)


def test_a_memory_that_fits_is_shown_whole():
    memory = whole("Tea is here.")

    assert fit_memory(memory, ceiling(str(memory))) is memory


@pytest.mark.parametrize("budget", [40, 60, 100])
def test_a_memory_that_does_not_fit_says_how_much_of_it_is_not_shown(budget):
    shown = fit_memory(whole(LONG), budget)
    beginning, rest = shown.content.split("… ")

    assert LONG.startswith(beginning)
    assert rest == f"({len(LONG) - len(beginning)} characters not shown)"
    assert shown._replace(content=LONG) == whole(LONG)


def test_thousands_of_characters_not_shown_are_told_as_people_write_them():
    assert "(9,9" in fit_memory(whole("Tea and ale. " * 770), 60).content


@given(st.one_of(st.text(max_size=800), st.just(LONG)), st.integers(45, 400))
def test_a_memory_never_costs_more_than_its_budget(content, budget):
    assert ceiling(str(fit_memory(whole(content), budget))) <= budget


@pytest.mark.parametrize("budget", [60, 120, 250])
def test_nearly_all_of_a_budget_is_made_use_of(budget):
    assert ceiling(str(fit_memory(whole(LONG * 5), budget))) > 0.85 * budget


def test_tags_and_metadata_that_do_not_fit_are_left_out_and_this_is_said():
    metadata = {f"name{i}": "some words of a note" for i in range(40)}
    shown = fit_memory(whole(LONG, metadata=metadata, tags=("db",)), 60)

    assert ceiling(str(shown)) <= 60
    assert (shown.tags, shown.metadata) == ((), {})
    assert shown.content.endswith("characters, tags and metadata not shown)")


@pytest.mark.xfail(
    strict=True,
    reason="What names a memory is shown whatever it costs: its hash, date and kind, and that its "
    "content is not shown, take 37 tokens. Where a text is made of it, that is cut.",
)
def test_a_memory_never_costs_more_than_the_smallest_budget():
    assert ceiling(str(fit_memory(whole(LONG), 10))) <= 10


def test_more_budget_shows_no_less_of_a_memory():
    lengths = [len(fit_memory(whole(LONG), budget).content) for budget in range(45, 130)]

    assert all(more >= less - 2 for less, more in pairwise(lengths))
