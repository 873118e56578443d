"""What is kept of sessions may be damaged, and must not grow without end."""

from __future__ import annotations

import json
import math

import pytest

from milepost import Milepost
from milepost.sessions.state import SESSIONS_MAX

ASKED = "what did we decide about tabs in this project last week?"
DAMAGED = [
    "{",
    "[]",
    "7",
    '{"shown": 5}',
    '{"prompts": "a", "subject": ["q"]}',
    '{"subject": [1.0, 2.0]}',
    '{"saved": 7}',
    '{"project": {}}',
    '{"told_at": null}',
]


def keep(memory: Milepost, topic: str, key: str, value: str) -> None:
    context = memory._context
    context.store.values.put(context.space, topic, key, value)


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_session_goes_on_when_what_is_kept_of_it_is_damaged(
    memory: Milepost, damaged: str
) -> None:
    memory.store("We decided to use tabs in this project", kind="decision", project="shop")
    for ask in (
        lambda: memory.brief(project="shop", session="s", source="resume").text,
        lambda: memory.remind(ASKED, session="s", project="shop").text,
    ):
        keep(memory, "session", "s", damaged)
        assert "tabs" in ask()
    keep(memory, "session", "s", damaged)
    memory.notice("s", [{"role": "user", "text": "hello"}], stage="end")


@pytest.mark.parametrize(
    "damaged", ["{", "[]", "7", '{"a": 5}', '{"a": [1]}', '{"a": ["x", 1, 2]}']
)
def test_damaged_counts_of_use_are_counted_anew(memory: Milepost, damaged: str) -> None:
    memory.store("We decided to use tabs in this project", kind="decision", project="shop")
    keep(memory, "usage", "shop", damaged)
    assert "tabs" in memory.brief(project="shop").text


def test_only_the_latest_sessions_are_kept(memory: Milepost) -> None:
    memory.store("We decided to use tabs in this project", kind="decision", project="shop")
    names = [f"s{i}" for i in range(SESSIONS_MAX)]
    keep(memory, "sessions", "", json.dumps({"names": names}))
    keep(memory, "session", names[0], "{}")
    memory.brief(project="shop", session="new")
    context = memory._context
    assert context.store.values.get(context.space, "session", "s0") is None
    assert context.store.values.get(context.space, "session", "new") is not None


@pytest.mark.parametrize(
    "text", ["always use tabs\0 here from now on", "from now on use tabs \ud800 everywhere"]
)
def test_a_character_that_no_store_takes_does_not_lose_the_session(
    memory: Milepost, text: str
) -> None:
    assert memory.notice("s", [{"role": "user", "text": text}], "shop")


@pytest.mark.parametrize("at", [-5.0, 1e12, math.nan, math.inf])
def test_a_time_that_is_none_does_not_lose_the_session(memory: Milepost, at: float) -> None:
    said = {"role": "user", "text": "From now on always use tabs here.", "at": at}
    assert memory.notice("s", [said], "shop", stage="end")
