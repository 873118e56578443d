"""A transformer in a folder embeds each text the same way, whatever it is asked with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost.embedding import open_embedder
from milepost.embedding.onnx import OnnxEmbedder
from milepost.errors import ConfigError, EmbedderError
from tiny_model import write_folder

WORDS = ["[UNK]", "[CLS]", "fox", "dog", "query", ":"]
TABLE = np.array(
    [[0, 0, 1], [1, 0, 0], [0, 2, 0], [0, 0, 2], [0, 4, 4], [8, 0, 0]], dtype=np.float32
)
ARCTIC = Path(
    os.environ.get("MILEPOST_TEST_ONNX")
    or Path(__file__).parents[4] / "shared" / "models" / "arctic-embed-s-int8"
)

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def write(table: np.ndarray[Any, Any] = TABLE, **files: Any) -> Path:
        described = {"config": {"hidden_size": TABLE.shape[1]}} | files
        return write_folder(tmp_path / "models" / "tiny", WORDS, table, **described)

    return write


def test_a_model_is_found_by_name_in_the_folder_of_models(build: Build) -> None:
    folder = build()
    embedder = open_embedder("onnx:tiny", models_folder=folder.parent)
    assert embedder.model == open_embedder(f"onnx:{folder}").model
    assert embedder.model.startswith("onnx:tiny@")
    assert embedder.dim == 3
    assert embedder.status().note == "loads on first use"


def test_a_model_keeps_its_name_however_its_path_is_written(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build()
    monkeypatch.chdir(folder)
    assert open_embedder("onnx:.").model == OnnxEmbedder(folder).model


def test_the_first_token_stands_for_the_text_by_default(build: Build) -> None:
    embedder = OnnxEmbedder(build())
    assert embedder.embed(["fox", "dog fox"]).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert embedder.status().note == "loaded"


def test_the_mean_stands_for_the_text_where_the_folder_says_so(build: Build) -> None:
    expected = np.array([1, 2, 0]) / 5**0.5
    embedder = OnnxEmbedder(build(milepost={"pooling": "mean"}))
    assert embedder.embed(["fox"])[0] == pytest.approx(expected)


def test_sentence_transformers_settings_are_understood(build: Build) -> None:
    folder = build(config_sentence_transformers={"prompts": {"query": "query: "}})
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    embedder = OnnxEmbedder(folder)
    assert embedder.embed(["fox"])[0] == pytest.approx(np.array([1, 2, 0]) / 5**0.5)
    assert embedder.embed_query("fox") == pytest.approx(np.array([9, 6, 4]) / 133**0.5)


def test_blank_texts_are_zeros(build: Build) -> None:
    assert OnnxEmbedder(build()).embed(["", " \n"]).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_a_text_may_be_long_or_hold_half_a_surrogate(build: Build) -> None:
    embedder = OnnxEmbedder(build(milepost={"pooling": "mean"}))
    rows = embedder.embed(["fox " * 300_000, "fox \ud800"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])


def test_the_model_is_another_when_its_vectors_would_be(build: Build) -> None:
    names = {
        OnnxEmbedder(build()).model,
        OnnxEmbedder(build(milepost={"pooling": "mean"})).model,
        OnnxEmbedder(build(milepost={"document_prefix": "doc: "})).model,
        OnnxEmbedder(build(TABLE * 2, milepost={})).model,
    }
    assert len(names) == 4


def test_a_folder_without_a_model_says_what_to_add(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config\.json, tokenizer\.json, model\.onnx"):
        OnnxEmbedder(tmp_path)


@pytest.mark.parametrize(
    "files", [{"config": {}}, {"config": []}, {"milepost": {"pooling": "max"}}]
)
def test_a_folder_that_contradicts_itself_is_refused(build: Build, files: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        OnnxEmbedder(build(**files))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_an_embedder_error(build: Build, name: str) -> None:
    folder = build()
    (folder / name).write_bytes(b"\0damaged")
    with pytest.raises(EmbedderError, match="Replace the model"):
        OnnxEmbedder(folder).embed(["fox"])


@pytest.mark.parametrize("table", [TABLE[:, :2], TABLE * np.float32("nan"), TABLE[:1]])
def test_a_model_that_answers_wrongly_is_an_embedder_error(
    build: Build, table: np.ndarray[Any, Any]
) -> None:
    with pytest.raises(EmbedderError, match="Replace the model"):
        OnnxEmbedder(build(table)).embed(["fox"])


def test_a_missing_extra_is_named(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r'pip install "milepost\[onnx\]"'):
        OnnxEmbedder(build())


@pytest.mark.skipif(not ARCTIC.is_dir(), reason="set MILEPOST_TEST_ONNX to arctic-embed-s-int8")
def test_arctic_embeds_alone_as_in_a_batch_and_finds_the_answer() -> None:
    embedder = OnnxEmbedder(ARCTIC)
    texts = ["The keys are in the blue drawer.", "Rates rose.", "Anna likes long walks at dusk."]
    rows = embedder.embed(texts)
    assert np.array_equal(np.stack([embedder.embed([text])[0] for text in texts]), rows)
    assert np.argmax(rows @ embedder.embed_query("Where did I put the keys?")) == 0
