"""What the folder of an ONNX model says about the model in it."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from milepost.embedding.prefixes import Prefixes, known_prefixes
from milepost.errors import ConfigError

NEEDED = ("config.json", "tokenizer.json", "model.onnx")
# What Milepost itself has to say of a model.
OWN = "milepost.json"
POOLINGS = ("cls", "mean")
TOKENS_MAX = 512


@dataclass(frozen=True)
class OnnxFolder:
    """Describe a model: where it lies, how long its vectors are and how to ask it."""

    path: Path
    fingerprint: str
    dim: int
    pooling: str
    prefixes: Prefixes
    tokens_max: int

    @property
    def model(self) -> str:
        """The name under which a store keeps its vectors."""
        return f"onnx:{self.path.name}@{self.fingerprint}"

    @property
    def bytes(self) -> int:
        """How much of a disk it takes."""
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())


def read_folder(path: Path) -> OnnxFolder:
    """Read a model's description, or say which file is missing or wrong."""
    missing = [name for name in NEEDED if not (path / name).is_file()]
    if missing:
        raise ConfigError(f"Put {', '.join(missing)} into {path} or choose another embedder.")
    config = _read(path / "config.json")
    ours = _read(path / OWN)
    pooling = str(ours.get("pooling") or _pooling(path))
    dim = config.get("hidden_size")
    if pooling not in POOLINGS:
        raise ConfigError(f"Set pooling to one of {', '.join(POOLINGS)} in {path}/{OWN}.")
    if not isinstance(dim, int) or dim < 1:
        raise ConfigError(f"Set hidden_size in {path}/config.json to the length of a vector.")
    prefixes = _prefixes(path, ours)
    return OnnxFolder(
        path=path,
        fingerprint=_fingerprint(path, pooling, prefixes),
        dim=dim,
        pooling=pooling,
        prefixes=prefixes,
        tokens_max=min(TOKENS_MAX, int(config.get("max_position_embeddings") or TOKENS_MAX)),
    )


def _pooling(path: Path) -> str:
    said = _read(path / "1_Pooling" / "config.json")
    means = said.get("pooling_mode_mean_tokens") or said.get("pooling_mode") == "mean"
    return "mean" if means else "cls"


def _prefixes(path: Path, ours: dict[str, Any]) -> Prefixes:
    prompts = _read(path / "config_sentence_transformers.json").get("prompts") or {}
    known = known_prefixes(path.name)
    return Prefixes(
        query=str(ours.get("query_prefix", prompts.get("query") or known.query)),
        document=str(ours.get("document_prefix", prompts.get("document") or known.document)),
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"Repair {path}: it cannot be read as JSON ({error}).") from error
    if not isinstance(content, dict):
        raise ConfigError(f"Repair {path}: it must hold a JSON object.")
    return content


def _fingerprint(path: Path, pooling: str, prefixes: Prefixes) -> str:
    """Return a short sum of all that shapes a stored vector, so that models never mix."""
    checksum = zlib.crc32(f"{pooling}\0{prefixes.document}".encode())
    for name in ("tokenizer.json", "model.onnx"):
        with (path / name).open("rb") as file:
            while block := file.read(1 << 20):
                checksum = zlib.crc32(block, checksum)
    return f"{checksum:08x}"
