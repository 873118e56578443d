"""What happened in a repository lately: subjects of commits, and the files that changed."""

from __future__ import annotations

import subprocess
import time

from milepost.values import NamedTuple

COMMITS = 10
FILES_MAX = 60
# A repository too large to tell by then is briefed without it.
PATIENCE_S = 0.4

# A repository may name programs of its own in its configuration: none of them is run.
_GIT = (
    "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "log.showSignature=false", "-c", "core.quotePath=false",
)  # fmt: skip
_COMMIT = "\x01"


class Recent(NamedTuple):
    """Subjects of the latest commits, newest first; files that changed, and committed ones."""

    commits: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    committed: tuple[str, ...] = ()


class Looking:
    """Two questions to git that are answered while other things are done."""

    def __init__(self, root: str) -> None:
        self._until = time.monotonic() + PATIENCE_S
        log = ("log", f"-n{COMMITS}", "--no-merges", f"--format={_COMMIT}%s", "--name-only")
        self._log = _start(root, *log)
        self._status = _start(root, "status", "--porcelain", "--no-renames", "--no-ahead-behind")

    def answer(self) -> Recent:
        """Return what git said in time."""
        commits, committed = [], []
        for line in self._lines(self._log):
            if line.startswith(_COMMIT):
                commits.append(line[1:])
            elif line:
                committed.append(line)
        changed = [line[3:].strip('"') for line in self._lines(self._status) if len(line) > 3]
        return Recent(
            tuple(commits), _distinct(changed), _distinct(f for f in committed if f not in changed)
        )

    def _lines(self, process: subprocess.Popen[bytes] | None) -> list[str]:
        if process is None:
            return []
        try:
            out, _ = process.communicate(timeout=max(0.0, self._until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return []
        return out.decode("utf-8", "replace").split("\n")


def _start(root: str, *arguments: str) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(  # noqa: S603 -- git itself, in a folder the agent works in
            (*_GIT, "-C", root, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None  # no git here


def _distinct(files: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(files))[:FILES_MAX]  # type: ignore[call-overload]
