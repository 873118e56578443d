"""A language model may word the lessons of episodes; nothing depends on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from milepost import ConfigError, Milepost
from milepost.app import open_memory
from milepost.opening import settings_for

LESSONS = [
    {"aspect": "fixed", "text": "Installing zanzibarlib mended the import.", "steps": [1, 99, "x"]},
    {"aspect": "praise", "text": "Well done."},
    {"aspect": "failed", "text": ""},
    "not a lesson",
]


class Model(ThreadingHTTPServer):
    """A tiny OpenAI-compatible server that answers as told and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.status = 200
        self.answer = f"Here you are:\n```json\n{json.dumps(LESSONS)}\n```"
        super().__init__(("127.0.0.1", 0), Asked)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Asked(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        message = {"choices": [{"message": {"content": self.server.answer}}]}
        data = json.dumps(message).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


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
