"""Replay a written month of coding sessions through the hooks, in a real repository."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from milepost.app import Milepost, open_memory
from milepost.config import settings_of, trace_settings
from milepost.memory.values import Filter, Record
from milepost.opening import settings_for
from milepost.sessions.values import Briefing
from milepost.surfaces.hooks.events import EVENTS, HookEvent
from milepost.surfaces.hooks.options import load_options
from milepost.testing import Clock
from milepost.workspace import folders

_TITLE = re.compile(r"(?m)^\[[^\]\n]+\] (.+)$")
_MESSAGE = re.compile(r"-\w*m\s+(?:'([^']*)'|\"([^\"]*)\")")
_PAUSE = timedelta(seconds=40)
Event = dict[str, Any]


class Told(NamedTuple):
    """What a session was told, at its start (event -1) or at a prompt."""

    session: str
    event: int
    text: str
    records: tuple[Record, ...]
    tokens: int


class Month(NamedTuple):
    """What is left of a month: everything that was stored, what was told, and the memory itself."""

    script: dict[str, Any]
    memory: Milepost
    project: str
    stored: tuple[Record, ...]
    told: tuple[Told, ...]


class Repository:
    """A repository that goes through what a script says was done to it."""

    def __init__(self, script: dict[str, Any], folder: Path) -> None:
        self.root = folder / script["project"]
        self.root.mkdir()
        self._at = script["sessions"][0]["at"]
        self._git("init", "-q", "-b", "main")
        for path, text in script["files"].items():
            self._write(path, text)
        self._commit("Initial commit")

    def begin(self, session: dict[str, Any]) -> None:
        """Check a session's branch out, and merge what was merged before it."""
        self._at = session["at"]
        self._git("stash", "push", "-q", "-u")
        if self._git("checkout", "-q", session["branch"]):
            self._git("checkout", "-q", "-b", session["branch"], "main")
        for branch in session.get("merges", ()):
            if self._git("merge", "-q", "--no-ff", "-X", "theirs", "-m", f"Merge {branch}", branch):
                self._commit(f"Merge {branch}")

    def do(self, event: Event) -> None:
        """Do what a tool did, as far as it shows in the repository."""
        given, tool = event.get("input", {}), event.get("tool")
        if event.get("failed"):
            return
        if tool == "Write":
            self._write(given["file_path"], given.get("content", ""))
        elif tool == "Edit":
            path = self._inside(given["file_path"])
            if path and path.is_file():
                text = path.read_text()
                path.write_text(text.replace(given["old_string"], given["new_string"], 1))
        elif tool == "Bash" and "git commit" in given.get("command", ""):
            title = _TITLE.search(event.get("output", ""))
            message = _MESSAGE.search(given["command"])
            said = (
                title[1] if title else next(filter(None, message.groups() if message else ()), "")
            )
            self._commit(said or "Work")

    def _write(self, name: str, text: str) -> None:
        path = self._inside(name)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def _inside(self, name: str) -> Path | None:
        """Return where a file of the script lies; absolute paths are taken from the project on."""
        parts = Path(name).parts
        if parts[:1] == ("/",):
            parts = parts[parts.index(self.root.name) + 1 :] if self.root.name in parts else ()
        path = self.root.joinpath(*parts).resolve() if parts else None
        return path if path and path.is_relative_to(self.root.resolve()) else None

    def _commit(self, message: str) -> None:
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message)

    def _git(self, *words: str) -> int:
        names = {"NAME": "Dev", "EMAIL": "dev@example.org", "DATE": f"{self._at}+00:00"}
        who = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in names.items()}
        command = ["git", "-c", "core.hooksPath=/dev/null", *words]
        done = subprocess.run(
            command, cwd=self.root, env=os.environ | who, capture_output=True, check=False
        )
        return done.returncode


# A month passes in seconds here: what was seen of a folder a moment ago is long past.
folders._FRESH_S = -1.0


