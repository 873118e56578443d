"""What holds for any text, any filter and any budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import milepost
from milepost import Milepost, MilepostError
from milepost.text.tokens import ceiling, exact_counter

pytestmark = pytest.mark.slow

relaxed = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# Signs of no known script may cost more than the ceiling says; what people write does not.
plausible_text = st.lists(
    st.sampled_from(
        "We chose PostgreSQL over MySQL because of JSONB, src/app/main.py ECONNREFUSED "
        "parse_config() 2026-11-02 8f7d497f Größe naïve café señor решили выбрать базу данных "
        "我们选择了数据库 因为它支持 認証トークンは 失効する 데이터베이스를 선택했다 "
        "قاعدة البيانات 🎉 👍 -> => {} [x] 3.14 v2.3.1 don't".split()
    ),
    min_size=1,
    max_size=60,
).map(" ".join)
valid_text = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=300
).filter(str.strip)
TAGS = ("red", "green", "blue")
KINDS = ("note", "decision")
PROJECTS = ("p", "q")
TALES = ("The ships came in at night. ", "船が港に入った。", "def moor(ship): return 1\n")
DAYS = tuple(f"2024-01-{day:02}" for day in range(1, 8))

items = st.fixed_dictionaries(
    {
        "tags": st.lists(st.sampled_from(TAGS), unique=True, max_size=3),
        "kind": st.sampled_from(KINDS),
        "project": st.none() | st.sampled_from(PROJECTS),
        "created": st.sampled_from(DAYS),
    }
)
filters = st.fixed_dictionaries(
    {},
    optional={
        "tags": st.lists(st.sampled_from(TAGS), unique=True, min_size=1, max_size=3),
        "match": st.sampled_from(("any", "all")),
        "kind": st.sampled_from(KINDS),
        "project": st.sampled_from(PROJECTS),
        "after": st.sampled_from(DAYS),
        "before": st.sampled_from(DAYS),
    },
)


@pytest.fixture(scope="module")
def shelf() -> Iterator[Milepost]:
    """A memory of many texts that tests only read."""
    with milepost.connect("memory://") as memory:
        memory.store_batch(
            [
                {
                    "content": f"harbour {i}: {TALES[i % 3] * (i % 7)}",
                    "tags": ["sea", f"number {i}"][: i % 3],
                }
                for i in range(60)
            ]
        )
        yield memory


def passes(item: dict[str, Any], conditions: dict[str, Any]) -> bool:
    """Say what a filter means, in the plainest words."""
    wanted, has = set(conditions.get("tags", ())), set(item["tags"])
    if conditions.get("match") == "all" and not wanted <= has:
        return False
    if wanted and not wanted & has:
        return False
    if any(name in conditions and item[name] != conditions[name] for name in ("kind", "project")):
        return False
    return conditions.get("after", "") <= item["created"] < conditions.get("before", "9")


@relaxed
@given(st.lists(items, max_size=12), filters, st.integers(1, 15))
def test_filters_hold_for_every_result_and_come_before_the_limit(
    given_items: list[dict[str, Any]], conditions: dict[str, Any], limit: int
) -> None:
    with milepost.connect("memory://") as memory:
        contents = [f"harbour {i}" for i in range(len(given_items))]
        names = memory.store_batch(
            [{"content": c, **item} for c, item in zip(contents, given_items, strict=True)]
        )
        expected = {n for n, i in zip(names, given_items, strict=True) if passes(i, conditions)}

        result = memory.search("harbour", limit=limit, min_score=0, **conditions)
        every = list(memory.search_iter("harbour", min_score=0, **conditions))

    shown = {found.hash for found in result.memories}
    assert shown <= expected
    assert len(shown) == len(result.memories) == min(limit, len(expected))
    assert result.total == len(expected)
    assert {found.hash for found in every} == expected
    assert len(every) == len(expected)


@pytest.mark.parametrize("crowd", [600, 3_000])
def test_few_that_pass_are_all_found_among_many_that_match_better(
    memory: Milepost, crowd: int
) -> None:
    memory.store_batch([f"harbour harbour harbour {i}" for i in range(crowd)])
    wanted = memory.store_batch(
        [
            {"content": f"a long report, number {i}, with one harbour", "tags": "rare"}
            for i in range(10)
        ]
    )

    result = memory.search("harbour", limit=10, tags="rare", min_score=0)

    assert {found.hash for found in result.memories} == set(wanted)
    assert result.total == 10


@relaxed
@given(valid_text, st.lists(st.sampled_from(TAGS)), st.lists(st.sampled_from(TAGS)))
def test_storing_again_changes_nothing_but_tags(
    content: str, first: list[str], second: list[str]
) -> None:
    with milepost.connect("memory://") as memory:
        name = memory.store(content, tags=first)
        before = memory.get(name)
        assert memory.store(content, tags=second) == name
        after = memory.get(name)
        count = memory.health().count

    assert after == before._replace(tags=tuple(sorted({*first, *second})))
    assert count == 1


@relaxed
@given(text=valid_text)
def test_any_valid_text_comes_back_exactly(memory: Milepost, text: str) -> None:
    kept = memory.get(memory.store(text))

    assert kept.content == text
    assert kept.full_hash == sha256(text.encode()).hexdigest()


@relaxed
@given(text=valid_text)
def test_any_stored_text_is_found_by_itself(text: str) -> None:
    with milepost.connect("memory://") as memory:
        name = memory.store(text)
        memory.store("the harbour opens at six")
        found = {one.hash for one in memory.search(text, min_score=0).memories}
        (listed,) = memory.timeline(name, 0, 0).memories

    assert name in found
    assert listed.hash == name
    assert len(listed.preview) <= 200


@relaxed
@given(query=st.text(min_size=1, max_size=400))
def test_a_search_for_anything_gives_a_result_or_a_refusal(shelf: Milepost, query: str) -> None:
    for call in (shelf.search, shelf.recall):
        try:
            result = call(query)
        except MilepostError:
            assert not query.strip() or "\0" in query or not encodes(query)
        else:
            assert result.total >= len(result.memories)
            assert str(result)
            assert all(len(found.preview) <= 200 for found in result.memories)


def encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@cache
def exact() -> Callable[[str], int]:
    """Return the real tokenizer, or a count of nothing where its table is not at hand."""
    tables = Path(__file__).parents[3] / "shared" / "models" / "o200k_base"
    return exact_counter(str(tables)) or (lambda text: 0)


@settings(relaxed, max_examples=60)
@given(
    query=st.sampled_from(("harbour", "ships at night", "港", "moor", "unknown words " * 30))
    | valid_text,
    budget=st.integers(10, 400),
    limit=st.integers(1, 60),
)
def test_a_budget_is_never_exceeded(shelf: Milepost, query: str, budget: int, limit: int) -> None:
    for result in (
        shelf.search(query, limit=limit, budget=budget, min_score=0),
        shelf.search(query, limit=limit, budget=budget),
        shelf.recall(query, limit=limit, budget=budget),
    ):
        assert ceiling(str(result)) <= budget
        assert exact()(str(result)) <= budget
        assert result.total >= len(result.memories)


@settings(relaxed, max_examples=60)
@given(text=valid_text, tags=st.lists(st.sampled_from(TAGS)), budget=st.integers(10, 120))
@example(text="0\U00010080\U000103ef", tags=[], budget=76)
def test_a_budget_holds_for_any_text_by_our_own_ceiling(
    text: str, tags: list[str], budget: int
) -> None:
    for result in _about(text, tags, budget):
        assert ceiling(str(result)) <= budget


@settings(relaxed, max_examples=60)
@given(text=plausible_text, tags=st.lists(st.sampled_from(TAGS)), budget=st.integers(10, 120))
def test_a_budget_holds_for_what_people_write_by_the_real_tokenizer(
    text: str, tags: list[str], budget: int
) -> None:
    for result in _about(text, tags, budget):
        assert exact()(str(result)) <= budget


def _about(text: str, tags: list[str], budget: int) -> list[milepost.CompactSearchResult]:
    with milepost.connect("memory://") as memory:
        memory.store(text * 5, tags=tags)
        memory.store(text, tags=["red"])
        return [
            memory.search(text, budget=budget, min_score=0),
            memory.search_by_tag("red", budget=budget),
        ]


@relaxed
@given(st.sets(st.integers(0, 3_000), min_size=1, max_size=60), st.data())
def test_any_unambiguous_prefix_of_four_or_more_digits_resolves(
    numbers: set[int], data: st.DataObject
) -> None:
    contents = [f"memory {number}" for number in sorted(numbers)]
    full = {sha256(content.encode()).hexdigest(): content for content in contents}
    with milepost.connect("memory://") as memory:
        memory.store_batch(contents)
        wanted = data.draw(st.sampled_from(sorted(full)))
        prefix = wanted[: data.draw(st.integers(4, 64))]
        sharing = [text for text in full if text.startswith(prefix)]
        if len(sharing) == 1:
            assert memory.get(prefix).content == full[wanted]
        else:
            with pytest.raises(milepost.Ambiguous):
                memory.get(prefix)
        short = memory.get(wanted).hash

    assert len(short) >= 8
    assert wanted.startswith(short)
    assert sum(text.startswith(short) for text in full) == 1
