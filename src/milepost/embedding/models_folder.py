"""The folder of models: what is in it, and how another gets in, whole or not at all."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from milepost.embedding.catalogue import CatalogueModel, ModelFile
from milepost.embedding.onnx import OnnxEmbedder, check_extra
from milepost.embedding.onnx_folder import NEEDED, OWN, OnnxFolder, read_folder
from milepost.errors import ConfigError, EmbedderError
from milepost.storage.lock import take
from milepost.transport.connections import TransportError, parse_address
from milepost.transport.download import Wanted, download, has_checksum

# What a folder may hold beside the files that it needs; large networks keep weights apart.
_OPTIONAL = (
    "config_sentence_transformers.json", "1_Pooling/config.json", "model.onnx_data",
    "model.onnx.data",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SENTENCE = "We chose PostgreSQL because of its JSON columns."

# Told how many bytes are here, of how many.
Progress = Callable[[int, int], None]


class Added(NamedTuple):
    """A model that lies in the folder of models, and whether it did before."""

    name: str
    path: str
    dimensions: int
    bytes: int
    was_there: bool


def installed(models: Path) -> list[OnnxFolder]:
    """Return the models in the folder that are whole, by name."""
    places = sorted(models.iterdir()) if models.is_dir() else []
    found = (_readable(place) for place in places if not place.name.startswith("."))
    return [model for model in found if model is not None]


def checked_name(name: str) -> str:
    """Return a name for a model; refuse one that is no name of a folder, or is taken."""
    if not _NAME.fullmatch(name) or name == "static":
        raise ConfigError(f"A model cannot be named {name!r}: use letters, digits, . _ and -.")
    return name


def add_folder(source: Path, models: Path, name: str) -> Added:
    """Copy a model into the folder of models, unless the same is there under this name."""
    check_extra()
    model, place = read_folder(source.absolute()), models / checked_name(name)
    if _is_same(_readable(place), model):
        return _added(place, was_there=True)
    with _staging(place, resumes=False) as stage:
        for file in (*NEEDED, *_OPTIONAL):
            if (source / file).is_file():
                (stage / file).parent.mkdir(exist_ok=True)
                shutil.copyfile(source / file, stage / file)
        _describe(stage, model.pooling, *model.prefixes)
    return _added(place, was_there=False)


def add_named(
    model: CatalogueModel, models: Path, name: str, mirror: str | None, progress: Progress
) -> Added:
    """Fetch a model into the folder of models, unless it is there.

    mirror: the address of a folder with its files, named as they are here.
    """
    check_extra()
    place = models / checked_name(name)
    if all(has_checksum(place / file.name, file.sha256) for file in model.files):
        return _added(place, was_there=True)
    with _staging(place, resumes=True) as stage:
        before = 0
        for file in model.files:
            _fetch(model, file, stage, mirror, partial(_advance, progress, before, model.bytes))
            before += file.bytes
        _describe(stage, model.pooling, model.query_prefix, model.document_prefix)
    return _added(place, was_there=False)


def _advance(progress: Progress, before: int, total: int, here: int) -> None:
    progress(before + here, total)


def _fetch(
    model: CatalogueModel,
    file: ModelFile,
    stage: Path,
    mirror: str | None,
    progress: Callable[[int], None],
) -> None:
    if mirror:
        parse_address(mirror, "the mirror")
    url = f"{mirror.rstrip('/')}/{file.name}" if mirror else f"{model.origin}/{file.path}"
    if has_checksum(stage / file.name, file.sha256):
        progress(file.bytes)
        return
    try:
        download(Wanted(url, file.bytes, file.sha256), stage / file.name, progress)
    except TransportError as problem:
        raise EmbedderError(
            f"{url} was not fetched: {problem}; `milepost model add FOLDER` takes a copy that you "
            "have."
        ) from problem


@contextmanager
def _staging(place: Path, *, resumes: bool) -> Iterator[Path]:
    """Give the folder that a model is made ready in; it gets its place when it embeds a sentence.

    resumes: whether what is there of a failed attempt is kept for the next.
    """
    if place.exists():
        raise ConfigError(f"{place} holds something else: give --name, or remove that folder.")
    place.parent.mkdir(0o700, parents=True, exist_ok=True)
    lock = take(place.parent / ".lock")
    if lock is None:
        raise ConfigError("Another process adds a model right now.")
    stage = place.with_name(f".{place.name}.part")
    if not resumes:
        shutil.rmtree(stage, ignore_errors=True)
    try:
        stage.mkdir(exist_ok=True)
        yield stage
        resumes = False  # whatever is wrong now, the files are not what is missing
        OnnxEmbedder(stage).embed_query(_SENTENCE)
        stage.rename(place)
    finally:
        if not resumes or not any(stage.glob("*")):
            shutil.rmtree(stage, ignore_errors=True)
        os.close(lock)


def _describe(stage: Path, pooling: str, query: str, document: str) -> None:
    """Write down how to ask a model, which its name alone may have told before."""
    about = {"pooling": pooling, "query_prefix": query, "document_prefix": document}
    (stage / OWN).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _is_same(one: OnnxFolder | None, other: OnnxFolder) -> bool:
    return one is not None and (one.fingerprint, one.prefixes) == (
        other.fingerprint,
        other.prefixes,
    )


def _readable(place: Path) -> OnnxFolder | None:
    try:
        return read_folder(place)
    except ConfigError:
        return None


def _added(place: Path, *, was_there: bool) -> Added:
    model = read_folder(place)
    return Added(place.name, str(place), model.dim, model.bytes, was_there)
