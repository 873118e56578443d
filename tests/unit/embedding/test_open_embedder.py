"""One function opens every embedder from a short spec."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from milepost.embedding import open_embedder
from milepost.errors import ConfigError

HEAVY = ("numpy", "onnxruntime", "tokenizers", "urllib", "http", "json", "msgspec")


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        ("openai", "openai:text-embedding-3-small@api.openai.com"),
        ("openai#text-embedding-3-large", "openai:text-embedding-3-large@api.openai.com"),
        ("openai:http://localhost:8000/v1#bge", "openai:bge@localhost:8000"),
        ("cohere", "cohere:embed-v4.0@api.cohere.com"),
        ("ollama", "ollama:nomic-embed-text@127.0.0.1:11434"),
        ("ollama:http://gpu:11434#mxbai-embed-large", "ollama:mxbai-embed-large@gpu:11434"),
    ],
)
def test_a_spec_names_the_server_and_the_model(spec: str, model: str) -> None:
    assert open_embedder(spec, keys=["sk-1"]).model == model


def test_the_model_of_the_spec_wins_over_the_argument() -> None:
    assert "#" not in open_embedder("ollama#one", model="two").model
    assert open_embedder("ollama#one", model="two").model.startswith("ollama:one@")
    assert open_embedder("ollama", model="two").model.startswith("ollama:two@")


@pytest.mark.parametrize("spec", ["", "gpt", "static:x", "onnx", "onnx:", "Static"])
def test_an_unknown_spec_is_answered_with_the_valid_ones(spec: str) -> None:
    with pytest.raises(ConfigError, match=r"static, onnx:<folder or name>, openai"):
        open_embedder(spec)


@pytest.mark.parametrize(
    "url", ["host/v1", "ftp://host", "http://", "http://host:port", "https://[bad", "sk-secret"]
)
def test_a_url_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as refused:
        open_embedder(f"openai:{url}")
    assert "sk-secret" not in str(refused.value)


def test_a_url_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigError) as refused:
        open_embedder("openai:https://me:hunter2@host/v1")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("key", ["", "two words", "new\nline", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        open_embedder("openai", keys=[key])
    assert not key or key not in str(refused.value)


def test_a_model_name_is_looked_up_in_the_folder_of_models(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=str(tmp_path / "tiny")):
        open_embedder("onnx:tiny", models_folder=tmp_path)
    with pytest.raises(ConfigError, match=r"onnx:\./tiny"):
        open_embedder("onnx:tiny")


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, milepost.embedding; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
