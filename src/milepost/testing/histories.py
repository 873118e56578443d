"""Projects with a past: their commits, and what was remembered in each session until now."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from milepost.testing.episodes import PLACES, THINGS, TROUBLES, task


@dataclass(frozen=True)
class History:
    """A project at the moment a session starts, with everything remembered until then."""

    project: str
    branch: str
    now: datetime
    commits: list[dict[str, Any]]  # newest first, each with when, subject and files
    changed: list[str]
    memories: list[dict[str, Any]]

    def drafts(self) -> list[dict[str, Any]]:
        """Return the memories as `store_batch` takes them, as old as they would be today."""
        shift = datetime.now(UTC) - self.now
        return [
            {name: value for name, value in memory.items() if name != "id"}
            | {"created": (datetime.fromisoformat(memory["created"]) + shift).isoformat()}
            for memory in self.memories
        ]


def histories(count: int, seed: int = 0, sessions: int = 10) -> Iterator[History]:
    """Yield made-up histories of so many sessions, a day apart and with a commit each."""
    dice, now = Random(seed), datetime(2026, 1, 1, 9, tzinfo=UTC)  # noqa: S311
    days = [(now - timedelta(days=ago)).isoformat() for ago in range(1, sessions + 1)]
    for number in range(count):
        project = f"{dice.choice(PLACES)}-{number}"
        files = [f"src/{dice.choice(PLACES)}.py"]
        commits = [{"when": day, "subject": task(dice), "files": files} for day in days]
        memories = [memory for day in days for memory in _remembered(dice, project, day)]
        yield History(project, task(dice), now, commits, files, memories)


def _remembered(dice: Random, project: str, day: str) -> Iterator[dict[str, Any]]:
    thing, place = dice.choice(THINGS), dice.choice(PLACES)
    for kind, content in (
        ("decision", f"The {thing} is kept with the {place}, which needs it most."),
        ("error", f"The {thing} {dice.choice(TROUBLES)}; src/{place}.py was to blame."),
        ("summary", f"Did {task(dice)}; next: {task(dice)}."),
    ):
        yield {"content": content, "kind": kind, "project": project, "session": day, "created": day}
