"""Tell an agent how a task like this was done, and what to keep away from, in few words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from milepost.experience.patterns.kinds import KINDS
from milepost.experience.patterns.pattern import effectiveness, playbook_line, succeeded
from milepost.experience.patterns.sequence import generalised, steps_alike, without_loops
from milepost.experience.steps import acts_in, in_words, path
from milepost.experience.values import Episode, Pattern
from milepost.text.fit import pack
from milepost.values import NamedTuple

STEPS_SHOWN = 12
EVIDENCE_SHOWN = 3
# A line that shares this much of its words with one that is shown already is the same one.
_ALIKE = 0.6
# How much more a warning weighs that names everything the task does.
_ABOUT = 0.5
# How much more a nearer episode counts: at the fourth power half the weight is a sixteenth.
_NEARNESS = 4
# A route bears out another when they share this much.
_BORNE_OUT = 0.6
# An object is named when this share of those routes has it: a wrong one misleads.
_AGREED = 0.8
_ROUTES_MAX = 20
# A task may well be to do a thing twice; what is done more often is a loop.
_ROUNDS = 2
_INSIGHTS = {"fixed": ("Fix", 1.0), "failed": ("Trap", 0.9)}
_WORD = re.compile(r"[^\W_]+")

Weighed = tuple[float, str]
Episodes = Sequence[tuple[Episode, float]]
Patterns = Sequence[tuple[Pattern, float]]


class Route(NamedTuple):
    """Steps, the successful episodes that took them, and how many routes there were."""

    steps: tuple[str, ...]
    evidence: tuple[str, ...]
    total: int


def playbook(
    task: str,
    episodes: Episodes,
    patterns: Patterns,
    budget: int = 300,
    tell: Callable[[str], str] = str,
) -> str:
    """Return the steps that worked and the traps, best first, within a budget of tokens.

    episodes and patterns come with their weights for the task; "" when they teach nothing.
    tell: how a line is worded for whoever is told, before it is counted.
    """
    alive = [(p, weight * _trust(p)) for p, weight in patterns if not p.retired]
    warnings = [*_of_patterns(alive), *_of_episodes(episodes)]
    lines = [*_steps_that_worked(episodes, alive), *_ordered(warnings, _words(task))]
    chosen = pack(([tell(line)] for line in lines), budget)
    return "\n".join(line for _, line in chosen)


def _steps_that_worked(episodes: Episodes, patterns: Patterns) -> list[str]:
    """Return the steps that worked as numbered lines under a heading that says where."""
    route = typical_route(episodes) or _known_route(patterns)
    if route is None:
        return []
    held = f"{len(route.evidence)} of {route.total}" if route.total > 1 else "once"
    head = f"Steps that worked ({held}: {_ids(route.evidence)}):"
    named = _word_for_word(episodes, route)
    steps = [named.get(step, step) for step in route.steps[:STEPS_SHOWN]]
    return [head, *(f"{n}. {step}" for n, step in enumerate(steps, 1))]


def typical_route(episodes: Episodes) -> Route | None:
    """Return the route that the successful episodes agree on most, those that weigh more first.

    What they all have in common would be shorter, but it leaves out what every one of them had to
    do in its own manner.
    """
    good = sorted((pair for pair in episodes if succeeded(pair[0])), key=lambda pair: -pair[1])
    paths = [
        (episode, weight, without_loops(path(acts_in(episode)), _ROUNDS))
        for episode, weight in [pair for pair in good if pair[0].steps][:_ROUTES_MAX]
    ]
    paths = [taken for taken in paths if taken[2]]
    if not paths:
        return None
    routes = generalised([steps for _, _, steps in paths])
    shares = [weight**_NEARNESS for _, weight, _ in paths]
    best = max(range(len(routes)), key=lambda i: (_agreement(i, routes, shares), -i))
    alike = [i for i, route in enumerate(routes) if steps_alike(route, routes[best]) >= _BORNE_OUT]
    named = generalised([paths[i][2] for i in alike], _AGREED)[alike.index(best)]
    return Route(named, tuple(paths[i][0].id for i in alike), len(paths))


def _agreement(place: int, routes: Sequence[Sequence[str]], shares: Sequence[float]) -> float:
    alike = [steps_alike(routes[place], route) for route in routes]
    return sum(share * like for share, like in zip(shares, alike, strict=True))


def _known_route(patterns: Patterns) -> Route | None:
    """Return the best route of a wider past, where no episode at hand shows one."""
    routes = [(weight, p) for p, weight in patterns if KINDS[p.kind].is_route and p.steps]
    if not routes:
        return None
    best = max(routes, key=lambda pair: pair[0])[1]
    return Route(best.steps, best.evidence, best.successes + best.failures)


def _word_for_word(episodes: Episodes, route: Route) -> dict[str, str]:
    """Return commands and files as the nearest episode that took this route named them."""
    near = [(weight, e) for e, weight in episodes if e.id in route.evidence]
    if not near:
        return {}
    done = acts_in(max(near, key=lambda pair: pair[0])[1])
    return {act.action: in_words(act) for act in done if act.ok and _is_particular(act.action)}


def _is_particular(action: str) -> bool:
    """Tell whether an action alone says too little: a program without arguments, a kind of file."""
    return action.startswith("run ") or "*." in action


def _ordered(warnings: Sequence[Weighed], task: frozenset[str]) -> list[str]:
    """Return each warning once, those first that weigh most and speak of the task itself."""
    words = {line: _words(line.partition(": ")[2]) for _, line in warnings}
    ranked = sorted(
        warnings,
        key=lambda w: (-w[0] * (1 + _ABOUT * _share(task, words[w[1]])), warnings.index(w)),
    )
    shown: list[str] = []
    for _, line in ranked:
        mine = words[line]
        if not any(_alike(mine, words[seen]) for seen in shown):
            shown.append(line)
    return shown


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if len(word) > 2)


def _share(wanted: frozenset[str], words: frozenset[str]) -> float:
    return len(wanted & words) / len(wanted) if wanted else 0.0


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= _ALIKE * min(len(a), len(b))


def _of_patterns(patterns: Patterns) -> Iterator[Weighed]:
    for pattern, weight in patterns:
        if text := KINDS[pattern.kind].tell(pattern):
            n = pattern.successes + pattern.failures
            yield weight, f"- {text} ({pattern.successes}/{n}: {_ids(pattern.evidence)})"


def _of_episodes(episodes: Episodes) -> Iterator[Weighed]:
    """Yield what episodes teach: how to mend what failed before what failed."""
    for episode, weight in episodes:
        if episode.outcome == "success" and episode.verdict:
            yield weight, f"- {playbook_line('Lesson', episode.verdict)} ({episode.id})"
        for insight in episode.insights:
            if insight.aspect in _INSIGHTS:
                name, share = _INSIGHTS[insight.aspect]
                # What whoever tried it says was wrong beats one error of many.
                share = share if insight.steps else 1.0
                yield weight * share, f"- {playbook_line(name, insight.text)} ({episode.id})"


def _trust(pattern: Pattern) -> float:
    return (0.5 + 0.5 * pattern.confidence) * (0.5 + effectiveness(pattern))


def _ids(evidence: Sequence[str]) -> str:
    more = len(evidence) - EVIDENCE_SHOWN
    named = ", ".join(evidence[-EVIDENCE_SHOWN:])
    return f"{named} and {more} more" if more > 0 else named
