"""Errors say where, what, and what would have worked."""

from __future__ import annotations

import pytest

from milepost.errors import InvalidInput
from milepost.memory.values import CompactMemory, Deleted
from sandbox.conftest import Run


def text(done: object) -> str:
    error = done.error  # type: ignore[attr-defined]
    assert error is not None
    return str(error.text)


def test_an_error_shows_only_the_lines_of_the_program(run: Run) -> None:
    done = run("import json\ndef load(s):\n    return json.loads(s)\nprint('a')\nload('{')")
    assert text(done).splitlines()[:2] == ["line 5: load('{')", "line 3: return json.loads(s)"]
    assert "JSONDecodeError: Expecting property name" in text(done)
    assert done.error is not None
    assert (done.error.line, done.error.kind, done.printed) == (3, "error", "a\n")


def test_a_long_way_to_an_error_is_shortened(run: Run) -> None:
    done = run("def f(n): return f(n + 1)\nf(0)")
    assert len(text(done).splitlines()) < 12
    assert "RecursionError" in text(done)
    assert "more)" in text(done)


def test_a_syntax_error_shows_its_line(run: Run) -> None:
    done = run("x = 1\nif x\n    print(x)")
    assert text(done) == "line 2: if x\nSyntaxError: expected ':'"


@pytest.mark.parametrize(
    "code",
    [
        "echo(1, tims=2)",
        "f = echo\nf(1, tims=2)",
        "echo()",
        "echo(1, 2, 3)",
        "f = echo\nf(1, 2, 3)",
    ],
)
def test_a_wrong_call_shows_the_parameters(run: Run, code: str) -> None:
    assert "x, times" in text(run(code))


def test_what_the_host_refuses_shows_the_parameters(run: Run) -> None:
    def call(name: str, arguments: object) -> None:
        raise InvalidInput("times must be positive.")

    shown = text(run("echo(1, times=-1)", call))
    assert "InvalidInput: times must be positive." in shown
    assert "echo(x, times=1)" in shown


def test_a_missing_module_lists_those_there_are(run: Run) -> None:
    shown = text(run("import numpy as np\nnp.mean([1])"))
    assert "There is no module 'numpy' here." in shown
    assert "use statistics" in shown.lower()
    assert "collections" in shown
    assert "Available: abc" in text(run("__import__('numpy')"))


def test_a_misspelt_name_is_put_right(run: Run) -> None:
    assert "Did you mean: echo?" in text(run("ehco(1)"))
    assert "Did you mean: 'total'?" in text(run("total = 1\nprint(totl)"))


def test_a_wrong_attribute_lists_the_fields(run: Run) -> None:
    hit = CompactMemory("h", "p", (), 1.0, 0.5)
    shown = text(run("echo(1).body", lambda *_: hit))
    assert "hash, preview, tags, created, score, kind, project, when, mark" in shown
    gone = Deleted(1, ("h",))
    assert "attributes, not keys" in text(run("echo(1)['hashes']", lambda *_: gone))


def test_a_wrong_import_from_milepost_lists_what_it_has(run: Run) -> None:
    assert "milepost has: echo" in text(run("from milepost import serch"))


def test_an_error_in_a_skill_names_the_skill_and_its_line(run: Run) -> None:
    shown = text(run("skills.bad(1)", skills={"bad": "def bad(x):\n    return x / 0"}))
    assert "line 1: skills.bad(1)\nskill bad, line 2: return x / 0\nZeroDivisionError" in shown


def test_messages_are_short_whatever_a_program_raises(run: Run) -> None:
    assert len(text(run("raise ValueError('x' * 1_000_000)"))) < 3_000
