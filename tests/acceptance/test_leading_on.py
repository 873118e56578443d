"""A question over two memories finds the second by what the first one names."""

from collections.abc import Iterator

import pytest

import milepost

QUESTION = "who looks after the export for the tax office?"
FIRST = "The export for the tax office lives in the module Kranich"
SECOND = "Tobias looks after Kranich since May"
# As near to the question as the second, and about something else.
RIVALS = ["Swantje looks after Reiher since May", "Bettina looks after Storch since May"]
OTHERS = [
    f"{name} {says}"
    for name in ("Marcus", "Lena", "Felix", "Dolores", "Aoi", "Priya")
    for says in (
        "reviews every change before the release",
        "prefers rebase over merge commits",
        "is on holiday in August",
        "maintains the import of bank statements",
    )
]


@pytest.fixture
def memory() -> Iterator[milepost.Milepost]:
    with milepost.connect("memory://") as memory:
        texts = (*RIVALS, *OTHERS, SECOND, FIRST)
        memory.store_batch([{"content": text} for text in texts])
        yield memory


def test_the_second_memory_comes_right_after_the_first(memory: milepost.Milepost) -> None:
    found = [line.content for line in memory.search(QUESTION).memories]

    assert found[:2] == [FIRST, SECOND]
    assert [line.content for line in memory.search_iter(QUESTION)][:2] == [FIRST, SECOND]


def test_where_the_first_names_another_thing_it_leads_there(memory: milepost.Milepost) -> None:
    name = memory.search(FIRST, limit=1).memories[0].hash
    memory.delete(name)
    memory.store(FIRST.replace("Kranich", "Storch"))
    found = [line.content for line in memory.search(QUESTION).memories]

    assert found[1] == RIVALS[1]


def test_what_led_to_a_memory_is_explained(memory: milepost.Milepost) -> None:
    lines = memory.search(QUESTION).memories
    told = memory.explain(QUESTION, lines[1].hash)

    assert (told.place, told.score) == (2, lines[1].score)
    assert "rare words of the best +" in told.reasons[-1]


def test_what_no_memory_answers_stays_without_an_answer(memory: milepost.Milepost) -> None:
    assert memory.search("what is the capital of France?").memories == ()
