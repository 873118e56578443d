"""What a user states is kept; what they ask, hand over, suppose or report is not."""

import pytest
from statements_labelled import AFTERWARDS, FRESH, LAST, MADE, REPORTED, UNSEEN

from milepost.sessions.notes import notes_of
from milepost.sessions.values import Turn


def noted(prompt: str) -> list[tuple[str, str]]:
    return [(note.kind, note.text) for note in notes_of([Turn("user", prompt)])]


def shares(prompts: list[tuple[str, list[str]]]) -> tuple[float, float]:
    """Return the share of notes that hold a fact, and of facts that a note holds."""
    notes = right = facts = found = 0
    for prompt, pieces in prompts:
        texts = [text.lower() for _, text in noted(prompt)]
        notes += len(texts)
        right += sum(any(piece.lower() in text for piece in pieces) for text in texts)
        facts += len(pieces)
        found += sum(any(piece.lower() in text for text in texts) for piece in pieces)
    return right / notes, found / facts


def test_what_is_stated_is_told_from_what_is_not() -> None:
    assert len(MADE) >= 200
    precision, recall = shares(MADE)

    assert precision >= 0.97
    assert recall >= 0.97


def test_so_it_is_in_prompts_that_no_rule_was_made_for() -> None:
    assert len(UNSEEN) >= 60
    precision, recall = shares(UNSEEN)

    assert precision >= 0.9
    assert recall >= 0.9


@pytest.mark.parametrize("prompts", [REPORTED, FRESH, AFTERWARDS, LAST])
def test_what_others_say_orders_corrections_and_ways_are_told_apart(
    prompts: list[tuple[str, list[str]]],
) -> None:
    precision, recall = shares(prompts)

    assert precision >= 0.95
    assert recall >= 0.95


def test_a_fact_may_be_told_by_others_but_their_rules_are_not_the_users() -> None:
    assert noted("Declan says the backend takes up to 8 seats") == [
        ("fact", "Declan says the backend takes up to 8 seats")
    ]
    assert noted("Declan says we should never book more than 8 seats") == []


def test_after_the_words_of_others_the_user_speaks_again() -> None:
    prompt = "The client writes: always use SAP. But our rule stays, we never use SAP here."

    assert [text for _, text in noted(prompt)] == [
        "But our rule stays, we never use SAP here.",
    ]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("No, amounts must always be integers", "amounts must always be integers"),
        ("no no, we never truncate the audit table", "we never truncate the audit table"),
        ("Hmm, no! never run migrations by hand", "never run migrations by hand"),
        ("Nein, Beträge sind immer ganze Zahlen", "Beträge sind immer ganze Zahlen"),
        ("Non, les montants doivent être entiers", "les montants doivent être entiers"),
        ("不对，金额必须始终是整数", "金额必须始终是整数"),
    ],
)
def test_a_correction_is_kept_without_the_no_that_it_begins_with(said: str, kept: str) -> None:
    assert [text for _, text in noted(said)] == [kept]


def test_a_no_that_is_part_of_the_rule_stays() -> None:
    assert noted("no more than 5 retries in the client") == [
        ("preference", "no more than 5 retries in the client")
    ]


def test_how_the_project_does_things_is_a_fact() -> None:
    assert noted("We deploy with Helm.") == [("fact", "We deploy with Helm.")]
    assert noted("We use Flask for the API") == [("fact", "We use Flask for the API")]
