"""Consolidations that were planned, applied and undone, as they are kept."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from milepost.codec import from_data, to_data
from milepost.errors import NotFound
from milepost.knowledge.values import Consolidation
from milepost.memory.context import Context
from milepost.memory.holding import CONSOLIDATION
from milepost.ports import Work

_TOPIC = "consolidation"
UNDONE = "undone"
# As many runs are kept with their plans, and all that can be undone.
RUNS_MAX = 20
# What plans that were kept before do not say.
_LATER_FIELDS = {"by": "rules", "refused": [], "since": 0.0}
# More consolidations than this are not held at once.
_HELD_MAX = 10_000


class Run(NamedTuple):
    """A consolidation with what it takes to undo it."""

    plan: Consolidation
    at_us: int
    deed: int | None = None
    # By hash a digest of how a memory was left that others were merged into: what undoing compares
    # with.
    after: dict[str, str] = {}  # noqa: RUF012 -- never changed


def save(work: Work, space: str, run: Run) -> None:
    """Keep a run in place of how it was, and forget the oldest."""
    data = {"plan": to_data(run.plan), "at": run.at_us, "deed": run.deed, "after": run.after}
    known = _deeds(work, space)
    known.pop(run.plan.run_id, None)
    known[run.plan.run_id] = run.deed
    held = held_deeds(work, space)
    for old in list(known)[:-RUNS_MAX]:
        if known[old] not in held:
            work.values.put(space, _TOPIC, old, None)
            del known[old]
    work.values.put(space, _TOPIC, run.plan.run_id, json.dumps(data))
    work.values.put(space, _TOPIC, "", json.dumps(known))


def held_deeds(work: Work, space: str) -> set[int]:
    """Return the consolidations that can be undone."""
    return {deed.id for deed in work.deeds.find(space, (CONSOLIDATION,), _HELD_MAX)}


def names_of(work: Work, space: str) -> list[str]:
    """Return the names of the runs that are kept, the latest last."""
    return list(_deeds(work, space))


def _deeds(work: Work, space: str) -> dict[str, int | None]:
    """Return by the names of runs what holds how it was before them."""
    kept = work.values.get(space, _TOPIC, "")
    known = json.loads(kept) if kept else {}
    # Names alone were kept before.
    return known if isinstance(known, dict) else dict.fromkeys(known)


def load(work: Work, space: str, name: str) -> Run:
    """Return a run by its name."""
    kept = work.values.get(space, _TOPIC, name) if name else None
    if kept is None:
        known = ", ".join(names_of(work, space)[-5:]) or "none yet"
        raise NotFound(f"There is no consolidation {name}; the latest are: {known}.")
    data = json.loads(kept)
    plan = from_data(Consolidation, _LATER_FIELDS | data["plan"])
    return Run(plan, data["at"], data["deed"], data["after"])


def runs_in(context: Context, state: str) -> Iterator[Run]:
    """Yield the runs in a state, the latest first."""
    work, space = context.store, context.space
    for name in reversed(names_of(work, space)):
        run = load(work, space, name)
        if run.plan.state == state:
            yield run
