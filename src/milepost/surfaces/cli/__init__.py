"""The command line: every operation as a command, and the care of the installation."""

import sys
from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrongly called."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"], ["version"]):
        from milepost import __version__

        print(f"milepost {__version__}")
        return 0
    if words[:1] == ["hook"] and len(words) == 2 and not words[1].startswith("-"):
        # Before anything else is loaded: somebody waits for it.
        from milepost.surfaces.hooks import main as hook

        return hook(words[1])
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_streams()
    try:
        from contextvars import copy_context

        from milepost.surfaces.cli.command_line import run

        # Who calls is said for this command alone, also where a process runs several.
        return copy_context().run(run, words)
    except KeyboardInterrupt as problem:
        print(f"milepost: interrupted{f'; {problem}' if str(problem) else ''}", file=sys.stderr)
        return INTERRUPTED


def _open_streams() -> None:
    """Let streams that were closed lead nowhere, before a file of ours takes their numbers."""
    import os

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 -- as long as we run
