"""Made-up episodes: like one another, the same as none, and the same each time."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import milepost

VERBS = "fix port speed-up document test refactor deploy review migrate secure".split()
THINGS = (
    "login form, payment webhook, search index, image cache, job queue, user profile, audit log, "
    "rate limiter, csv import, mail template, feature flag, session store, pdf export, date "
    "parser, upload endpoint, chat widget, billing report, backup script, config loader, map tiles"
).split(", ")
PLACES = "checkout admin mobile api worker frontend gateway scheduler crawler dashboard".split()
TROUBLES = (
    "fails now and then, is too slow, leaks memory, breaks on unicode, ignores time zones, "
    "times out under load, double counts, loses updates, shows stale data, rejects valid input"
).split(", ")
DOMAINS = "auth payments search media infra mobile data web ops docs".split()
LANGUAGES = "python typescript rust go java".split()
ERRORS = (
    "ModuleNotFoundError: No module named 'x' | AssertionError: 3 != 4 | "
    "TypeError: Cannot read properties of undefined | error[E0502]: cannot borrow as mutable | "
    "psycopg.OperationalError: connection refused"
).split(" | ")


class Attempt(NamedTuple):
    """An episode before it is written down."""

    task: str
    context: dict[str, str]
    task_type: str
    steps: list[dict[str, Any]]
    outcome: str
    verdict: str


def episodes(count: int, seed: int = 0, length: int = 4) -> Iterator[Attempt]:
    """Yield attempts of so many steps each; about half of them end well."""
    dice = Random(seed)  # noqa: S311
    for _ in range(count):
        place = {"domain": dice.choice(DOMAINS), "language": dice.choice(LANGUAGES)}
        end = dice.choice(["success", "success", "failure", "partial"]), dice.choice(TROUBLES)
        yield Attempt(task(dice), place, dice.choice(VERBS), steps(dice, length), *end)


def play(memory: "milepost.Milepost", attempt: Attempt) -> str:
    """Write an attempt down from its beginning to its end, and return the episode's id."""
    episode = memory.create_episode(attempt.task, attempt.context, task_type=attempt.task_type)
    memory.add_steps(episode, attempt.steps)
    memory.complete_episode(episode, attempt.outcome, attempt.verdict)
    return episode


def task(dice: Random) -> str:
    """Return a task that is like others and the same as none."""
    verb, thing, place, trouble = map(dice.choice, (VERBS, THINGS, PLACES, TROUBLES))
    return f"{verb} the {thing} of the {place}, which {trouble} (#{dice.randrange(10**6)})"


def steps(dice: Random, count: int) -> list[dict[str, Any]]:
    """Return the steps of a run that fails, is mended, and goes well."""
    error = dice.choice(ERRORS)
    taken: list[dict[str, Any]] = []
    while len(taken) < count:
        file = f"src/{dice.choice(PLACES)}/{dice.choice(DOMAINS)}.py"
        taken += [
            {"tool": "read", "action": file, "observation": "def handle(request): ..."},
            {"tool": "bash", "action": f"pytest {file}", "observation": error, "success": False},
            {"tool": "edit", "action": file, "parameters": {"path": file}, "latency_ms": 12.0},
            {"tool": "bash", "action": f"pytest {file}", "observation": "12 passed in 1.2s"},
        ]
    return taken[:count]
