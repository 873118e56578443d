"""Many memories are summed up in their own sentences, by subject and time, under a budget."""

from __future__ import annotations

import pytest

from milepost import InvalidInput, Milepost
from milepost.text.tokens import ceiling

NOTES = [
    ("2026-01-05", "The billing service rounds half up. Ines wrote it."),
    ("2026-01-09", "The billing service rounds half to even since the audit."),
    ("2026-02-01", "The billing service needs the currency of every invoice."),
    ("2026-02-03", "Deploys of the website wait for the smoke test."),
    ("2026-02-04", "A deploy of the website takes nine minutes."),
    ("2026-02-05", "The deploy of the website is started from main alone."),
    ("2026-02-06", "Lena likes mangoes."),
]


def filled(memory: Milepost) -> dict[str, str]:
    return {memory.store(text, created=day, session="s" if i < 3 else "t"): text
            for i, (day, text) in enumerate(NOTES)}  # fmt: skip


def test_every_sentence_stands_in_the_memory_that_it_names(memory: Milepost) -> None:
    texts = filled(memory)

    summary = memory.summarize(budget=1000)

    quotes = [quote for subject in summary.subjects for quote in subject.quotes]
    assert len(quotes) >= 6
    assert all(quote.text in texts[quote.hash] for quote in quotes)
    assert summary["memories"] == 7


def test_subjects_stand_apart_and_each_goes_by_time(memory: Milepost) -> None:
    filled(memory)

    subjects = memory.summarize(budget=1000).subjects

    assert len(subjects) >= 2
    for subject in subjects:
        assert [q.created for q in subject.quotes] == sorted(q.created for q in subject.quotes)
    together = [s for s in subjects if any("billing" in q.text for q in s.quotes)]
    assert not any("smoke test" in q.text for s in together[:1] for q in s.quotes)


@pytest.mark.parametrize("budget", [30, 80, 150, 300])
def test_a_summary_keeps_to_its_budget(memory: Milepost, budget: int) -> None:
    filled(memory)
    assert ceiling(str(memory.summarize(budget=budget))) <= budget


def test_conditions_choose_what_is_summed_up(memory: Milepost) -> None:
    filled(memory)

    assert "deploy" not in str(memory.summarize(session="s")).lower()
    assert "mangoes" in str(memory.summarize(query="what does Lena like?"))
    assert "billing" not in str(memory.summarize(query="what does Lena like?"))
    assert memory.summarize(days=1).memories == 0
    assert str(memory.summarize(days=1)) == "nothing to summarize"
    with pytest.raises(InvalidInput, match="days"):
        memory.summarize(days=0)
