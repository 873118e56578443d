"""The store that the pictures of the documentation show: some weeks of a made-up web shop."""

import json
from contextlib import chdir
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from milepost.app import Milepost, open_memory
from milepost.memory.holding import NOTICE
from milepost.opening import settings_for
from milepost.testing import Clock
from milepost.upkeep.model_text import ModelText

SHOP = Path(__file__).parent / "data" / "demo" / "shop.json"
DAYS = 24
PROJECT = "shop"


def fill(path: Path) -> None:
    """Write the store as if it had been written to until now."""
    shop = json.loads(SHOP.read_text())
    today = datetime.now(UTC).astimezone()
    clock = Clock(today - timedelta(days=DAYS))
    settings = settings_for(path)._replace(project=PROJECT)
    # Elsewhere than in a repository, whose branch the memories would belong to.
    with chdir(path.parent), clock.running(), open_memory(settings) as memory:
        for each in shop["memories"]:
            created, session = today - timedelta(days=each["ago"], hours=1), f"s{each['ago']:02}"
            about = {"kind": each["kind"], "tags": [each["tag"]], "session": session}
            memory.store(each["text"], created=created, **about)
        for text in shop["captured"]:
            memory.store(text, metadata={"by": NOTICE}, source="assistant", created="3 hours ago")
        _relate(memory, shop, today)
        for task in shop["tasks"]:
            _attempt(memory, clock, today, task, shop["ways"][task["way"]])
        clock.now = today
        memory.extract_patterns()
        memory.create_key("ci", scope="read")
        memory.create_key("ana", scope="admin")
        _tell(memory, today, sorted({task["session"] for task in shop["tasks"]}))


def _relate(memory: Milepost, shop: dict[str, Any], today: datetime) -> None:
    """Say how things hang together."""
    for kind, names in shop["entities"].items():
        for name in names:
            memory.create_entity(name, entity_type=kind)
    for each in shop["relations"]:
        began, lasted = today - timedelta(days=each["ago"]), each["lasted"]
        ended = None if lasted is None else began + timedelta(days=lasted)
        ends = each["source"], each["relation"], each["target"]
        memory.create_relation(*ends, valid_from=began, valid_to=ended)
    for each in shop["observations"]:
        since = today - timedelta(days=each["ago"])
        memory.add_observation(each["entity"], each["text"], valid_from=since)


def _attempt(
    memory: Milepost,
    clock: Clock,
    today: datetime,
    task: dict[str, Any],
    steps: list[dict[str, Any]],
) -> None:
    """Write down a task of a session: its events and its episode."""
    day = (today - timedelta(days=task["ago"])).replace(minute=4)
    clock.now = day.replace(hour=task["hour"]) if task["ago"] else today - timedelta(minutes=9)
    about = {"session_id": task["session"], "project": PROJECT, "wait": True}
    memory.record_event("session", "started", **about)
    place = {"language": "python", "domain": task["domain"], "project": PROJECT}
    place["session"] = task["session"]
    episode = memory.create_episode(task["task"], place, task_type="coding")
    known = [each.id for each in memory.list_patterns(kind="recovery").patterns]
    if known and "test" in task["task"]:
        memory.note_shown(episode, known[:1])
    for number, step in enumerate(steps):
        clock.advance(seconds=50 + 35 * number)
        _step(memory, episode, number, step, task["what"], about)
    if task["outcome"]:
        clock.advance(minutes=1)
        memory.complete_episode(episode, task["outcome"], task["verdict"])
        memory.extract_patterns()
        memory.record_event("session", "ended", **about)
        if task["what"] in ("invoices", "orders"):
            memory.record_event("deploy", f"v2.{task['ago']} to production", "ok", project=PROJECT)


def _step(
    memory: Milepost,
    episode: str,
    number: int,
    step: dict[str, Any],
    what: str,
    about: dict[str, Any],
) -> None:
    did, saw = (step[name].format(what=what) for name in ("action", "observation"))
    took = 400.0 + 3_100 * (step["tool"] == "Bash") + 210 * number
    memory.add_step(episode, step["tool"], did, None, saw, step["success"], took, 180 + 60 * number)
    kind = "commit" if "commit" in did else "test" if "pytest" in did else "tool"
    told = did if kind == "commit" else f"{step['tool']} {did}"
    ended = "ok" if step["success"] else "failed"
    memory.record_event(kind, told, ended, duration_ms=took, **about)


def _tell(memory: Milepost, today: datetime, sessions: list[str]) -> None:
    """Write down what models were told, as the ledger does."""
    dice = Random(7)
    for ago in range(DAYS):
        for _ in range(dice.randint(4, 22)):
            at = (today - timedelta(days=ago, minutes=dice.randint(5, 500))).timestamp()
            operation = dice.choice(["search", "search", "brief", "recommend", "remind"])
            tokens = dice.randint(40, 700) if operation == "brief" else dice.randint(20, 160)
            client = dice.choice(["claude-code", "claude-code", "cursor"])
            whole, session = tokens * dice.randint(3, 9), dice.choice(sessions)
            text = "word " * tokens
            memory.note_model_text(ModelText(at, operation, text, (), whole, session, 4.0, client))