class Client:
    """A coding agent's client: it writes a transcript and calls the hooks."""

    def __init__(self, memory: Milepost, url: str, clock: Clock, repository: Repository) -> None:
        origins = trace_settings({"url": url, "daemon": "off"})
        self._settings, self._options = settings_of(origins), load_options(origins)
        self._memory, self._clock, self._repository = memory, clock, repository
        self.told: list[Told] = []

    def play(self, session: dict[str, Any]) -> None:
        """Go through a session as a client does."""
        self._session = session["id"]
        self._transcript = self._repository.root.parent / f"{session['id']}.jsonl"
        self._clock.now = datetime.fromisoformat(session["at"]).replace(tzinfo=UTC)
        self._repository.begin(session)
        self._tell(-1, self._hook("session-start", source="startup"))
        last_words = ""
        for place, event in enumerate(session["events"]):
            self._clock.now += _PAUSE
            if "user" in event:
                if place:
                    self._stop(last_words)
                last_words = ""
                self._tell(place, self._hook("prompt-submit", prompt=event["user"]))
                self._write("user", event["user"])
            elif "assistant" in event:
                last_words = event["assistant"]
                self._write("assistant", [{"type": "text", "text": last_words}])
            else:
                self._use(f"{session['id']}-{place}", event)
        self._stop(last_words)
        self._hook("session-end", reason="exit")
        self._memory.run_jobs()

    def _stop(self, last_words: str) -> None:
        self._hook("stop", last_assistant_message=last_words)
        self._memory.run_jobs()

    def _use(self, number: str, event: Event) -> None:
        tool, given = event["tool"], event.get("input", {})
        output, failed = event.get("output", ""), bool(event.get("failed"))
        self._repository.do(event)
        use = {"type": "tool_use", "id": number, "name": tool, "input": given}
        came = {"type": "tool_result", "tool_use_id": number, "content": output, "is_error": failed}
        self._write("assistant", [use])
        self._write("user", [came])
        response = {"stdout": output, "stderr": "", "exit_code": int(failed)}
        fields = {"tool_name": tool, "tool_input": given, "tool_use_id": number}
        self._hook("post-tool-use", tool_response=response, **fields)

    def _write(self, role: str, content: object) -> None:
        at = self._clock.now.isoformat()
        line = {"type": role, "timestamp": at, "message": {"role": role, "content": content}}
        with self._transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _hook(self, name: str, **given: object) -> Briefing | None:
        about = {
            "session_id": self._session,
            "cwd": str(self._repository.root),
            "transcript_path": str(self._transcript),
        }
        patience, told = float("inf"), True
        event = HookEvent(about | given, self._settings, self._options, patience, told, [])
        return EVENTS[name](event)

    def ask(self, _s: object, _o: object, name: str, arguments: Event, *_: object) -> Any:
        """Ask the memory that is open, as a warm process would."""
        return getattr(self._memory, name)(**arguments)

    def _tell(self, place: int, briefing: Briefing | None) -> None:
        if briefing is None:
            return
        records = tuple(r for h in briefing.hashes if (r := self._record(h)) is not None)
        told = Told(self._session, place, briefing.text, records, briefing.tokens)
        self.told.append(told)

    def _record(self, full_hash: str) -> Record | None:
        context = self._memory._context
        return context.store.memories.record(context.space, full_hash)


@contextmanager
def replayed(script: dict[str, Any], folder: Path) -> Iterator[Month]:
    """Play a month and hand out what is left of it."""
    folder.mkdir()
    url, clock = str(folder / "memory.db"), Clock()
    with clock.running():
        memory = open_memory(settings_for(url))
    repository = Repository(script, folder)
    client = Client(memory, url, clock, repository)
    with (
        patch("milepost.surfaces.hooks.chain.ask", client.ask),
        patch("milepost.surfaces.hooks.chain.start_work", lambda _: None),
    ):
        for session in script["sessions"]:
            client.play(session)
    clock.now += timedelta(days=3)
    try:
        yield Month(script, memory, script["project"], everything(memory), tuple(client.told))
    finally:
        memory.close()


def everything(memory: Milepost) -> tuple[Record, ...]:
    """Return all that is stored, in its order, also what was superseded."""
    context = memory._context
    where = Filter(context.space, context.clock(), include_superseded=True)
    ids = context.store.candidates.page(where, 1 << 20).ids
    return tuple(sorted(context.store.memories.records(ids), key=lambda record: record.id))
