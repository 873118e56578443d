"""Make a pattern of what was found, with an id that is the same wherever it is found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from milepost.experience.confidence import confidence
from milepost.experience.values import Episode, Pattern
from milepost.experience.verdicts import clip

SITUATION_CHARS = 200
ADVICE_CHARS = 320
# What of an episode's context says where a pattern holds.
CONTEXT_KEYS = ("language", "framework", "repository", "repo", "project", "domain")
SUCCEEDED = ("success", "partial")


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
    return Pattern(
        id=identity(kind, structure),
        kind=kind,
        situation=clip(situation, SITUATION_CHARS),
        advice=clip(advice, ADVICE_CHARS),
        steps=tuple(steps),
        context=shared_context([place(episode) for episode in seen]),
        evidence=tuple(episode.id for episode in held),
        successes=len(held),
        failures=len(against),
        confidence=confidence(len(held), len(against)),
        created=min(times, default=0.0),
        updated=max(times, default=0.0),
        against=tuple(episode.id for episode in against),
    )


def identity(kind: str, structure: Sequence[str]) -> str:
    """Return the id of a pattern: a hash of its kind and structure."""
    digest = blake2b("\x1f".join([kind, *structure]).encode(), digest_size=8)
    return f"pt_{digest.hexdigest()}"


def place(episode: Episode) -> dict[str, Any]:
    """Return where an episode took place: the parts of its context that others share."""
    found = {key: episode.context[key] for key in CONTEXT_KEYS if episode.context.get(key)}
    if episode.task_type:
        found["task_type"] = episode.task_type
    return found


def shared_context(contexts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all of several contexts have in common."""
    if not contexts:
        return {}
    first, *rest = contexts
    return {key: value for key, value in first.items() if all(c.get(key) == value for c in rest)}


def succeeded(episode: Episode) -> bool:
    """Tell whether an episode ended well, at least in part."""
    return episode.outcome in SUCCEEDED


def in_order(steps: Sequence[str]) -> str:
    """Return steps as a sentence says them."""
    return ", then ".join(steps)
