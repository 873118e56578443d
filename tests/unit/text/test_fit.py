"""What is told stays under its budget, and more budget never shows less."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from milepost.text.fit import cut, first_fitting, first_lines, fit_rows, largest_fitting, pack
from milepost.text.tokens import at_most
from milepost.values import NamedTuple

FRAME = "<notes>\n</notes>"
MORE = "(more not shown)"
CUT = " (cut)"

texts = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from("tea PostgreSQL because ECONNREFUSED src/main.py 6379 qxv".split())
    ).map(" ".join),
)
lines = texts.map(lambda text: " ".join(text.split()))
# Versions of a line: ever shorter beginnings of it.
rows = st.lists(
    lines.map(lambda line: list(dict.fromkeys(line[:width] for width in (400, 200, 100, 40)))),
    max_size=8,
)
budgets = st.integers(10, 400)


class Rows(NamedTuple):
    """A result of rows that says how many are left out."""

    rows: tuple[str, ...]
    total: int

    def __str__(self) -> str:
        left = self.total - len(self.rows)
        return "\n".join([*self.rows, *([f"({left} more not shown)"] if left else [])])


@given(texts, budgets)
def test_a_cut_text_never_exceeds_its_budget_and_says_that_it_was_cut(text, budget):
    shown = cut(text, budget, CUT)

    assert at_most(shown) <= budget
    assert shown == text or (shown.endswith(CUT) and text.startswith(shown.removesuffix(CUT)))


@given(texts, budgets, budgets)
def test_more_budget_shows_no_less_of_a_text(text, one, other):
    less, more = (cut(text, budget) for budget in sorted((one, other)))

    assert more.startswith(less)


def test_of_a_book_no_more_is_looked_at_than_is_shown():
    sizes = []

    def beginning(size):
        sizes.append(size)
        return "word " * size

    largest_fitting(1_000_000, beginning, 50)

    # The whole is tried first.
    assert max(sizes[1:]) < 200


def test_the_smallest_is_returned_where_nothing_fits():
    assert largest_fitting(5, lambda size: "word " * (size + 100), 3) == "word " * 100
    assert first_fitting(["three long words", "two words", "words"], 0) == "words"


def test_the_first_version_that_fits_is_returned():
    assert first_fitting(["word " * 40, "a few words", "word"], 10) == "a few words"


@given(st.lists(lines, max_size=12), budgets)
def test_rows_of_a_result_come_from_the_first_and_what_is_left_out_is_told(given_rows, budget):
    shown = fit_rows(Rows(tuple(given_rows), len(given_rows)), "rows", budget)

    assert at_most(str(shown)) <= budget
    assert shown.rows == tuple(given_rows[: len(shown.rows)])
    assert shown.total == len(given_rows)


def test_without_a_budget_all_rows_are_shown():
    result = Rows(("word " * 1_000,) * 3, 3)

    assert fit_rows(result, "rows", None) is result


@given(st.lists(lines, max_size=12), budgets)
def test_first_lines_never_exceed_their_budget_and_say_that_there_are_more(given_lines, budget):
    shown = first_lines(given_lines, budget, MORE)

    assert at_most(shown) <= budget
    whole = "\n".join(given_lines)
    assert shown == whole or shown.split("\n")[-1] == MORE
    assert shown == whole or shown.split("\n")[:-1] == given_lines[: shown.count("\n")]


def test_no_more_lines_are_asked_for_than_can_be_shown():
    endless = iter(lambda: "tea is in the kitchen", None)

    assert first_lines(endless, 60, MORE).endswith(f"kitchen\n{MORE}")


@given(rows, budgets, st.integers(0, 8))
def test_packed_rows_never_exceed_their_budget_and_keep_their_order(rows, budget, at_length):
    chosen = pack(rows, budget, FRAME, at_length)
    numbers = [number for number, _ in chosen]

    assert not chosen or at_most("\n".join([FRAME, *(line for _, line in chosen)])) <= budget
    assert numbers == sorted(set(numbers))
    assert all(line in rows[number] for number, line in chosen)


@given(rows, budgets, budgets)
def test_more_budget_drops_a_row_only_for_one_before_it(rows, one, other):
    less, more = (dict(pack(rows, budget, FRAME)) for budget in sorted((one, other)))

    assert [number in less for number in range(8)] <= [number in more for number in range(8)]


# The last of these fits into 128 tokens only without its end.
@given(rows, budgets, budgets)
@example(
    rows=[
        ["\x80\x80¹\x80"],
        ["\x80\x80À\x80"],
        ["\x80\x80À´"],
        ["0000000:0:::00gARQ00QQ0:000:AAQQ0:0QQ0:0Q", "0000000:0:::00gARQ00QQ0:000:AAQQ0:0QQ0:0"],
        ["0:0aO:0:0000Bbb0"],
        ["0:0:0:0000:0aO0:0000:0000A"],
    ],
    one=86,
    other=128,
)
def test_more_budget_drops_a_row_told_at_length_only_for_more_of_one_before_it(rows, one, other):
    less, more = (dict(pack(rows, budget, FRAME, 8)) for budget in sorted((one, other)))
    told = [
        [min(len(side.get(n, "")), 200) + (n in side) for n in range(8)] for side in (less, more)
    ]

    assert told[0] <= told[1]


@given(lines, st.integers(1, 8))
def test_more_budget_shows_no_fewer_lines_of_the_same_cost(line, count):
    counts = [len(pack([[line]] * count, budget, FRAME)) for budget in range(10, 400, 5)]

    assert counts == sorted(counts)


def test_the_first_rows_are_told_at_some_length_before_others_are_told_at_all():
    rows = [[f"{n} {'long ' * 60}", f"{n} {'some ' * 20}", f"{n} short"] for n in range(3)]

    assert [line for _, line in pack(rows, 62, FRAME, 2)] == [rows[0][1], rows[1][1]]
    assert [line for _, line in pack(rows, 62, FRAME)] == [rows[0][1], rows[1][1], rows[2][2]]


def test_the_first_get_longer_before_the_others():
    rows = [[f"{n} {'long ' * 30}", f"{n} short"] for n in range(3)]

    assert [line for _, line in pack(rows, 75, FRAME)] == [rows[0][0], rows[1][1], rows[2][1]]


def test_a_row_that_fits_takes_the_place_of_one_that_does_not():
    assert pack([["tea"], ["long " * 200], ["ale"]], 40, FRAME) == [(0, "tea"), (2, "ale")]


@pytest.mark.parametrize("rows", [[], [["tea is in the kitchen"]]])
def test_a_budget_that_the_frame_needs_leaves_nothing_to_tell(rows):
    assert pack(rows, 5, FRAME) == []


def numbers(rows, budget, at_length=8, **more):
    return [number for number, _ in pack(rows, budget, FRAME, at_length, **more)]


def packed(*lines):
    """Return what lines cost beside the frame."""
    return at_most("".join(f"{line}\n" for line in (FRAME, *lines)))


def test_of_versions_that_are_all_long_the_shortest_is_told_first():
    rows = [["tea " * 150, "ale " * 120, "rum " * 90], ["gin is nowhere"]]

    # There is room for either of the longer ones, but then for nothing else.
    for long in rows[0][:2]:
        assert numbers(rows, packed(long) + 2) == [0, 1]


@pytest.mark.parametrize(("length", "told"), [(240, [0]), (241, [0, 1])])
def test_up_to_240_characters_are_told_before_other_rows(length, told):
    long = ("tea " * 61)[:length]

    assert numbers([[long, "tea"], ["gin is nowhere"]], packed(long) + 2) == told


@pytest.mark.parametrize("tokens", [10, 20])
def test_with_less_room_than_a_row_takes_no_further_row_is_told(tokens):
    rows = [["tea is in the kitchen"], ["ale"]]
    enough = packed(*rows[0]) + tokens

    assert numbers(rows, enough, row_tokens=tokens) == [0, 1]
    assert numbers(rows, enough - 1, row_tokens=tokens) == [0]


def test_a_row_is_told_and_told_longer_where_the_budget_just_allows_it():
    long, short = "tea is in the kitchen " * 20, "tea is in the kitchen"

    assert pack([[long, short]], packed(long), FRAME) == [(0, long)]
    assert pack([[long, short]], packed(long) - 1, FRAME) == [(0, short)]
    assert pack([[long, short]], packed(short), FRAME) == [(0, short)]
    assert pack([[long, short]], packed(short) - 2, FRAME) == []
