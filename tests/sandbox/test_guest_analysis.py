"""What is said about a program before it runs, so that nothing is half done."""

from __future__ import annotations

import ast

import pytest

from milepost.sandbox.guest.analysis import Unfit, check
from milepost.sandbox.guest.modules import MODULES, importable, instead
from sandbox.conftest import Run
from sandbox.programs import AWAITING, LANGUAGE

FUNCTIONS = {"search": ("query", "limit"), "health": ()}


def refusal(code: str) -> Unfit:
    with pytest.raises(Unfit) as caught:
        check(ast.parse(code), FUNCTIONS)
    return caught.value


@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ("import os", 1, "no module 'os'"),
        ("x = 1\nfrom subprocess import run", 2, "no module 'subprocess'"),
        ("import json, socket", 1, "no module 'socket'"),
        ("from . import x", 1, "no module '.'"),
        ("def f():\n    import urllib.request", 2, "no module 'urllib.request'"),
        ("while True:\n    x = 1", 1, "never ends"),
        ("while 1: pass", 1, "never ends"),
        ("open('x')", 1, "open() does not work"),
        ("x = input()", 1, "input() does not work"),
        ("search('q', top=3)", 1, "no parameter 'top'"),
        ("from milepost import search\nsearch('q', top=3)", 2, "no parameter 'top'"),
        ("search(1, 2, 3)", 1, "takes 2 arguments, not 3"),
        ("health(1)", 1, "takes 0 arguments"),
        ("x = " + "+".join(["1"] * 300), 1, "nested too deeply"),
        ("x = [" + "1," * 60_000 + "]", 1, "too large"),
    ],
)
def test_what_cannot_end_well_is_refused_with_its_line(code: str, line: int, said: str) -> None:
    problem = refusal(code)
    assert problem.line == line
    assert said in problem.message
    assert problem.hint


@pytest.mark.parametrize(
    "code",
    [
        *LANGUAGE.values(),
        *(code for code in AWAITING.values()),
        "import xml.etree.ElementTree, collections.abc, urllib.parse",
        "try:\n    import yaml\nexcept (ImportError, ValueError):\n    yaml = None",
        "try:\n    import yaml\nexcept:\n    yaml = None",
        "def open(x): return x\nopen(1)",
        "def search(a, b, c): return a\nsearch(1, 2, c=3)",
        "search(*args, **kw)",
        "while True:\n    items.pop()",
        "while True:\n    yield_from = next(it)",
        "while True:\n    x = rows[i]\n    i += 1",
    ],
)
def test_what_may_end_well_is_not_refused(code: str) -> None:
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        tree = compile(code, "", "exec", flags)
    except SyntaxError:
        pytest.skip("newer than this Python, not than the guest's")
    assert isinstance(tree, ast.Module)
    check(tree, FUNCTIONS)


def test_a_refused_program_has_done_nothing(run: Run) -> None:
    calls = []
    done = run("echo(1)\nimport os", lambda *given: calls.append(given))
    assert done.stats.ended == "refused"
    assert calls == []
    assert done.error is not None
    assert done.error.line == 2


def test_every_module_of_the_list_can_be_imported(run: Run) -> None:
    done = run("\n".join(f"import {name}" for name in MODULES if name != "__future__"))
    assert done.error is None, done.error.text


def test_what_the_analysis_lets_through_meets_the_other_layers(run: Run) -> None:
    done = run("m = __import__('o' + 's')\nm.listdir('/')")
    assert done.error is not None
    assert done.error.name == "FileNotFoundError"


def test_a_missing_module_comes_with_advice() -> None:
    assert instead("pandas").startswith("Use collections.Counter")
    assert instead("urllib.request").startswith("There is no network here")
    assert instead("colections").startswith("Did you mean collections?")
    assert instead("nothing_like_it").startswith("Available: ")
    assert importable("concurrent")
    assert not importable("os")
