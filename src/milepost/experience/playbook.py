"""Tell an agent how a task like this was done, and what to keep away from, in few words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from milepost.experience.patterns.kinds import KINDS
from milepost.experience.patterns.pattern import effectiveness
from milepost.experience.reflection import shown
from milepost.experience.routes import Way, typical_way
from milepost.experience.steps import deeds
from milepost.experience.values import Episode, Pattern
from milepost.text.sentences import clip_at_word
from milepost.text.tokens import ceiling

STEPS_SHOWN = 12
EVIDENCE_SHOWN = 3
_LINE_CHARS = 220
# With less room than this no line fits any more.
_LINE_TOKENS = 12
# A lesson that shares this much of its words with one that is shown already is the same one.
_ALIKE = 0.6
# How much more a warning weighs that names everything the task does.
_ABOUT = 0.5
_WORD = re.compile(r"[^\W_]+")

Weighed = tuple[float, str]


def playbook(
    task: str,
    episodes: Sequence[tuple[Episode, float]],
    patterns: Sequence[tuple[Pattern, float]],
    budget: int = 300,
    tell: Callable[[str], str] = str,
) -> str:
    """Return the steps that worked and the traps, best first, within a budget of tokens.

    episodes and patterns come with their weights for the task; "" when they teach nothing.
    tell: how a line is worded for whoever is told, before it is counted.
    """
    alive = [(p, weight * _trust(p)) for p, weight in patterns if not p.retired]
    warnings = [*_of_patterns(alive), *_of_episodes(episodes)]
    lines = [*_way(episodes, alive), *_ordered(warnings, _words(task))]
    return _fitted(lines, budget, tell)


def _way(
    episodes: Sequence[tuple[Episode, float]], patterns: Sequence[tuple[Pattern, float]]
) -> list[str]:
    """Return the steps that worked as numbered lines under a heading that says where."""
    way = typical_way(episodes) or _known_way(patterns)
    if way is None:
        return []
    held = f"{len(way.evidence)} of {way.total}" if way.total > 1 else "once"
    head = f"Steps that worked ({held}: {_ids(way.evidence)}):"
    named = _word_for_word(episodes, way)
    steps = [named.get(step, step) for step in way.steps[:STEPS_SHOWN]]
    return [head, *(f"{n}. {step}" for n, step in enumerate(steps, 1))]


def _word_for_word(episodes: Sequence[tuple[Episode, float]], way: Way) -> dict[str, str]:
    """Return commands and files as the nearest episode that went this way named them."""
    near = [(weight, e) for e, weight in episodes if e.id in way.evidence]
    if not near:
        return {}
    done = deeds(max(near, key=lambda pair: pair[0])[1])
    return {deed.action: shown(deed) for deed in done if deed.ok and _is_particular(deed.action)}


def _is_particular(action: str) -> bool:
    """Tell whether an action alone says too little: a program without arguments, a kind of file."""
    return action.startswith("run ") or "*." in action


def _known_way(patterns: Sequence[tuple[Pattern, float]]) -> Way | None:
    """Return the best sequence of a wider past, where no episode at hand shows one."""
    ways = [(weight, p) for p, weight in patterns if KINDS[p.kind].is_way and p.steps]
    if not ways:
        return None
    best = max(ways, key=lambda way: way[0])[1]
    return Way(best.steps, best.evidence, best.successes + best.failures)


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


def _of_patterns(patterns: Sequence[tuple[Pattern, float]]) -> Iterator[Weighed]:
    for pattern, weight in patterns:
        if text := KINDS[pattern.kind].tell(pattern):
            n = pattern.successes + pattern.failures
            yield weight, f"- {text} ({pattern.successes}/{n}: {_ids(pattern.evidence)})"


def _of_episodes(episodes: Sequence[tuple[Episode, float]]) -> Iterator[Weighed]:
    """Yield the lessons of episodes: how to mend what failed before what failed."""
    for episode, weight in episodes:
        if episode.outcome == "success" and episode.verdict:
            yield weight, f"- Lesson: {clip_at_word(episode.verdict, _LINE_CHARS)} ({episode.id})"
        for insight in episode.insights:
            if insight.aspect in _LESSONS:
                name, share = _LESSONS[insight.aspect]
                # What whoever tried it says was wrong beats one error of many.
                share = share if insight.steps else 1.0
                yield (
                    weight * share,
                    f"- {name}: {clip_at_word(insight.text, _LINE_CHARS)} ({episode.id})",
                )


_LESSONS = {"fixed": ("Fix", 1.0), "failed": ("Trap", 0.9)}


def _trust(pattern: Pattern) -> float:
    return (0.5 + 0.5 * pattern.confidence) * (0.5 + effectiveness(pattern))


def _ids(evidence: Sequence[str]) -> str:
    more = len(evidence) - EVIDENCE_SHOWN
    named = ", ".join(evidence[-EVIDENCE_SHOWN:])
    return f"{named} and {more} more" if more > 0 else named


def _fitted(lines: Sequence[str], budget: int, tell: Callable[[str], str]) -> str:
    """Return as many lines as fit, from the first; a warning that is too long makes room."""
    text, most = "", 0
    for line in lines:
        told = tell(line)
        longer = f"{text}\n{told}" if text else told
        # Parts are seldom counted lower than their whole, which is counted where it gets tight.
        bound = most + ceiling(told) + 1
        if bound > budget:
            bound = ceiling(longer)
        if bound <= budget:
            text, most = longer, bound
        elif budget - most < _LINE_TOKENS:
            break
    while ceiling(text) > budget:
        text = text.rpartition("\n")[0]
    return text
