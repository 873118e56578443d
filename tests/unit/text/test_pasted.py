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


def test_a_long_quotation_inside_a_sentence_is_not_the_speakers() -> None:
    assert "always" not in without_quotations('he wrote "always use tabs in this project"')
    assert "'tabs'" in without_quotations("use 'tabs' here")
