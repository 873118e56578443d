"""Memories that are elsewhere: they have the operations, and every call is sent away."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime
from functools import cache, partial, wraps
from typing import Any

from milepost.app import Operations, local_memory
from milepost.config import Settings
from milepost.memory import validation
from milepost.memory.values import CompactSearchResult
from milepost.registry import Operation, operations_of
from milepost.surfaces import warm
from milepost.surfaces.reach import ask
from milepost.upkeep.model_text import ModelText
from milepost.workspace.values import Place

OPERATIONS = operations_of(Operations)


class RemoteMemory(Operations):
    """Has the signatures and documentation of the operations; what runs is `_call`."""

    def __init__(self) -> None:
        """Open nothing here."""

    def _call(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise NotImplementedError


def _forwarding(operation: Operation, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def forward(self: RemoteMemory, *args: Any, **kwargs: Any) -> Any:
        return self._call(operation, args, kwargs)

    return forward


for _operation in OPERATIONS.values():
    _forward = _forwarding(_operation, getattr(Operations, _operation.name))
    for _name in (_operation.name, *_operation.spec.aliases):
        setattr(RemoteMemory, _name, _forward)


class WarmMemory(RemoteMemory):
    """Asks a process that keeps the memory warm, and the store itself when that is silent."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._folder: str | None = ""
        self._store = local_memory(settings)

    def _call(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        in_store = partial(getattr, self._store)
        result = ask(self._settings, operation.name, args, kwargs, in_store, self._folder)
        return result.read_by(self.get) if isinstance(result, CompactSearchResult) else result

    def note_model_text(self, text: ModelText) -> None:
        """Note in the ledger what a model is given: there where the answer came from."""
        if not self._store.note_model_text(text):
            with suppress(warm.Unanswered):
                warm.call(self._settings, warm.MODEL_TEXT, tuple(text), {})

    def within(
        self, space: str | None = None, place: Place | None = None, source: str | None = None
    ) -> Operations:
        """Return the same for another tenant or another place; closing it closes nothing."""
        named = self._settings.space if space is None else validation.name("space", space)
        where = Place(self._settings.project, self._folder) if place is None else place
        told = where.identity or where.branch is not None or where.tree is not None
        if told or source is not None:
            return self._store.within(space, place, source)
        other = WarmMemory(self._settings._replace(space=named, project=where.project))
        other._folder = where.folder
        other._store = self._store.within(space, place)
        return other

    def close(self) -> None:
        """Let go of the store, if it had to be opened."""
        self._store.close()


def sendable(
    operation: Operation, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by name, in types that JSON can carry."""
    signature, renamed = _signature(operation.name)
    named = {renamed.get(name, name): value for name, value in kwargs.items()}
    arguments = signature.bind(None, *args, **named).arguments
    return {name: _plain(value) for name, value in arguments.items() if name != "self"}


@cache
def _signature(name: str) -> tuple[inspect.Signature, dict[str, str]]:
    """Return how an operation is called, and what its parameters are called by other memories."""
    signature = inspect.signature(getattr(Operations, name))
    renamed = OPERATIONS[name].spec.renamed
    return signature, {k: v for k, v in renamed if k not in signature.parameters}


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        # Without a zone it means this computer's, which the other side may not share.
        return value.astimezone().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    return value
