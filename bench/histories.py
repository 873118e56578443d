"""Repositories with a past: their commits and what an agent remembers of them, labelled.

`data/briefing/dev.json` may be looked at while ranking is worked on; `test.json` is held out and
only ever counted. A history names the memories that a teammate would tell before the next session
starts, each with a reason; where a memory was restated, either of the two counts.
"""

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from milepost import testing

FOLDER = Path(__file__).parent / "data" / "briefing"
SPLITS = ("dev", "test")

# What names a project must be well formed, or a hook takes the repository for another.
_MANIFESTS = {
    "pyproject.toml": '[project]\nname = "{project}"\n# {line}\n',
    "Cargo.toml": '[package]\nname = "{project}"\n# {line}\n',
    "package.json": '{{"name": "{project}", "description": "{line}"}}\n',
    "go.mod": "module example/{project}\n// {line}\n",
}
_IDENTITY = ("-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0")


class Wanted(NamedTuple):
    """A memory that the next session needs, under each of the ids it is stored with, and why."""

    ids: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class History(testing.History):
    """A history that names the memories which the next session needs."""

    wanted: list[Wanted]

    def share_in(self, ids: set[str]) -> float:
        """Return the share of what was wanted that is among these."""
        found = sum(not ids.isdisjoint(wanted.ids) for wanted in self.wanted)
        return found / len(self.wanted)

    def words_in(self, lines: dict[str, str]) -> float:
        """Return the share of the words of what was wanted that these excerpts hold."""
        texts = {memory["id"]: memory["content"].split() for memory in self.memories}
        told = [
            max(_overlap(texts[name], lines.get(name, "").split()) for name in wanted.ids)
            for wanted in self.wanted
        ]
        return sum(told) / len(told)

    def floors(self, limit: int) -> dict[str, float]:
        """Return the shares that rules without a memory system find."""
        own = [one for one in self.memories if one.get("project", self.project) == self.project]
        rules: dict[str, Callable[[dict[str, Any]], Any]] = {
            "newest": lambda memory: memory["created"],
            "longest": lambda memory: len(memory["content"]),
            "most words shared": _sharing(self, own),
        }
        chosen = {name: sorted(own, key=rule, reverse=True) for name, rule in rules.items()}
        return {
            name: self.share_in({memory["id"] for memory in best[:limit]})
            for name, best in chosen.items()
        }


def load(split: str) -> list[History]:
    """Read the histories of a split."""
    told = json.loads((FOLDER / f"{split}.json").read_text("utf-8"))
    return [_history(one) for one in told]


def make_repository(history: History, folder: Path) -> Path:
    """Make the repository with its commits and its uncommitted changes, and return its root."""
    root = folder / history.project
    root.mkdir()
    shift = datetime.now(UTC) - history.now
    _git(root, "init", "--quiet", "--initial-branch=main")
    for commit in reversed(history.commits):
        _touch(root, commit["files"], commit["subject"])
        _git(root, "add", "--all")
        when = (datetime.fromisoformat(commit["when"]) + shift).isoformat()
        _git(root, "commit", "--quiet", "--message", commit["subject"], when=when)
    _git(root, "checkout", "--quiet", "-b", history.branch)
    _touch(root, history.changed, "not committed yet")
    return root


def _history(told: dict[str, Any]) -> History:
    return History(
        project=told["project"],
        branch=told["branch"],
        now=datetime.fromisoformat(told["now"]),
        commits=told["commits"],
        changed=told["changed"],
        memories=told["memories"],
        wanted=[Wanted(tuple(one["ids"]), one["why"]) for one in told["useful"]],
    )


def _sharing(history: History, own: list[dict[str, Any]]) -> Callable[[dict[str, Any]], float]:
    """Score a memory by the rare words it shares with the work under way."""
    latest = history.commits[:3]
    files = [*history.changed, *(name for commit in latest for name in commit["files"])]
    asked = _words(" ".join([history.branch, *files, *(commit["subject"] for commit in latest)]))
    known = Counter(word for memory in own for word in _words(memory["content"]))

    def score(memory: dict[str, Any]) -> float:
        return sum(log(len(own) / known[word]) for word in _words(memory["content"]) & asked)

    return score


def _overlap(words: list[str], told: list[str]) -> float:
    return (Counter(words) & Counter(told)).total() / len(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def _touch(root: Path, files: list[str], line: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name in _MANIFESTS:
            path.write_text(_MANIFESTS[name].format(project=root.name, line=line))
        else:
            with path.open("a") as file:
                file.write(f"{line}\n")


def _git(root: Path, *arguments: str, when: str = "") -> None:
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when} if when else {}
    # The settings of whoever runs the benchmark, such as signing, must not take part.
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", *_IDENTITY, *arguments]
    subprocess.run(command, cwd=root, env=os.environ | alone | dates, check=True)
