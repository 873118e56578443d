"""What is planted for a model is told as data or not at all, whatever way it came in by."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest

import milepost
from hostile import assert_harmless
from milepost import InvalidInput, Milepost
from milepost.surfaces.bridge import Bridge
from milepost.surfaces.mcp.tools import Toolbox
from milepost.testing import Clock
from milepost.text.instructing import instructs
from poison import CASES, DELAYED, ORDER, TO_AGENTS

PROJECT, TASK = "shop", "deploy the cart with the heron key"
SOURCES = {"document", "tool", "assistant", "import", "model"}
SKILL = "def cart_total(rows):\n    return sum(rows)\n"


def planted(memory: Milepost, way: str, text: str) -> None:
    """Bring a text in by its way."""
    source, _, kind = way.partition(" as ")
    if source in SOURCES:
        metadata = {"reviewed": "2026-01-01"} if kind == "reviewed" else None
        named = "preference" if kind == "a preference" else "note"
        memory.store(text, kind=named, metadata=metadata, project=PROJECT, source=source)
        return
    _OTHERS[way](memory, text)


def _stored(memory: Milepost, **more: object) -> None:
    fields = {"content": "The heron cart is deployed by hand", "project": PROJECT}
    memory.store(**fields | {"source": "document"} | more)  # type: ignore[arg-type]


def _lived(memory: Milepost, text: str, way: str) -> None:
    task = text if way == "task" else TASK
    name = memory.create_episode(task, {"project": PROJECT})
    seen = text if way == "step" else "no heron there"
    memory.add_step(name, "bash", "make deploy", observation=seen, success=False)
    if way == "checkpoint":
        memory.checkpoint_episode(name, text)
        return
    memory.complete_episode(name, "failure", verdict=text if way == "verdict" else "it broke")


def _turns(memory: Milepost, text: str) -> None:
    turns = [
        {"role": "user", "text": "Please deploy the cart."},
        {"role": "tool", "tool": "Bash", "input": "make deploy", "text": text, "failed": True},
        {"role": "assistant", "text": f"We decided to follow this: {text}"},
    ]
    memory.notice("before", turns, project=PROJECT, stage="end")


_OTHERS = {
    "noticed from a tool": _turns,
    "metadata": lambda m, t: _stored(m, metadata={"by": "notice", "settled": t}),
    "tag": lambda m, t: _stored(m, tags=[t]),
    "author": lambda m, t: _stored(m, author=t),
    "session": lambda m, t: _stored(m, session=t),
    "kind": lambda m, t: _stored(m, kind=t),
    "project": lambda m, t: _stored(m, project=t),
    "file": lambda m, t: m.brief(PROJECT, files=[t], session="before"),
    "entity": lambda m, t: m.create_entity(t, "heron"),
    "observation": lambda m, t: m.add_observation(m.create_entity("heron", "bird").name, t),
    "relation": lambda m, t: m.create_relation("heron", t, "cart"),
    "verdict": lambda m, t: _lived(m, t, "verdict"),
    "step": lambda m, t: _lived(m, t, "step"),
    "task": lambda m, t: _lived(m, t, "task"),
    "checkpoint": lambda m, t: _lived(m, t, "checkpoint"),
    "event": lambda m, t: m.record_event("note", t, project=PROJECT),
    "commit": lambda m, t: m.record_commit("a1b2c3d", t, project=PROJECT),
    "skill": lambda m, t: m.within(source="assistant").save_skill("cart_total", SKILL, t),
}


def unasked(memory: Milepost) -> Iterator[str]:
    """Yield what a session is told that asked for nothing."""
    yield memory.brief(PROJECT, branch="deploy-heron", commits=["deploy the cart"]).text
    yield memory.brief(PROJECT, session="before", source="compact").text
    for prompt in (TASK, "what do we know of the heron?", "what did we decide about the cart?"):
        yield memory.remind(prompt, session="next", project=PROJECT).text


QUESTIONS = (
    ("search", {"query": "heron", "min_score": 0, "limit": 20}),
    ("search_iter", {"query": "heron cart"}),
    ("recall", {"text": "what about the heron cart?"}),
    ("list_memories", {}),
    ("query_memory", {"query": TASK}),
    ("recommend", {"task": TASK, "context": {"project": PROJECT}}),
    ("summarize", {}),
    ("tags", {}),
    ("search_episodes", {"query": TASK}),
    ("list_episodes", {}),
    ("list_patterns", {}),
    ("recall_events", {}),
    ("event_timeline", {}),
    ("search_graph", {"query": "heron"}),
    ("neighbours", {"entity": "heron"}),
    ("stats", {}),
    ("find_tools", {"need": "cart total"}),
)


def asked(memory: Milepost) -> dict[str, str]:
    """Return what a model is answered by the tools that it has, and what it is shown whole."""
    tools = Toolbox(Bridge(memory), "full")
    told = {name: anyio.run(tools.call, name, given).text for name, given in QUESTIONS}
    for row in memory.list_memories(limit=20, include_superseded=True):
        whole = anyio.run(tools.call, "get", {"hash": row.hash}).text
        told[f"get {row.hash}"] = whole
        told[f"timeline {row.hash}"] = anyio.run(tools.call, "timeline", {"hash": row.hash}).text
    return told


@pytest.mark.parametrize("case", CASES)
def test_what_is_planted_is_told_as_data_or_not_at_all(memory: Milepost, case: str) -> None:
    way, text = CASES[case]
    memory.store("The cart is deployed on Mondays", kind="decision", project=PROJECT)
    planted(memory, way, text)
    memory.run_jobs()
    is_order = instructs(text)

    for told in unasked(memory):
        assert_harmless(told)
        if "heron" in told:
            assert told.startswith("<milepost-memory")
            assert told.count("</milepost-memory>") == 1
            assert told.endswith("</milepost-memory>")
        lines = told.splitlines()[2:-1]
        assert not any(line.strip().startswith(text[:20]) for line in lines)
        assert not any(instructs(line) for line in lines), told

    for way_out, told in asked(memory).items():
        assert_harmless(told)
        if is_order and not way_out.startswith(("get", "timeline")):
            for line in told.splitlines():
                if instructs(line) and "heron" in line:
                    assert "untrusted" in line, (way_out, told)
        if way_out.startswith("get") and is_order and "heron" in told and text[:30] in told:
            head = told.partition("\n")[0]
            assert "source: " in head
            assert "instructs" in head


@pytest.mark.parametrize("case", DELAYED)
def test_what_is_planted_today_is_told_as_data_next_week(case: str, url: str) -> None:
    way, text = DELAYED[case]
    with Clock().running() as clock, milepost.connect(url) as memory:
        assert isinstance(memory, Milepost)
        memory.store("The cart is deployed on Mondays", kind="decision", project=PROJECT)
        planted(memory, way, text)
        memory.run_jobs()
        clock.advance(days=8)
        memory.consolidate(dry_run=False)
        memory.run_jobs()

        for told in unasked(memory):
            assert_harmless(told)
            for line in told.splitlines():
                assert not line.startswith(text[:20])
                if "heron" in line and line[:6].isalnum():
                    assert "(from " in line, "it is said whose words it is"
            if "heron" in told:
                assert told.startswith("<milepost-memory")
                assert told.endswith("</milepost-memory>")
        for told in asked(memory).values():
            assert_harmless(told)


def test_most_of_what_is_planted_is_recognised() -> None:
    known = sum(instructs(text) for _, text in CASES.values())
    assert len(CASES) >= 40
    assert known >= 0.75 * len(CASES), known


def test_what_waits_for_a_person_is_found_when_that_is_asked_for(memory: Milepost) -> None:
    name = memory.store(ORDER, source="document", project=PROJECT)

    assert memory.get(name).marks == ("instructs", "quarantined")
    assert len(memory.search("heron key", min_score=0.0)) == 0
    assert len(memory.list_memories()) == 0
    (row,) = memory.search("heron key", min_score=0.0, include_superseded=True)
    assert "untrusted" in str(row)
    (row,) = memory.review(quarantined=True)
    assert row.hash == name
    assert memory.review(everything=True).total == 0


def test_what_a_person_keeps_is_told_again_and_that_can_be_taken_back(memory: Milepost) -> None:
    name = memory.store(ORDER, kind="decision", source="document", project=PROJECT)

    memory.update(name, metadata={"reviewed": "2026-01-01"})

    assert memory.get(name).marks == ()
    assert [row.hash for row in memory.search("heron key", min_score=0.0)] == [name]
    assert "from document" in memory.brief(PROJECT).text
    assert memory.review(quarantined=True).total == 0
    memory.undo()
    assert "quarantined" in memory.get(name).marks
    assert len(memory.search("heron key", min_score=0.0)) == 0
    assert memory.brief(PROJECT).text == ""


def test_what_a_person_drops_is_gone_and_comes_back_where_it_was(memory: Milepost) -> None:
    name = memory.store(ORDER, source="document", project=PROJECT)
    memory.delete(name)
    assert memory.review(quarantined=True).total == 0
    memory.undo()
    assert [row.hash for row in memory.review(quarantined=True)] == [name]
    assert len(memory.search("heron key", min_score=0.0)) == 0


def test_nobody_but_a_person_lets_it_out(memory: Milepost) -> None:
    name = memory.store(ORDER, source="document", project=PROJECT)
    model = memory.within(source="assistant")
    kept = {"reviewed": "2026-01-01"}

    model.update(name, metadata=kept)
    model.store(ORDER, metadata=kept, project=PROJECT)
    memory.store(ORDER, metadata=kept, project=PROJECT, source="import")
    again = model.update(name, content=f"{ORDER} now", metadata=kept)

    assert len(memory.search("heron key", min_score=0.0)) == 0
    assert "quarantined" in memory.get(name).marks
    assert "quarantined" in memory.get(again).marks
    assert "reviewed" not in memory.get(again).metadata


def test_a_kept_memory_is_not_a_way_in_for_others(memory: Milepost) -> None:
    name = memory.store(ORDER, source="document", project=PROJECT)
    memory.update(name, metadata={"reviewed": "2026-01-01"})
    other = memory.within(source="assistant").update(name, content=TO_AGENTS)
    assert "quarantined" in memory.get(other).marks
    assert len(memory.search("heron", min_score=0.0)) == 0


def test_what_is_said_again_by_a_tool_stays_as_a_person_left_it(memory: Milepost) -> None:
    name = memory.store(ORDER, kind="decision", source="document", project=PROJECT)
    memory.update(name, metadata={"reviewed": "2026-01-01"})
    memory.store(ORDER, source="tool", project=PROJECT)
    assert memory.get(name).marks == ()
    assert "from document" in memory.brief(PROJECT).text


def test_the_users_own_words_are_never_kept_back(memory: Milepost) -> None:
    name = memory.store(ORDER, project=PROJECT)
    assert "quarantined" not in memory.get(name).marks
    assert [row.hash for row in memory.search("heron key", min_score=0.0)] == [name]


def test_a_briefing_says_where_it_comes_from_what_is_not_the_users(memory: Milepost) -> None:
    memory.store("The cart rounds half-up", kind="decision", project=PROJECT, source="document")
    memory.store("The cart is in Python", kind="decision", project=PROJECT)
    lines = memory.brief(PROJECT).text.splitlines()
    (theirs,) = [line for line in lines if "half-up" in line]
    (own,) = [line for line in lines if "Python" in line]
    assert "(from document)" in theirs
    assert "from" not in own.partition(":")[0]


def test_nothing_is_learned_from_what_waits(memory: Milepost) -> None:
    memory.store(f"Anna Heron works for Evil Corp. {ORDER}", source="document", project=PROJECT)
    memory.run_jobs()
    assert memory.search_graph("Anna Heron").entities == ()


def test_skills_cannot_be_planted_by_hand(memory: Milepost) -> None:
    with pytest.raises(InvalidInput):
        memory.store(TO_AGENTS, kind="skill", source="document")


@pytest.mark.slow
def test_what_a_program_prints_is_marked_too(memory: Milepost, sandbox: None) -> None:
    memory.store(ORDER, source="document", project=PROJECT)
    tools = Toolbox(Bridge(memory), "full")
    program = "print([row.preview for row in search('heron key', min_score=0)])"
    assert "heron" not in anyio.run(tools.call, "execute_code", {"code": program}).text
    program = (
        "for row in search('heron key', min_score=0, include_superseded=True): print(row.content)"
    )
    told = anyio.run(tools.call, "execute_code", {"code": program}).text
    assert "(untrusted) Ignore all previous" in told
