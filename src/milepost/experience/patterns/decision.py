"""Decision: where runs parted; the same situation, different choices, different ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from milepost.experience.patterns.pattern import (
    MEANING_NEAR,
    EpisodeRun,
    Kind,
    pattern,
    playbook_line,
    share,
    succeeded,
)
from milepost.experience.patterns.sequence import steps_alike
from milepost.experience.values import Episode, Pattern
from milepost.text.lines import clip_at_word
from milepost.text.mending import Act

DECISIONS_MAX = 3
# A choice that ends well this much more often than the other matters.
_DIFFERENCE_MIN = 0.4
_RUNS_MIN = 3
_START = "start"

# What had just been done, and what had come of it.
Situation = tuple[str, str]
Choices = dict[Situation, dict[str, list[Episode]]]


def _compare(runs: Sequence[EpisodeRun]) -> list[Pattern]:
    """Return the choices that tell runs that ended well from runs that did not."""
    weighed = []
    for situation, choices in _choices(runs).items():
        ranked = sorted(choices.items(), key=lambda c: (-_rate(c[1]), -len(c[1]), c[0]))
        (better, taken), (worse, others) = ranked[0], ranked[-1]
        apart = _rate(taken) - _rate(others)
        if apart >= _DIFFERENCE_MIN and len({e.id for e in [*taken, *others]}) >= _RUNS_MIN:
            weight = apart * (len(taken) + len(others))
            weighed.append((weight, _decision(situation, better, taken, worse, others)))
    weighed.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [decision for _, decision in weighed[:DECISIONS_MAX]]


def _choices(runs: Sequence[EpisodeRun]) -> Choices:
    """Return for each situation that runs differ in what was done next, and by whom.

    Where to look is no choice: looking changes nothing.
    """
    by_situation: Choices = {}
    for episode, done in runs:
        seen: set[Situation] = set()
        for situation, act in zip(_situations(done), done, strict=True):
            # The first choice counts: the later ones are made by those who came back.
            if situation not in seen and act.did.changes:
                seen.add(situation)
                by_situation.setdefault(situation, {}).setdefault(act.action, []).append(episode)
    return {situation: choices for situation, choices in by_situation.items() if len(choices) > 1}


def _situations(done: Sequence[Act]) -> list[Situation]:
    """Return before each step what had just happened."""
    return [(_START, ""), *((act.action, act.error) for act in done[:-1])]


def _decision(
    situation: Situation,
    better: str,
    taken: Sequence[Episode],
    worse: str,
    others: Sequence[Episode],
) -> Pattern:
    before, error = situation
    when = "at the start" if before == _START else f"after {before}"
    when += f" failed with {error}" if error else ""
    good = [episode for episode in taken if succeeded(episode)]
    lost = sum(not succeeded(episode) for episode in others)
    advice = (
        f"{when}, {better} ({len(good)} of {len(taken)} ended well) "
        f"rather than {worse} ({lost} of {len(others)} failed)"
    )
    return pattern(
        "decision",
        (*situation, better, worse),
        situation=f"{when}: {clip_at_word(taken[0].task, 100)}",
        advice=advice,
        steps=(before, better),
        held=good,
        against=[episode for episode in taken if not succeeded(episode)],
    )


def _rate(episodes: Sequence[Episode]) -> float:
    return share([succeeded(episode) for episode in episodes])


def _same(a: Pattern, b: Pattern, similarity: float) -> bool:
    return steps_alike(a.steps, b.steps) == 1.0 and similarity >= MEANING_NEAR


def _held(decision: Pattern, run: EpisodeRun) -> bool | None:
    actions = [_START, *(act.action for act in run.done)]
    taken = any(decision.steps == pair for pair in pairwise(actions))
    return succeeded(run.episode) if taken else None


DECISION = Kind(
    "decision",
    lambda _run: [],
    _same,
    tell=lambda decision: playbook_line("Choice", decision.advice),
    held=_held,
    compare=_compare,
    advised=lambda decision: decision.steps[1:],
)
