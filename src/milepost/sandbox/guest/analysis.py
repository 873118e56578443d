"""Look at a program before it runs: early errors with a hint, so that nothing is half done.

This is advice, never the boundary: what it lets through runs under all the other limits. It runs
in the guest, whose grammar is the one that counts and where a bomb for the parser hurts nobody.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from milepost.sandbox.guest.modules import importable, instead

NODES_MAX = 50_000
DEPTH_MAX = 150

_EXITS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)
_MAY_RAISE = (ast.Call, ast.Subscript, ast.Attribute)
_ABSENT = {
    "open": "There are no files here: print or return what should be seen.",
    "input": "Nobody answers here: put the value into the program.",
    "breakpoint": "There is no debugger here: print what you want to see.",
}

Signatures = Mapping[str, Sequence[str]]


class Unfit(Exception):
    """A program that will not be run, and why."""

    def __init__(self, line: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.line, self.message, self.hint = line, message, hint


def check(tree: ast.Module, functions: Signatures) -> None:
    """Refuse a program that cannot end well.

    functions: the parameters of each offered function.
    """
    nodes = list(_walk(tree))
    rebound = {name for node in nodes for name in _bound(node)}
    guarded = _guarded_imports(nodes)
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in guarded:
            _check_import(node)
        elif isinstance(node, ast.While):
            _check_loop(node)
        elif isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            if called and called not in rebound:
                _check_call(node, called, functions)


def _walk(tree: ast.Module) -> Iterator[ast.AST]:
    """Visit every node without recursion; refuse too many and too deep."""
    waiting: list[tuple[ast.AST, int, int]] = [(tree, 0, 1)]
    count = 0
    while waiting:
        node, depth, line = waiting.pop()
        line = getattr(node, "lineno", line)
        count += 1
        if count > NODES_MAX:
            raise Unfit(line, "The program is too large.", "Pass data as a literal text instead.")
        if depth > DEPTH_MAX:
            raise Unfit(line, "The program is nested too deeply.", "Use names for the parts.")
        yield node
        waiting += [(child, depth + 1, line) for child in ast.iter_child_nodes(node)]


def _bound(node: ast.AST) -> Iterator[str]:
    """Name what a node gives a meaning of its own."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Import) or (
        isinstance(node, ast.ImportFrom) and node.module != "milepost"
    ):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _guarded_imports(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """Return the imports whose failure the program itself handles."""
    guarded: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Try) and any(map(_catches_imports, node.handlers)):
            guarded |= {inner for statement in node.body for inner in ast.walk(statement)}
    return guarded


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    named = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    wide = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    return any(n is None or (isinstance(n, ast.Name) and n.id in wide) for n in named)


def _check_import(node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.ImportFrom):
        wanted = [node.module or "."] if not node.level else ["."]
    else:
        wanted = [alias.name for alias in node.names]
    for name in wanted:
        if not importable(name):
            raise Unfit(node.lineno, f"There is no module {name!r} here.", instead(name))


def _check_loop(loop: ast.While) -> None:
    if not (isinstance(loop.test, ast.Constant) and loop.test.value):
        return
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    if not any(isinstance(node, _EXITS + _MAY_RAISE) for node in inside):
        raise Unfit(loop.lineno, "This loop never ends.", "Add a break or a condition.")


def _check_call(call: ast.Call, name: str, functions: Signatures) -> None:
    if name in _ABSENT and name not in functions:
        raise Unfit(call.lineno, f"{name}() does not work here.", _ABSENT[name])
    if name not in functions:
        return
    known = functions[name]
    for keyword in call.keywords:
        if keyword.arg is not None and keyword.arg not in known:
            takes = ", ".join(known) or "nothing"
            raise Unfit(
                call.lineno, f"{name}() has no parameter {keyword.arg!r}.", f"It takes {takes}."
            )
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if len(call.args) > len(known) and not starred:
        raise Unfit(
            call.lineno,
            f"{name}() takes {len(known)} arguments, not {len(call.args)}.",
            f"It takes {', '.join(known) or 'nothing'}.",
        )
