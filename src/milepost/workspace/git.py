"""What git tells: the latest commits, the files that changed, whether a branch is merged."""

from __future__ import annotations

import os
import time

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Asked(Protocol):
        """A question to git: what it said, or None."""

        def __call__(self, *arguments: str, given: bytes | None = None) -> str | None: ...


COMMITS = 10
FILES_MAX = 60
# A repository too large to tell by then is briefed without it.
PATIENCE_S = 0.4
BYTES_MAX = 4 << 20
# A session that begins waits for it.
MERGED_PATIENCE_S = 1.0
# How far back commits of HEAD are compared with a branch, and its own line is followed.
SQUASHED_MAX = 200
LINE_MAX = 5_000

# A repository may name programs of its own in its configuration: none of them is run.
_GIT = (
    "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "log.showSignature=false", "-c", "core.quotePath=false",
)  # fmt: skip
_COMMIT = "\x01"
# They say which repository is meant, for programs that git itself starts.
_ELSEWHERE = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE "
    "GIT_PREFIX GIT_EXTERNAL_DIFF".split()
)
_NOTHING: dict[str, str] = {}


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
        # What lies in a submodule is its own, and so is its configuration.
        status = ("status", "--porcelain", "--no-renames", "--no-ahead-behind")
        silenced = _without_filters(root, self._until)
        self._status = _Question(root, *status, "--ignore-submodules=dirty", silenced=silenced)

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

    def __init__(
        self, root: str, *arguments: str, silenced: dict[str, str] | None = _NOTHING
    ) -> None:
        self._process = self._reading = -1
        if silenced is None or not hasattr(os, "posix_spawnp"):
            return  # elsewhere than on POSIX systems sessions are briefed without it
        environment = _environment() | silenced
        reading, writing = os.pipe()
        nowhere = os.open(os.devnull, os.O_RDWR)
        moves = [
            (os.POSIX_SPAWN_DUP2, *pair) for pair in ((nowhere, 0), (writing, 1), (nowhere, 2))
        ]
        try:
            # Git itself, in a folder the agent works in; nothing goes through a shell.
            self._process = os.posix_spawnp(
                "git", (*_GIT, "-C", root, *arguments), environment, file_actions=moves
            )
            self._reading = reading
        except (OSError, ValueError):
            os.close(reading)  # no git here, or a folder that none can have
        finally:
            os.close(writing)
            os.close(nowhere)

    def lines(self, until: float) -> list[str]:
        """Return what it said, or nothing if it is not done in time."""
        said = self.output(until, BYTES_MAX)
        return [] if said is None else said.decode("utf-8", "replace").split("\n")

    def output(self, until: float, bytes_max: int) -> bytes | None:
        """Return all that it said; None if that is too much, or not said in time."""
        import select

        if self._process < 0:
            return None
        said: list[bytes] = []
        with open(self._reading, "rb", buffering=0) as pipe:
            while bytes_max >= 0:
                ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
                part = pipe.read(1 << 16) if ready else None
                if not part:
                    break
                said.append(part)
                bytes_max -= len(part)
        whole = part == b""
        if not whole:
            os.kill(self._process, 9)
        os.waitpid(self._process, 0)
        return b"".join(said) if whole else None


