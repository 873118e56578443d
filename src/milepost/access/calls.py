"""The one place where a call of an operation is allowed or refused, and where it is noted down."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from inspect import signature
from time import perf_counter
from types import GeneratorType
from typing import Any, Self

from milepost.access.audit import NAMING, Deed
from milepost.access.keys import KeyRing
from milepost.access.limits import PROGRAMS, REQUESTS, TOKENS, Limits
from milepost.access.values import (
    ADMIN,
    BY_PROGRAM,
    CALLER,
    CALLS,
    EXECUTE,
    READ,
    WRITE,
    Caller,
    admit,
)
from milepost.errors import (
    EmbedderError,
    Forbidden,
    MilepostError,
    SandboxUnavailable,
    StoreError,
)
from milepost.memory.context import Context, Service
from milepost.once import WITNESS
from milepost.operation import OperationSpec
from milepost.phases import WATCHED, Phase, tracers
from milepost.request import DOING, REQUEST, Request, begin, request_id
from milepost.text.tokens import estimate
from milepost.upkeep.metrics import CALL, DONE, FAULT

log = logging.getLogger(__name__)
# How calls end: whoever called knows it already, so without a log nobody is told.
calls = logging.getLogger(CALLS)
calls.addHandler(logging.NullHandler())

Method = Callable[..., Any]
_END = object()
# Not who calls is at fault: somebody should look at it.
_SERIOUS = (EmbedderError, SandboxUnavailable, StoreError)

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
        with Call(self, name, is_write) as watched:
            if caller.key:
                run = partial(noted, self, caller, args, kwargs)
                result = _for_key(self, caller, name, spec, run)
            else:
                result = noted(self, caller, args, kwargs)
            return watched.rows(result) if type(result) is GeneratorType else result

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


class Call:
    """One call of an operation: known to whoever logs meanwhile, and counted however it ends."""

    __slots__ = (
        "_began", "_doing", "_goes_on", "_is_write", "_name", "_request", "_service", "_traced"
    )  # fmt: skip

    def __init__(self, service: Service, name: str, is_write: bool) -> None:
        self._service, self._name, self._is_write = service, name, is_write
        self._goes_on = False
        self._traced: Traced | None = None

    def __enter__(self) -> Self:
        # Programs that call operations themselves name no request: each call is one.
        self._request = begin() if REQUEST.get() is None else None
        self._doing = DOING.set((self._name, self._space))
        if tracers:
            self._traced = Traced(self._name)
        self._began = perf_counter()
        return self

    def __exit__(self, _kind: object, problem: BaseException | None, _trace: object) -> None:
        if problem is not None:
            self._count(code_of(problem), self._began)
            _tell_of(problem)
        elif not self._goes_on:
            self._count(DONE, self._began)
        if self._traced is not None:
            self._traced.end(self._space(), "" if problem is None else code_of(problem))
        DOING.reset(self._doing)
        if self._request is not None:
            REQUEST.reset(self._request)

    def rows(self, rows: Generator[Any, None, None]) -> Iterator[Any]:
        """Let rows be gone through, and count the call with the time that it took to make them."""
        self._goes_on = True
        return self._rows(rows, perf_counter() - self._began)

    def _rows(self, rows: Generator[Any, None, None], spent: float) -> Iterator[Any]:
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
            self._count(code, perf_counter() - spent)

    @property
    def _opened(self) -> Context | None:
        opening: Any = self._service._open_context  # noqa: SLF001 -- whose operation this is
        latest: Context | None = opening.latest
        return latest

    def _space(self) -> str:
        """Return the space that is worked in, once its store is opened."""
        context = self._opened
        return "" if context is None else context.space

    def _count(self, code: str, began: float) -> None:
        """Count the call, where a store was opened for it."""
        context = self._opened
        if context is not None:
            counted = context.parts.counted
            if self._is_write and not counted.is_written:
                counted.write_later()
            counted.done(context.space, CALL, self._name, code, began)
        if calls.isEnabledFor(logging.DEBUG):
            calls.debug("%s, %.1f ms", code, (perf_counter() - began) * 1e3)


class Traced:
    """A call that others are told of, with its phases, as a part of the request it is made for."""

    def __init__(self, name: str) -> None:
        request = REQUEST.get() or Request("")
        self._span = tracers[0].begin(name, request.trace)
        self._whole = Phase(name)
        self._watched = WATCHED.set(self._whole)
        # What this asks of others is a part of it.
        self._request = REQUEST.set(request._replace(trace=self._span.trace))

    def end(self, space: str, code: str) -> None:
        """Tell how it ended."""
        self._whole.end()
        REQUEST.reset(self._request)
        WATCHED.reset(self._watched)
        about = {"space": space, "surface": CALLER.get().surface, "request": request_id()}
        self._span.end(self._whole, about | ({"error": code} if code else {}))


@contextmanager
def traced(name: str, space: str) -> Iterator[None]:
    """Tell others of a call that another process does."""
    if not tracers:
        yield
        return
    told, code = Traced(name), ""
    try:
        yield
    except BaseException as problem:
        code = code_of(problem)
        raise
    finally:
        told.end(space, code)


def code_of(problem: BaseException) -> str:
    """Return what a call that ended so is counted as."""
    return problem.code if isinstance(problem, MilepostError) else FAULT


def _tell_of(problem: BaseException) -> None:
    """Log how a call failed, and name the request in the error; surfaces tell of faults."""
    if isinstance(problem, MilepostError):
        problem.request = problem.request or request_id()
        if isinstance(problem, _SERIOUS):
            calls.error("%s: %s", problem.code, problem)
        else:
            calls.info("%s", problem.code)


def allow(service: Service, caller: Caller, name: str, spec: OperationSpec) -> None:
    """Raise unless a caller may do an operation where it is called; no store is looked up for that.

    What is refused in a space of the caller's own is noted there.
    """
    space = service._space_worked_in  # noqa: SLF001 -- whose operation this is
    try:
        refuse(caller, name, spec.scope, space)
    except Forbidden as problem:
        if caller.may_enter(space):
            _note_refusal(service, caller, name, problem)
        raise


def _refuse_ended(service: Service, caller: Caller, name: str) -> None:
    """Raise when the key of a program is good no longer; others were let in a moment ago."""
    context = service._context  # noqa: SLF001 -- whose operation this is
    if context.part(KeyRing).has_ended(caller.key):
        problem = Forbidden(f"The {caller.credential} has ended while the program ran.")
        _note_refusal(service, caller, name, problem)
        raise problem


def _note_refusal(service: Service, caller: Caller, name: str, problem: Forbidden) -> None:
    try:
        Deed(service, caller, name).failed(problem)
    except StoreError as away:
        log.warning("a refusal is missing in the audit: %s", away)


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
    if caller.surface == BY_PROGRAM:
        _refuse_ended(service, caller, name)
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
