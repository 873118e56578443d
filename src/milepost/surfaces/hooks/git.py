"""What happened in a repository lately: subjects of commits, and the files that changed."""

from __future__ import annotations

import os
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
        self._log = _Question(root, *log)
        self._status = _Question(root, "status", "--porcelain", "--no-renames", "--no-ahead-behind")

    def answer(self) -> Recent:
        """Return what git said in time."""
        commits, committed = [], []
        for line in self._log.lines(self._until):
            if line.startswith(_COMMIT):
                commits.append(line[1:])
            elif line:
                committed.append(line)
        status = self._status.lines(self._until)
        changed = [line[3:].strip('"') for line in status if len(line) > 3]
        return Recent(
            tuple(commits), _distinct(changed), _distinct(f for f in committed if f not in changed)
        )


class _Question:
    """A process of git whose output is read; the module subprocess would take longer to import."""

    def __init__(self, root: str, *arguments: str) -> None:
        self._process = self._reading = -1
        if not hasattr(os, "posix_spawnp"):
            return  # elsewhere than on POSIX systems sessions are briefed without it
        reading, writing = os.pipe()
        nowhere = os.open(os.devnull, os.O_RDWR)
        moves = [
            (os.POSIX_SPAWN_DUP2, *pair) for pair in ((nowhere, 0), (writing, 1), (nowhere, 2))
        ]
        try:
            # Git itself, in a folder the agent works in; nothing goes through a shell.
            self._process = os.posix_spawnp(
                "git", (*_GIT, "-C", root, *arguments), os.environ, file_actions=moves
            )
            self._reading = reading
        except (OSError, ValueError):
            os.close(reading)  # no git here, or a folder that none can have
        finally:
            os.close(writing)
            os.close(nowhere)

    def lines(self, until: float) -> list[str]:
        """Return what it said, or nothing if it is not done in time."""
        import select

        if self._process < 0:
            return []
        said = []
        with open(self._reading, "rb", buffering=0) as pipe:
            while True:
                ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
                part = pipe.read(1 << 16) if ready else None
                if not part:
                    break
                said.append(part)
        if part is None:
            os.kill(self._process, 9)
        os.waitpid(self._process, 0)
        return [] if part is None else b"".join(said).decode("utf-8", "replace").split("\n")


def _distinct(files: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(files))[:FILES_MAX]  # type: ignore[call-overload]
