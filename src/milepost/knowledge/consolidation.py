"""Consolidate what is remembered: plan, show, apply, undo; never by itself unless asked to."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from string import hexdigits
from typing import Any

from milepost.errors import InvalidInput
from milepost.knowledge.model_answers import configured
from milepost.knowledge.runs import UNDONE, Run, load, names_of, runs_in, save
from milepost.knowledge.values import STRATEGIES, Consolidation, ConsolidationStatus
from milepost.memory import validation
from milepost.memory.context import Context, Service, short_hashes
from milepost.memory.search import filter_for
from milepost.once import settle
from milepost.operation import operation
from milepost.ports import LanguageModel, Work
from milepost.stored_time import to_seconds
from milepost.upkeep.names import new_name
from milepost.upkeep.values import Job
from milepost.values import fields_of
from milepost.waiting import Waiting

# The work that consolidates by itself, and where it is kept when that is.
TOPIC, _SCHEDULE = "consolidation", "consolidation schedule"
OFF = "off"
LAST = "last"
_DAY_US = 86_400 * 1_000_000
_EVERY_DAYS = {"daily": 1, "weekly": 7}
_CHOICES = (*_EVERY_DAYS, OFF, "pause", "resume")
_DAYS_MAX = 36_500
# What is shown of each list unless all of it is asked for.
_SHOWN = 5
_LISTS = (
    "patterns", "clusters", "merged", "superseded", "decayed", "archived", "associations",
    "refused",
)  # fmt: skip
_TOLD_RUNS = 5
_HASH_CHARS = 64


class Consolidate(Service):
    """The operations about consolidation."""

    @operation(
        "consolidation",
        example='consolidate(strategy="balanced", days_back=7, dry_run=True)',
        aliases=("consolidate_memories",),
    )
    def consolidate(
        self,
        strategy: str = "balanced",
        days_back: int = 7,
        project: str | None = None,
        tags: str | Sequence[str] | None = None,
        dry_run: bool = False,
        complete: bool = False,
        model: bool = False,
    ) -> Consolidation:
        """Merge what says the same, link what was replaced, let old things fade, find what recurs.

        What it does can be undone as a whole: undo_consolidation(run_id).

        strategy: "speed" looks at words alone, "balanced" at meaning too, "quality" also links.
        days_back: memories of so many days are compared with all others.
        project: only those of this project.
        tags: only those with one of these tags.
        dry_run: only plan it; apply_consolidation(run_id) does it later.
        complete: show all of it, not only the beginning of each list.
        model: let the configured language model refuse merges that it finds wrong.
        """
        context = self._context
        if strategy not in STRATEGIES:
            raise InvalidInput(
                f"strategy must be one of {', '.join(STRATEGIES)}, not {strategy!r}."
            )
        days = validation.whole("days_back", days_back, 1, _DAYS_MAX)
        only_plan, whole = (
            validation.flag("dry_run", dry_run),
            validation.flag("complete", complete),
        )
        judge = configured(context) if validation.flag("model", model) else None
        run = planned(context, strategy, days, project, tags, judge)
        if not only_plan:
            from milepost.knowledge.applying import apply_plan

            run = apply_plan(context, run.plan.run_id, _settling(context, whole=whole))
        return _shown(context, run, whole=whole)

    @operation("consolidation", example='apply_consolidation("co_2mnvtd8f7ap7")')
    def apply_consolidation(self, run_id: str, complete: bool = False) -> Consolidation:
        """Do what a dry run planned, in one transaction.

        run_id: the run, as consolidate named it.
        complete: show all of it.
        """
        from milepost.knowledge.applying import apply_plan

        context, whole = self._context, validation.flag("complete", complete)
        name = validation.name("run_id", run_id)
        run = apply_plan(context, name, _settling(context, whole=whole))
        return _shown(context, run, whole=whole)

    @operation("consolidation", example='undo_consolidation("co_2mnvtd8f7ap7")')
    def undo_consolidation(self, run_id: str, complete: bool = False) -> Consolidation:
        """Take back a consolidation; what was changed since stays, and is named.

        run_id: the run, or "last" for the last that was applied.
        complete: show all of it.
        """
        from milepost.knowledge.applying import undo_run

        context, whole = self._context, validation.flag("complete", complete)
        if run_id == LAST:
            last = next(runs_in(context, "applied"), None)
            if last is None:
                raise InvalidInput("No consolidation is applied that could be undone.")
            run_id = last.plan.run_id
        name = validation.name("run_id", run_id)
        run = undo_run(context, name, _settling(context, whole=whole))
        return _shown(context, run, whole=whole)

    @operation("consolidation", example='get_consolidation("co_2mnvtd8f7ap7")', read_only=True)
    def get_consolidation(self, run_id: str, complete: bool = False) -> Consolidation:
        """Show what a run planned or did.

        run_id: the run.
        complete: show all of it.
        """
        context, whole = self._context, validation.flag("complete", complete)
        run = load(context.store, context.space, validation.name("run_id", run_id))
        return _shown(context, run, whole=whole)

    @operation("consolidation", example='schedule_consolidation("weekly")', idempotent=True)
    def schedule_consolidation(self, every: str) -> ConsolidationStatus:
        """Consolidate by itself from now on, or no longer; it never does so unasked.

        every: "daily", "weekly" or "off"; "pause" and "resume" keep what was chosen.
        """
        context = self._context
        if every not in _CHOICES:
            raise InvalidInput(f"every must be one of {', '.join(_CHOICES)}, not {every!r}.")
        with context.store.writing() as work:
            known = _schedule(work, context.space)
            chosen = known["every"] if every in ("pause", "resume") else every
            _set_schedule(context, work, chosen, paused=every == "pause", last=known["last"])
        return _status(context)

    @operation("consolidation", example="consolidation_status()", read_only=True)
    def consolidation_status(self, limit: int = _TOLD_RUNS) -> ConsolidationStatus:
        """Tell when consolidation runs by itself, and what the latest runs did.

        limit: how many runs to tell of at most; some twenty are kept.
        """
        return _status(self._context, validation.limit(limit))


def _settling(context: Context, *, whole: bool) -> Callable[[Work, Run], None]:
    """Return what keeps the answer to a call in the transaction that does what it asks for."""
    names = ("consolidate", "apply_consolidation", "undo_consolidation")
    return lambda work, run: settle(work, _shown(context, run, whole=whole), *names)


def planned(
    context: Context,
    strategy: str,
    days: int,
    project: object = None,
    tags: object = None,
    judge: LanguageModel | None = None,
    *,
    spares: bool = False,
) -> Run:
    """Plan a consolidation and keep the plan; a model may judge its merges.

    spares: leave alone what was undone before.
    """
    from milepost.knowledge.planning import plan
    from milepost.sessions.state import uses

    now_us, began = context.clock(), time.monotonic()
    where = filter_for(context, tags=tags, project=project)._replace(home=None, branches=None)
    name = new_name("co", now_us)
    made = plan(
        context, name, strategy, where, now_us - days * _DAY_US,
        lambda projects: uses(context, projects), Waiting("reading memories"),
    )  # fmt: skip
    if judge is not None:
        from milepost.knowledge.confirming import confirmed

        made = confirmed(context, judge, made)
    if spares:
        from milepost.knowledge.sparing import without_undone

        made = without_undone(made, [run.plan for run in runs_in(context, UNDONE)])
    run = Run(made._replace(duration=round(time.monotonic() - began, 3)), now_us)
    with context.store.writing() as work:
        save(work, context.space, run)
    return run


def by_schedule(context: Context, job: Job) -> None:
    """Consolidate when that was asked for; a job, which comes again."""
    from milepost.knowledge.applying import apply_plan

    del job
    known = _schedule(context.store, context.space)
    if known["every"] not in _EVERY_DAYS or known["paused"]:
        return
    days = 2 * _EVERY_DAYS[known["every"]]
    apply_plan(context, planned(context, "balanced", days, spares=True).plan.run_id)
    with context.store.writing() as work:
        # Somebody may have paused it, or turned it off, while it ran.
        now = _schedule(work, context.space)
        _set_schedule(context, work, now["every"], paused=now["paused"], last=context.clock())


def _schedule(work: Work, space: str) -> dict[str, Any]:
    kept = work.values.get(space, _SCHEDULE, "")
    return json.loads(kept) if kept else {"every": OFF, "paused": False, "last": None}


def _set_schedule(
    context: Context, work: Work, every: str, *, paused: bool, last: int | None
) -> None:
    known = {"every": every, "paused": paused and every != OFF, "last": last}
    due = None
    if every in _EVERY_DAYS and not paused:
        due = (last or context.clock()) + _EVERY_DAYS[every] * _DAY_US
        work.jobs.enqueue(context.space, TOPIC, "", "{}", due)
    text = json.dumps(known | {"due": due})
    work.values.put(context.space, _SCHEDULE, "", text)


def _status(context: Context, limit: int = _TOLD_RUNS) -> ConsolidationStatus:
    known = _schedule(context.store, context.space)
    names = names_of(context.store, context.space)[-limit:]
    runs = [load(context.store, context.space, name).plan for name in reversed(names)]
    last, due = known["last"], known.get("due")
    return ConsolidationStatus(
        known["every"],
        known["paused"],
        None if last is None else last / 1e6,
        None if due is None else due / 1e6,
        tuple(str(run).split("\n", 1)[0] for run in runs),
    )


def _shown(context: Context, run: Run, *, whole: bool) -> Consolidation:
    """Return a run as callers see it: with short hashes, and the beginnings of its lists."""
    plan = run.plan._replace(since=to_seconds(run.at_us))
    if not whole:
        plan = plan._replace(**{name: getattr(plan, name)[:_SHOWN] for name in _LISTS})
    hashes = sorted(_hashes(plan))
    names = dict(zip(hashes, short_hashes(context, hashes), strict=True))
    shown: Consolidation = _named(plan, names)
    return shown


def _hashes(value: Any) -> set[str]:
    """Return all full hashes in a value."""
    if isinstance(value, str):
        return {value} if _is_hash(value) else set()
    parts = fields_of(value) if isinstance(value, tuple) else ()
    return {name for part in parts for name in _hashes(part)}


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value with short hashes."""
    if isinstance(value, str):
        return names.get(value, value)
    if not isinstance(value, tuple):
        return value
    parts = [_named(part, names) for part in fields_of(value)]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _is_hash(text: str) -> bool:
    return len(text) == _HASH_CHARS and not set(text) - set(hexdigits)
