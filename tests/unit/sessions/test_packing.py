"""What a session that starts is told, and how it fits under a budget of tokens."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.memory.values import Record
from milepost.ranking.passages import best_passage
from milepost.sessions.briefing import _WIDTHS as WIDTHS
from milepost.sessions.usefulness import DAY_US, Candidate, choose, usefulness
from milepost.text import fit
from milepost.text.lines import age
from milepost.text.tokens import at_most, estimate

FRAME = "<notes>\n</notes>"


def memory(hash, content, kind="note", related=0.0):
    values = dict.fromkeys(Record._fields) | {"hash": hash, "content": content, "kind": kind}
    return Candidate(Record(**values | {"tags": (), "created": 0}), related)


def chosen(*candidates, doubts=None):
    return [c.record.hash for c, _ in choose(candidates, 0, doubts or {})]


TEA = memory("tea", "Tea is in the kitchen")
MONEY = memory("money", "Money is rounded half up", related=0.4)
TABS = memory("tabs", "Tabs rather than spaces", kind="preference")


def test_memories_come_by_falling_worth():
    found = list(choose([TEA, TABS, MONEY], 0, {}))

    assert [c.record.hash for c, _ in found] == ["tabs", "money", "tea"]
    assert [value for _, value in found] == [usefulness(c, 0) for c in (TABS, MONEY, TEA)]


def test_what_is_worth_the_same_comes_in_the_order_it_was_found():
    names = ["one", "two", "three", "four"]
    alike = [memory(name, f"{name} apart") for name in names]

    assert chosen(*alike) == names
    assert chosen(*reversed(alike)) == names[::-1]


def test_what_was_shown_and_never_used_comes_later():
    ale = memory("ale", "Ale is in the cellar")

    assert chosen(TEA, ale) == ["tea", "ale"]
    assert chosen(TEA, ale, doubts={"tea": 0.5}) == ["ale", "tea"]


def test_of_two_that_say_the_same_the_better_is_told():
    again = memory("again", "In the kitchen is teas", related=0.9)

    assert chosen(TEA, MONEY, again) == ["again", "money"]


@pytest.mark.parametrize(("shared", "told"), [(7, ["long", "other"]), (8, ["long"])])
def test_more_than_seven_in_ten_words_shared_is_the_same(shared, told):
    words = [f"word{i}" for i in range(10)]
    mixed = [*words[:shared], *(f"more{i}" for i in range(10 - shared))]

    assert chosen(memory("long", " ".join(words)), memory("other", " ".join(mixed))) == told


def test_a_short_memory_that_a_longer_one_contains_is_not_told_beside_it():
    longer = memory("longer", "Tea is in the kitchen, sugar in the cupboard", related=0.1)

    assert chosen(TEA, longer) == ["longer"]


def test_a_memory_of_one_word_is_not_told_beside_one_that_holds_it():
    assert chosen(TEA, memory("word", "Tea!")) == ["tea"]


def test_memories_without_words_are_not_the_same():
    assert chosen(memory("one", "!?"), memory("two", "...")) == ["one", "two"]


def pack(rows, budget, limit, frame):
    chosen = fit.pack(rows, budget, frame, limit)
    return [line for _, line in chosen], [number for number, _ in chosen]


def row(text):
    return list(dict.fromkeys(best_passage(text, {}, width) for width in WIDTHS))


def test_lines_are_told_whole_where_there_is_room():
    rows = [row("Tea is in the kitchen. " * 30), row("Money is rounded half up. " * 20)]
    lines, numbers = pack(rows, 2_000, 8, FRAME)

    assert lines == [rows[0][0], rows[1][0]]
    assert numbers == [0, 1]


def test_every_memory_is_told_in_short_before_the_first_is_told_at_length():
    rows = [row(f"{word} is in the kitchen of the office. " * 20) for word in ("Tea", "Ale", "Rum")]
    lines, numbers = pack(rows, 3 * estimate(rows[0][2]) + 40, 8, FRAME)

    assert numbers == [0, 1, 2]
    assert [len(line) > 240 for line in lines] == [False, False, False]


def test_the_first_get_longer_before_the_others():
    rows = [row(f"{word} is in the kitchen of the office. " * 20) for word in ("Tea", "Ale", "Rum")]
    lines, _ = pack(rows, estimate(rows[0][0]) + 2 * estimate(rows[0][2]) + 60, 8, FRAME)

    assert lines[0] == rows[0][0]
    assert len(lines) == 3
    assert len(lines[0]) > len(lines[1]) >= len(lines[2])


def test_beyond_the_limit_memories_are_told_as_short_as_can_be():
    rows = [[f"{n} {'long ' * 60}", f"{n} {'some ' * 20}", f"{n} short"] for n in range(4)]
    room = estimate(FRAME) + sum(estimate(r[1]) + 1 for r in rows[:2])
    lines, numbers = pack(rows, round(1.1 * (room + 2 * 10)), 2, FRAME)

    assert numbers == [0, 1, 2, 3]
    assert lines[2:] == ["2 short", "3 short"]
    assert lines[0] in rows[0][:2]


def test_what_does_not_fit_is_left_out_for_what_does():
    rows = [["Tea is here."], ["long " * 200], ["Ale is there."]]

    assert pack(rows, 60, 8, FRAME) == (["Tea is here.", "Ale is there."], [0, 2])


def test_a_line_that_cannot_be_told_shorter_is_told_at_length():
    rows = [["word " * 60]]

    assert pack(rows, 200, 8, FRAME) == (rows[0], [0])


def test_of_versions_that_are_all_long_the_shortest_is_told_first():
    rows = [["tea " * 150, "ale " * 120, "rum " * 90], ["Gin is nowhere."]]

    # There is room for either of the longer ones, but then for nothing else.
    for long in rows[0][:2]:
        budget = round(1.1 * (estimate(FRAME) + estimate(long) + 5))
        assert pack(rows, budget, 8, FRAME)[1] == [0, 1]


@pytest.mark.parametrize(("length", "numbers"), [(240, [0]), (241, [0, 1])])
def test_up_to_240_characters_are_told_before_other_memories(length, numbers):
    long = ("tea " * 61)[:length]
    budget = round(1.1 * (estimate(FRAME) + estimate(long) + 5))
    lines, told = pack([[long, "tea"], ["Gin is nowhere, rum is here."]], budget, 8, FRAME)

    assert told == numbers
    assert (lines[0] == long) == (length == 240)


def test_with_room_for_less_than_20_tokens_no_more_is_told():
    rows = [["Tea is in the kitchen."], ["Ale."]]
    enough = ceil(1.1 * (estimate(FRAME) + estimate(rows[0][0]) + 1 + 20))

    assert pack(rows, enough, 8, FRAME)[1] == [0, 1]
    assert pack(rows, enough - 1, 8, FRAME)[1] == [0]


def test_a_line_gets_longer_where_the_budget_just_allows_it():
    versions = ["Tea is in the kitchen. " * 20, "Tea is in the kitchen."]
    enough = at_most("\n".join([FRAME, versions[0]]))

    assert pack([versions], enough, 8, FRAME)[0] == versions[:1]
    assert pack([versions], enough - 1, 8, FRAME)[0] == versions[1:]


def test_a_line_is_told_where_the_budget_just_allows_it():
    strange = "qxv zkjw vbnmq pwzx kqjf hgvcx wqzt plmkn xcvq zzkp jhqw"
    enough = at_most("\n".join([FRAME, strange]))

    assert pack([[strange]], enough, 8, FRAME)[0] == [strange]
    assert pack([[strange]], enough - 1, 8, FRAME)[0] == []


def test_a_budget_that_the_frame_needs_leaves_nothing_to_tell():
    assert pack([["Tea is in the kitchen."]], 2, 8, FRAME) == ([], [])
    assert pack([], 500, 8, FRAME) == ([], [])


def test_an_estimate_that_was_too_low_takes_back_the_last_lines():
    strange = [["qxv zkjw vbnmq pwzx kqjf hgvcx wqzt plmkn xcvq zzkp jhqw"] for _ in range(6)]
    lines, numbers = pack(strange, 200, 8, FRAME)

    assert at_most("\n".join([FRAME, *lines])) <= 200
    assert 0 < len(lines) < 6
    assert numbers == list(range(len(lines)))


prose = st.lists(
    st.sampled_from("tea kitchen PostgreSQL because of JSONB ECONNREFUSED src/app/main.py".split()),
    min_size=1,
    max_size=120,
).map(" ".join)
rows = st.lists(st.one_of(prose, st.text(min_size=1, max_size=400)).map(row), max_size=9)


@given(rows, st.integers(10, 600), st.integers(1, 9))
def test_what_is_told_is_never_more_than_the_budget(rows, budget, limit):
    lines, numbers = pack(rows, budget, limit, FRAME)

    assert not lines or at_most("\n".join([FRAME, *lines])) <= budget
    assert numbers == sorted(set(numbers))
    assert all(line in rows[number] for line, number in zip(lines, numbers, strict=True))


def test_more_budget_tells_no_fewer_lines():
    rows = [[f"{word} is in the kitchen."] for word in ("Tea", "Ale", "Rum", "Gin")]
    counts = [len(pack(rows, budget, 8, FRAME)[0]) for budget in range(5, 150)]

    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 4)


def test_more_budget_tells_no_fewer_lines_of_memories_that_can_be_shortened():
    rows = [row("Tea is in the kitchen of the old office. " * 5)]
    counts = [len(pack(rows, budget, 8, FRAME)[0]) for budget in range(20, 200)]

    assert counts == sorted(counts)


@pytest.mark.parametrize(
    ("micros", "shown"),
    [
        (-DAY_US, "0h"),
        (0, "0h"),
        (DAY_US / 8, "3h"),
        (DAY_US - 1, "24h"),
        (DAY_US, "1d"),
        (12 * DAY_US, "12d"),
        (59 * DAY_US, "59d"),
        (60 * DAY_US, "2mo"),
        (152 * DAY_US, "5mo"),
        (719 * DAY_US, "24mo"),
        (720 * DAY_US, "2y"),
        (912 * DAY_US, "2y"),
        (913 * DAY_US, "3y"),
    ],
)
def test_an_age_is_told_in_few_characters(micros, shown):
    assert age(micros) == shown
