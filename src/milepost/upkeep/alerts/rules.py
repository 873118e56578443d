"""When something is wrong: each rule with its usual threshold, and what it reads off a store."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from milepost.errors import InvalidInput
from milepost.text.lines import counted

SHARE, SIZE, AGE, NUMBER = "share", "size", "age", "number"
_UNITS: Mapping[str, Mapping[str, float]] = {
    SHARE: {"%": 0.01},
    SIZE: {"MB": 1e6, "GB": 1e9, "TB": 1e12},
    AGE: {"h": 3_600.0, "d": 86_400.0, "w": 7 * 86_400.0},
    NUMBER: {"": 1.0},
}
_EXAMPLES = {SHARE: "5%", SIZE: "2GB", AGE: "36h", NUMBER: "0"}
# Fewer calls say nothing of how many fail.
_CALLS_MIN = 20
_SHOWN = 3


class Readings(NamedTuple):
    """What there is to know of a store at a moment.

    lost: by space how many memories are gone that no operation removed, of how many.
    backup_age_s: how old the newest backup is; every_s: how often one shall be made.
    """

    lost: Mapping[str, tuple[int, int]]
    calls: int = 0
    failed: int = 0
    backup_age_s: float | None = None
    every_s: float | None = None
    drill_problem: str = ""
    index_problems: Sequence[str] = ()
    dead: int = 0
    disks: Sequence[tuple[str, int]] = ()


class Rule(NamedTuple):
    """What is looked at, what its threshold is made of and usually is, and what is found."""

    unit: str
    usual: str
    judge: Callable[[Readings, float], str]

    def limit(self, threshold: str) -> float:
        """Return what somebody wrote as a number; refuse what is none."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(\D*)", threshold.strip())
        unit = match and _UNITS[self.unit].get(match[2])
        if not match or unit is None:
            raise InvalidInput(
                f"The threshold must be off, usual or such as {_EXAMPLES[self.unit]}, not "
                f"{threshold!r:.40}."
            )
        return float(match[1]) * unit


def _memories(found: Readings, limit: float) -> str:
    gone = [
        f"{lost:,} of {of:,} memories of {space}"
        for space, (lost, of) in found.lost.items()
        if lost > limit * of
    ]
    more = f" and of {len(gone) - _SHOWN} more spaces" if len(gone) > _SHOWN else ""
    told = ", ".join(gone[:_SHOWN]) + more
    return f"{told} are gone, and no operation removed them" if gone else ""


def _errors(found: Readings, limit: float) -> str:
    if found.calls < _CALLS_MIN or found.failed <= limit * found.calls:
        return ""
    return f"{found.failed:,} of {counted(found.calls, 'call')} failed in the last 5 minutes"


def _backup(found: Readings, limit: float) -> str:
    if found.drill_problem:
        return f"the newest copy cannot be relied on: {found.drill_problem}"
    # Usually it is twice the time from one to the next, where any are scheduled.
    allowed_s = limit or (2 * found.every_s if found.every_s else 0.0)
    if not allowed_s:
        return ""
    if found.backup_age_s is None:
        return "there is no backup"
    age_h = found.backup_age_s / 3_600
    return f"the newest backup is {age_h:,.0f} hours old" if age_h * 3_600 > allowed_s else ""


def _index(found: Readings, limit: float) -> str:
    problems = found.index_problems
    return "; ".join(problems) if len(problems) > limit else ""


def _jobs(found: Readings, limit: float) -> str:
    if found.dead <= limit:
        return ""
    return f"{counted(found.dead, 'job')} failed for good; `milepost jobs list` says why"


def _disk(found: Readings, limit: float) -> str:
    full = [f"{free / 1e6:,.0f} MB are free for {place}" for place, free in found.disks
            if free < limit]  # fmt: skip
    return "; ".join(full)


RULES: Mapping[str, Rule] = {
    "memories": Rule(SHARE, "5%", _memories),
    "errors": Rule(SHARE, "5%", _errors),
    "backup": Rule(AGE, "0h", _backup),
    "index": Rule(NUMBER, "0", _index),
    "jobs": Rule(NUMBER, "0", _jobs),
    "disk": Rule(SIZE, "500MB", _disk),
}
