"""Turn text into vectors: one way to open an embedder, heavy parts loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milepost.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from milepost.ports import Embedder

__all__ = ["open_embedder"]

FORMS = (
    "static",
    "onnx:<folder or name>",
    "openai[:<url>][#<model>]",
    "cohere[:<url>][#<model>]",
    "ollama[:<url>][#<model>]",
)


def open_embedder(
    spec: str,
    *,
    keys: Sequence[str] = (),
    models_folder: Path | None = None,
    timeout_s: float = 10.0,
    model: str | None = None,
) -> Embedder:
    """Open the embedder that a spec such as "static" or "openai#text-embedding-3-large" names.

    The folder of models is where "onnx:<name>" looks; a model in the spec wins over the argument.
    """
    kind, _, where = spec.partition(":")
    if spec == "static":
        from milepost.embedding.static import StaticEmbedder

        return StaticEmbedder()
    if kind == "onnx" and where:
        from milepost.embedding.onnx import OnnxEmbedder

        return OnnxEmbedder(_model_path(where, models_folder))
    return _open_remote(spec, keys, timeout_s, model)


def _open_remote(spec: str, keys: Sequence[str], timeout_s: float, model: str | None) -> Embedder:
    from milepost.embedding.dialects import DIALECTS

    server, _, named = spec.partition("#")
    kind, _, url = server.partition(":")
    if kind not in DIALECTS:
        raise ConfigError(f"Set the embedder to one of: {', '.join(FORMS)}; not {spec!r}.")
    from milepost.embedding.remote import RemoteEmbedder

    return RemoteEmbedder(
        DIALECTS[kind], url=url, model=named or model or "", keys=keys, timeout_s=timeout_s
    )


def _model_path(where: str, models_folder: Path | None) -> Path:
    from pathlib import Path

    path = Path(where).expanduser()
    if path.is_absolute() or len(path.parts) > 1 or where.startswith("."):
        return path
    if models_folder is None:
        raise ConfigError(f"Give the path of a folder, as in onnx:./{where}.")
    return models_folder / where
