"""What is known of scheduled backups and of drills, in which one is restored for a trial."""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import counted, minute
from milepost.upkeep.values import CopyInfo
from milepost.values import NamedTuple


class Drill(NamedTuple):
    """A copy that was restored into a temporary store for a trial, which is gone by now.

    problems: why it cannot be relied on; none where it can. tables, rows: how much was compared
    with what the copy says of itself. as_now, changed: how many parts of spaces are as in the store
    now, and how many are not, which is no fault of an older copy. asked, found: for how many of its
    memories the restored store was asked, and how many it found.
    """

    file: str
    made: float
    at: float
    problems: tuple[str, ...]
    memories: int = 0
    tables: int = 0
    rows: int = 0
    as_now: int = 0
    changed: int = 0
    asked: int = 0
    found: int = 0
    seconds: float = 0.0

    @property
    def ready(self) -> bool:
        """Whether the copy can be relied on."""
        return not self.problems

    @for_models
    def __str__(self) -> str:
        lines = [f"{self.file}, made {minute(self.made)}, tried {minute(self.at)}"]
        lines += [f"cannot be relied on: {problem}" for problem in self.problems]
        if self.ready:
            now = f"{self.as_now} parts as in the store now, {self.changed} changed since"
            lines.append(
                f"restores whole: {counted(self.memories, 'memory')}, {self.rows:,} rows of "
                f"{self.tables} tables as it says; {now}; found {self.found} of {self.asked} "
                f"memories; {self.seconds:.1f} s"
            )
        return "\n".join(lines)


class BackupStatus(NamedTuple):
    """When the store is copied by itself and where to, how that went, and what a drill found.

    every: hourly, daily, weekly or off. keep: how many copies stay. due: when the next is made.
    last: the newest copy that the schedule made. problem: why the last attempt failed, if it did,
    and failed when. drill: the last one; drilled: when one last found a copy to be relied on.
    drill_every: how often there is one: daily, weekly or off.
    """

    every: str
    keep: int
    to: str
    due: float | None = None
    last: CopyInfo | None = None
    problem: str = ""
    failed: float | None = None
    drill: Drill | None = None
    drilled: float | None = None
    drill_every: str = "off"

    @for_models
    def __str__(self) -> str:
        if not self.to:
            return "no backups are scheduled; `milepost backup schedule daily` makes some"
        due = "" if self.due is None else f", the next {minute(self.due)}"
        lines = [f"{self.every} to {self.to}, {self.keep} are kept{due}"]
        lines.append("none was made yet" if self.last is None else f"last {self.last}")
        if self.last is not None:
            lines[-1] += f", {minute(self.last.made)}"
        if self.failed is not None:
            lines.append(f"failed {minute(self.failed)}: {self.problem}")
        lines.append("no drill yet" if self.drill is None else f"drill: {self.drill}")
        return "\n".join(lines)
