"""Hand out what was seen while working: without secrets, and as data that orders nobody about.

Steps may hold secrets, where the setting keeps them or where they were written before there was
one. What is made of them for other agents passes through here: insights and patterns before they
are stored, and lines before they are shown.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from milepost.experience.values import Episode, Insight, Pattern, Step
from milepost.text.fence import as_data

# Of a step's observation a language model is read this much from either end.
_SEEN_CHARS = 1_000
# What stands for a part of an error that differs from run to run.
_PLACEHOLDER = r"<(?:value|path|url|n|id|time|address|list)>"


@lru_cache(4_096)
def redacted(text: str) -> str:
    """Return a sentence without secrets."""
    from milepost.text.secrets import without_secrets

    return without_secrets(text)


def as_shown(text: str) -> str:
    """Return a sentence as a model is shown it: on one line, and nothing in it a frame."""
    return as_data(re.sub(_PLACEHOLDER, "…", text) if "<" in text else text)


def redacted_line(line: str) -> str:
    """Return a line in the words of steps as a model is shown it: as data, without secrets."""
    return as_shown(redacted(line))


def redacted_insights(insights: Iterable[Insight]) -> tuple[Insight, ...]:
    """Return the insights of an episode without secrets."""
    return tuple(insight._replace(text=redacted(insight.text)) for insight in insights)


def redacted_pattern(pattern: Pattern) -> Pattern:
    """Return a pattern without secrets."""
    return pattern._replace(
        situation=redacted(pattern.situation),
        advice=redacted(pattern.advice),
        steps=tuple(map(redacted, pattern.steps)),
    )


def redacted_episode(episode: Episode) -> Episode:
    """Return an episode as a language model may read it, without secrets."""
    return episode._replace(
        task=redacted(episode.task),
        verdict=redacted(episode.verdict),
        steps=tuple(_redacted_step(step) for step in episode.steps),
    )


def _redacted_step(step: Step) -> Step:
    from milepost.text.secrets import ends_without_secrets

    return step._replace(
        action=redacted(step.action),
        parameters={},
        observation=ends_without_secrets(step.observation, _SEEN_CHARS),
    )
