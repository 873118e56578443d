"""A persistent memory for AI agents: `from milepost import search, store`."""

__version__ = "0.1.0"

_OPERATIONS = (
    "delete",
    "delete_batch",
    "delete_by_tag",
    "execute_code",
    "get",
    "get_by_hash",
    "health",
    "recall",
    "save_skill",
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
    "connect": "surfaces.connection",
    "Milepost": "app",
    "CodeResult": "model.results",
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
    "Overloaded": "errors",
    "SandboxUnavailable": "errors",
    "StoreBusy": "errors",
    "StoreCorrupt": "errors",
    "StoreError": "errors",
    "StoreTooNew": "errors",
    "StoreUnavailable": "errors",
    "Unreachable": "errors",
    "MilepostClient": "surfaces.client",
}

__all__ = [*_OPERATIONS, *_HOMES]  # noqa: PLE0604

# Not imported from typing, which would be half of what importing this package costs.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from milepost.app import Milepost as Milepost
    from milepost.app import default as _default
    from milepost.errors import Ambiguous as Ambiguous
    from milepost.errors import ConfigError as ConfigError
    from milepost.errors import EmbedderError as EmbedderError
    from milepost.errors import InvalidInput as InvalidInput
    from milepost.errors import MilepostError as MilepostError
    from milepost.errors import NotFound as NotFound
    from milepost.errors import Overloaded as Overloaded
    from milepost.errors import SandboxUnavailable as SandboxUnavailable
    from milepost.errors import StoreBusy as StoreBusy
    from milepost.errors import StoreCorrupt as StoreCorrupt
    from milepost.errors import StoreError as StoreError
    from milepost.errors import StoreTooNew as StoreTooNew
    from milepost.errors import StoreUnavailable as StoreUnavailable
    from milepost.errors import Unreachable as Unreachable
    from milepost.model.results import CodeResult as CodeResult
    from milepost.model.results import CompactHealthInfo as CompactHealthInfo
    from milepost.model.results import CompactMemory as CompactMemory
    from milepost.model.results import CompactSearchResult as CompactSearchResult
    from milepost.model.results import Deleted as Deleted
    from milepost.model.results import Memory as Memory
    from milepost.surfaces.client import MilepostClient as MilepostClient
    from milepost.surfaces.connection import connect as connect

    delete = _default.delete
    delete_batch = _default.delete_batch
    delete_by_tag = _default.delete_by_tag
    execute_code = _default.execute_code
    get = _default.get
    health = _default.health
    recall = _default.recall
    save_skill = _default.save_skill
    search = _default.search
    search_by_tag = _default.search_by_tag
    search_iter = _default.search_iter
    similar = _default.similar
    store = _default.store
    store_batch = _default.store_batch
    timeline = _default.timeline
    update = _default.update
    get_by_hash = _default.get
else:

    def __dir__():
        return sorted(__all__)

    def __getattr__(name):
        """Load what is asked for; importing the package alone loads nothing."""
        if name in _OPERATIONS:
            from milepost.surfaces.warm import operation

            value = operation(_ALIASES.get(name, name))
        elif name in _HOMES:
            from importlib import import_module

            value = getattr(import_module(f"milepost.{_HOMES[name]}"), name)
        else:
            raise AttributeError(f"module 'milepost' has no attribute {name!r}")
        globals()[name] = value
        return value


_ALIASES = {"get_by_hash": "get"}
