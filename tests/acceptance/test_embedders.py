"""A chosen embedder beside the static one: with it, without it, and when it comes and goes."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import milepost
from milepost.codec import to_data
from milepost.memory.values import Filter
from milepost.opening import settings_for
from milepost.surfaces.cli import main
from milepost.upkeep import flags

NOTES = [
    "We chose PostgreSQL because of JSONB",
    "Deploys happen on Tuesdays before noon",
    "The login loop in Safari came from a cookie without SameSite",
]


class Service:
    """An OpenAI-compatible server of vectors that can be switched off."""

    def __init__(self) -> None:
        self.up = True
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.spec = f"openai:http://127.0.0.1:{self._server.server_port}/v1#letters"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
                service.asked += texts
                rows = [{"index": i, "embedding": _letters(t)} for i, t in enumerate(texts)]
                answer = json.dumps({"data": rows}).encode() if service.up else b"{}"
                self.send_response(200 if service.up else 400)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


def _letters(text: str) -> list[float]:
    return [text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz012345"]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service()
    monkeypatch.setenv("MILEPOST_EMBEDDER_KEYS", "one,two")
    yield service
    service.close()


def lacking(memory: milepost.Milepost) -> int:
    context = memory._context
    assert context.texts.chosen is not None
    return len(context.store.candidates.lacking(context.texts.chosen.model, 0, 100))


def test_a_chosen_embedder_gives_every_memory_a_second_vector(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER", service.spec)
    with milepost.connect(tmp_path / "m.db") as memory:
        memory.store_batch(NOTES)

        assert lacking(memory) == 0
        assert memory.search("which database did we choose?").memories[0].preview.endswith("JSONB")
        assert memory.health().status == "healthy"


def test_changing_the_embedder_embeds_in_the_background_and_search_goes_on(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with milepost.connect(tmp_path / "m.db") as memory:
        memory.store_batch(NOTES)
    monkeypatch.setenv("MILEPOST_EMBEDDER", service.spec)

    with milepost.connect(tmp_path / "m.db") as memory:
        assert memory.search("when do we deploy?").memories
        memory.reembedding.wait()

        assert lacking(memory) == 0
        assert memory.search("when do we deploy?").memories
        context = memory._context
        pool = context.store.candidates.find(
            context.texts.probe("deploy"), Filter("default", context.clock()), 10
        )
        assert len(pool.vectors) == 2


def test_a_setting_that_reaches_a_space_is_not_answered_with_what_was_kept_before(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER", service.spec)
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "m.db"))
    monkeypatch.setattr(flags, "FRESH_S", -1.0)
    question = "when do we deploy?"
    with milepost.app.open_memory(settings_for(tmp_path / "m.db")) as opened:
        opened.share()
        opened.store_batch(NOTES)
        memory = opened.within("default")
        both = to_data(memory.search(question))
        assert main(["flags", "set", "embedder", "off", "--space", "default"]) == 0
        one = to_data(opened.within("default").search(question))
        assert one != both
        assert main(["flags", "set", "embedder", "on", "--space", "default"]) == 0
        assert to_data(opened.within("default").search(question)) == both
        assert service.asked.count(question) == 1, "its vector is kept"


def test_a_service_that_is_away_is_seen_in_health_and_nothing_else_fails(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.up = False
    monkeypatch.setenv("MILEPOST_EMBEDDER", service.spec)
    with milepost.connect(tmp_path / "m.db") as memory:
        memory.store_batch(NOTES)

        assert memory.search("login loop").memories
        health = memory.health()
        assert health.ready
        assert health.status == "degraded"
        assert "static" in health.notes[0]
        assert "one" not in str(health).split()

    service.up = True
    with milepost.connect(tmp_path / "m.db") as memory:
        memory.reembedding.wait()
        assert lacking(memory) == 0


def test_an_embedder_that_does_not_exist_is_refused_with_those_that_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER", "crystal-ball")

    with pytest.raises(milepost.ConfigError, match="static"):
        milepost.connect(tmp_path / "m.db")
    assert milepost.health().status == "error"


def test_a_flag_keeps_the_questions_of_a_space_from_the_chosen_embedder(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER", service.spec)
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "m.db"))
    assert main(["flags", "set", "embedder", "off", "--space", "later"]) == 0

    with milepost.connect(tmp_path / "m.db") as memory:
        assert isinstance(memory, milepost.Milepost)
        for space in ("now", "later"):
            memory.within(space).store_batch(NOTES)
            assert memory.within(space).search(f"when do we deploy {space}?").memories
        assert lacking(memory) == 0

    assert [text for text in service.asked if "?" in text] == ["when do we deploy now?"]
