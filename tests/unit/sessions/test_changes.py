"""What is replaced in plain words no longer holds; what only sounds so holds on."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from changes_labelled import (
    HOLDS,
    HOLDS_IT,
    REPLACED,
    REPLACED_IT,
    UNSEEN_HOLDS,
    UNSEEN_REPLACED,
)

import milepost

AT = 1_772_000_000.0
DAY_S = 86_400


def turns(*said: str, day: int = 0) -> list[dict[str, object]]:
    """Return the turns of a session in which each prompt has a file changed."""
    made: list[dict[str, object]] = []
    for text in said:
        made.append({"role": "user", "text": text})
        made.append({"role": "tool", "text": "ok", "tool": "Edit", "input": "src/a.py\n- a\n+ b"})
        made.append({"role": "assistant", "text": "Done."})
    return [{**turn, "at": AT + day * DAY_S + 60 * place} for place, turn in enumerate(made)]


def stated(memory: milepost.Milepost, project: str) -> list[str]:
    rows = memory.search_iter("the", project=project, min_score=0.0)
    records = [memory.get(row.hash) for row in rows]
    return [one.content.rstrip(".") for one in records if one.kind not in ("summary", "change")]


def is_replaced(memory: milepost.Milepost, project: str, old: str, new: str, *, it: bool) -> bool:
    """Whether the new one stands and the old one does not."""
    if it:
        memory.notice(f"{project}-1", turns(old, new), project, "end")
    else:
        memory.notice(f"{project}-1", turns(old), project, "end")
        memory.notice(f"{project}-2", turns(new, day=2), project, "end")
    told = stated(memory, project)
    head = new.rstrip(".").removeprefix("No, ").removeprefix("Non, ")
    return any(text.startswith(head) for text in told) and old.rstrip(".") not in told


def replaced(
    path: Path, pairs: Sequence[tuple[str, str]], *, it: bool = False
) -> list[tuple[str, str]]:
    with milepost.connect(path) as memory:
        return [
            (old, new)
            for place, (old, new) in enumerate(pairs)
            if is_replaced(memory, f"p{place}", old, new, it=it)
        ]


@pytest.mark.slow
def test_what_is_replaced_no_longer_holds(path: Path) -> None:
    assert len(replaced(path, REPLACED)) >= 0.97 * len(REPLACED)


@pytest.mark.slow
def test_what_it_was_no_longer_holds(path: Path) -> None:
    assert len(replaced(path, REPLACED_IT, it=True)) >= len(REPLACED_IT) - 1


@pytest.mark.slow
def test_so_it_is_in_words_that_no_rule_was_made_for(path: Path) -> None:
    assert len(replaced(path, UNSEEN_REPLACED)) >= 0.75 * len(UNSEEN_REPLACED)


@pytest.mark.slow
def test_another_subject_a_question_and_an_edit_replace_nothing(path: Path) -> None:
    with milepost.connect(path) as memory:
        for place, (old, new) in enumerate([*HOLDS, *UNSEEN_HOLDS]):
            project = f"p{place}"
            memory.notice(f"{project}-1", turns(old), project, "end")
            before = old.rstrip(".") in stated(memory, project)
            memory.notice(f"{project}-2", turns(new, day=2), project, "end")
            assert (old.rstrip(".") in stated(memory, project)) == before, (old, new)


@pytest.mark.slow
def test_it_may_be_something_that_is_only_worked_on(path: Path) -> None:
    assert replaced(path, HOLDS_IT, it=True) == []
