"""The way an episode went when it went well, and what it did again and again on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from milepost.experience.patterns.making import in_order, pattern, succeeded
from milepost.experience.steps import Deed, path
from milepost.experience.values import Episode, Pattern
from milepost.experience.verdicts import clip

PATH_MAX = 12
_ROUND_MIN, _ROUND_MAX, _ROUND_TIMES = 2, 3, 2
_ROUNDS_KEPT = 2
_LOOP_MAX = 6
# How many other actions may stand inside a recurring round.
_GAP = 1


def sequences(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return the successful path of an episode and the rounds that recur in it."""
    if not succeeded(episode):
        return []
    way = without_loops(path(done))
    found = []
    if len(way) >= 2:
        found.append(_sequence(episode, way[-PATH_MAX:]))
    found += [_sequence(episode, steps) for steps in _rounds(path(done)) if steps != way]
    return found


def without_loops(way: Sequence[str], rounds: int = 1) -> tuple[str, ...]:
    """Return a path in which what was done over and over is done so often at most.

    a, b, a, b, c is a, b, c: the second round did the same again.
    """
    kept: list[str] = []
    for action in way:
        kept.append(action)
        for size in range(1, _LOOP_MAX + 1):
            last = kept[-size:]
            if kept[-size * (rounds + 1) :] == last * (rounds + 1):
                del kept[-size:]
                break
    return tuple(kept)


def _rounds(way: Sequence[str]) -> list[tuple[str, ...]]:
    """Return short runs of actions, contiguous or with one other between, that come again."""
    counts: Counter[tuple[str, ...]] = Counter()
    for size in range(_ROUND_MIN, _ROUND_MAX + 1):
        ends: dict[tuple[str, ...], int] = {}
        for start in range(len(way) - size + 1):
            for steps in _windows(way, start, size):
                # Overlapping rounds are one round.
                if len(set(steps)) == size and start >= ends.get(steps, 0):
                    counts[steps] += 1
                    ends[steps] = start + size
    often = [(steps, n) for steps, n in counts.items() if n >= _ROUND_TIMES]
    often.sort(key=lambda found: (-found[1] * len(found[0]), found[0]))
    return [steps for steps, _ in often[:_ROUNDS_KEPT]]


def _windows(way: Sequence[str], start: int, size: int) -> set[tuple[str, ...]]:
    whole = tuple(way[start : start + size + _GAP])
    found = {whole[:size]}
    if len(whole) > size:
        found |= {whole[:i] + whole[i + 1 :] for i in range(1, size)}
    return found


def _sequence(episode: Episode, steps: Sequence[str]) -> Pattern:
    return pattern(
        "sequence",
        (episode.task_type, *steps),
        situation=clip(episode.task),
        advice=in_order(steps),
        steps=steps,
        held=[episode],
    )
