"""Sequence: the way runs went that ended well, what one did again and again, what many share.

Actions of different runs are compared without their objects: "take mug from desk" and "take pan
from shelf" both take. An action is cut at its prepositions; an object that fills its slot in most
runs stays ("clean * with sinkbasin"), one that changes from run to run becomes a star.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log2

from milepost.experience.patterns.pattern import (
    MEANING_NEAR,
    STEPS_ALIKE,
    STEPS_NEAR,
    EpisodeRun,
    Kind,
    in_order,
    pattern,
    succeeded,
)
from milepost.experience.steps import common, contains, path
from milepost.experience.values import Episode, Pattern

PATH_MAX = 12
LENGTH_MAX = 10
KEPT = 3
ANYTHING = "*"
# An object stays when it fills its slot in this share of the runs that have the slot.
USUAL = 0.6
_ROUND_MIN, _ROUND_MAX, _ROUND_TIMES = 2, 3, 2
_ROUNDS_KEPT = 2
_LOOP_MAX = 6
# How many other actions may stand inside a recurring round.
_GAP = 1
_SUPPORT_MIN = 2
_SUPPORT_SHARE = 0.4
# Growing stops after this many prefixes: a bound on the time, not on what is worth finding.
_PREFIXES_MAX = 2_000
# Past a path of this length only its end is compared.
_COMPARED_MAX = 40

_PREPOSITION = re.compile(r" (from|with|in|to|under|at|for|into) ")
_VERB = re.compile(r"^(?:[\w ]+: )?(?:go to|look for|pick up|turn on|turn off|[\w*.-]+)")

# Where in which run a prefix ends: (run, place after its last action).
Ends = list[tuple[int, int]]
Frame = tuple[str, ...]
Usual = dict[tuple[Frame, int], frozenset[str]]


def _extract(run: EpisodeRun) -> list[Pattern]:
    """Return the successful path of an episode and the rounds that recur in it."""
    if not succeeded(run.episode):
        return []
    actions = path(run.done)
    route = without_loops(actions)
    whole = [route[-PATH_MAX:]] if len(route) > 1 else []
    sequences = [*whole, *(steps for steps in _rounds(actions) if steps != route)]
    return [_sequence(run.episode.task_type, steps, [run.episode]) for steps in sequences]


def _sequence(
    task_type: str, steps: Sequence[str], held: Sequence[Episode], against: Sequence[Episode] = ()
) -> Pattern:
    return pattern(
        "sequence",
        (task_type, *steps),
        situation=held[-1].task,
        advice=in_order(steps),
        steps=steps,
        held=held,
        against=against,
    )


def without_loops(route: Sequence[str], rounds: int = 1) -> tuple[str, ...]:
    """Return a path in which what was done over and over is done so often at most.

    a, b, a, b, c is a, b, c: the second round did the same again.
    """
    actions: list[str] = []
    for action in route:
        actions.append(action)
        for size in range(1, _LOOP_MAX + 1):
            last = actions[-size:]
            if actions[-size * (rounds + 1) :] == last * (rounds + 1):
                del actions[-size:]
                break
    return tuple(actions)


def _rounds(route: Sequence[str]) -> list[tuple[str, ...]]:
    """Return short runs of actions, contiguous or with one other between, that come again."""
    counts: Counter[tuple[str, ...]] = Counter()
    for size in range(_ROUND_MIN, _ROUND_MAX + 1):
        ends: dict[tuple[str, ...], int] = {}
        for start in range(len(route) - size + 1):
            for steps in _windows(route, start, size):
                # Overlapping rounds are one round.
                if len(set(steps)) == size and start >= ends.get(steps, 0):
                    counts[steps] += 1
                    ends[steps] = start + size
    often = [(steps, n) for steps, n in counts.items() if n >= _ROUND_TIMES]
    often.sort(key=lambda counted: (-counted[1] * len(counted[0]), counted[0]))
    return [steps for steps, _ in often[:_ROUNDS_KEPT]]


def _windows(route: Sequence[str], start: int, size: int) -> set[tuple[str, ...]]:
    whole = tuple(route[start : start + size + _GAP])
    windows = {whole[:size]}
    if len(whole) > size:
        windows |= {whole[:i] + whole[i + 1 :] for i in range(1, size)}
    return windows


def _compare(runs: Sequence[EpisodeRun]) -> list[Pattern]:
    """Return the sequences that successful runs share, weighted by their rewards."""
    routes = generalised([without_loops(path(run.done))[-_COMPARED_MAX:] for run in runs])
    good = [place for place, run in enumerate(runs) if succeeded(run.episode)]
    if len(good) < _SUPPORT_MIN:
        return []
    rewards = [runs[i].episode.reward for i in good]
    weights = [1.0 if reward is None else reward for reward in rewards]
    return [_shared(steps, runs, routes) for steps in frequent([routes[i] for i in good], weights)]


def _shared(
    steps: tuple[str, ...], runs: Sequence[EpisodeRun], routes: Sequence[Sequence[str]]
) -> Pattern:
    having = [
        run.episode for run, route in zip(runs, routes, strict=True) if contains(route, steps)
    ]
    held = [episode for episode in having if succeeded(episode)]
    against = [episode for episode in having if not succeeded(episode)]
    return _sequence(held[0].task_type, steps, held, against)


def frequent(routes: Sequence[Sequence[str]], weights: Sequence[float]) -> list[tuple[str, ...]]:
    """Return the best closed sequences: those that are long, and in many runs of some weight.

    Prefixes grow by one action at a time over the runs that still contain them (PrefixSpan).
    """
    least = max(_SUPPORT_MIN, round(_SUPPORT_SHARE * len(routes)))
    supports: dict[tuple[str, ...], frozenset[int]] = {}
    waiting: list[tuple[tuple[str, ...], Ends]] = [((), [(run, 0) for run in range(len(routes))])]
    for _ in range(_PREFIXES_MAX):
        if not waiting:
            break
        prefix, ends = waiting.pop()
        for action, grown in _grown(routes, ends).items():
            if len(grown) >= least:
                longer = (*prefix, action)
                supports[longer] = frozenset(run for run, _ in grown)
                if len(longer) < LENGTH_MAX:
                    waiting.append((longer, grown))

    def value(steps: Sequence[str]) -> float:
        return sum(weights[run] for run in supports[tuple(steps)]) * log2(1 + len(steps))

    ranked = sorted((s for s in supports if len(s) > 1), key=lambda steps: (-value(steps), steps))
    return _distinct(ranked)


def _grown(routes: Sequence[Sequence[str]], ends: Ends) -> dict[str, Ends]:
    """Return for each action that follows the prefix where it first does."""
    grown: dict[str, Ends] = {}
    for run, end in ends:
        seen: set[str] = set()
        for place in range(end, len(routes[run])):
            action = routes[run][place]
            if action not in seen:
                seen.add(action)
                grown.setdefault(action, []).append((run, place + 1))
    return grown


def _distinct(ranked: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the best few that are not part of one another."""
    best: list[tuple[str, ...]] = []
    for steps in ranked:
        if not any(contains(other, steps) or contains(steps, other) for other in best):
            best.append(steps)
        if len(best) == KEPT:
            break
    return best


