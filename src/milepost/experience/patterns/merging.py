"""Recognise a pattern that is known already, and add what was found to it."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.confidence import confidence
from milepost.experience.patterns.making import shared_context
from milepost.experience.steps import common
from milepost.experience.values import Pattern

EVIDENCE_MAX = 50

# Structure decides; meaning helps where structure is near. Measured as shares of common steps and
# cosines of static vectors.
_STEPS_ALIKE, _STEPS_NEAR, _MEANING_NEAR, _MEANING_SAME = 0.85, 0.6, 0.75, 0.92


def same(a: Pattern, b: Pattern, similarity: float) -> bool:
    """Tell whether two patterns say the same; similarity is that of their texts by meaning."""
    if a.kind != b.kind:
        return False
    if a.id == b.id:
        return True
    if a.kind == "context":
        return a.context == b.context and a.steps == b.steps
    if a.kind in ("recovery", "trap") and a.steps[:1] != b.steps[:1]:
        return False
    alike = steps_alike(a.steps, b.steps)
    if a.kind in ("recovery", "trap"):
        return _same_error(a, b, alike, similarity)
    if a.kind == "decision":
        return alike == 1.0 and similarity >= _MEANING_NEAR
    return alike >= _STEPS_ALIKE or (alike >= _STEPS_NEAR and similarity >= _MEANING_NEAR)


def merge(known: Pattern, found: Pattern) -> Pattern:
    """Return the known pattern with what was found added; what it knows already adds nothing."""
    held = set(known.evidence) | set(found.evidence)
    new_held = [e for e in found.evidence if e not in known.evidence]
    # An episode in which a pattern held once and once did not is one in which it held.
    turned = [e for e in known.against if e in held]
    new_against = [e for e in found.against if e not in held and e not in known.against]
    if not new_held and not new_against:
        return known
    successes = known.successes + len(new_held)
    failures = known.failures + len(new_against) - len(turned)
    better = found if _stronger(found, known) else known
    against = [e for e in known.against if e not in held]
    return known._replace(
        situation=better.situation,
        advice=better.advice,
        steps=better.steps,
        context=shared_context([known.context, found.context]),
        evidence=_latest([*known.evidence, *new_held]),
        against=_latest([*against, *new_against]),
        successes=successes,
        failures=failures,
        confidence=confidence(successes, failures),
        created=min(known.created, found.created),
        updated=max(known.updated, found.updated),
        retired=False,
    )


def steps_alike(a: Sequence[str], b: Sequence[str]) -> float:
    """Return how much two sequences share in order: twice the common part of both together."""
    if not a and not b:
        return 1.0
    return 2 * common(a, b) / (len(a) + len(b))


def _same_error(a: Pattern, b: Pattern, alike: float, similarity: float) -> bool:
    if not a.steps:
        return similarity >= _MEANING_SAME
    if a.situation == b.situation:
        return alike >= _STEPS_NEAR or similarity >= _MEANING_NEAR
    return alike >= _STEPS_ALIKE and similarity >= _MEANING_SAME


def _stronger(found: Pattern, known: Pattern) -> bool:
    mine = confidence(found.successes, found.failures), found.successes
    return mine > (confidence(known.successes, known.failures), known.successes)


def _latest(ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(ids[-EVIDENCE_MAX:])
