"""One sandbox for all tests; the compiled guest is kept between sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from milepost.programs.values import Execution, Function, FunctionParameter, Limits, Program
from milepost.sandbox import open_sandbox
from milepost.sandbox.runner import Sandbox
from support import PATIENCE_S

Run = Callable[..., Execution]

ECHO = Function(
    "echo", (FunctionParameter("x"), FunctionParameter("times", False, 1)), "Give back what came."
)


def echo(name: str, arguments: dict[str, Any]) -> Any:
    """Answer every call with its first argument."""
    return arguments.get("x")


@pytest.fixture(scope="session")
def cache_folder(pytestconfig: pytest.Config) -> Path:
    """Where the compiled guest is kept; compiling takes some ten seconds."""
    return pytestconfig.cache.mkdir("sandbox")


@pytest.fixture(scope="session")
def sandbox(cache_folder: Path) -> Iterator[Sandbox]:
    """A sandbox with two workers."""
    with open_sandbox(cache_folder) as opened:
        opened.prepare()
        # Waits until the guest is compiled, so that the tests can be timed.
        assert opened.run(Program("1"), echo).value == "1"
        yield opened


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    """Run a program that may call `echo`; keywords are limits."""

    def run_program(code: str, call: Any = echo, **limits: Any) -> Execution:
        functions = limits.pop("functions", (ECHO,))
        state, skills = limits.pop("state", None), limits.pop("skills", {})
        bounds = Limits(**({"timeout_s": PATIENCE_S} | limits))
        return sandbox.run(Program(code, functions, state, skills, bounds), call)

    return run_program