def generalised(routes: Sequence[Sequence[str]], share: float = USUAL) -> list[tuple[str, ...]]:
    """Return paths whose objects are named only where that share of the paths agrees on them."""
    cut = {action: _cut(action) for route in routes for action in route}
    usual = _usual(routes, cut, share)
    general = {action: _worded(*cut[action], usual) for action in cut}
    return [_without_repeats([general[action] for action in route]) for route in routes]


def _cut(action: str) -> tuple[Frame, Frame]:
    """Return the fixed words of an action, and the objects in the slots between them."""
    verb = None if action.startswith("run ") else _VERB.match(action)
    if verb is None:
        return (action,), ()
    rest = action[verb.end() :]
    parts = _PREPOSITION.split(f"{rest} ") if rest.strip() else []
    return (verb[0], *parts[1::2]), tuple(part.strip() for part in parts[0::2])


def _usual(
    routes: Sequence[Sequence[str]], cut: dict[str, tuple[Frame, Frame]], share: float
) -> Usual:
    """Return the objects that enough of the paths with a frame have in each of its slots."""
    fillers: dict[tuple[Frame, int], Counter[str]] = {}
    paths: Counter[tuple[Frame, int]] = Counter()
    for route in routes:
        seen = {(cut[a][0], slot, filler) for a in route for slot, filler in enumerate(cut[a][1])}
        named = [(frame, slot, filler) for frame, slot, filler in seen if filler != ANYTHING]
        paths.update({(frame, slot) for frame, slot, _ in named})
        for frame, slot, filler in named:
            fillers.setdefault((frame, slot), Counter())[filler] += 1
    return {
        place: frozenset(f for f, count in counts.items() if count >= share * paths[place])
        for place, counts in fillers.items()
    }


def _worded(frame: Frame, objects: Frame, usual: Usual) -> str:
    words = [frame[0]]
    for slot, filler in enumerate(objects):
        if slot:
            words.append(frame[slot])
        if filler:
            words.append(_name(filler, usual.get((frame, slot), frozenset())))
    return " ".join(words)


def _name(filler: str, usual: frozenset[str]) -> str:
    """Return an object by its name if that is usual; one without a name by the only usual one."""
    if filler == ANYTHING and len(usual) == 1:
        return next(iter(usual))
    return filler if filler in usual else ANYTHING


def _without_repeats(route: Sequence[str]) -> tuple[str, ...]:
    return tuple(action for i, action in enumerate(route) if not i or route[i - 1] != action)


def fits(step: str, action: str) -> bool:
    """Tell whether an action is one that a step means: a star in the step is any object."""
    if step == action:
        return True
    if ANYTHING not in step.split():
        return False
    (fixed, wanted), (words, objects) = _cut(step), _cut(action)
    return fixed == words and all(w in (ANYTHING, o) for w, o in zip(wanted, objects, strict=False))


def follows(actions: Sequence[str], steps: Sequence[str]) -> bool:
    """Tell whether actions do the steps in their order; a star in a step fits any object."""
    rest = iter(actions)
    return all(any(fits(step, action) for action in rest) for step in steps)


def steps_alike(a: Sequence[str], b: Sequence[str]) -> float:
    """Return how much two sequences share in order: twice the common part of both together."""
    if not a and not b:
        return 1.0
    return 2 * common(a, b) / (len(a) + len(b))


def _same(a: Pattern, b: Pattern, similarity: float) -> bool:
    alike = steps_alike(a.steps, b.steps)
    return alike >= STEPS_ALIKE or (alike >= STEPS_NEAR and similarity >= MEANING_NEAR)


def _held(sequence: Pattern, run: EpisodeRun) -> bool | None:
    applies = sequence.steps and follows(path(run.done), sequence.steps)
    return succeeded(run.episode) if applies else None


SEQUENCE = Kind(
    "sequence",
    _extract,
    _same,
    tell=lambda _sequence: "",
    held=_held,
    compare=_compare,
    is_route=True,
)
