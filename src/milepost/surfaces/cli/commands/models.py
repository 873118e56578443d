"""`milepost model list` and `add`: which models there are, and how to get another."""

from pathlib import Path
from typing import NamedTuple

from milepost.config import Settings
from milepost.embedding.catalogue import CatalogueModel, catalogue
from milepost.embedding.models_folder import (
    Added,
    add_folder,
    add_named,
    checked_name,
    installed,
)
from milepost.embedding.onnx_folder import OnnxFolder, read_folder
from milepost.errors import ConfigError, MilepostError
from milepost.location import is_database
from milepost.opening import open_chosen
from milepost.storage import maintenance, store_file
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, size, table
from milepost.upkeep.values import StoreInfo

STATIC = "static"
IN_USE, SHIPPED, INSTALLED, FETCHABLE = "in use", "shipped", "installed", "can be added"


class KnownModel(NamedTuple):
    """A model, and how many memories of the store have a vector of it; None if nobody knows."""

    name: str
    state: str
    dimensions: int | None
    bytes: int | None
    licence: str
    about: str
    vectors: int | None


def listed(call: Call) -> View:
    """Show the models that can be named, which is in use, and how far it has got."""
    settings = call.settings
    info = store_info(settings)
    models = _models(settings, info)
    rows = [
        (m.name, m.state, _or_dash(m.dimensions), "-" if m.bytes is None else size(m.bytes),
         m.licence or "-", _vectors(m, info), m.about)
        for m in models
    ]  # fmt: skip
    head = ("model", "", "dimensions", "size", "licence", "vectors", "")
    return View(models, table(rows, head))


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)


def _vectors(model: KnownModel, info: StoreInfo | None) -> str:
    if model.vectors is None or info is None:
        return "-"
    return f"{model.vectors:,} of {info.memories:,}"


def store_info(settings: Settings) -> StoreInfo | None:
    """Return what the store holds, if it is there."""
    if is_database(settings.url):
        return maintenance.info(settings.url)
    place = store_file(settings.url)
    return maintenance.info(settings.url) if place is not None and place.exists() else None


def _models(settings: Settings, info: StoreInfo | None) -> list[KnownModel]:
    here = {model.path.name: model for model in installed(Path(settings.models_folder))}
    named = catalogue()
    models = [_static(settings, info)]
    models += [_in_folder(model, named.get(name), settings, info) for name, model in here.items()]
    models += [_fetchable(model) for name, model in named.items() if name not in here]
    if not any(model.state == IN_USE for model in models):
        models.append(_elsewhere(settings, info))
    return models


def _count(info: StoreInfo | None, model: str) -> int | None:
    return None if info is None else info.vectors.get(model, 0)


def _static(settings: Settings, info: StoreInfo | None) -> KnownModel:
    from milepost.embedding.static import FOLDER, StaticEmbedder

    model = StaticEmbedder()
    taken = sum(file.stat().st_size for file in FOLDER.iterdir())
    state = IN_USE if settings.embedder == STATIC else SHIPPED
    about = "potion-base-8M, a table of word vectors; always serves, others come beside it"
    return KnownModel(STATIC, state, model.dim, taken, "MIT", about, _count(info, model.model))


def _in_folder(
    model: OnnxFolder, known: CatalogueModel | None, settings: Settings, info: StoreInfo | None
) -> KnownModel:
    return KnownModel(
        name=model.path.name,
        state=IN_USE if is_used(model, settings) else INSTALLED,
        dimensions=model.dim,
        bytes=model.bytes,
        licence=known.licence if known else "",
        about=known.about if known else str(model.path),
        vectors=_count(info, model.model),
    )


def is_used(model: OnnxFolder, settings: Settings) -> bool:
    """Whether a model is the one that the settings name."""
    kind, _, where = settings.embedder.partition(":")
    return kind == "onnx" and (where == model.path.name or Path(where).expanduser() == model.path)


def _fetchable(model: CatalogueModel) -> KnownModel:
    return KnownModel(
        model.name, FETCHABLE, model.dimensions, model.bytes, model.licence, model.about, None
    )


def _elsewhere(settings: Settings, info: StoreInfo | None) -> KnownModel:
    """Return the model of the settings that is neither shipped nor in the folder of models."""
    try:
        vectors, about = _count(info, open_chosen(settings).model), "set as the embedder"
    except MilepostError as problem:
        vectors, about = None, str(problem)
    return KnownModel(settings.embedder, IN_USE, None, None, "", about, vectors)


def add(call: Call) -> object:
    """Fetch a model of the catalogue, or copy one from a folder, into the folder of models."""
    what, models = call.values["model"], Path(call.settings.models_folder).absolute()
    mirror, known = call.values.get("mirror"), catalogue().get(what)
    if known is None:
        return _add_folder(call, _folder(what), models)
    name = checked_name(call.values.get("name") or known.name)
    if call.dry_run:
        deed = f"fetch {size(known.bytes)} from {mirror or known.origin} into {models / name}"
        return Rehearsed((deed,))
    with Progress(f"fetch {name}", size) as progress:
        return _told(add_named(known, models, name, mirror, progress))


def _add_folder(call: Call, folder: Path, models: Path) -> object:
    name = checked_name(call.values.get("name") or folder.name)
    if call.dry_run:
        model = read_folder(folder)
        return Rehearsed((f"copy {size(model.bytes)} from {folder} into {models / name}",))
    return _told(add_folder(folder, models, name))


def _folder(what: str) -> Path:
    folder = Path(what).expanduser().absolute()
    if not folder.is_dir():
        names = ", ".join(catalogue())
        raise ConfigError(f"There is no model and no folder {what}; known by name: {names}.")
    return folder


def _told(added: Added) -> View:
    state = "was there already" if added.was_there else "is ready"
    text = (
        f"{added.name} {state} in {added.path} ({added.dimensions} dimensions, "
        f"{size(added.bytes)})\n`milepost model use {added.name} --dry-run` says what it would "
        f"gain on this store, `milepost model use {added.name}` uses it"
    )
    return View(added, text)
