"""An error and what mended it."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.patterns.making import in_order, pattern
from milepost.experience.reflection import shown
from milepost.experience.steps import Deed
from milepost.experience.values import Episode, Pattern
from milepost.text.mending import Mending, attempts, mendings


def recoveries(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return the recoveries of an episode; they hold even where it failed for another reason.

    What was tried and did not help speaks against the recovery that it would have been.
    """
    held = [_recovery(episode, fix) for fix in mendings(done) if _tells(fix)]
    vain = [_recovery(episode, fix, held=False) for fix in attempts(done)]
    known = {recovery.id for recovery in held}
    return [*held, *(recovery for recovery in vain if recovery.id not in known)]


def _tells(fix: Mending) -> bool:
    """Tell whether something was changed: trying again by itself is no advice."""
    return bool(fix.change) or fix.success.step.action != fix.failure.step.action


def _recovery(episode: Episode, fix: Mending, *, held: bool = True) -> Pattern:
    error = fix.failure.error
    mended = fix.change or (fix.success,)
    steps = tuple(dict.fromkeys(deed.action for deed in mended))
    what = in_order([shown(deed) for deed in mended])
    if fix.change:
        came = ("worked" if fix.success.ok else "got past it") if held else "failed again"
        advice = f"{what}; then {shown(fix.success)} {came}"
    else:
        advice = f"{what} worked instead of {shown(fix.failure)}"
    return pattern(
        "recovery",
        (fix.failure.action, error, *steps),
        situation=f"{fix.failure.action}: {error}",
        advice=advice,
        steps=(fix.failure.action, *steps),
        held=[episode] if held else [],
        against=[] if held else [episode],
    )
