"""Write a transformer so small that a test can make it: it looks each word up in a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the tests build a tiny model with the onnx package")
tokenizers = pytest.importorskip("tokenizers", reason='needs pip install "milepost[onnx]"')
pytest.importorskip("onnxruntime", reason='needs pip install "milepost[onnx]"')

Table = np.ndarray[Any, Any]


def write_model(path: Path, table: Table) -> None:
    """Write a network that looks each token up in a table."""
    helper, numbers = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [helper.make_tensor_value_info("input_ids", numbers.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("last_hidden_state", numbers.FLOAT, None)],
        [onnx.numpy_helper.from_array(table, "table")],
    )
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=9), path)


def write_tokenizer(path: Path, words: Sequence[str]) -> None:
    """Write a tokenizer whose tokens are whole words, of which the second stands before a text."""
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    tokenizer.save(str(path))


def write_folder(folder: Path, words: Sequence[str], table: Table, **files: Any) -> Path:
    """Write the folder of a model; of `files` each is the JSON of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    write_model(folder / "model.onnx", table)
    write_tokenizer(folder / "tokenizer.json", words)
    described: dict[str, Any] = {"config": {"hidden_size": table.shape[1]}} | files
    for name, content in described.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


SUBJECTS = 40
_WORDS_EACH = 8


def _word(number: int) -> str:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    size = len(syllables)
    return syllables[number % size] + syllables[number // size % size] + "x"


def words_of(subject: int) -> list[str]:
    """Return made-up words of a subject, of which nobody but the model of subjects knows."""
    return [_word(subject * _WORDS_EACH + i) for i in range(_WORDS_EACH)]


def write_model_of_subjects(folder: Path) -> Path:
    """Write a model that takes all words of a subject for the same."""
    words = ["[UNK]", "[CLS]", *(word for s in range(SUBJECTS) for word in words_of(s))]
    table = np.zeros((len(words), SUBJECTS), np.float32)
    for subject in range(SUBJECTS):
        first = 2 + subject * _WORDS_EACH
        table[first : first + _WORDS_EACH, subject] = 1
    # A text without a known word has a vector too.
    table[1] = 0.01
    return write_folder(folder, words, table, milepost={"pooling": "mean"})


def memories_of_subjects() -> list[str]:
    """Return a memory for each subject: one sentence, of which no word comes twice."""
    return [f"{' '.join(words_of(subject))}." for subject in range(SUBJECTS)]
