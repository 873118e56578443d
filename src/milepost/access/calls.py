"""The one place where a call of an operation is allowed or refused, and where it is noted down."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from time import perf_counter
from types import GeneratorType
from typing import Any

from milepost.access.audit import NAMING, Deed
from milepost.access.limits import PROGRAMS, REQUESTS, TOKENS, Limits
from milepost.access.values import ADMIN, CALLER, EXECUTE, READ, WRITE, Caller, admit
from milepost.errors import Forbidden, MilepostError, StoreError
from milepost.memory.context import Service
from milepost.once import WITNESS
from milepost.operation import OperationSpec
from milepost.text.tokens import estimate
from milepost.upkeep.metrics import CALL, DONE, FAULT

log = logging.getLogger(__name__)

Method = Callable[..., Any]
_END = object()
# The end of what has only begun.
GOES_ON = ""

# What a key may do, in words.
_MEANS = {
    READ: "read",
    WRITE: "write",
    EXECUTE: "run programs",
    ADMIN: "administer the memory",
}


def refuse(caller: Caller, operation: str, scope: str, space: str) -> None:
    """Raise unless a caller may do an operation of a scope in a space."""
    admit(caller, space)
    if scope not in caller.scopes:
        raise Forbidden(
            f"The {caller.credential} may not {_MEANS[scope]}, which {operation} does; "
            f"use one with the scope {scope}."
        )


def guarded(name: str, method: Method) -> Method:
    """Return an operation that is done for who may do it, counted however it ends, and noted down.

    What comes one by one is done when it was gone through; the time of who goes through it does not
    count.
    """
    spec: OperationSpec = method.operation  # type: ignore[attr-defined]
    names = tuple(signature(method).parameters)[1:]
    is_write = not spec.read_only
    # Whoever watches a memory asks for its health all the time, which tells of no memory.
    is_read = name != "health"
    is_noted = (spec.scope != READ and not spec.read_only) or name.startswith("export")
    naming = [(place, each) for place, each in enumerate(names) if each in NAMING]

    @wraps(method)
    def call(self: Service, *args: Any, **kwargs: Any) -> Any:
        caller = CALLER.get()
        if WITNESS.get() is not None:
            # It is a part of another call, which was allowed.
            return method(self, *args, **kwargs)
        code, began = FAULT, perf_counter()
        try:
            if caller.key:
                run = partial(noted, self, caller, args, kwargs)
                result = _for_key(self, caller, name, spec, run)
            else:
                result = noted(self, caller, args, kwargs)
            if type(result) is GeneratorType:
                result, code = _timed(self, name, result, perf_counter() - began), GOES_ON
            else:
                code = DONE
        except MilepostError as problem:
            code = problem.code
            raise
        finally:
            _count(self, name, code, began, is_write)
        return result

    def noted(self: Service, caller: Caller, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not is_noted and is_read and self._context.notes_reads:
            deed = Deed(self, caller, name, _named(naming, args, kwargs))
            return _read(deed, lambda: method(self, *args, **kwargs))
        if not is_noted or kwargs.get("dry_run"):
            return method(self, *args, **kwargs)
        deed = Deed(self, caller, name, _named(naming, args, kwargs))
        token = WITNESS.set(deed)
        try:
            result = method(self, *args, **kwargs)
        except MilepostError as problem:
            deed.failed(problem)
            raise
        finally:
            WITNESS.reset(token)
        deed.done(result)
        return result

    return call


def _named(
    naming: Sequence[tuple[int, str]], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[object]:
    """Return the arguments that name what is worked on."""
    return [args[at] if at < len(args) else kwargs.get(name) for at, name in naming]


def _count(service: Service, name: str, code: str, began: float, is_write: bool) -> None:
    """Count a call that has ended, where a store was opened for it."""
    context = service._open_context.latest  # type: ignore[attr-defined] # noqa: SLF001
    if context is not None and code:
        counted = context.parts.counted
        if is_write and not counted.is_written:
            counted.write_later()
        counted.done(context.space, CALL, name, code, began)


def _timed(
    service: Service, name: str, rows: Generator[Any, None, None], spent: float
) -> Iterator[Any]:
    """Go through rows, and count the call with the time that it took to make them."""
    code = FAULT
    try:
        while True:
            began = perf_counter()
            row = next(rows, _END)
            spent += perf_counter() - began
            if row is _END:
                break
            yield row
        code = DONE
    except GeneratorExit:
        code = DONE
        raise
    except MilepostError as problem:
        code = problem.code
        raise
    finally:
        rows.close()
        _count(service, name, code, perf_counter() - spent, is_write=False)


def allow(service: Service, caller: Caller, name: str, spec: OperationSpec) -> None:
    """Raise unless a caller may do an operation where it is called; no store is looked up for that.

    What is refused in a space of the caller's own is noted there.
    """
    space = service._space_worked_in  # noqa: SLF001 -- whose operation this is
    try:
        refuse(caller, name, spec.scope, space)
    except Forbidden as problem:
        if caller.may_enter(space):
            try:
                Deed(service, caller, name).failed(problem)
            except StoreError as away:
                log.warning("a refusal is missing in the audit: %s", away)
        raise


def _read(deed: Deed, read: Callable[[], Any]) -> Any:
    """Read something, and have it noted a moment later who did."""
    try:
        result = read()
    except MilepostError as problem:
        deed.failed(problem)
        raise
    return deed.read(result)


def _for_key(
    service: Service, caller: Caller, name: str, spec: OperationSpec, run: Callable[[], Any]
) -> Any:
    """Do for a key what it may do, and as much as it may."""
    allow(service, caller, name, spec)
    limits = service._context.part(Limits)  # noqa: SLF001 -- whose operation this is
    limits.take(caller, REQUESTS)
    if spec.category == "code":
        limits.take(caller, PROGRAMS)
    if TOKENS not in caller.limits:
        return run()
    limits.take(caller, TOKENS)
    result = run()
    limits.owe(caller, TOKENS, estimate(str(result)))
    return result