def _without_filters(root: str, until: float) -> dict[str, str] | None:
    """Return what keeps git from running the filters that a repository names; None if it is late.

    Whoever compares a file with its commit passes it through them first.
    """
    names = ("config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
    said = _Question(root, *names).output(until, 1 << 16)
    if said is None:
        return None
    parts = said.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    own = {key.rpartition(".")[0] for scope, key in pairs if scope in ("local", "worktree")}
    ways = (("clean", ""), ("process", ""), ("required", "false"))
    settings = [(f"{name}.{way}", value) for name in sorted(own) for way, value in ways]
    told = {"GIT_CONFIG_COUNT": str(len(settings))} if settings else {}
    for i, (key, value) in enumerate(settings):
        told |= {f"GIT_CONFIG_KEY_{i}": key, f"GIT_CONFIG_VALUE_{i}": value}
    return told


def _distinct(files: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(files))[:FILES_MAX]  # type: ignore[call-overload]


def ask(root: str, *arguments: str, patience_s: float, bytes_max: int) -> bytes | None:
    """Return what git says to one question; None if it is too much, or not said in time."""
    until = time.monotonic() + patience_s
    if hasattr(os, "posix_spawnp"):
        return _Question(root, *arguments).output(until, bytes_max)
    said = _run(root, until, *arguments)
    return said if said is not None and len(said) <= bytes_max else None


def is_merged(root: str, branch: str, base: str, tip: str) -> bool | None:
    """Whether HEAD of a working tree holds what was done on a branch; None if git takes too long.

    base: where the branch was when it was first seen; tip: where it was last. Either may be empty.
    A branch on which nothing was committed is not merged, wherever HEAD goes; of one that is no
    longer there, git may have said that it was.
    """
    until = time.monotonic() + MERGED_PATIENCE_S

    def said(*arguments: str, given: bytes | None = None) -> str | None:
        answer = _run(root, until, *arguments, given=given)
        return None if answer is None else answer.decode("utf-8", "replace").strip("\n")

    merged = _is_held(said, branch, base, tip)
    return None if not merged and time.monotonic() >= until else merged


def _is_held(said: Asked, branch: str, base: str, tip: str) -> bool:
    now = said("rev-parse", "--verify", "-q", f"refs/heads/{branch}^{{commit}}") if branch else None
    tip = now or (tip if _is_commit(tip) else "")
    if not tip or said("cat-file", "-e", f"{tip}^{{commit}}") is None:
        return False
    if said("merge-base", "--is-ancestor", tip, "HEAD") is not None:
        if tip != base or not _is_on_the_way(said, tip):
            return True
        return not now and _is_told(said, branch, base)
    fork = said("merge-base", tip, "HEAD")
    return bool(fork) and (_is_picked(said, tip) or _is_squashed(said, fork or "", tip))


def _is_on_the_way(said: Asked, tip: str) -> bool:
    """Whether HEAD itself once stood at a commit, as it does where a branch begins."""
    return tip in (said("rev-list", "--first-parent", f"-n{LINE_MAX}", "HEAD") or tip).split("\n")


def _is_told(said: Asked, branch: str, base: str) -> bool:
    """Whether HEAD says of itself that a branch was merged into it since it began."""
    subjects = said("log", "--merges", f"-n{SQUASHED_MAX}", "--format=%s", f"{base}..HEAD") or ""
    names = (f"'{branch}'", f"/{branch}'", f"/{branch} ")
    if any(name in f"{line} " for line in subjects.split("\n") for name in names):
        return True
    for line in (said("log", "-g", f"-n{LINE_MAX}", "--format=%H %gs", "HEAD") or "").split("\n"):
        commit, _, moved = line.partition(" ")
        if commit == base:
            return False
        if moved.startswith(f"merge {branch}:"):
            return True
    return False


def _is_picked(said: Asked, tip: str) -> bool:
    """Whether each commit of a branch is in HEAD as a commit of its own: a rebase."""
    marks = (said("cherry", "HEAD", tip) or "").split("\n")
    return all(mark.startswith("-") for mark in marks)


def _is_squashed(said: Asked, fork: str, tip: str) -> bool:
    """Whether one commit of HEAD does what the branch does as a whole."""
    diff = ("--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--full-index")
    files = said("diff", *diff, "--name-only", "-z", fork, tip)
    whole = said("diff", *diff, "-p", fork, tip)
    if not files or not whole:
        return False
    # What does the same touches the same files: only commits that touch the first are looked at.
    first = ("--full-diff", "--", f":(top,literal){files.partition(chr(0))[0]}")
    commits = said("log", "-p", *diff, "--no-merges", f"-n{SQUASHED_MAX}", f"{fork}..HEAD", *first)
    wanted = _patches(said, whole)
    return bool(wanted) and not wanted.isdisjoint(_patches(said, commits or ""))


def _patches(said: Asked, diffs: str) -> set[str]:
    given = (diffs + "\n").encode("utf-8", "surrogateescape")
    lines = (said("patch-id", "--stable", given=given) or "").split("\n")
    return {line.partition(" ")[0] for line in lines if line}


def _is_commit(name: str) -> bool:
    return 4 <= len(name) <= 64 and not name.strip("0123456789abcdef")


def _run(root: str, until: float, *arguments: str, given: bytes | None = None) -> bytes | None:
    """Return what git says; None if it fails, is not there or takes too long."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 -- git itself; nothing goes through a shell
            (*_GIT, "-C", root, *arguments),
            input=b"" if given is None else given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            timeout=max(0.01, until - time.monotonic()),
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout


def _environment() -> dict[str, str]:
    """Return what git is to know: that it must neither fetch what is missing nor ask anybody."""
    ours = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return {
        **ours, "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }  # fmt: skip
