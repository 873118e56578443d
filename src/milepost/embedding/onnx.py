"""A transformer from a local folder, run by ONNX Runtime."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.embedding.clip import clip
from milepost.embedding.onnx_folder import OnnxFolder, read_folder
from milepost.errors import ConfigError, EmbedderError
from milepost.ports import EmbedderStatus
from milepost.ranking.numerics import unit_rows

# No model reads further than its last token, so a megabyte of text need not be tokenized.
CHARACTERS_PER_TOKEN_MAX = 20
THREADS_MAX = 4


class OnnxEmbedder:
    """Embed with a local model, one text at a time.

    Dynamic int8 quantisation picks its scales from the whole batch, padding included: in a batch
    the same text came out up to 0.02 per component different, and a batch was not even faster on
    a processor. Alone, a text always gets the same vector.
    """

    def __init__(self, path: Path) -> None:
        check_extra()
        path = path.absolute()
        self._folder = read_folder(path)
        self._runtime: _Runtime | None = None
        self._loading = Lock()
        self.model = self._folder.model
        self.dim = self._folder.dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text; a blank text gets zeros."""
        return self._rows(self._folder.prefixes.document, texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of one question."""
        vector: NDArray[np.float32] = self._rows(self._folder.prefixes.query, [text])[0]
        return vector

    def status(self) -> EmbedderStatus:
        """Say whether the model is loaded."""
        note = "loaded" if self._runtime else "loads on first use"
        return EmbedderStatus(self.model, healthy=True, note=note)

    def _rows(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            check_time()
            if text.strip():
                row[:] = self._load().run(prefix + text)
        return unit_rows(rows)

    def _load(self) -> _Runtime:
        with self._loading:
            if self._runtime is None:
                self._runtime = _Runtime(self._folder)
            return self._runtime


class _Runtime:
    """A loaded tokenizer and network."""

    def __init__(self, folder: OnnxFolder) -> None:
        self._folder = folder
        with _blaming(folder):
            self._tokenizer = _tokenizer(folder)
            self._session = _session(folder)
        self._inputs = {field.name for field in self._session.get_inputs()}

    def run(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, not normalised."""
        text = clip(text, self._folder.tokens_max * CHARACTERS_PER_TOKEN_MAX)
        encoded = self._tokenizer.encode(text)
        fields = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feed = {
            name: np.array([numbers], dtype=np.int64)
            for name, numbers in fields.items()
            if name in self._inputs
        }
        with _blaming(self._folder):
            states = self._session.run(None, feed)[0][0]
        return self._checked(self._pool(states))

    def _pool(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        if states.ndim == 1:
            return states
        pooled: NDArray[np.float32] = (
            states.mean(0) if self._folder.pooling == "mean" else states[0]
        )
        return pooled

    def _checked(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        if vector.shape != (self._folder.dim,) or not np.isfinite(vector).all():
            raise EmbedderError(
                f"Replace the model in {self._folder.path}: it does not return "
                f"{self._folder.dim} finite numbers as its config.json says."
            )
        return vector


@contextmanager
def _blaming(folder: OnnxFolder) -> Iterator[None]:
    try:
        yield
    # Both libraries raise plain Exception, for a file they cannot read as for a failed run.
    except Exception as error:
        raise EmbedderError(f"Replace the model in {folder.path}: {error}") from error


def _tokenizer(folder: OnnxFolder) -> Any:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(folder.tokens_max)
    return tokenizer


def _session(folder: OnnxFolder) -> Any:
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = min(THREADS_MAX, _cores())
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads sleep: an idle memory must not keep the agent's cores busy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return runtime.InferenceSession(
        str(folder.path / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_extra() -> None:
    """Refuse to go on without the packages that run a model."""
    for package in ("onnxruntime", "tokenizers"):
        if importlib.util.find_spec(package) is None:
            raise ConfigError(f'Run pip install "milepost[onnx]": {package} is not installed.')
