"""Run a program: compile it, execute it, and turn its last expression into text."""

from __future__ import annotations

import ast
import inspect
import json
import random
import sys
import traceback
from collections.abc import Mapping
from types import CodeType, ModuleType
from typing import Any

from milepost.sandbox.guest import is_too_deep, teaching, waiting
from milepost.sandbox.guest.analysis import Unfit, check
from milepost.sandbox.guest.exchange import RESULTS
from milepost.sandbox.guest.functions import Functions, SavedSkills
from milepost.sandbox.guest.output import Output, OutputLimit

_TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

# Given back when memory runs out, so that there is room to say so.
_reserve = [bytearray(1 << 20)]


class ProgramRun:
    """One program and the module it runs in."""

    def __init__(self, request: Mapping[str, Any], functions: Functions, output: Output) -> None:
        self._code: str = request["code"]
        self._state_bytes_max: int = request["state_bytes_max"]
        self._value_bytes_max: int = request["value_bytes_max"]
        self._functions, self._output = functions, output
        functions.argument_bytes_max = request["argument_bytes_max"]
        self._loop = waiting.Loop()
        self._sources = {teaching.PROGRAM: self._code.splitlines()}
        self._sources |= {f"<skill {n}>": s.splitlines() for n, s in request["skills"].items()}
        self._scope = self._module(request)

    def _module(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Make the module `__main__` with all that a program finds there."""
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        vars(sys.modules["milepost"]).update(self._functions.by_name)
        scope = vars(module)
        offered = {**self._functions.by_name, "state": request["state"] or {}}
        scope.update(offered, __builtins__=__builtins__, __awaitable__=waiting.awaitable)
        scope["skills"] = SavedSkills(request["skills"], scope.copy())
        return scope

    def run(self) -> dict[str, Any]:
        """Run to the end and tell the value, the state and the error."""
        sys.setrecursionlimit(1_000)
        random.seed()
        ended = self._attempt()
        try:
            self._output.hand_over()
        except OutputLimit as problem:
            ended["error"] = self._explained(problem)
        return ended

    def _attempt(self) -> dict[str, Any]:
        source = self._sources[teaching.PROGRAM]
        try:
            body, last = self._compiled()
        except Unfit as problem:
            failure = teaching.refused(problem.line, problem.message, problem.hint, source)
            return {"error": failure}
        except SyntaxError as problem:
            return {"error": teaching.syntax(problem, source)}
        except (RecursionError, MemoryError, ValueError) as problem:
            message = f"The program cannot be read ({type(problem).__name__}): {problem}".rstrip()
            return {"error": teaching.told("syntax", message)}
        ended: dict[str, Any]
        try:
            value = self._evaluated(body, last)
            ended = {"value": None if value is None else self._text(value)}
        except SystemExit as problem:
            ended = _left(problem.code)
        except BaseException as problem:  # noqa: BLE001 -- whatever a program raises is its answer
            ended = {"error": self._explained(problem)}
        state = self._kept_state()
        return state | ended if "error" in ended else ended | state

    def _compiled(self) -> tuple[CodeType, CodeType | None]:
        """Return the code of the program and of its last expression."""
        tree = ast.parse(self._code, teaching.PROGRAM)
        check(tree, self._functions.parameters)  # type: ignore[arg-type]  # the keys are enough
        if "await" in self._code:
            tree = waiting.Awaits().visit(tree)
        if not (tree.body and isinstance(tree.body[-1], ast.Expr)):
            return self._code_of(tree, "exec"), None
        last = ast.Expression(tree.body[-1].value)
        del tree.body[-1]
        return self._code_of(tree, "exec"), self._code_of(last, "eval")

    @staticmethod
    def _code_of(tree: ast.Module | ast.Expression, mode: str) -> CodeType:
        code: CodeType = compile(tree, teaching.PROGRAM, mode, _TOP_LEVEL_AWAIT, True)
        return code

    def _evaluated(self, body: CodeType, last: CodeType | None) -> Any:
        value = None
        for code in (body, last):
            if code is None:
                return None
            value = eval(code, self._scope)  # noqa: S307 -- this is the guest
            if inspect.iscoroutine(value):
                value = waiting.run(value, self._loop)
        return value

    def _text(self, value: Any) -> str:
        """Return what a model should read of a value."""
        if type(value) in (list, tuple) and value and all(map(_is_compact, value)):
            return self._cut("\n".join(map(str, value)))
        return self._cut(
            str(value) if isinstance(value, str) or _is_compact(value) else repr(value)
        )

    def _cut(self, text: str) -> str:
        data = text.encode("utf-8", "backslashreplace")
        if len(data) <= self._value_bytes_max:
            return data.decode()
        cut = data[: self._value_bytes_max].decode("utf-8", "ignore")
        return f"{cut}\n({len(data) - self._value_bytes_max:,} more bytes)"

    def _kept_state(self) -> dict[str, Any]:
        """Return the state as it is now, or the error that it cannot be kept."""
        state = self._scope.get("state")
        try:
            if not isinstance(state, dict):
                raise TypeError(f"it is a {type(state).__name__}, not a dictionary")
            text = json.dumps(state, allow_nan=False)
            if is_too_deep(json.loads(text)):
                raise ValueError("it is nested too deeply")
        except Exception as problem:  # noqa: BLE001 -- a program can put anything into it
            hint = "Keep text, numbers, lists and dictionaries with text as keys."
            message = f"state was not kept: {type(problem).__name__}: {problem}"
            return {"error": teaching.told("state", message[:500], hint=hint)}
        if len(text) > self._state_bytes_max:
            message = f"state was not kept: {len(text):,} bytes, at most {self._state_bytes_max:,}."
            return {"error": teaching.told("state", message)}
        return {"state": text}

    def _explained(self, problem: BaseException) -> dict[str, Any]:
        if isinstance(problem, OutputLimit):
            return teaching.told("output", str(problem))
        if isinstance(problem, MemoryError):
            _reserve.clear()
            trace = problem.__traceback__
            failure = teaching.explained(problem, self._sources, self._functions)
            traceback.clear_frames(trace)
            state = self._scope.get("state")
            self._scope.clear()
            self._scope["state"] = state
            return failure
        return teaching.explained(problem, self._sources, self._functions)


def _is_compact(value: object) -> bool:
    """Whether a value is one of ours, whose text is made for models."""
    return type(value) in RESULTS


def _left(code: Any) -> dict[str, Any]:
    """Tell how a program ended that called sys.exit()."""
    if code is None or code == 0:
        return {"value": None}
    return {"error": teaching.told("exit", f"The program ended itself with exit({code!r}).")}
