"""How likely a memory is of use to a session that starts."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.memory.values import Record
from milepost.sessions.usefulness import (
    DAY_US,
    HIDDEN_KINDS,
    MARKS,
    Candidate,
    choose,
    related,
    signs,
    usefulness,
)

CREATED = 20_000 * DAY_US
# So long after a memory was made that nothing is left of its being new.
LATER = CREATED + 10_000 * DAY_US
BIAS = -4.4


def memory(content="Tea is in the kitchen.", kind="note", tags=(), related=0.0):
    values = dict.fromkeys(Record._fields) | {"content": content, "kind": kind, "tags": tags}
    return Candidate(Record(**values | {"created_us": CREATED}), related)


def chance(odds):
    return 1 / (1 + exp(-odds))


@pytest.mark.parametrize(
    ("kind", "odds"),
    [
        ("note", 0.0),
        ("preference", 3.1),
        ("todo", 1.9),
        ("decision", 1.3),
        ("error", 0.5),
        ("commit", -2.3),
        ("summary", 0.0),
    ],
)
def test_a_memory_is_of_use_by_its_kind(kind, odds):
    assert usefulness(memory(kind=kind), LATER) == pytest.approx(chance(BIAS + odds))


def test_kinds_of_memories_come_in_this_order():
    kinds = ["preference", "todo", "decision", "error", "note", "commit"]
    values = [usefulness(memory(kind=kind), LATER) for kind in kinds]

    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


@pytest.mark.parametrize(
    ("names", "meaning"),
    [
        (("preference", "convention", "rule", "pinned", "important"), "preference"),
        (("next", "todo", "open", "blocker"), "open"),
        (("decision", "architecture"), "decision"),
        (("error", "bug", "gotcha", "warning", "insight", "lesson"), "error"),
        (("commit", "change"), "log"),
        (("summary", "session"), "summary"),
    ],
)
def test_a_memory_says_what_it_is_by_kind_or_tag_in_whichever_word(names, meaning):
    for name in names:
        for candidate in (memory(kind=name), memory(tags=("ui", name)), memory(kind=name.upper())):
            shown = signs(candidate, LATER)
            called = {sign for sign, value in shown.items() if value and sign not in _ALWAYS}
            assert called == {meaning}, name


_ALWAYS = {"bias", "latest", "last summary"}


def test_two_words_for_the_same_count_once():
    assert usefulness(memory(kind="preference", tags=("rule", "pinned")), LATER) == pytest.approx(
        chance(BIAS + 3.1)
    )


def test_a_decision_that_is_open_counts_as_both():
    assert usefulness(memory(kind="decision", tags=("open",)), LATER) == pytest.approx(
        chance(BIAS + 1.3 + 1.9)
    )


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_by_which_memories_are_looked_for_means_something(mark):
    shown = signs(memory(kind=mark), LATER)

    assert any(value for sign, value in shown.items() if sign not in _ALWAYS)


def test_what_programs_keep_for_themselves_is_not_looked_for():
    assert "skill" in HIDDEN_KINDS
    assert not HIDDEN_KINDS & set(MARKS)


@pytest.mark.parametrize(
    ("content", "rules", "failures"),
    [
        ("The docs are built with MkDocs.", 0, 0),
        ("Money must be rounded half up.", 0.5, 0),
        ("It must never be rounded, always ask.", 1, 0),
        ("ALWAYS run the linter, at most once.", 1, 0),
        ("The worker crashed.", 0, 0.5),
        ("The worker crashes and leaks, then a timeout.", 0, 1),
        ("A deadlock: do not nest the locks.", 0.5, 0.5),
        ("The trapeze is mustard.", 0, 0),
    ],
)
def test_a_memory_tells_rules_and_failures_by_its_words(content, rules, failures):
    shown = signs(memory(content), LATER)

    assert (shown["rules"], shown["failures"]) == (rules, failures)
    assert usefulness(memory(content), LATER) == pytest.approx(
        chance(BIAS + 2.2 * rules + 2.0 * failures)
    )


def test_what_a_memory_is_about_it_says_in_its_first_800_characters():
    assert signs(memory("x" * 795 + " must"), LATER)["rules"] == 0.5
    assert signs(memory("x" * 796 + " must"), LATER)["rules"] == 0


@pytest.mark.parametrize("days", [0, 1, 4, 40])
def test_what_is_new_is_worth_more_and_where_a_session_stopped_most(days):
    now = CREATED + days * DAY_US

    # After four days a third is left.
    new = exp(-days / 4)
    assert usefulness(memory(), now) == pytest.approx(chance(BIAS + 0.4 * new))
    assert usefulness(memory(kind="summary"), now) == pytest.approx(
        chance(BIAS + (1.6 + 0.4) * new)
    )


def test_a_memory_from_the_future_is_as_new_as_can_be():
    assert usefulness(memory(), CREATED - DAY_US) == usefulness(memory(), CREATED)


def test_a_memory_has_nothing_to_do_with_the_work_unless_it_is_said():
    assert Candidate(memory().record) == memory(related=0.0)


def test_what_has_to_do_with_the_work_is_worth_more():
    assert usefulness(memory(related=0.5), LATER) == pytest.approx(chance(BIAS + 5.4 * 0.5))


def test_a_memory_that_was_shown_and_never_used_sinks():
    doubted = [usefulness(memory(), LATER, doubt) for doubt in (0.0, 0.5, 1.0)]

    assert doubted == pytest.approx(
        [chance(BIAS), chance(BIAS) * (1 - 0.7 / 2), chance(BIAS) * 0.3]
    )


def test_a_preference_is_followed_without_being_quoted_and_does_not_sink():
    assert usefulness(memory(kind="preference"), LATER, 1.0) == usefulness(
        memory(kind="preference"), LATER
    )


places = st.lists(st.tuples(st.integers(0, 60), st.floats(0, 1)), max_size=6)


def test_a_place_in_a_list_tells_how_much_a_memory_has_to_do_with_its_question():
    assert related([]) == 0
    assert related([(0, 0.9)]) == pytest.approx(0.9)
    # Fifteen places down it is a third, rather 1 / e.
    assert related([(15, 0.9)]) == pytest.approx(0.9 * exp(-1))
    # Both must be wrong for it to have nothing to do with the work.
    assert related([(0, 0.8), (0, 0.5)]) == pytest.approx(1 - 0.2 * 0.5)


@given(places, st.integers(0, 60), st.floats(0, 1))
def test_to_stand_in_one_more_list_never_takes_from_a_memory(some, place, weight):
    assert 0 <= related(some) <= related([*some, (place, weight)]) + 1e-12 <= 1 + 1e-9


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1))
def test_a_better_place_is_never_worth_less(place, further, weight):
    assert related([(place, weight)]) >= related([(place + further, weight)])


names = st.sampled_from([*MARKS, "commit", "insight", "note"])
candidates = st.builds(
    memory,
    st.lists(st.sampled_from(["must", "never", "crashed", "tea", "lost"]), max_size=9).map(
        " ".join
    ),
    names,
    st.lists(names, max_size=3).map(tuple),
    st.floats(0, 1),
)


@given(candidates, st.integers(-5, 500), st.floats(0, 1))
def test_every_sign_and_worth_lie_between_0_and_1(candidate, days, doubt):
    assert all(0 <= value <= 1 for value in signs(candidate, CREATED + days * DAY_US).values())
    assert 0 < usefulness(candidate, CREATED + days * DAY_US, doubt) < 1


@given(candidates, st.integers(0, 500), st.floats(0, 1), st.floats(0, 1))
def test_more_doubt_never_lifts_a_memory(candidate, days, one, other):
    less, more = sorted((one, other))

    assert usefulness(candidate, CREATED + days * DAY_US, more) <= usefulness(
        candidate, CREATED + days * DAY_US, less
    )


@given(candidates, st.integers(0, 500), st.floats(0, 1))
def test_more_to_do_with_the_work_never_sinks_a_memory(candidate, days, more):
    nearer = candidate._replace(related=max(candidate.related, more))

    assert usefulness(nearer, CREATED + days * DAY_US) >= usefulness(
        candidate, CREATED + days * DAY_US
    )


def named(hash, content, **more):
    candidate = memory(content, **more)
    return candidate._replace(record=candidate.record._replace(hash=hash))


def chosen(*candidates, doubts=None):
    return [c.record.hash for c, _ in choose(candidates, LATER, doubts or {})]


TEA = named("tea", "Tea is in the kitchen")
MONEY = named("money", "Money is rounded half up", related=0.4)
TABS = named("tabs", "Tabs rather than spaces", kind="preference")


def test_memories_come_by_falling_worth():
    found = list(choose([TEA, TABS, MONEY], LATER, {}))

    assert [c.record.hash for c, _ in found] == ["tabs", "money", "tea"]
    assert [value for _, value in found] == [usefulness(c, LATER) for c in (TABS, MONEY, TEA)]


def test_what_is_worth_the_same_comes_in_the_order_it_was_found():
    names = ["one", "two", "three", "four"]
    alike = [named(name, f"{name} apart") for name in names]

    assert chosen(*alike) == names
    assert chosen(*reversed(alike)) == names[::-1]


def test_what_was_shown_and_never_used_comes_later():
    ale = named("ale", "Ale is in the cellar")

    assert chosen(TEA, ale) == ["tea", "ale"]
    assert chosen(TEA, ale, doubts={"tea": 0.5}) == ["ale", "tea"]


def test_of_two_that_say_the_same_the_better_is_told():
    again = named("again", "In the kitchen is teas", related=0.9)

    assert chosen(TEA, MONEY, again) == ["again", "money"]


@pytest.mark.parametrize(("shared", "told"), [(7, ["long", "other"]), (8, ["long"])])
def test_more_than_seven_in_ten_words_shared_is_the_same(shared, told):
    words = [f"word{i}" for i in range(10)]
    mixed = [*words[:shared], *(f"more{i}" for i in range(10 - shared))]

    assert chosen(named("long", " ".join(words)), named("other", " ".join(mixed))) == told


def test_a_short_memory_that_a_longer_one_contains_is_not_told_beside_it():
    longer = named("longer", "Tea is in the kitchen, sugar in the cupboard", related=0.1)

    assert chosen(TEA, longer) == ["longer"]


def test_a_memory_of_one_word_is_not_told_beside_one_that_holds_it():
    assert chosen(TEA, named("word", "Tea!")) == ["tea"]


def test_memories_without_words_are_not_the_same():
    assert chosen(named("one", "!?"), named("two", "...")) == ["one", "two"]


def test_what_takes_back_an_older_word_is_told_though_it_uses_its_words():
    old = memory("We use Redis for the queue", "preference")
    new = memory("use Kafka instead of Redis for the queue", "decision")
    new = new._replace(record=new.record._replace(created_us=CREATED + DAY_US))

    assert new in [candidate for candidate, _ in choose([old, new], LATER, {})]


def test_what_was_taken_back_is_not_told_beside_the_newer_word():
    old = memory("We use Redis for the queue", "decision")
    new = memory("use Kafka instead of Redis for the queue", "preference")
    new = new._replace(record=new.record._replace(created_us=CREATED + DAY_US))

    assert [candidate for candidate, _ in choose([old, new], LATER, {})] == [new]


def test_another_number_of_the_same_is_another_word():
    old = memory("The retry limit for uploads of images is 5 tries", "preference")
    new = memory("The retry limit for uploads of images is 7 tries")
    new = new._replace(record=new.record._replace(created_us=CREATED + DAY_US))

    assert new in [candidate for candidate, _ in choose([old, new], LATER, {})]
