"""Run hooks from a test as a client does: each in a process of its own, JSON on its input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from support import PATIENCE_S

DECISION = "Money is rounded half-up with Decimal because the tax office checks it"


class Done(NamedTuple):
    """How a hook ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def told(self) -> str:
        """What the model is told."""
        if not self.out:
            return ""
        return str(json.loads(self.out)["hookSpecificOutput"]["additionalContext"])


class Hooks:
    """Runs hooks on one store, in one repository."""

    def __init__(self, path: Path, repo: Path) -> None:
        self.path = path
        self.repo = repo
        self.environment = os.environ | {
            "MILEPOST_PROJECT": "",
            "MILEPOST_URL": str(path),
            "MILEPOST_DAEMON": "off",
            "MILEPOST_HOOK_TIMEOUT": f"{PATIENCE_S}000",
            "HOME": str(path.parent),
        }

    def __call__(self, event: str, *, raw: bytes | None = None, **given: Any) -> Done:
        about = {"session_id": "s1", "cwd": str(self.repo), "transcript_path": ""} | given
        sent = json.dumps(about).encode() if raw is None else raw
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "milepost", "hook", event],
            input=sent,
            capture_output=True,
            env=self.environment,
            timeout=PATIENCE_S,
            check=False,
        )
        took = time.monotonic() - started
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode(), took)

    def work(self) -> None:
        """Do what hooks left for the background, and wait for what they started themselves."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self._run("jobs", "run")
            left = [f for f in Path(f"{self.path}.inbox").glob("*") if b'"mark"' in f.read_bytes()]
            jobs = json.loads(self._run("jobs", "list", "--json"))
            # Patterns and events are looked after once a day.
            if not left and all(job["topic"] in ("experience", "events") for job in jobs):
                return
            time.sleep(0.05)
        raise AssertionError("the work in the background does not end")

    def _run(self, *words: str) -> str:
        command = [sys.executable, "-m", "milepost", *words]
        done = subprocess.run(
            command, env=self.environment, check=True, capture_output=True, timeout=PATIENCE_S
        )
        return done.stdout.decode()

    def configure(self, settings: dict[str, Any]) -> None:
        """Write the JSON that the published hooks are configured with."""
        file = self.path.parent / "hooks.json"
        file.write_text(json.dumps(settings))
        self.environment["MILEPOST_HOOK_CONFIG"] = str(file)

    @property
    def log(self) -> str:
        """What was logged."""
        file = self.path.parent / "milepost.log"
        return file.read_text() if file.exists() else ""


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)
