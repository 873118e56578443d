"""Run the commands of a page of the documentation: `python tests/documented.py docs/tutorial.md`.

All commands of a page run in one shell, in their order, with a home and a repository of their own.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "\x1e"
TIME_S_MAX = 300

# What cannot run in a test, by how it begins, and why.
NOT_RUN = {
    "pip install": "takes packages from the network",
    "pipx ": "takes packages from the network; tests/release does so",
    "uvx ": "takes packages from the network; tests/release does so",
    "make ": "sets up an environment from the network",
    "claude ": "starts a client",
    "milepost watch": "runs until it is ended; tests/surfaces/test_watch.py starts one",
    "milepost serve": "runs until it is ended; examples/team_server.py starts one",
    "milepost doctor --security": "asks the network for known holes of packages",
    "milepost migrate --from": "needs a PostgreSQL; tests/surfaces/test_cli_database.py has one",
    "milepost model add": "fetches a model; tests/surfaces/test_cli_models.py has a server for it",
    "milepost model use arctic": "needs that model; tests/surfaces/test_cli_models.py uses one",
    "milepost measure compare": "needs a model; tests/surfaces/test_cli_measure.py has one",
}
# What asks when it is typed is told the answer beforehand.
_ASKS = (
    "milepost install ",
    "milepost uninstall ",
    "milepost delete-where ",
    "milepost storage empty-bin",
)
# A hash that stands for one of the reader's.
SOME_HASH = "8f7d497f"
SOME_TEXT = "The deploy script was replaced by the release job"


class Shown(NamedTuple):
    """A command of a page, and what stands below it if that is shown."""

    line: int
    command: str
    output: str | None

    @property
    def reason_not_to_run(self) -> str | None:
        reasons = (why for start, why in NOT_RUN.items() if self.command.startswith(start))
        return next(reasons, None)


class Ran(NamedTuple):
    """A command that was run."""

    shown: Shown
    code: int
    output: str


def commands(page: Path) -> list[Shown]:
    """Return all commands of a page."""
    text = page.read_text("utf-8")
    found: list[Shown] = []
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        read = _typed if block[1] == "sh" else _session
        found += read(block[2].splitlines(), line)
    return found


def _typed(lines: list[str], first: int) -> Iterator[Shown]:
    """Yield the commands of a block that shows nothing else."""
    taken: list[str] = []
    for number, line in enumerate(lines, first):
        taken.append(line)
        if not line.endswith("\\"):
            command = "\n".join(taken)
            if command.strip() and not command.lstrip().startswith("#"):
                yield Shown(number, command, None)
            taken = []


def _session(lines: list[str], first: int) -> Iterator[Shown]:
    """Yield the commands of a block that also shows what they print."""
    starts = [index for index, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        command, output = [lines[start][2:]], lines[start + 1 : end]
        while output and output[0].startswith("> "):
            command.append(output.pop(0)[2:])
        yield Shown(first + start, "\n".join(command), "\n".join(output))


def run_page(page: Path, folder: Path) -> list[Ran]:
    """Run the commands of a page in a folder that is there for nothing else."""
    known = _prepared(folder, page)
    runnable = [shown for shown in commands(page) if shown.reason_not_to_run is None]
    lines = [f"{{ {_answered(s.command)}\n}} 2>&1; {_ended(s.command)}" for s in runnable]
    script = "\n".join(lines).replace(SOME_HASH, known)
    began = ["cd shop"] if page.stem != "tutorial" else []
    done = subprocess.run(
        ["bash", "-c", "\n".join((*began, script))],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder),
        timeout=TIME_S_MAX,
        check=False,
    )
    assert done.stderr == "", done.stderr
    parts = re.split(rf"\n?{_END}(\d+)\n", done.stdout)
    ends = zip(runnable, parts[1::2], parts[0::2], strict=False)
    return [Ran(s, int(code), _plain(out, folder, known)) for s, code, out in ends]


def _plain(output: str, folder: Path, known: str) -> str:
    return output.replace(str(folder), "~").replace(known, SOME_HASH).strip("\n")


def _answered(command: str) -> str:
    """Return a command that does not ask."""
    asks = command.startswith(_ASKS) and "--yes" not in command and "--dry-run" not in command
    return f"{command.partition('  #')[0].rstrip()} --yes" if asks else command


def _ended(command: str) -> str:
    """Return what says how a command ended, after what it left for the background is done."""
    wait = _BACKGROUND if command.startswith("milepost jobs run") else ""
    return f"ended=$?; {wait}\nprintf '\\n{_END}%d\\n' $ended"


# A hook starts a process of its own for what it leaves; both may be at it.
_BACKGROUND = """
inbox=$HOME/.local/share/milepost/memory.db.inbox
until milepost jobs run > /dev/null 2>&1; ! grep -qs '"mark"' "$inbox"/* &&
    ! milepost jobs list --json | grep -q '"topic": *"session"'; do sleep 0.1; done"""


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a shell in which everything lies in one folder."""
    drop = ("MILEPOST_", "XDG_", "GIT_", "CLAUDE", "CODEX_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
    cache = {n: v for n, v in os.environ.items() if n == "MILEPOST_CACHE_FOLDER"}
    sources = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    who = {"NAME": "Ada", "EMAIL": "ada@example.org"}
    author = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
    return {
        **kept,
        **cache,
        **author,
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{folder}/bin:{kept['PATH']}",
        "PYTHONPATH": os.pathsep.join(sources),
        "COLUMNS": "100",
        "EXAMPLES": str(ROOT / "examples"),
        # No process outlives the page, and a busy machine may take its time.
        "MILEPOST_DAEMON": "off",
        "MILEPOST_HOOK_TIMEOUT": "120000",
        "MILEPOST_RUNTIME_FOLDER": str(folder / "run"),
    }


def _prepared(folder: Path, page: Path) -> str:
    """Put `milepost` on the path, and a repository with memories where the page needs one."""
    (folder / "bin").mkdir(parents=True)
    for name, words in {"milepost": "-m milepost ", "python": ""}.items():
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}"$@"\n')
        program.chmod(0o755)
    if page.stem == "tutorial":
        return SOME_HASH
    variables = environment(folder)
    _shell(_REPOSITORY, folder, variables)
    _shell(_MEMORIES, folder / "shop", variables)
    return _shell(f"milepost store {shlex.quote(SOME_TEXT)}", folder / "shop", variables).strip()


_REPOSITORY = """
git init -q -b main shop && cd shop
mkdir -p src notes && printf 'def total(rows):\\n    return sum(rows)\\n' > src/cart.py
echo '- Always use tabs.' > notes/CLAUDE.md
cat > notes/export.json <<'END'
{"export_metadata": {"source_machine": "laptop"}, "memories": [
 {"content": "Invoices are numbered by year", "content_hash": "5d1f", "tags": ["billing"],
  "memory_type": "decision", "created_at": 1735689600.0, "metadata": {}}]}
END
git add -A && git commit -q -m 'Add the cart'
"""
_MEMORIES = """
milepost store-batch - <<'END'
{"content": "We chose PostgreSQL over MySQL because of JSONB", "tags": ["db"], "kind": "decision"}
{"content": "Totals were off by a cent; fixed by Decimal in src/cart.py", "kind": "error"}
{"content": "Deploys go out on Tuesdays, before noon", "tags": ["ops"], "session": "s1"}
{"content": "The old deploy script is in tools/deploy.sh", "tags": ["ops", "private"]}
END
AI_AGENT=1 CLAUDE_CODE_SESSION_ID=5f1c77 milepost search "which database?"
"""


def _shell(script: str, folder: Path, variables: Mapping[str, str]) -> str:
    command = ["bash", "-e", "-c", script]
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def filled(page: Path, ran: list[Ran]) -> str:
    """Return the page with what its commands print now, where it shows that."""
    lines = page.read_text("utf-8").splitlines()
    for shown, _, output in reversed(ran):
        if shown.output is not None and "…" not in shown.output.splitlines():
            first = shown.line + len(shown.command.splitlines()) - 1
            lines[first : first + len(shown.output.splitlines())] = output.splitlines()
    return "\n".join(lines) + "\n"


def main(name: str, *options: str) -> None:
    """Show a page's commands with what they print; with --write put that into the page."""
    page = Path(name).resolve()
    with TemporaryDirectory(prefix="mp-") as folder:
        ran = run_page(page, Path(folder))
    for shown, code, output in ran:
        print(f"{name}:{shown.line}: [{code}]\n$ {shown.command}\n{output}\n")
    if "--write" in options:
        page.write_text(filled(page, ran), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
