"""For how long what is kept: rules by kind, what they would delete, and deleting it."""

import json
from collections.abc import Sequence
from typing import Any

from milepost.access.audit import DONE, Noted
from milepost.access.expiring import AUDIT, BIN, EVENT, Expired, expired
from milepost.access.receipts import Going, salted, signed, write_receipt
from milepost.access.values import (
    ADMIN,
    CALLER,
    Caller,
    Due,
    ErasureReceipt,
    Retention,
    RetentionPlan,
    Rule,
)
from milepost.errors import InvalidInput
from milepost.knowledge import events
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.keeping import RULES, holds_in, rules_in
from milepost.memory.traces import Surroundings
from milepost.once import WITNESS, settle
from milepost.operation import operation
from milepost.ports import Work
from milepost.stored_time import to_seconds
from milepost.upkeep.names import new_name
from milepost.upkeep.values import Job

# The work that applies the rules by itself.
TOPIC = "retention"
OFF = "off"
_EVERY_DAYS = {"daily": 1, "weekly": 7}
_DAY_US = 86_400 * 1_000_000
_DAYS_MAX = 36_500
_SHOWN = 5
_NAME_CHARS = 12
_BY_ITSELF = Caller("milepost", "schedule")


class Keeping(Service):
    """The operations about for how long what is kept."""

    @operation("retention", example='set_retention("event", days=90)', idempotent=True, scope=ADMIN)
    def set_retention(
        self, kind: str, days: int | None = None, for_good: bool = False
    ) -> Retention:
        """Say for how many days what is of a kind is kept in this space; show all rules.

        Nothing goes by that alone: see plan_retention, apply_retention and schedule_retention.
        Events go every day by their rule, for which the setting event_days stands where there is
        none.

        kind: event, episode, ledger (what models were given), program (the journal of programs),
            bin (what undo can take back), session (what is known of sessions), memory, or one kind
            of memories such as note.
        days: how many; without a number there is no rule any more.
        for_good: keep it for good, whatever the setting says.
        """
        context = self._context
        named = context.intake().name("kind", kind)
        if named == AUDIT:
            raise InvalidInput(
                "The audit has no rule: it holds no content, and each entry is bound to the one "
                "before, so that one which a rule removed could not be told from a hidden one."
            )
        count = None if days is None else validation.whole("days", days, 1, _DAYS_MAX)
        if validation.flag("for_good", for_good):
            if count is not None:
                raise InvalidInput("What is kept for good has no number of days.")
            count = 0
        if named == BIN and count == 0:
            raise InvalidInput("A rule only shortens how long undo can take things back.")
        with context.store.writing() as work:
            known = rules_in(work, context.space)
            rules = dict(known.get("rules", {}))
            rules.pop(named, None)
            rules |= {} if count is None else {named: count}
            _put(work, context.space, known | {"rules": rules})
            if named == EVENT:
                due = context.clock() + _DAY_US
                work.jobs.enqueue(context.space, events.TOPIC, "", "{}", due)
            told = _shown(context, work)
            settle(work, told, "set_retention")
        return told

    @operation("retention", example="list_retention()", read_only=True, scope=ADMIN)
    def list_retention(self) -> Retention:
        """Show for how long what is kept in this space, and when the rules are applied."""
        return _shown(self._context, self._context.store)

    @operation("retention", example="plan_retention()", read_only=True, scope=ADMIN)
    def plan_retention(self) -> RetentionPlan:
        """Show what the rules would delete now, and what a hold keeps; change nothing."""
        context = self._context
        due = [_due(rule, found) for rule, found in _expired(context, _rules(context))]
        return RetentionPlan(tuple(due))

    @operation(
        "retention",
        example="apply_retention(dry_run=True)",
        destructive=True,
        idempotent=True,
        scope=ADMIN,
    )
    def apply_retention(self, dry_run: bool = False) -> RetentionPlan:
        """Delete for good what the rules no longer keep; a receipt tells what went.

        dry_run: only say what would go.
        """
        context = self._context
        if validation.flag("dry_run", dry_run):
            return self.plan_retention()
        found = _expired(context, _rules(context))
        _apply(context, found, CALLER.get())
        witness = WITNESS.get()
        if witness is not None and any(each.names for _, each in found):
            witness.is_noted = True  # with the receipt
        return RetentionPlan(tuple(_due(rule, each) for rule, each in found))

    @operation("retention", example='schedule_retention("daily")', idempotent=True, scope=ADMIN)
    def schedule_retention(self, every: str) -> Retention:
        """Apply the rules by itself from now on, or no longer.

        every: "daily", "weekly" or "off".
        """
        context = self._context
        if every not in (*_EVERY_DAYS, OFF):
            raise InvalidInput(f"every must be daily, weekly or off, not {every!r}.")
        with context.store.writing() as work:
            _schedule(context, work, every)
            told = _shown(context, work)
            settle(work, told, "schedule_retention")
        return told


