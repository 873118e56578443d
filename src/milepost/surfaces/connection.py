"""Connect to a memory wherever it is: a file, a process that has it open, a server."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from os import PathLike
from typing import Any

from milepost.app import Milepost, open_memory
from milepost.config import Settings
from milepost.opening import Opening, settings_for
from milepost.registry import operations_of
from milepost.surfaces import warm
from milepost.upkeep.expenses import Handout


def connect(path_or_url: str | PathLike[str], space: str | None = None) -> Milepost:
    """Return the operations over a memory: a path, sqlite:path, memory:// or a server's http://.

    A file that another process keeps warm is asked through that process.

    path_or_url: where the memories are; a file is created when there is none.
    space: the tenant whose memories these are.
    """
    settings = settings_for(path_or_url, space)
    if settings.url.startswith(("http://", "https://")):
        from milepost.surfaces.client import MilepostClient

        return MilepostClient(settings.url, key=settings.key, space=space)
    return Warm(settings) if warm.is_offered(settings) else open_memory(settings)


class Warm(Milepost):
    """Asks a warm process and, whenever that does not answer, the store itself."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(Opening(lambda: settings))
        self._settings = settings

    def hand_out(self, given: Handout) -> None:
        """Note in the ledger what a model is given: there where the answer came from."""
        if self._opening.current is not None:
            super().hand_out(given)
            return
        with suppress(warm.Unanswered):
            warm.call(self._settings, warm.HAND_OUT, tuple(given), {})


def _asking(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def ask(self: Warm, *args: Any, **kwargs: Any) -> Any:
        try:
            return warm.call(self._settings, name, args, kwargs)
        except warm.Unanswered:
            return method(self, *args, **kwargs)

    return ask


for _name in operations_of(Milepost):
    setattr(Warm, _name, _asking(_name, getattr(Milepost, _name)))
