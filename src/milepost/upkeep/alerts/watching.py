"""Look whether rules are broken, now and then, by one of the processes that use a store."""

import json
import logging
import time
from collections.abc import Iterable, Mapping
from secrets import token_hex
from typing import Any, NamedTuple

from milepost.background import Background
from milepost.errors import StoreError
from milepost.memory.context import Context
from milepost.memory.values import OWN_SPACE
from milepost.ports import Work
from milepost.upkeep.alerts.rules import RULES, Readings
from milepost.upkeep.alerts.telling import TOPIC as TELLING
from milepost.upkeep.alerts.telling import Teller
from milepost.upkeep.alerts.values import FIRING, OFF, QUIET, Alert, Alerts
from milepost.upkeep.backups.schedules import EVERY_S, status_of
from milepost.upkeep.jobs import Worker
from milepost.upkeep.measuring import backlog
from milepost.upkeep.metrics import CALL, DONE, Metrics, times_of, together
from milepost.upkeep.storage import StoreCare

log = logging.getLogger(__name__)

_TOPIC, _RULES, _STATE = "alerts", "rules", "state"
_MINUTES = 5
# Mistakes of those who call, which say nothing of the memory.
_CALLERS_OWN = frozenset(
    {DONE, "ambiguous", "config", "forbidden", "held", "invalid_input", "key_conflict", "not_found",
     "overloaded", "space_moved", "unreadable"}
)  # fmt: skip
# Who did not look for so many times is taken for gone, and another looks.
_TURNS = 3
_REMADE = "the search index was made again"


class Counts(NamedTuple):
    """How many memories a space ever got, how many of them are lost, and of how many.

    A memory that an operation removed is none that is lost.
    """

    ever: int
    lost: int = 0
    of: int = 0

    def followed_by(self, stored: int, removed: int) -> "Counts":
        """Return the counts as they are now."""
        gone = max(0, self.ever - stored - removed)
        of = self.of or (stored + gone if gone else 0)
        return Counts(stored + removed, self.lost + gone, of)


class State(NamedTuple):
    """What is known from the last time: when that was, by whom, what fires, what there was."""

    checked: float = 0.0
    by: str = ""
    firing: Mapping[str, Mapping[str, Any]] = {}
    counts: Mapping[str, Counts] = {}


class Watch:
    """Looks at the rules of one store, every so many seconds once it was begun."""

    def __init__(self, context: Context, every_s: float) -> None:
        self._context, self._every_s = context, every_s
        self._name = token_hex(4)
        self._seen: frozenset[str] = frozenset()
        self._from_s = 0.0
        self._background = Background("alerts", self._look, self.close, poll_s=every_s or None)

    def begin(self) -> None:
        """Look now and then from here on, as a process that lives long does."""
        if self._every_s and not self._from_s:
            self._from_s = time.monotonic() + self._every_s
            self._background.ask()

    def close(self) -> None:
        """Look no more."""
        self._background.close()

    def _look(self) -> None:
        if time.monotonic() < self._from_s:
            return
        try:
            self.check(in_turn=True)
        except StoreError as problem:
            log.debug("alerts are looked at later: %s", problem)

    def check(self, *, in_turn: bool = False) -> None:
        """Look at all rules, and tell who is to know of what begins and of what is over.

        in_turn: not if another process does so.
        """
        now_s = self._context.now_s
        known = _state(self._own)
        is_fresh = now_s - known.checked < _TURNS * self._every_s
        if in_turn and is_fresh and known.by != self._name:
            return
        counts = self._counted(known)
        readings = self._readings(counts)
        with self._own.writing(durable=False) as work:
            if _state(work) != known:
                return  # somebody else has looked, or set a rule, just now
            firing = self._judged(work, known, readings, now_s)
            news = _news(known.firing, firing)
            is_old = now_s - known.checked > (_TURNS - 1) * self._every_s
            if news or is_old or not in_turn or (known.firing, known.counts) != (firing, counts):
                _put(work, _STATE, State(now_s, self._name, firing, counts)._asdict())
            self._enqueue(work, news, known, firing, now_s)
        if news:
            self._context.part(Worker).wake()

    @property
    def _own(self) -> Any:
        return self._context.store.within(OWN_SPACE)

    def _counted(self, known: State) -> dict[str, Counts]:
        """Return how many memories each space has and lacks; what was moved away lacks none."""
        accounts = self._context.store.counts.accounts()
        counts: dict[str, Counts] = {}
        for space in {*accounts, *known.counts}:
            stored, removed = accounts.get(space, (0, 0))
            before = known.counts.get(space, Counts(stored + removed))
            now = before.followed_by(stored, removed)
            if now.lost == before.lost or self._context.store.moved_to(space) is None:
                counts[space] = now
        return counts

    def _readings(self, counts: Mapping[str, Counts]) -> Readings:
        context = self._context
        calls = times_of(together(context.part(Metrics).since(_MINUTES, None).values()), CALL)
        backups = status_of(context)
        age_s = None if backups.last is None else context.now_s - backups.last.made
        drill = backups.drill
        return Readings(
            lost={space: (each.lost, each.of) for space, each in counts.items() if each.lost},
            calls=sum(times.count for times in calls.values()),
            failed=sum(
                number
                for times in calls.values()
                for code, number in times.codes.items()
                if code not in _CALLERS_OWN
            ),
            backup_age_s=age_s,
            every_s=EVERY_S.get(backups.every),
            drill_problem="; ".join(drill.problems) if drill is not None else "",
            index_problems=self._index_problems(),
            dead=sum(each.dead for each in backlog(context, None)),
            disks=context.part(StoreCare).disks(),
        )

    def _index_problems(self) -> list[str]:
        """Return what is wrong with the index; that it was made again is told once."""
        problems = frozenset(self._context.store.problems())
        told = [each for each in problems if not each.startswith(_REMADE) or each not in self._seen]
        self._seen = problems
        return sorted(told)

    def _judged(
        self, work: Work, latest: State, readings: Readings, now_s: float
    ) -> dict[str, Mapping[str, Any]]:
        """Return what fires now; what did before does so since then."""
        firing: dict[str, Mapping[str, Any]] = {}
        for name, threshold in thresholds(work).items():
            found = (
                ""
                if threshold == OFF
                else RULES[name].judge(readings, RULES[name].limit(threshold))
            )
            if found:
                since = latest.firing.get(name, {}).get("since", now_s)
                firing[name] = {"since": since, "found": found}
        return firing

    def _enqueue(
        self, work: Work, news: Mapping[str, str], latest: State, firing: Mapping[str, Any],
        now_s: float,
    ) -> None:  # fmt: skip
        """Have those told who are to know; in the transaction that notes what they are told."""
        limits = thresholds(work)
        for rule, state in news.items():
            about = firing.get(rule) or latest.firing[rule]
            message = {
                "alert": rule, "state": state, "found": about["found"],
                "threshold": limits[rule], "since": about["since"], "at": now_s,
            }  # fmt: skip
            for target in self._context.part(Teller).targets:
                payload = json.dumps({"target": target, "message": message})
                key = f"{rule} {state} {int(now_s * 1e6)} {target}"
                work.jobs.enqueue(OWN_SPACE, TELLING, key, payload, self._context.clock())


