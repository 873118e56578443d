"""What says the same is one line with a count, and what a newer line replaces is marked."""

from collections.abc import Iterator

import pytest

import milepost

QUESTION = "when do deploys go out?"


@pytest.fixture
def memory() -> Iterator[milepost.Milepost]:
    with milepost.connect("memory://") as memory:
        memory.store("Standup is at half past nine")
        memory.store("Ana is allergic to nuts")
        yield memory


def previews(memory: milepost.Milepost, question: str = QUESTION, **options: int) -> list[str]:
    return [str(found)[len("0a1b2c3d ") :] for found in memory.search(question, **options)]


def test_what_says_the_same_is_one_line_with_a_count_and_shows_the_newest(
    memory: milepost.Milepost,
) -> None:
    memory.store("Deploys go out on Tuesday", created="2026-02-01")
    newest = memory.store("Note to self: the deploys go out on Tuesday.", created="2026-03-01")
    result = memory.search(QUESTION)

    assert [found.hash for found in result.memories] == [newest]
    assert result[0].preview.startswith("Note to self")
    assert result[0].mark == "x2 since 2026-02-01"
    assert "2026-03-01 (x2 since 2026-02-01) Note to self" in str(result)
    assert "more not shown" not in str(result)


def test_a_compact_memory_still_unpacks_into_five(memory: milepost.Milepost) -> None:
    name = memory.store("Deploys go out on Tuesday", created="2026-03-01")
    memory.store("deploys go out on tuesday!", created="2026-03-01")
    ((_, preview, tags, created, score),) = memory.search(QUESTION).memories

    assert preview in {
        "Deploys go out on Tuesday",
        "deploys go out on tuesday!",
    }
    assert tags == ()
    assert memory.get(name).created == created
    assert 0 < score <= 1


def test_places_that_are_freed_go_to_the_next_memories(memory: milepost.Milepost) -> None:
    for end in ("", ".", "!", "…"):
        memory.store(f"Deploys go out on Tuesday{end}", created="2026-03-01")
    memory.store("Deploys need two reviews before they go out", created="2026-03-01")
    shown = previews(memory, limit=2)

    assert shown[0].startswith("2026-03-01 (x4) Deploys go out on Tuesday")
    assert shown[1].endswith("Deploys need two reviews before they go out")


def test_however_many_say_the_same_they_are_one_line(memory: milepost.Milepost) -> None:
    for number in range(80):
        memory.store(f"Deploys go out on Tuesday{'.' * number}", created="2026-03-01")
    memory.store("Deploys need two reviews before they go out", created="2026-03-01")
    shown = previews(memory)

    assert len(shown) == 2
    assert shown[0].startswith("2026-03-01 (x80) ")


def test_all_that_say_the_same_stay_reachable(memory: milepost.Milepost) -> None:
    first = memory.store("Deploys go out on Tuesday", created="2026-02-01")
    second = memory.store("Deploys go out on Tuesday.", created="2026-03-01")

    assert {first, second} <= {found.hash for found in memory.search_iter(QUESTION)}
    assert first in {found.hash for found in memory.similar(second).memories}
    assert memory.get(first).content == "Deploys go out on Tuesday"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The billing database listens on port 5432", "The billing database listens on port 5433"),
        ("Billing deploys on Friday are allowed", "Billing deploys on Friday are not allowed"),
        ("Billing moved from MySQL to Oracle", "Billing moved from Oracle to MySQL"),
        ("The billing owner is Ana", "The billing owner is Ben"),
        ("Billing runs with -v", "Billing runs with -V"),
        ("Is billing on Oracle?", "Billing is on Oracle"),
        ("Billing takes option A", "Billing takes option"),
        ("We can deploy billing", "We can't deploy billing"),
    ],
)
def test_what_differs_in_a_number_a_name_or_a_negation_is_never_joined(
    memory: milepost.Milepost, one: str, other: str
) -> None:
    memory.store(one, created="2026-03-01")
    memory.store(other, created="2026-03-01")

    assert not any("(x2" in preview for preview in previews(memory, "billing"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("For billing we use Oracle 19", "We use Oracle 19 for billing."),
        ("Don't deploy billing", "Do not deploy billing!"),
        ("As said before: billing is on Oracle", "Billing is on Oracle"),
        ("- **Billing** runs on `Oracle` 19, in rack 4", "billing runs on Oracle 19 in rack 4"),
    ],
)
def test_form_and_courtesy_do_not_keep_what_says_the_same_apart(
    memory: milepost.Milepost, one: str, other: str
) -> None:
    memory.store(one, created="2026-03-01")
    memory.store(other, created="2026-03-01")

    assert any("(x2)" in preview for preview in previews(memory, "billing"))


def test_what_two_people_say_is_two_memories(memory: milepost.Milepost) -> None:
    memory.store("I deploy on Tuesday", author="Ana")
    memory.store("I deploy on Tuesday.", author="Ben")

    assert len(previews(memory, "who deploys on Tuesday")) == 2


def test_the_older_of_two_that_speak_of_the_same_is_marked(memory: milepost.Milepost) -> None:
    memory.store("The billing database is MySQL 8", created="2026-01-04")
    memory.store("The billing database is PostgreSQL 16", created="2026-05-04")
    shown = previews(memory, "which database does billing use?")

    assert "2026-01-04 (older) The billing database is MySQL 8" in shown
    assert "2026-05-04 The billing database is PostgreSQL 16" in shown


def test_what_was_said_on_one_day_is_not_marked_for_its_age(memory: milepost.Milepost) -> None:
    memory.store("The billing database is MySQL 8", created="2026-01-04T09:00")
    memory.store("Billing has PostgreSQL 16 for its database", created="2026-01-04T15:00")

    assert not any("(older)" in line for line in previews(memory, "which database is billing on?"))


def test_who_asks_what_was_gets_no_mark(memory: milepost.Milepost) -> None:
    memory.store("The billing database is MySQL 8", created="2026-01-04")
    memory.store("The billing database is PostgreSQL 16", created="2026-05-04")

    assert not any("(older)" in line for line in previews(memory, "what was the billing database?"))


def test_marks_stay_when_a_budget_shortens_the_passage(memory: milepost.Milepost) -> None:
    long = " and the harbour office hears of it in the morning" * 4
    memory.store(f"Deploys go out on Tuesday{long}", created="2026-02-01")
    memory.store(f"Deploys go out on Tuesday{long}.", created="2026-03-01")
    full, short = (previews(memory, budget=budget) for budget in (200, 60))

    assert full[0].startswith("2026-03-01 (x2 since 2026-02-01) ")
    assert short[0].startswith("2026-03-01 (x2 since 2026-02-01) ")
    assert len(short[0]) < len(full[0]) <= 200


def test_explain_says_which_line_a_memory_stands_in(memory: milepost.Milepost) -> None:
    first = memory.store("Deploys go out on Tuesday", created="2026-02-01")
    newest = memory.store("Deploys go out on Tuesday.", created="2026-03-01")
    told, shown = memory.explain(QUESTION, first), memory.explain(QUESTION, newest)

    assert not told.shown
    assert f"line: {newest} says the same and stands for it" in told.reasons
    assert shown.shown
    assert "line: it stands for 2 memories that say the same" in shown.reasons


def test_explain_names_the_newer_memory(memory: milepost.Milepost) -> None:
    older = memory.store("The billing database is MySQL 8", created="2026-01-04")
    newer = memory.store("The billing database is PostgreSQL 16", created="2026-05-04")
    told = memory.explain("which database does billing use?", older)

    assert f"age: marked as older, {newer} speaks of the same" in told.reasons
