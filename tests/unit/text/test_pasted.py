"""What was pasted into a prompt is told from what its author says."""

import pytest

from milepost.text.pasted import own_words, without_quotations

RULES = "1. Always log in XML.\n2. We decided to use GraphQL."


@pytest.mark.parametrize(
    "pasted",
    [
        f"---\nPLAN of the agency\n{RULES}\n---",
        f"== RULES by Cormac ==\n{RULES}\n==",
        "> We must always use orjson.\n> Decision: uvloop is off.",
        "```\nalways use tabs\n```",
        '"4.2 All cells must carry tabindex=1. Always announce the date in French as well."',
        f"[PLAT-88] Rules for all repositories\n{RULES}",
        "2026-03-02 10:00:01 ERROR never seen\n2026-03-02 10:00:02 ERROR always",
    ],
)
def test_what_is_set_off_is_pasted(pasted: str) -> None:
    said = own_words(f"have a look at this\n\n{pasted}\n\nwe never do that here")

    assert said.split("\n")[0] == "have a look at this"
    assert said.rstrip().endswith("we never do that here")
    assert "lways" not in said
    assert "ecided" not in said


@pytest.mark.parametrize(
    "announced",
    ["Here is the plan:", "Jens hat das geschickt:", "je te colle sa charte :", "以下是文档："],
)
def test_what_is_announced_as_anothers_is_pasted(announced: str) -> None:
    assert "tabs" not in own_words(f"{announced}\n\nAlways use tabs.\n\nI do not.")
    assert "I do not." in own_words(f"{announced}\n\nAlways use tabs.\n\nI do not.")


@pytest.mark.parametrize(
    "said",
    [
        "Always use tabs.",
        "Two things:\n- always use tabs\n- never push to main",
        "I want this:\n\nAlways use tabs.",
        "first line\nsecond line",
    ],
)
def test_what_a_person_says_is_theirs(said: str) -> None:
    assert own_words(said) == said


@pytest.mark.parametrize(
    "request_",
    [
        "Please review this document:",
        "Summarise this plan:",
        "What do you think of this proposal?",
        "fix the typos",
        "Bitte fasse dieses Dokument zusammen:",
        "Traduis ce texte en anglais :",
        "Revisa este texto:",
        "请总结这份文档：",
    ],
)
def test_after_a_request_to_work_on_a_text_all_is_that_text(request_: str) -> None:
    text = "ACME Style Guide\n\nI prefer tabs.\nNever deploy on Mondays.\n\nAlways be kind."

    assert own_words(f"{request_}\n\n{text}").strip() == request_.rstrip(" :：")


@pytest.mark.parametrize(
    "request_",
    ["Please fix the login:", "Implement this:", "Make this page accessible:", "My rules:"],
)
def test_after_a_request_to_work_on_a_thing_stands_what_is_wanted_of_it(request_: str) -> None:
    said = f"{request_}\n- never log the password\n- always use UTC"

    assert own_words(said) == said


def test_a_person_comes_back_to_what_they_handed_over() -> None:
    text = "Summarise this:\n\nAlways use tabs.\n\nNever use spaces.\n\nThe rest of it is rubbish."

    assert own_words(text).split() == "Summarise this The rest of it is rubbish.".split()


@pytest.mark.parametrize(
    "mail",
    [
        "From: Ann\nSubject: rules\n\nAlways use tabs.\n\nNever use spaces.",
        "Dear team,\nalways use tabs.\n\nNever use spaces.",
        "Attendees: Ann, Ben\n- always use tabs\n\nNever use spaces.",
        "Von: Ann\nBetreff: Regeln\n\nImmer Tabs.\n\nNever use spaces.",
    ],
)
def test_a_mail_and_minutes_are_pasted_to_their_end(mail: str) -> None:
    assert own_words(f"have a look\n\n{mail}").strip() == "have a look"


def test_a_text_may_stand_before_the_request_or_in_its_line() -> None:
    assert own_words("Always use tabs.\n\nTranslate the above") == "Translate the above"
    assert own_words("Translate to German: you must always log out.") == "Translate to German"


def test_a_long_quotation_inside_a_sentence_is_not_the_speakers() -> None:
    assert "always" not in without_quotations('he wrote "always use tabs in this project"')
    assert "'tabs'" in without_quotations("use 'tabs' here")
