"""Errors that teach: the program's own lines, and what would have worked."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from difflib import get_close_matches
from types import TracebackType
from typing import Any

from milepost.errors import MilepostError
from milepost.sandbox.guest.exchange import RESULTS
from milepost.sandbox.guest.functions import Functions
from milepost.sandbox.guest.modules import instead

MESSAGE_CHARS_MAX = 2_000
FRAMES_MAX = 6
PROGRAM = "<program>"

Told = dict[str, Any]
Sources = Mapping[str, list[str]]


def told(kind: str, message: str, *, name: str = "", line: int | None = None, **more: Any) -> Told:
    """Describe a problem: what went wrong, where, and what to do about it."""
    where, hint = more.get("where", []), more.get("hint", "")
    said = ": ".join(part for part in (name, message) if part)
    text = "\n".join([*where, said, *([hint] if hint else [])])
    return {"kind": kind, "name": name, "message": message, "line": line, "text": text}


def explained(problem: BaseException, sources: Sources, functions: Functions) -> Told:
    """Describe what a program raised."""
    where, line = _own_lines(problem.__traceback__, sources)
    message = _message(problem)
    kinds: dict[type, str] = {MemoryError: "memory", RecursionError: "recursion"}
    return told(
        kinds.get(type(problem), "error"),
        message,
        name=type(problem).__name__,
        line=line,
        where=where,
        hint=_hint(problem, message, functions),
    )


def syntax(problem: SyntaxError, source: list[str]) -> Told:
    """Describe why a program is not Python."""
    line = problem.lineno
    where = [_shown(PROGRAM, line, source)] if line else []
    return told("syntax", f"{problem.msg}", name=type(problem).__name__, line=line, where=where)


def refused(line: int, message: str, hint: str, source: list[str]) -> Told:
    """Describe why a program was not run."""
    return told("refused", message, line=line, where=[_shown(PROGRAM, line, source)], hint=hint)


def _own_lines(trace: TracebackType | None, sources: Sources) -> tuple[list[str], int | None]:
    """Return the lines of the program that led to an error, outermost first."""
    frames = []
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file in sources:
            frames.append((file, trace.tb_lineno))
        trace = trace.tb_next
    shown = [_shown(file, line, sources[file]) for file, line in frames]
    if len(shown) > FRAMES_MAX:
        cut = len(shown) - FRAMES_MAX
        shown[2 : 2 + cut] = [f"({cut} more)"]
    own = [line for file, line in frames if file == PROGRAM]
    return shown, own[-1] if own else None


def _shown(file: str, line: int | None, source: list[str]) -> str:
    place = "" if file == PROGRAM else f"{file.strip('<>')}, "
    code = source[line - 1].strip()[:200] if line and line <= len(source) else ""
    return f"{place}line {line}: {code}"


def _message(problem: BaseException) -> str:
    """Return the message with Python's own suggestion, whatever its __str__ does."""
    shown = "".join(traceback.TracebackException.from_exception(problem).format_exception_only())
    name = type(problem).__name__
    plain = shown.strip()
    for start in (f"{type(problem).__module__}.{name}", name):
        plain = plain.removeprefix(start)
    return plain.removeprefix(":").strip()[:MESSAGE_CHARS_MAX]


def _hint(problem: BaseException, message: str, functions: Functions) -> str:
    """Return what would have worked."""
    if isinstance(problem, MilepostError):
        name = _caller(problem)
        return f"Called as: {functions.signature(name)}" if name in functions.parameters else ""
    if isinstance(problem, ImportError):
        return _import_hint(problem, functions)
    if isinstance(problem, NameError):
        near = get_close_matches(problem.name or "", functions.by_name, n=1, cutoff=0.6)
        known = "Did you mean" in message or not near
        return "" if known else f"Did you mean: {near[0]}?"
    if isinstance(problem, TypeError | AttributeError):
        return _use_hint(problem, message, functions)
    if isinstance(problem, MemoryError) and "too complex" not in message:
        return "Too much memory: keep less at a time, or ask for fewer results."
    if isinstance(problem, RecursionError):
        return "The functions call each other without end; use a loop."
    return ""


def _caller(problem: BaseException) -> str:
    """Return the host's function that raised an error."""
    trace, name = problem.__traceback__, ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<milepost>":
            name = trace.tb_frame.f_code.co_name
        trace = trace.tb_next
    return name


def _import_hint(problem: ImportError, functions: Functions) -> str:
    if problem.name == "milepost":
        return f"milepost has: {', '.join(functions.by_name)}."
    return instead(problem.name) if problem.name else ""


def _use_hint(problem: Exception, message: str, functions: Functions) -> str:
    called = re.match(r"(\w+)\(\) (?:got|missing|takes)", message)
    if called and called[1] in functions.parameters:
        return f"Called as: {functions.signature(called[1])}"
    if isinstance(problem, AttributeError):
        kind: Any = type(problem.obj)
        if kind in RESULTS:
            names = (*kind._fields, *getattr(kind, "_more", ()))
            return f"{kind.__name__} has: {', '.join(names)}."
    elif "tuple indices must be integers" in message:
        return "Results have attributes, not keys: write m.hash, not m['hash']."
    return ""
