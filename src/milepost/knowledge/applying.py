"""Do what a plan says in one transaction, and undo it.

A fact can be found at every moment: what stands for others is there before they are hidden.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from milepost.errors import InvalidInput, NotFound
from milepost.knowledge.material import whose
from milepost.knowledge.runs import UNDONE, Run, held_deeds, load, save
from milepost.knowledge.values import Consolidation, Event
from milepost.memory import alike
from milepost.memory.context import Context, short_hash
from milepost.memory.holding import CONSOLIDATION, begin_deed, held_until
from milepost.memory.values import ARCHIVED, FADED, FOREVER, Changes, Record
from milepost.ports import Work

# Told of a run in the transaction that does it.
Told = Callable[[Work, Run], None]


def apply_plan(context: Context, name: str, tell: Told = lambda *_: None) -> Run:
    """Do what a run planned; what was changed meanwhile is left as it is, and named."""
    with context.store.writing() as work:
        run = load(work, context.space, name)
        if run.plan.state != "planned":
            raise InvalidInput(f"The consolidation {name} is {run.plan.state}; plan another.")
        deed = begin_deed(context, work, CONSOLIDATION)
        if deed is None:
            raise InvalidInput(
                "Nothing can be undone while the setting undo_days is 0; "
                "set it to a number of days before you consolidate."
            )
        applying = _Applying(context, work, deed)
        applied = applying.do(run.plan)
        plan = run.plan._replace(
            state="applied", undo_until=held_until(context), left=tuple(applying.left)
        )
        done = Run(plan, context.clock(), deed if applying.changed else None, applied)
        save(work, context.space, done)
        work.events.add(context.space, [_event(context, plan)])
        tell(work, done)
    return done


def undo_run(context: Context, name: str, tell: Told = lambda *_: None) -> Run:
    """Put back what a run changed; what was changed since is left as it is, and named."""
    with context.store.writing() as work:
        run = load(work, context.space, name)
        if run.plan.state != "applied":
            raise InvalidInput(f"The consolidation {name} is {run.plan.state}, not applied.")
        changed = _changed(context, work, run)
        if run.deed is not None:
            _refuse_if_forgotten(context, work, run)
            work.deeds.take_back(run.deed, context.clock(), kept=[each.id for each in changed])
        work.links.remove_run(name)
        left = [f"{short_hash(context, each.hash)} was changed since and stays" for each in changed]
        left += _still_hidden(context, work, run.plan)
        plan = run.plan._replace(state=UNDONE, undo_until=None, left=tuple(left))
        undone = Run(plan, context.clock())
        save(work, context.space, undone)
        work.events.add(context.space, [_event(context, plan)])
        tell(work, undone)
    return undone


def _refuse_if_forgotten(context: Context, work: Work, run: Run) -> None:
    if run.deed not in held_deeds(work, context.space):
        name = run.plan.run_id
        raise NotFound(f"What {name} changed is held no longer: the setting undo_days is over.")


class _Applying:
    """Does the parts of a plan, and notes what it leaves."""

    def __init__(self, context: Context, work: Work, deed: int) -> None:
        self._context, self._work, self._deed = context, work, deed
        self._now = context.clock()
        self.left: list[str] = []
        self.changed = False

    def do(self, plan: Consolidation) -> dict[str, str]:
        """Do all of it, and return how those were left that stand for others."""
        after = {}
        for merge in plan.merged:
            keep = self._holding(merge.keep)
            drops = self._alongside(keep, merge.drop)
            if keep and drops:
                after[keep.hash] = self._merge(keep, drops)
        for each in plan.superseded:
            new = self._holding(each.new)
            old = self._alongside(new, [each.old])
            if new and old:
                self._supersede(old[0], new, new.valid_from_us)
        for names, standing in ((plan.decayed, FADED), (plan.archived, ARCHIVED)):
            for name in names:
                if record := self._holding(name):
                    changes = Changes(standing=standing)
                    self._change(record, changes)
        self._work.links.add(
            self._context.space, [link._replace(at=self._now / 1e6) for link in plan.associations]
        )
        return after

    def _holding(self, name: str) -> Record | None:
        """Return a memory that still holds; of another it is said that it is left."""
        record = self._work.memories.record(self._context.space, name)
        if record is not None and record.valid_to_us == FOREVER:
            return record
        self.left.append(f"{name[:8]} was {'replaced' if record else 'deleted'} meanwhile")
        return None

    def _alongside(self, other: Record | None, names: Sequence[str]) -> list[Record]:
        """Return the memories that still hold where another does, if that one holds."""
        records = [record for name in names if (record := self._holding(name))]
        if other is None:
            return []
        for record in records:
            if whose(record) != whose(other):
                self.left.append(f"{record.hash[:8]} was changed meanwhile")
        return [record for record in records if whose(record) == whose(other)]

    def _change(self, record: Record, changes: Changes) -> None:
        self.changed = True
        self._work.memories.change(record.id, changes, self._deed)

    def _supersede(self, old: Record, new: Record, at_us: int) -> None:
        self.changed = True
        self._work.memories.supersede(old.id, new.id, at_us, self._deed)

    def _merge(self, keep: Record, drops: Sequence[Record]) -> str:
        members = [keep, *drops]
        tags = tuple(sorted({tag for record in members for tag in record.tags}))
        others = [(_told(record), record.metadata) for record in drops]
        metadata = alike.with_others(keep.metadata, others)
        best = min(record.standing for record in members)
        standing = None if best == keep.standing else best
        self._change(keep, Changes(tags=tags, metadata=metadata, standing=standing))
        for record in drops:
            self._supersede(record, keep, max(self._now, keep.valid_from_us))
        return _digest(tags, metadata)


def _told(record: Record) -> dict[str, Any]:
    """Return what is kept of a memory in the one that stands for it."""
    about = {
        "hash": record.hash[:12],
        "created": record.created_us / 1e6,
        "session": record.session,
        "author": record.author,
        "source": record.source,
    }
    return {name: value for name, value in about.items() if value is not None}


def _changed(context: Context, work: Work, run: Run) -> list[Record]:
    """Return the memories that stand for others, or faded, and are other than they were left."""
    standings = dict.fromkeys(run.plan.decayed, FADED) | dict.fromkeys(run.plan.archived, ARCHIVED)
    names = dict.fromkeys([*run.after, *standings])
    records = (work.memories.record(context.space, name) for name in names)

    def is_as_left(record: Record) -> bool:
        digest, name = _digest(record.tags, record.metadata), record.hash
        stands = standings.get(name, record.standing) == record.standing
        return stands and run.after.get(name, digest) == digest

    return [record for record in records if record and not is_as_left(record)]


def _digest(tags: Sequence[str], metadata: Mapping[str, Any]) -> str:
    """Return what tells whether a memory is as it was left, without a word that it says."""
    state = json.dumps([sorted(tags), metadata], sort_keys=True)
    return sha256(state.encode()).hexdigest()


def _still_hidden(context: Context, work: Work, plan: Consolidation) -> list[str]:
    names = [name for merge in plan.merged for name in merge.drop]
    names += [each.old for each in plan.superseded]
    records = (work.memories.record(context.space, name) for name in names)
    return [
        f"{short_hash(context, record.hash)} was replaced by another meanwhile and stays so"
        for record in records
        if record is not None and record.superseded_by is not None
    ]


def _event(context: Context, plan: Consolidation) -> Event:
    done = ", ".join(f"{name} {count}" for name, count in plan.totals.items() if count)
    name = f"{plan.run_id}.{plan.state}"
    return Event(name, context.now_s, "consolidation", f"{plan.run_id} {plan.state}: {done}", "ok")
