"""What a person looks at who wants to know why: versions, reasons, authors, prices."""

from __future__ import annotations

import time

import pytest

from milepost import InvalidInput, Milepost, connect
from milepost.text.tokens import estimate
from milepost.upkeep.model_text import ModelText


def test_versions_are_told_from_any_of_them(memory: Milepost) -> None:
    first = memory.store("The port is 8080")
    second = memory.update(first, content="The port is 8765")
    third = memory.store("The port is 9000", supersedes=second)
    merged = memory.store("The second port is 8081")
    memory.store("The port is 9000", supersedes=merged)
    for name in (first, second, third, merged):
        assert {each.hash for each in memory.versions(name)} == {first, second, third, merged}
    texts = [each.content for each in memory.versions(first)]
    assert texts[0] == "The port is 8080"
    assert texts[-1] == "The port is 9000"
    alone = memory.store("Anna likes tea")
    assert [each.hash for each in memory.versions(alone)] == [alone]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_list_tells_what_one_author_said(
    kind: str, request: pytest.FixtureRequest, path: object
) -> None:
    url = path if kind == "sqlite" else request.getfixturevalue("postgres_store_url")
    with connect(url) as memory:
        for i in range(5):
            memory.store(f"Anna said {i}", author="anna", created=f"2024-01-0{i + 1}")
            memory.store(f"Jonas said {i}", author="jonas")
        old = memory.store("Anna was wrong", author="anna")
        memory.store("Anna was right", author="jonas", supersedes=old)
        first = memory.list_memories(author="anna", limit=2)
        assert [each.preview for each in first] == ["Anna said 4", "Anna said 3"]
        assert first.total == 5
        second = memory.list_memories(author="anna", limit=2, page=2, after="2024-01-02")
        assert [each.preview for each in second] == ["Anna said 2", "Anna said 1"]
        assert memory.list_memories(author="nobody").total == 0
        names = [each.content for each in memory.versions(old)]
        assert names == ["Anna was wrong", "Anna was right"]


def test_reasons_are_told_as_figures_too(memory: Milepost) -> None:
    best = memory.store("We chose PostgreSQL as the database", source="assistant")
    other = memory.store("The garden needs water in summer")
    told = memory.explain("which database did we choose?", best)
    assert {"words", "meaning", "neighbours", "age"} <= told.gains.keys()
    far = memory.explain("which database did we choose?", other)
    assert told.gains["words"] > 0
    assert told.similarity > far.similarity
    assert "database" in told.met
    assert told.source == "assistant"
    assert 0 < told.trust < 1 == told.freshness


def test_reasons_are_asked_as_the_search_was(memory: Milepost) -> None:
    old = memory.store("We deploy with Ansible", created="10 days ago")
    memory.store("We deploy with Helm", supersedes=old, created="2 days ago")
    assert memory.explain("how do we deploy?", old).place is None
    assert memory.explain("how do we deploy?", old, as_of="5 days ago").place == 1
    assert memory.explain("how do we deploy?", old, include_superseded=True).place is not None


def test_texts_are_priced_as_budgets_are(memory: Milepost) -> None:
    texts = ["We chose PostgreSQL", "", "дом " * 30]
    assert memory.count_tokens(texts) == [estimate(text) for text in texts]
    with pytest.raises(InvalidInput):
        memory.count_tokens("one text")  # type: ignore[arg-type]


def test_savings_are_told_by_operation_and_client(memory: Milepost) -> None:
    now = time.time()
    memory.note_model_text(ModelText(now, "search", "word " * 40, (), 400, client="cursor"))
    memory.note_model_text(ModelText(now, "get", "word " * 10, (), 40))
    memory.note_model_text(ModelText(now, "get", "word " * 10, (), 40, client="cursor"))
    savings = memory.savings()
    assert {row.name: row.texts for row in savings.operations} == {"search": 1, "get": 2}
    assert {row.name: row.instead_of for row in savings.clients} == {"cursor": 440, "not told": 40}


def test_a_team_is_reckoned_with_what_was_measured(memory: Milepost) -> None:
    told = memory.calculate_savings(users=2, sessions=1, price=10.0, workdays=10)
    per_session, month = told.tokens[2], told.tokens[3]
    assert month.with_milepost == 20 * per_session.with_milepost
    assert told.costs[0].with_milepost == pytest.approx(month.with_milepost * 10 / 1e6)
    with pytest.raises(InvalidInput):
        memory.calculate_savings(users=0)
