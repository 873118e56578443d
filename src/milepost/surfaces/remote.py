"""The operations of a memory that is elsewhere: every method sends its arguments away."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import wraps
from typing import Any

from milepost.app import Milepost
from milepost.registry import Operation, operations_of
from milepost.upkeep.expenses import Handout

OPERATIONS = operations_of(Milepost)


class Remote(Milepost):
    """Has the signatures and documentation of Milepost; what runs is `_send`."""

    def __init__(self) -> None:
        """Open nothing here."""

    def _send(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        raise NotImplementedError

    def hand_out(self, given: Handout) -> None:
        """Note nothing: what lies elsewhere has a ledger of what is handed out there."""

    def close(self) -> None:
        """Let go of the connection."""


def _forwarding(operation: Operation, method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    renamed = {k: v for k, v in operation.spec.renamed if k not in signature.parameters}

    @wraps(method)
    def forward(self: Remote, *args: Any, **kwargs: Any) -> Any:
        named = {renamed.get(name, name): value for name, value in kwargs.items()}
        given = dict(signature.bind(self, *args, **named).arguments)
        given.pop("self")
        return self._send(operation, {name: plain(value) for name, value in given.items()})

    return forward


def plain(value: object) -> Any:
    """Return an argument as JSON can carry it."""
    if isinstance(value, datetime):
        # Without a zone it means this computer's, which the other side may not share.
        return value.astimezone().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [plain(item) for item in value]
    return value


for _name, _operation in OPERATIONS.items():
    setattr(Remote, _name, _forwarding(_operation, getattr(Milepost, _name)))
