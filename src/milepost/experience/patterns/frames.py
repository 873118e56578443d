"""Say the same of different objects: "take mug from desk" and "take pan from shelf" both take.

An action is cut at its prepositions. An object that fills its slot in most runs stays ("clean *
with sinkbasin"); one that changes from run to run becomes a star.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

ANYTHING = "*"
# An object stays when it fills its slot in this share of the runs that have the slot.
USUAL = 0.6

_PREPOSITION = re.compile(r" (from|with|in|to|under|at|for|into) ")
_VERB = re.compile(r"^(?:[\w ]+: )?(?:go to|look for|pick up|turn on|turn off|[\w*.-]+)")

Frame = tuple[str, ...]
Usual = dict[tuple[Frame, int], frozenset[str]]


def generalised(ways: Sequence[Sequence[str]], share: float = USUAL) -> list[tuple[str, ...]]:
    """Return paths whose objects are named only where that share of the paths agrees on them."""
    cut = {action: _cut(action) for way in ways for action in way}
    usual = _usual(ways, cut, share)
    told = {action: _told(*cut[action], usual) for action in cut}
    return [_without_repeats([told[action] for action in way]) for way in ways]


def _cut(action: str) -> tuple[Frame, Frame]:
    """Return the fixed words of an action, and the objects in the slots between them."""
    if action.startswith("run "):
        return (action,), ()
    verb = _VERB.match(action)
    if verb is None:
        return (action,), ()
    rest = action[verb.end() :]
    parts = _PREPOSITION.split(f"{rest} ") if rest.strip() else []
    return (verb[0], *parts[1::2]), tuple(part.strip() for part in parts[0::2])


def _usual(
    ways: Sequence[Sequence[str]], cut: dict[str, tuple[Frame, Frame]], share: float
) -> Usual:
    """Return the objects that enough of the paths with a frame have in each of its slots."""
    fillers: dict[tuple[Frame, int], Counter[str]] = {}
    paths: Counter[tuple[Frame, int]] = Counter()
    for way in ways:
        seen = {(cut[a][0], slot, filler) for a in way for slot, filler in enumerate(cut[a][1])}
        named = [(frame, slot, filler) for frame, slot, filler in seen if filler != ANYTHING]
        paths.update({(frame, slot) for frame, slot, _ in named})
        for frame, slot, filler in named:
            fillers.setdefault((frame, slot), Counter())[filler] += 1
    return {
        place: frozenset(f for f, count in counts.items() if count >= share * paths[place])
        for place, counts in fillers.items()
    }


def _told(frame: Frame, objects: Frame, usual: Usual) -> str:
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


def _without_repeats(way: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for action in way:
        if not kept or kept[-1] != action:
            kept.append(action)
    return tuple(kept)


def fits(step: str, action: str) -> bool:
    """Tell whether an action is one that a step means: a star in the step is any object."""
    if step == action:
        return True
    if ANYTHING not in step.split():
        return False
    (fixed, wanted), (words, objects) = _cut(step), _cut(action)
    return fixed == words and all(w in (ANYTHING, o) for w, o in zip(wanted, objects, strict=False))
