"""How things were, as an agent says it once a failure is mended, is why it failed."""

from causes_labelled import CLOSING, UNSEEN

from milepost.sessions.notes import notes_of
from milepost.sessions.values import Turn

RAN = Turn("tool", "ok", "Bash", "pytest -q")
EDITED = Turn("tool", "updated", "Edit", "src/shop.py\n- a\n+ b")


def failing(output: str) -> Turn:
    return Turn("tool", f"{output}\n1 failed", "Bash", "pytest -q", failed=True)


def errors(*turns: Turn) -> list[str]:
    notes = notes_of([Turn("user", "run the tests"), *turns])
    return [note.text for note in notes if note.kind == "error"]


def shares(closings: list[tuple[str, str, str]]) -> tuple[float, float]:
    """Return the share of causes that are ones, and of ones that are told."""
    told = right = wanted = 0
    for output, said, cause in closings:
        [note] = errors(failing(output), EDITED, RAN, Turn("assistant", said))
        given = not note.partition("; ")[2].startswith("fixed by")
        told += given
        right += given and bool(cause) and cause in note
        wanted += bool(cause)
    return right / told, right / wanted


def test_how_things_were_is_told_from_what_was_done() -> None:
    assert len(CLOSING) >= 90
    assert shares(CLOSING) == (1.0, 1.0)


def test_so_it_is_in_words_that_no_rule_was_made_for() -> None:
    precision, recall = shares(UNSEEN)

    assert precision >= 0.9
    assert recall >= 0.9


def test_what_was_changed_is_told_beside_how_things_were() -> None:
    closing = Turn("assistant", "Fixed: the dates were in US format.")
    [note] = errors(failing("E   ValueError: time data"), EDITED, RAN, closing)

    assert "; the dates were in US format; fixed by editing src/shop.py" in note


def test_of_two_failures_the_last_words_speak_of_the_last() -> None:
    first, second = failing("E   KeyError: 'tz'"), failing("E   ValueError: bad date")
    closing = Turn("assistant", "Green. The dates were in US format.")
    notes = errors(first, EDITED, second, EDITED, RAN, closing)

    assert [("US format" in note) for note in notes if "KeyError" in note] == [False]
    assert [("US format" in note) for note in notes if "ValueError" in note] == [True]


def test_a_cause_in_so_many_words_comes_first() -> None:
    said = "The clock was slow. It failed because the fixture had no time zone."
    closing = Turn("assistant", said)
    [note] = errors(failing("E   KeyError: 'tz'"), EDITED, RAN, closing)

    assert "because the fixture had no time zone" in note
