"""Use the command line from a test: in this process where that is enough, else in another."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple
from unittest.mock import patch

from milepost.surfaces.cli import main
from support import PATIENCE_S


class Outcome(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed as JSON."""
        return json.loads(self.out)


def milepost(*arguments: object, given: str = "") -> Outcome:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.StringIO(given)):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def done(*arguments: object, given: str = "") -> str:
    """Run a command that must succeed without a word on standard error; return what it printed."""
    outcome = milepost(*arguments, given=given)
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out.rstrip("\n")


def refused(*arguments: object, given: str = "") -> str:
    """Run a command that must fail with one sentence, and return that."""
    outcome = milepost(*arguments, given=given)
    assert (outcome.code, outcome.out) == (1, ""), outcome
    assert outcome.err.startswith("milepost: ")
    assert len(outcome.err.splitlines()) == 1
    return outcome.err


def command(*arguments: object) -> list[str]:
    """Return a command line that runs the program in another process."""
    return [sys.executable, "-W", "error", "-m", "milepost", *map(str, arguments)]


def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in another process."""
    given = {"check": False, "capture_output": True, "text": True, "timeout": PATIENCE_S}
    return subprocess.run(command(*arguments), **given | options)  # noqa: PLW1510 -- it has one


def on_terminal(*arguments: object, **environment: str) -> str:
    """Run a command whose output goes to a terminal, and return all that it wrote there."""
    leader, follower = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    process = subprocess.Popen(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env=variables | environment,
    )
    os.close(follower)
    written = b""
    while select.select([leader], [], [], PATIENCE_S)[0]:
        try:
            part = os.read(leader, 65_536)
        except OSError:  # how Linux tells that the other side is closed
            break
        if not part:
            break
        written += part
    os.close(leader)
    process.wait(PATIENCE_S)
    return written.decode()