def _news(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """Return the rules that begin to fire, and those that do no more."""
    began = {rule: FIRING for rule in now if rule not in before}
    return began | {rule: "solved" for rule in before if rule not in now}


def thresholds(work: Work) -> dict[str, str]:
    """Return what the threshold of each rule is, or that it is off."""
    said: dict[str, str] = json.loads(work.values.get(OWN_SPACE, _TOPIC, _RULES) or "{}")
    return {name: said.get(name, rule.usual) for name, rule in RULES.items()}


def set_threshold(work: Work, rule: str, threshold: str | None) -> None:
    """Set a threshold, or turn a rule off; None for what is usual. It begins anew with that."""
    said = json.loads(work.values.get(OWN_SPACE, _TOPIC, _RULES) or "{}")
    said.pop(rule, None)
    _put(work, _RULES, said if threshold is None else said | {rule: threshold})
    if rule == "memories":
        forget_losses(work)


def replaced(context: Context, spaces: Iterable[str]) -> None:
    """Raise no alarm for what spaces had before others came in their place."""
    with context.store.within(OWN_SPACE).writing() as work:
        forget_losses(work, frozenset(spaces))


def forget_losses(work: Work, spaces: frozenset[str] | None = None) -> None:
    """Take what there is of some spaces, or of all, for what there shall be."""
    state = _state(work)
    left = {s: c for s, c in state.counts.items() if spaces is not None and s not in spaces}
    _put(work, _STATE, state._replace(counts=left)._asdict())


def status_of_rules(context: Context) -> Alerts:
    """Return how all rules stand, as somebody saw them last."""
    own = context.store.within(OWN_SPACE)
    state, alerts = _state(own), []
    for name, threshold in thresholds(own).items():
        fires = state.firing.get(name)
        standing = FIRING if fires else OFF if threshold == OFF else QUIET
        alerts.append(
            Alert(name, threshold, standing, fires["found"], fires["since"])
            if fires
            else Alert(name, threshold, standing)
        )
    return Alerts(tuple(alerts), state.checked or None, context.part(Teller).targets)


def _state(work: Work) -> State:
    told = json.loads(work.values.get(OWN_SPACE, _TOPIC, _STATE) or "{}")
    counts = {space: Counts(*numbers) for space, numbers in told.pop("counts", {}).items()}
    return State(**told, counts=counts)


def _put(work: Work, key: str, value: Mapping[str, Any]) -> None:
    work.values.put(OWN_SPACE, _TOPIC, key, json.dumps(value))
