"""The models that can be fetched by name, each file with its checksum."""

import json
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parent / "data" / "catalogue.json"


class ModelFile(NamedTuple):
    """A file of a model: its name in a folder of Milepost's, and its path where it comes from."""

    name: str
    path: str
    bytes: int
    sha256: str


class CatalogueModel(NamedTuple):
    """A model that can be fetched.

    origin: the address that the paths of its files lie below.
    """

    name: str
    about: str
    licence: str
    dimensions: int
    pooling: str
    query_prefix: str
    document_prefix: str
    origin: str
    files: tuple[ModelFile, ...]

    @property
    def bytes(self) -> int:
        """How long all files are together."""
        return sum(file.bytes for file in self.files)


def catalogue() -> dict[str, CatalogueModel]:
    """Return the models that are known by name."""
    return {data["name"]: _model(data) for data in json.loads(FILE.read_text("utf-8"))}


def _model(data: dict[str, Any]) -> CatalogueModel:
    files = tuple(ModelFile(**file) for file in data["files"])
    return CatalogueModel(**data | {"files": files})