def by_schedule(context: Context, job: Job) -> None:
    """Apply the rules when that was asked for; a job, which comes again."""
    del job
    every = rules_in(context.store, context.space).get("every", OFF)
    if every not in _EVERY_DAYS:
        return
    _apply(context, _expired(context, _rules(context)), _BY_ITSELF)
    with context.store.writing() as work:
        # Somebody may have turned it off while it ran.
        _schedule(context, work, rules_in(work, context.space).get("every", OFF))


def expire_events(context: Context, job: Job) -> None:
    """Forget the events that were kept long enough; a job, which comes again for the rest."""
    del job
    rules = [rule for rule in _rules(context) if rule.kind == EVENT and rule.days]
    if not rules:
        return
    _apply(context, _expired(context, rules), _BY_ITSELF)
    oldest = context.store.events.oldest_us(context.space)
    if oldest is not None:
        now, held_us = context.clock(), rules[0].days * _DAY_US
        due = max(oldest + held_us, now + _DAY_US)
        context.store.jobs.enqueue(context.space, events.TOPIC, "", "{}", due)


def _rules(context: Context) -> list[Rule]:
    known: dict[str, int] = rules_in(context.store, context.space).get("rules", {})
    rules = [Rule(kind, days) for kind, days in known.items()]
    if EVENT not in known and context.event_days:
        rules.append(Rule(EVENT, context.event_days, is_usual=True))
    return sorted(rules)


def _expired(context: Context, rules: Sequence[Rule]) -> list[tuple[Rule, Expired]]:
    holds = holds_in(context.store, context.space)
    own = [rule.kind for rule in rules]
    return [
        (rule, expired(context, rule.kind, context.clock() - rule.days * _DAY_US, own, holds))
        for rule in rules
        if rule.days
    ]


def _due(rule: Rule, found: Expired) -> Due:
    names = dict.fromkeys(name[:_NAME_CHARS] for name in found.names[:_SHOWN])
    return Due(rule, len(found.names), found.held, tuple(names))


def _apply(
    context: Context, found: Sequence[tuple[Rule, Expired]], caller: Caller
) -> ErasureReceipt | None:
    """Delete what is due, in one transaction with its receipt."""
    due = [(rule, each) for rule, each in found if each.names]
    if not due:
        return None
    beside = context.part(Surroundings)
    salt, digests = salted([name for _, each in due for name in each.names])
    told = ", ".join(f"{rule.kind} {rule.days} days" for rule, _ in due)
    by, now = (caller.name, caller.key, caller.surface), context.clock()
    copies = len(beside.copies())
    unreached = beside.out_of_reach()
    if copies:
        beside_it = f"{copies:,} copies beside the store, which `backup prune` removes"
        unreached = [beside_it, *unreached]
    with context.store.writing() as work:
        rows = {rule.kind: each.remove(work) for rule, each in due}
        held = sum(each.held for _, each in found)
        name = new_name("rt", now)
        going = Going(name, "retention", now, by, f"rules ({told})", "", rows, 0, held, 0, 0,
                      digests)  # fmt: skip
        receipt = signed(going, (), unreached)
        write_receipt(work, context.space, receipt, now)
        about = ("apply_retention", *by, (receipt.id, receipt.digest), DONE)
        Noted(context.space, *about).write(work, now)
    context.store.contents.scrub()
    return receipt._replace(salt=salt)


def _put(work: Work, space: str, known: dict[str, Any]) -> None:
    work.values.put(space, RULES, "", json.dumps(known))


def _schedule(context: Context, work: Work, every: str) -> None:
    known, due = rules_in(work, context.space), None
    if every in _EVERY_DAYS:
        due = context.clock() + _EVERY_DAYS[every] * _DAY_US
        work.jobs.enqueue(context.space, TOPIC, "", "{}", due)
    _put(work, context.space, known | {"every": every, "due": due})


def _shown(context: Context, work: Work) -> Retention:
    known = rules_in(work, context.space)
    due = known.get("due")
    told = None if due is None else to_seconds(due)
    return Retention(tuple(_rules(context)), known.get("every", OFF), told)
