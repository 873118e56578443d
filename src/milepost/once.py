"""Do once what may be sent twice: a call that goes by a key keeps its answer with its writes.

Whoever does not hear an answer sends the same call under the same key, to the same server or to
another one of the same store. What cannot be done twice keeps its answer in the transaction that
does it (`settle`); what may be done twice has it kept a moment later, and is done again should the
server end in between. A program writes as it goes: it is begun once.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from milepost.codec import from_data, to_data
from milepost.errors import InvalidInput, KeyConflict, MilepostError, Overloaded
from milepost.ports import AuditNote, KeptAnswer, Store, Work

if TYPE_CHECKING:
    from milepost.registry import Operation

KEY_CHARS_MAX = 200

T = TypeVar("T")


class AnsweredBefore(Exception):
    """The call under way was done already, by whoever had it first; nothing was written."""


class Call:
    """One call of an operation under a key."""

    def __init__(
        self, operation: str, space: str, key: str, arguments: Mapping[str, Any], at_us: int
    ) -> None:
        self.operation, self.space, self.key, self.at_us = operation, space, key, at_us
        told = json.dumps([operation, arguments], sort_keys=True)
        self.digest = sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        self.is_settled = False

    def settle(self, work: Work, result: object) -> None:
        """Keep the answer in the transaction that does what was called."""
        if not self.begin(work, result):
            raise AnsweredBefore
        self.is_settled = True

    def begin(self, work: Work, result: object = None) -> bool:
        """Keep that the call is made, with its answer if that is known; False if it was before."""
        answer = None if result is None else json.dumps(to_data(result))
        return work.answers.keep(self.space, self.key, self.digest, answer, self.at_us)

    def complete(self, work: Work, result: object) -> None:
        """Keep the answer to a call that was begun."""
        work.answers.complete(self.space, self.key, json.dumps(to_data(result)))
        self.is_settled = True

    def forget(self, work: Work) -> None:
        """Forget a call that was begun, and of which nothing came."""
        work.answers.forget(self.space, self.key)

    def told(self, kept: KeptAnswer, returns: Any) -> Any:
        """Return what was answered before to the same call; refuse another under its key."""
        if kept.call != self.digest:
            raise KeyConflict(
                f"Another call was made under the key {self.key[:40]!r}; "
                "give every call a key of its own."
            )
        if kept.answer is None:
            raise KeyConflict(
                f"This call of {self.operation} was made before, and what it was answered is not "
                "known; look what it did, and call again under another key if you still want to."
            )
        return from_data(returns, json.loads(kept.answer))


_CALL: ContextVar[Call | None] = ContextVar("call", default=None)


def call_of(*operations: str) -> Call | None:
    """Return the call that is served, if it goes by a key and is one of these operations."""
    call = _CALL.get()
    return call if call is not None and call.operation in operations else None


class Witness(Protocol):
    """Who is to know, in the transaction that does it, what a call of an operation does."""

    operation: str
    is_noted: bool

    def opened(self, opening: Callable[[], T]) -> T:
        """Return what is opened so, which is the same for the whole call."""

    def ahead(self, names: Sequence[str]) -> AuditNote:
        """Return what is to be noted with what the call writes; is_noted says that it was."""

    def settled(self, work: Work, result: object, space: str | None) -> None:
        """Be told what came of the call, and in which space if not in the caller's."""


WITNESS: ContextVar[Witness | None] = ContextVar("witness", default=None)


def settle(work: Work, result: object, *operations: str, space: str | None = None) -> None:
    """Keep the answer to the call that is served with what it writes, if it is one of these.

    space: where that is written, if not in the caller's.
    """
    call = call_of(*operations)
    if call is not None and space is None:
        call.settle(work, result)
    witness(work, result, *operations, space=space)


def witness(work: Work, result: object, *operations: str, space: str | None = None) -> None:
    """Tell who is to know what is written for the call under way, if it is one of these."""
    told = WITNESS.get()
    if told is not None and told.operation in operations:
        told.settled(work, result, space)


@contextmanager
def serving(call: Call) -> Iterator[None]:
    """Let what is done here be done for a call."""
    token = _CALL.set(call)
    try:
        yield
    finally:
        _CALL.reset(token)


def answer_once(store: Store, operation: "Operation", call: Call, run: Callable[[], Any]) -> Any:
    """Return what a call is answered: as it was before, else by doing it."""
    _check_key(call.key)
    kept = store.answers.find(call.space, call.key)
    if kept is None:
        try:
            return _done(store, operation, call, run)
        except (AnsweredBefore, MilepostError) as problem:
            # That it was done elsewhere a moment ago may be what makes it fail here.
            kept = store.answers.find(call.space, call.key)
            if kept is None and isinstance(problem, AnsweredBefore):
                raise Overloaded("The same call was under way elsewhere; try again.") from None
            if kept is None:
                raise
    return call.told(kept, operation.returns)


def _done(store: Store, operation: "Operation", call: Call, run: Callable[[], Any]) -> Any:
    if operation.spec.begins:
        return _begun(store, call, run)
    with serving(call):
        result = run()
    if not call.is_settled and not operation.spec.is_secret:
        call.settle(store, result)
    return result


def _begun(store: Store, call: Call, run: Callable[[], Any]) -> Any:
    """Do what writes as it goes: whoever finds it begun does not begin it again."""
    if not call.begin(store):
        raise AnsweredBefore
    try:
        result = run()
    except BaseException:
        call.forget(store)
        raise
    call.complete(store, result)
    return result


def _check_key(key: str) -> None:
    if not key.isascii() or not key.isprintable() or not 0 < len(key) <= KEY_CHARS_MAX:
        raise InvalidInput(
            f"An idempotency key has 1 to {KEY_CHARS_MAX} printable ASCII characters."
        )
