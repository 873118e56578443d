"""Runs that measured recall, as they are kept, and how one differs from the one before."""

import json
from collections.abc import Mapping, Sequence

from milepost.codec import from_data, to_data
from milepost.measuring.figures import LEAST, Outcome, difference, is_found, reciprocal
from milepost.measuring.values import RecallChange, RecallReport
from milepost.memory.context import Context
from milepost.ports import Work

TOPIC = "recall"
RUNS_MAX = 100
# The places of the last run, by the question; what is kept of all runs lies beside them.
_PLACES, _RUNS = "places", ""


def keep(work: Work, space: str, report: RecallReport, outcomes: Sequence[Outcome]) -> None:
    """Keep a run, and the places that the next one is compared with."""
    kept = _runs(work, space)[-RUNS_MAX + 1 :]
    work.values.put(space, TOPIC, _RUNS, json.dumps([*kept, to_data(report)]))
    work.values.put(space, TOPIC, _PLACES, json.dumps(_places(outcomes)))


def runs_of(work: Work, space: str) -> list[RecallReport]:
    """Return the runs that are kept, the latest first."""
    return [from_data(RecallReport, run) for run in reversed(_runs(work, space))]


def _runs(work: Work, space: str) -> list[dict[str, object]]:
    runs: list[dict[str, object]] = json.loads(work.values.get(space, TOPIC, _RUNS) or "[]")
    return runs


def change_since(
    context: Context, last: RecallReport | None, outcomes: Sequence[Outcome]
) -> RecallChange | None:
    """Return how the same questions fared in the run before; None where there was none."""
    if last is None:
        return None
    before: Mapping[str, Mapping[str, int | None]] = json.loads(
        context.store.values.get(context.space, TOPIC, _PLACES) or "{}"
    )
    pairs = [
        (before[source][name], place)
        for source, places in _places(outcomes).items()
        for name, place in places.items()
        if name in before.get(source, {})
    ]
    told = difference([(reciprocal(was), reciprocal(now)) for was, now in pairs], least=LEAST)
    return RecallChange(
        at=last.at,
        version=last.version,
        embedder=last.embedder,
        questions=len(pairs),
        difference=told.mean,
        low=told.low,
        high=told.high,
        lost=sum(is_found(was) and not is_found(now) for was, now in pairs),
        gained=sum(is_found(now) and not is_found(was) for was, now in pairs),
        verdict=told.verdict,
    )


def _places(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int | None]]:
    """Return places by where questions come from and by their memory, with which they go."""
    places: dict[str, dict[str, int | None]] = {}
    for outcome in outcomes:
        places.setdefault(outcome.source, {})[outcome.name] = outcome.place
    return places


def last_run(context: Context) -> RecallReport | None:
    """Return the latest run of a space."""
    return next(iter(runs_of(context.store, context.space)), None)


def embedder_of(context: Context) -> str:
    """Return the embedder that questions are put to in a space."""
    return context.texts.asked[-1].partition("@")[0]


def fallen(context: Context) -> list[str]:
    """Tell in words what the latest run found to be worse than the one before."""
    last = last_run(context)
    return [f"recall fell {last.change}"] if last is not None and last.is_worse else []
