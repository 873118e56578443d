"""A plain text is found by who speaks in it and by the dates it means, though no field says so."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import milepost

SAID = "2023-05-08T13:56Z"


@pytest.fixture
def memory() -> Iterator[milepost.Milepost]:
    with milepost.connect("memory://") as memory:
        yield memory


def first(memory: milepost.Milepost, question: str) -> str:
    return memory.search(question, limit=1).memories[0].hash


@pytest.mark.parametrize(
    "form", ["{}: {}", "[10:32] {}: {}", "**{}**: {}", "- {}: {}", "{} (on call): {}"]
)
def test_what_a_person_said_is_found_by_the_name(memory: milepost.Milepost, form: str) -> None:
    said = "the standup stays at nine"
    ines = memory.store(form.format("Ines", said))
    tobias = memory.store(form.format("Tobias", f"{said} thirty"))

    assert first(memory, "what did Ines say about the standup?") == ines
    assert first(memory, "what did Tobias say about the standup?") == tobias


def test_a_text_that_names_its_speaker_is_found_as_one_whose_author_was_given() -> None:
    question = "what did Ines say about the standup?"
    scores = []
    for ines, tobias in (
        ({"content": "Ines: standup at nine"}, {"content": "Tobias: standup at ten"}),
        (
            {"content": "standup at nine", "author": "Ines"},
            {"content": "standup at ten", "author": "Tobias"},
        ),
    ):
        with milepost.connect("memory://") as memory:
            memory.store_batch([{**ines, "created": SAID}, {**tobias, "created": SAID}])
            scores.append([found.score for found in memory.search(question).memories])

    assert scores[0] == scores[1]


def test_the_memory_itself_stays_as_it_was_stored(memory: milepost.Milepost) -> None:
    stored = memory.get(memory.store("Ines: the standup stays at nine"))

    assert (stored.content, stored.author) == ("Ines: the standup stays at nine", None)


def test_an_author_that_was_given_is_not_replaced(memory: milepost.Milepost) -> None:
    quoted = memory.store("Ines: the standup stays at nine", author="Tobias")
    memory.store("Ines: the standup moves to ten")

    assert memory.get(quoted).author == "Tobias"
    assert first(memory, "what did Tobias say about the standup?") == quoted


def test_an_author_with_two_names_or_an_accent_is_found_by_the_first(
    memory: milepost.Milepost,
) -> None:
    lucia = memory.store("the rehearsal is at seven", author="Lucía Ferrer")
    memory.store("the rehearsal is at eight", author="Marta Vidal")

    assert first(memory, "what did Lucia say about the rehearsal?") == lucia
    assert first(memory, "what did Lucía say about the rehearsal?") == lucia


@pytest.mark.parametrize(
    ("text", "others", "question"),
    [
        (
            "I went to the support group yesterday",
            "I went to the support group and it was good",
            "who went to the support group on 7 May 2023?",
        ),
        (
            "Gestern war die Gruppe im Garten",
            "Die Gruppe war wieder im Garten",
            "Wann war die Gruppe am 7. Mai im Garten?",
        ),
        (
            "Ayer el grupo estuvo en el jardín",
            "El grupo estuvo otra vez en el jardín",
            "¿Dónde estuvo el grupo el 7 de mayo?",
        ),
        ("昨天小组讨论了预算", "小组又讨论了预算", "5月7日小组讨论了什么？"),
    ],
)
def test_a_text_is_found_by_the_day_that_yesterday_means(
    memory: milepost.Milepost, text: str, others: str, question: str
) -> None:
    wanted = memory.store(text, created=SAID)
    memory.store(others, created="2023-04-02")

    assert first(memory, question) == wanted


def test_a_date_is_found_however_it_is_written(memory: milepost.Milepost) -> None:
    wanted = memory.store("## 2025-03-14 standup\nthe release slips", created=SAID)
    memory.store("## 2025-04-17 standup\nthe release slips", created=SAID)

    for question in ("which release slipped on 14 March?", "what slipped on March 14th, 2025?"):
        assert first(memory, question) == wanted


def test_an_older_analysis_is_made_again_whole(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch(["Ines: the standup stays at nine", "Tobias: it moves to ten"])
    kept = analyses(path)
    connection = apsw.Connection(str(path))
    connection.execute(
        "UPDATE meta SET value = 0 WHERE key = 'analysis'; UPDATE memories SET terms = x'';"
        "UPDATE vectors SET vector = (SELECT vector FROM vectors LIMIT 1)"
    )
    connection.close()

    with milepost.connect(path) as memory:
        assert "nine" in memory.search("what did Ines say about the standup?").memories[0].preview
    assert analyses(path) == kept


def analyses(path: Path) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path))
    rows = connection.execute(
        "SELECT terms, traits, model, vector FROM memories JOIN vectors ON memory_id = id"
    )
    kept = list(rows)
    connection.close()
    return kept
