"""What all patterns have in common: how they are made, added to, trusted and forgotten."""

from __future__ import annotations

from hashlib import blake2b

from milepost.experience.steps import shared
from milepost.experience.values import Pattern
from milepost.shares import lower_bound
from milepost.text.lines import clip_at_word
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from milepost.experience.values import Episode
    from milepost.text.mending import Act

SITUATION_CHARS = 200
ADVICE_CHARS = 320
EVIDENCE_MAX = 50
# What of an episode's context says where a pattern holds.
CONTEXT_KEYS = ("language", "framework", "repository", "repo", "project", "domain")
SUCCEEDED = ("success", "partial")
# A pattern that is neither seen nor shown loses half of its confidence in this many days ...
HALF_LIFE_DAYS = 90.0
# ... and is retired below this: one observation after half a year, ten after nine months.
RETIRED_BELOW = 0.1
DAY_S = 86_400.0
# Two patterns are the same by their steps alone, or by steps and the meaning of their texts.
# Measured as shares of common steps and cosines of static vectors.
STEPS_ALIKE, STEPS_NEAR, MEANING_NEAR, MEANING_SAME = 0.85, 0.6, 0.75, 0.92
_LINE_CHARS = 220


class EpisodeRun(NamedTuple):
    """An episode that ended, with what its steps amount to."""

    episode: Episode
    done: Sequence[Act]


def succeeded(episode: Episode) -> bool:
    """Tell whether an episode ended well, at least in part."""
    return episode.outcome in SUCCEEDED


def share(values: Sequence[bool]) -> float:
    """Return the share of what is true."""
    return sum(values) / len(values) if values else 0.0


def success_rate(runs: Sequence[EpisodeRun]) -> float:
    """Return the share of runs that ended well."""
    return share([succeeded(run.episode) for run in runs])


class Kind(NamedTuple):
    """All that one kind of pattern does in its own way; what it does like others has a default.

    extract: the patterns of a completed episode.
    same: whether two patterns say the same, given how similar their texts are by meaning.
    tell: the line of a playbook; "" where nothing is to be said.
    held: whether a pattern held in a run it was not made from, None where it does not apply.
    compare: the patterns that only several runs of similar tasks show.
    chance: how often a pattern would hold that says nothing.
    tells: whether a run says anything of that chance.
    advised: the steps of whoever does what a pattern says.
    is_route: whether its steps do a whole task, and are told one by one rather than in a line.
    is_local: whether it says nothing about other places than its own.
    """

    name: str
    extract: Callable[[EpisodeRun], list[Pattern]]
    same: Callable[[Pattern, Pattern, float], bool]
    tell: Callable[[Pattern], str]
    held: Callable[[Pattern, EpisodeRun], bool | None]
    compare: Callable[[Sequence[EpisodeRun]], list[Pattern]] = lambda _runs: []
    chance: Callable[[Sequence[EpisodeRun]], float] = success_rate
    tells: Callable[[EpisodeRun], bool] = lambda _run: True
    advised: Callable[[Pattern], Sequence[str]] = lambda pattern: pattern.steps
    is_route: bool = False
    is_local: bool = False


def pattern(
    kind: str,
    structure: Sequence[str],
    situation: str,
    advice: str,
    steps: Sequence[str],
    held: Sequence[Episode],
    against: Sequence[Episode] = (),
) -> Pattern:
    """Return a pattern; its structure is what makes it this one and no other."""
    seen = [*held, *against]
    times = [episode.completed or episode.created for episode in seen]
    digest = blake2b("\x1f".join([kind, *structure]).encode(), digest_size=8)
    return Pattern(
        id=f"pt_{digest.hexdigest()}",
        kind=kind,
        situation=clip_at_word(situation, SITUATION_CHARS),
        advice=clip_at_word(advice, ADVICE_CHARS),
        steps=tuple(steps),
        context=_shared([_place(episode) for episode in seen]),
        evidence=tuple(episode.id for episode in held),
        successes=len(held),
        failures=len(against),
        confidence=confidence(len(held), len(against)),
        created=min(times, default=0.0),
        updated=max(times, default=0.0),
        against=tuple(episode.id for episode in against),
    )


def _place(episode: Episode) -> dict[str, Any]:
    """Return where an episode took place: the parts of its context that others share."""
    place = {key: episode.context[key] for key in CONTEXT_KEYS if episode.context.get(key)}
    return place | ({"task_type": episode.task_type} if episode.task_type else {})


def _shared(contexts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all of several contexts have in common."""
    if not contexts:
        return {}
    first, *rest = contexts
    return {key: value for key, value in first.items() if all(c.get(key) == value for c in rest)}


def merge(known: Pattern, fresh: Pattern) -> Pattern:
    """Return the known pattern with what was found added; what it knows already adds nothing.

    It claims no step that only some of its episodes have.
    """
    held = set(known.evidence) | set(fresh.evidence)
    new_held = [e for e in fresh.evidence if e not in known.evidence]
    # An episode in which a pattern held once and once did not is one in which it held.
    against = [e for e in known.against if e not in held]
    new_against = [e for e in fresh.against if e not in held and e not in known.against]
    if not new_held and not new_against:
        return known
    successes = known.successes + len(new_held)
    failures = known.failures + len(new_against) + len(against) - len(known.against)
    better = _worded(known, fresh)
    return known._replace(
        situation=better.situation,
        advice=better.advice,
        steps=better.steps,
        context=_shared([known.context, fresh.context]),
        evidence=(*known.evidence, *new_held)[-EVIDENCE_MAX:],
        against=(*against, *new_against)[-EVIDENCE_MAX:],
        successes=successes,
        failures=failures,
        confidence=confidence(successes, failures),
        created=min(known.created, fresh.created),
        updated=max(known.updated, fresh.updated),
        retired=False,
    )


def _worded(known: Pattern, fresh: Pattern) -> Pattern:
    """Return the better supported of two patterns, in the steps that both have."""
    ranked = sorted((known, fresh), key=_support, reverse=True)
    steps = shared(known.steps, fresh.steps)
    whole = [each for each in ranked if each.steps == steps]
    return whole[0] if whole else ranked[0]._replace(steps=steps, advice=in_order(steps))


def _support(known: Pattern) -> tuple[float, int]:
    return confidence(known.successes, known.failures), known.successes


def confidence(successes: float, failures: float) -> float:
    """Return a lower bound of the share of episodes in which a pattern holds."""
    return lower_bound(successes, failures)


def effectiveness(pattern: Pattern) -> float:
    """Return how often episodes went well after the pattern was shown, from one half upwards.

    Showings whose episode has not ended yet count for nothing.
    """
    return (pattern.helped + 1) / (pattern.helped + pattern.hindered + 2)


def decayed(pattern: Pattern, now_s: float) -> Pattern:
    """Return a pattern with the confidence it has now, retired when little of it is left.

    The confidence is computed from the counts and the time alone: to decay twice is to decay once,
    and new evidence revives.
    """
    counted = confidence(pattern.successes + pattern.helped, pattern.failures + pattern.hindered)
    idle_days = max(now_s - pattern.updated, 0.0) / DAY_S
    left: float = counted * 0.5 ** (idle_days / HALF_LIFE_DAYS)
    return pattern._replace(confidence=left, retired=left < RETIRED_BELOW)


def in_order(steps: Sequence[str]) -> str:
    """Return steps as a sentence says them."""
    return ", then ".join(steps)


def playbook_line(name: str, text: str) -> str:
    """Return what a playbook says of a pattern, in a line."""
    return f"{name}: {clip_at_word(text, _LINE_CHARS)}"
