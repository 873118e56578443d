"""Read the steps of an episode: in order, which went wrong, and which brought it forward."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from milepost.experience.actions import acts
from milepost.experience.values import Episode, Step
from milepost.text.mending import Act

# Worlds that answer every action answer a useless one in words.
_REFUSED = re.compile(
    r"^\s*(?:nothing happens|could not find \[|invalid action|i don't understand"
    r"|that's not a verb)",
    re.IGNORECASE,
)
# Past this many steps a run is read at its beginning and its end.
STEPS_MAX = 400


# A step with what it amounts to, or one command of a line that a step ran.
Deed = Act


def failed(step: Step) -> bool:
    """Tell whether a step went wrong, by its flag or by what was seen."""
    return not step.success or _REFUSED.match(step.observation) is not None


def deeds(episode: Episode) -> list[Deed]:
    """Return the steps of an episode in their order, abstract, with the errors they met."""
    steps: Sequence[Step] = sorted(episode.steps, key=lambda step: step.number)
    if len(steps) > STEPS_MAX:
        steps = [*steps[: STEPS_MAX // 2], *steps[-STEPS_MAX // 2 :]]
    return [deed for step in steps for deed in _deeds(step)]


def each_step(done: Iterable[Deed]) -> list[Deed]:
    """Return of each step its last command, which tells how the step ended."""
    return list({deed.number: deed for deed in done}.values())


def path(done: Iterable[Deed]) -> tuple[str, ...]:
    """Return the actions that went well, each run of the same one once."""
    actions: list[str] = []
    for deed in done:
        if deed.ok and (not actions or actions[-1] != deed.action):
            actions.append(deed.action)
    return tuple(actions)


def contains(actions: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether the wanted actions occur in this order, with others between them or not."""
    rest = iter(actions)
    return all(action in rest for action in wanted)


def common(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest sequence of actions that both have in order."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for place, y in enumerate(b, 1):
            above = row[place]
            row[place] = before + 1 if x == y else max(above, row[place - 1])
            before = above
    return row[-1]


def _deeds(step: Step) -> list[Deed]:
    done = acts(step, ok=not failed(step))
    # What a line cost and what was seen is that of its last command.
    before = step._replace(observation="", success=True, latency_ms=None, tokens=None)
    parts = [before._replace(action=act.did.text) for act in done[:-1]]
    parts.append(step._replace(action=done[-1].did.text) if parts else step)
    pairs = zip(done, parts, strict=True)
    return [act._replace(number=step.number, step=part) for act, part in pairs]
