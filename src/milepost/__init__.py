"""A persistent memory for AI agents: `from milepost import search, store`."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_OPERATIONS = (
    "delete",
    "delete_batch",
    "delete_by_tag",
    "get",
    "get_by_hash",
    "health",
    "recall",
    "search",
    "search_by_tag",
    "search_iter",
    "similar",
    "store",
    "store_batch",
    "timeline",
    "update",
)
_HOMES = {
    "connect": "app",
    "Milepost": "app",
    "CompactHealthInfo": "model.results",
    "CompactMemory": "model.results",
    "CompactSearchResult": "model.results",
    "Deleted": "model.results",
    "Memory": "model.results",
    "Ambiguous": "errors",
    "ConfigError": "errors",
    "EmbedderError": "errors",
    "InvalidInput": "errors",
    "MilepostError": "errors",
    "NotFound": "errors",
    "StoreBusy": "errors",
    "StoreCorrupt": "errors",
    "StoreError": "errors",
    "StoreTooNew": "errors",
    "StoreUnavailable": "errors",
}

__all__ = [*_OPERATIONS, *_HOMES]  # noqa: PLE0604

if TYPE_CHECKING:
    from milepost.app import Milepost as Milepost
    from milepost.app import connect as connect
    from milepost.app import default as _default
    from milepost.errors import (
        Ambiguous as Ambiguous,
    )

    search = _default.search
else:

    def __getattr__(name: str) -> Any:
        """Load what is asked for; importing the package alone loads nothing."""
        from importlib import import_module

        if name in _OPERATIONS:
            value = getattr(import_module("milepost.app").default, _ALIASES.get(name, name))
        elif name in _HOMES:
            value = getattr(import_module(f"milepost.{_HOMES[name]}"), name)
        else:
            raise AttributeError(f"module 'milepost' has no attribute {name!r}")
        globals()[name] = value
        return value


_ALIASES = {"get_by_hash": "get"}
