"""A client's session on a store: its hooks, run as a client runs them, and what they told."""

import json
import os
import re
import resource
import subprocess
import sys
import time
from itertools import count as numbers
from pathlib import Path
from typing import NamedTuple

_SESSION = numbers()


class Told(NamedTuple):
    """What a hook's process told the model and the person, and how long it took."""

    ms: float
    cpu_ms: float
    text: str
    line: str

    @property
    def estimate(self) -> int:
        """Tokens as the hook itself counted them."""
        found = re.search(r"about ([\d,]+) tokens", self.line)
        return int(found[1].replace(",", "")) if found else 0

    @property
    def instead_of(self) -> int:
        """Tokens of whole objects, as the hook counted them."""
        found = re.search(r"would have been ([\d,]+)", self.line)
        return int(found[1].replace(",", "")) if found else 0


class Place(NamedTuple):
    """A store, a repository to start sessions in, and the short hashes of what is stored."""

    store: Path
    root: Path
    transcript: Path
    hashes: dict[str, str]

    def told(self, event: str, daemon: str, **given: object) -> Told:
        """Run a hook as a client does."""
        asked = {
            "session_id": f"bench-{next(_SESSION)}",
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
        } | given
        command = [sys.executable, "-m", "milepost", "hook", event]
        started, worked = time.perf_counter(), children_cpu_ms()
        done = subprocess.run(
            command,
            input=json.dumps(asked).encode(),
            cwd=self.root,
            env=self.environment(daemon),
            capture_output=True,
            check=True,
        )
        ms = (time.perf_counter() - started) * 1e3
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        text = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        return Told(ms, children_cpu_ms() - worked, text, done.stderr.decode())

    def start(self, daemon: str) -> Told:
        """Start a session; a hook that fails is silent by design, but not in a benchmark."""
        told = self.told("session-start", daemon, source="startup")
        if not told.text:
            logs = [path.read_text() for path in self.store.parent.rglob("*.log")]
            sys.exit(f"the hook told nothing\n{told.line}{''.join(logs)[-2000:]}")
        return told

    def milepost(self, *words: str) -> None:
        """Run a command for this store."""
        command = [sys.executable, "-m", "milepost", *words]
        environment = self.environment("use")
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)

    def environment(self, daemon: str) -> dict[str, str]:
        """Return the environment in which only this store is known."""
        folder = self.store.parent
        # An installed package has its bytecode beside it.
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        return inherited | {
            "MILEPOST_URL": str(self.store),
            "MILEPOST_DAEMON": daemon,
            "MILEPOST_PROJECT": "",
            "MILEPOST_RUNTIME_FOLDER": str(folder),
            "HOME": str(folder),
        }

    def lines_of(self, text: str) -> dict[str, str]:
        """Return the lines of a briefing by the memory each shows; a hash may be shortened."""
        found = {}
        for line in text.splitlines():
            for word in re.findall(r"\b[0-9a-f]{5,}\b", line):
                names = [name for short, name in self.hashes.items() if short.startswith(word)]
                found.update(dict.fromkeys(names, line))
        return found


def children_cpu_ms() -> float:
    """Return what processes that this one waited for have computed, and those they waited for.

    On a machine that does other things at the same time it tells more than the clock.
    """
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3
