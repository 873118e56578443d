"""Of two memories that speak of the same thing, the newer comes first."""

import pytest

import milepost

OTHERS = (
    "The office is closed between Christmas and New Year",
    "Invoices are sent on the first working day of the month",
    "Releases are announced in the newsletter",
    "The load test takes forty minutes and needs the big runner",
    "Customers in Japan get their own data centre",
)


@pytest.fixture
def memory() -> milepost.Milepost:
    opened = milepost.connect("memory://")
    for day, text in enumerate(OTHERS, start=1):
        opened.store(text, created=f"2026-02-{day:02}")
    return opened


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "The billing database is MySQL 8",
            "The billing database is PostgreSQL 16",
            "which database does billing use?",
        ),
        (
            "Staging runs on port 8080",
            "Staging runs on port 9443 behind the proxy",
            "on which port does staging run?",
        ),
        (
            "The spare key is under the third flowerpot",
            "The spare key is in the little safe behind the drainpipe",
            "where is the spare key?",
        ),
    ],
)
def test_who_asks_what_holds_gets_the_newer_first(
    memory: milepost.Milepost, older: str, newer: str, question: str
) -> None:
    memory.store(older, created="2026-01-10")
    memory.store(newer, created="2026-05-10")
    shown = [str(line) for line in memory.search(question)]

    assert newer in shown[0]
    assert any("(older)" in line and older in line for line in shown)


def test_explain_says_that_a_newer_memory_came_first(memory: milepost.Milepost) -> None:
    older = memory.store("Staging runs on port 8080", created="2026-01-10")
    memory.store("Staging runs on port 9443 behind the proxy", created="2026-05-10")
    told = memory.explain("on which port does staging run?", older).reasons

    assert "age: a newer memory says much the same" in told


def test_age_does_not_put_other_subjects_first(memory: milepost.Milepost) -> None:
    wanted = memory.store("Staging runs on port 8080", created="2026-01-10")
    memory.store("Staging is reset every Sunday night", created="2026-05-10")

    assert memory.search("on which port does staging run?").memories[0].hash == wanted
