"""`milepost measure` says how well a memory finds what it has, in words, as JSON and as a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from command_line import done, milepost, refused

import milepost as memory
from milepost.ranking.score import shipped_model
from ordinary_texts import ordinary_texts
from tiny_model import memories_of_subjects, write_model_of_subjects


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, default_memory: Path) -> Path:
    place = tmp_path / "config" / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(place))
    monkeypatch.setenv("MILEPOST_MODELS_FOLDER", str(tmp_path / "models"))
    return place


@pytest.fixture
def stored() -> None:
    memory.store_batch(ordinary_texts(60))


class Page(HTMLParser):
    """What a page is made of: its tags, and everything that it would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.fetched += [
            str(value) for name, value in attrs if name in ("src", "href", "xlink:href")
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_a_run_is_a_table_with_the_floor_beside_it(stored: None) -> None:
    told = done("measure", "recall")

    head, own = told.splitlines()[2:4]
    assert head.split()[:3] == ["questions", "found", "95"]
    assert own.startswith("in other words  60 ")
    assert re.search(r"\d+% to \d+%", own)
    assert "no difference seen" in done("measure", "recall", "-n", 25)
    assert "no difference seen" in done("measure", "history", "--limit", 1)


def test_where_there_is_no_memory_yet_none_is_made(default_memory: Path) -> None:
    assert "the first memory makes it" in refused("measure", "recall")
    assert "the first memory makes it" in refused("measure", "compare", "--embedder", "onnx:m")
    assert not default_memory.exists()


def test_less_than_before_is_an_exit_code_and_a_note_of_doctor(
    stored: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("measure", "recall")
    doubtful = shipped_model()._replace(gate=0.999)
    monkeypatch.setattr("milepost.ranking.score.shipped_model", lambda _name: doubtful)
    outcome = milepost("measure", "recall")

    assert (outcome.code, outcome.err) == (1, "")
    assert "worse" in outcome.out.splitlines()[-1]
    checks = {check["name"]: check for check in milepost("doctor", "--json").data["checks"]}
    assert checks["recall"]["status"] == "note"
    assert "fell" in checks["recall"]["found"]
    assert "recall fell" in done("health")


def test_doctor_says_when_another_version_was_measured(
    stored: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recall() -> str:
        checks = milepost("doctor", "--json").data["checks"]
        return str(next(check["found"] for check in checks if check["name"] == "recall"))

    assert "not measured yet" in recall()
    with monkeypatch.context() as before:
        before.setattr("milepost.__version__", "0.1.0")
        done("measure", "recall")
    assert "measured by milepost 0.1.0" in recall()


def test_a_report_is_one_page_that_fetches_and_runs_nothing(stored: None, tmp_path: Path) -> None:
    done("measure", "recall")
    file = tmp_path / "recall.html"
    told = done("measure", "recall", "--report", file)

    assert told.endswith(f"the report is in {file}")
    page = Page(file.read_text("utf-8"))
    assert not page.open
    assert not page.fetched
    assert "script" not in page.tags
    assert page.tags.count("svg") >= 4
    assert "url(" not in file.read_text("utf-8")
    assert "prefers-color-scheme: dark" in file.read_text("utf-8")


def test_a_report_shows_names_as_text(tmp_path: Path) -> None:
    sentence = "Ingrid repaired the broken roof of the old chapel together with Pavel in winter"
    memory.store(sentence, kind="<script>alert(1)</script>")
    file = tmp_path / "recall.html"
    done("measure", "recall", "--report", file)

    assert "script" not in Page(file.read_text("utf-8")).tags


@pytest.mark.parametrize("file", ["recall.pdf", "recall", "nowhere/recall.html"])
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_asked(
    stored: None, tmp_path: Path, file: str
) -> None:
    outcome = milepost("measure", "recall", "--report", tmp_path / file)

    assert outcome.code == 2
    assert "--report" in outcome.err
    assert milepost("measure", "history", "--json").data == []


def test_another_embedder_is_compared_with_the_one_in_use(tmp_path: Path) -> None:
    write_model_of_subjects(tmp_path / "models" / "subjects")
    memory.store_batch(memories_of_subjects())
    outcome = milepost("measure", "compare", "--embedder", "onnx:subjects", "--json")
    trial = outcome.data["trial"]

    assert outcome.code == 0
    assert (trial["verdict"], trial["questions"]) == ("helps", 40)
    assert 0 < trial["low"] < trial["gain"] < trial["high"]
    assert trial["found"][1] > trial["found"][0]
    assert trial["dimensions"] > 0
    assert trial["tokens_a_memory"] > 1
    told = done("measure", "compare", "--embedder", "onnx:subjects")
    assert "times as high" in told
    assert ": helps\n" in told
    # Nothing was changed by that.
    assert milepost("config", "show", "--json").data[4]["value"] == "static"


def test_without_the_embedder_in_use_it_would_be_worse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model_of_subjects(tmp_path / "models" / "subjects")
    memory.store_batch(memories_of_subjects())
    monkeypatch.setenv("MILEPOST_EMBEDDER", "onnx:subjects")
    trial = milepost("measure", "compare", "--embedder", "static", "--json").data["trial"]

    assert trial["verdict"] == "hurts"
    assert trial["high"] < 0
    assert trial["instead_of"].startswith("onnx:subjects")


def test_the_embedder_in_use_is_not_compared_with_itself(stored: None) -> None:
    outcome = milepost("measure", "compare", "--embedder", "static")

    assert outcome.code == 2
    assert "in use" in outcome.err


def test_an_embedder_that_does_not_answer_is_told(stored: None) -> None:
    outcome = milepost("measure", "compare", "--embedder", "ollama:http://127.0.0.1:9#none")

    assert (outcome.code, outcome.out) == (1, "")
    assert "does not answer" in outcome.err


def test_a_model_that_is_used_is_measured_before_and_after(tmp_path: Path) -> None:
    write_model_of_subjects(tmp_path / "models" / "subjects")
    memory.store_batch(memories_of_subjects())
    told = done("model", "use", "subjects", "--yes")
    runs = milepost("measure", "history", "--json").data

    assert told.splitlines()[-1].startswith("recall since ")
    assert [run["embedder"].partition(":")[0] for run in runs] == ["onnx", "static"]
