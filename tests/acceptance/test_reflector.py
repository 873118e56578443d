"""A language model may word the lessons of episodes; nothing depends on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from milepost import ConfigError, Milepost
from milepost.app import open_memory
from milepost.opening import settings_for
from model_server import Model, serving

LESSONS = [
    {"aspect": "fixed", "text": "Installing zanzibarlib mended the import.", "steps": [1, 99, "x"]},
    {"aspect": "praise", "text": "Well done."},
    {"aspect": "failed", "text": ""},
    "not a lesson",
]


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as server:
        server.answer = f"Here you are:\n```json\n{json.dumps(LESSONS)}\n```"
        yield server


def opened(path: Path, reflector: str) -> Milepost:
    settings = settings_for(path)._replace(reflector=reflector, reflector_key="sesame")
    memory = open_memory(settings)
    memory.worker.close()
    return memory


def tried(memory: Milepost) -> str:
    name = memory.create_episode("fix the import")
    memory.add_step(name, "bash", "pytest", observation="ImportError: no x", success=False)
    memory.complete_episode(name, "failure", "x is missing")
    return name


def test_the_model_words_the_lessons_in_the_background(path: Path, model: Model) -> None:
    with opened(path, f"{model.url}#wise") as memory:
        name = tried(memory)
        before = memory.get_episode(name).insights
        assert before
        assert model.asked == []

        memory.run_jobs()

        (insight,) = memory.get_episode(name).insights
        assert insight.text == "Installing zanzibarlib mended the import."
        assert insight.steps == (1,)
        assert [e.id for e in memory.search_episodes("zanzibarlib").episodes] == [name]
    ((where, headers, body),) = model.asked
    assert where == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer sesame"
    assert body["model"] == "wise"
    assert "ImportError: no x" in body["messages"][1]["content"]


def test_the_model_is_told_no_secrets_and_its_own_words_hold_none(path: Path, model: Model) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    model.answer = json.dumps([{"aspect": "failed", "text": f"The token {token} expired."}])
    with opened(path, f"{model.url}#wise") as memory:
        name = memory.create_episode("push the image")
        memory.add_step(
            name, "bash", f"TOKEN={token} make push", observation=f"bad {token}", success=False
        )
        memory.complete_episode(name, "failure", "the token expired")
        memory.run_jobs()

        assert "expired" in str(memory.get_episode(name).insights)
        assert token not in str(memory.get_episode(name).insights)
    assert "make push" in str(model.asked)
    assert token not in str(model.asked)


@pytest.mark.parametrize(
    ("status", "answer"),
    [(500, "[]"), (200, "I cannot"), (200, "[]"), (200, '{"a": 1}'), (200, "[[[["), (200, "[1]")],
)
def test_the_reflection_of_the_rules_stays_when_the_model_makes_no_sense(
    path: Path, model: Model, status: int, answer: str
) -> None:
    model.status, model.answer = status, answer
    with opened(path, f"{model.url}#wise") as memory:
        name = tried(memory)
        before = memory.get_episode(name).insights

        assert memory.run_jobs() == 1

        assert memory.get_episode(name).insights == before
        assert memory.list_patterns().total > 0


def test_nothing_waits_for_a_model_that_is_away(path: Path) -> None:
    with opened(path, "http://127.0.0.1:1#wise") as memory:
        name = tried(memory)
        assert memory.run_jobs() == 1
        assert memory.get_episode(name).insights


def test_a_reflector_needs_the_name_of_a_model(path: Path) -> None:
    with pytest.raises(ConfigError, match="Name the model of the reflector"):
        open_memory(settings_for(path)._replace(reflector="http://127.0.0.1:1"))
