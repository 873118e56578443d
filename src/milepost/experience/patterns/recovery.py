"""Recovery: an error and what mended it."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.patterns.pattern import (
    MEANING_NEAR,
    MEANING_SAME,
    STEPS_ALIKE,
    STEPS_NEAR,
    EpisodeRun,
    Kind,
    in_order,
    pattern,
    playbook_line,
    share,
)
from milepost.experience.patterns.sequence import follows, steps_alike
from milepost.experience.steps import contains, in_words, path
from milepost.experience.values import Episode, Pattern
from milepost.text.lines import clip_at_word
from milepost.text.mending import Act, Mending, attempts, mendings

_SITUATION_CHARS = 110


def _extract(run: EpisodeRun) -> list[Pattern]:
    """Return the recoveries of an episode; they hold even where it failed for another reason.

    What was tried and did not help speaks against the recovery that it would have been.
    """
    # Trying again by itself is no advice.
    held = [_recovery(run.episode, fix) for fix in mendings(run.done) if fix.cause_seen]
    vain = [_recovery(run.episode, fix, held=False) for fix in attempts(run.done)]
    known = {recovery.id for recovery in held}
    return [*held, *(recovery for recovery in vain if recovery.id not in known)]


def _recovery(episode: Episode, fix: Mending, *, held: bool = True) -> Pattern:
    mended = fix.change or (fix.success,)
    steps = tuple(dict.fromkeys(act.action for act in mended))
    what = in_order([in_words(act) for act in mended])
    if fix.change:
        came = ("worked" if fix.success.ok else "got past it") if held else "failed again"
        advice = f"{what}; then {in_words(fix.success)} {came}"
    else:
        advice = f"{what} worked instead of {in_words(fix.failure)}"
    return pattern(
        "recovery",
        (fix.failure.action, fix.failure.error, *steps),
        situation=met(fix.failure),
        advice=advice,
        steps=(fix.failure.action, *steps),
        held=[episode] if held else [],
        against=[] if held else [episode],
    )


def met(failure: Act) -> str:
    """Return the situation that an error makes: what was done, and the error."""
    return f"{failure.action}: {failure.error}"


def same_error(a: Pattern, b: Pattern, similarity: float) -> bool:
    """Tell whether two patterns about an error are about the same one."""
    if a.steps[:1] != b.steps[:1]:
        return False
    if not a.steps:
        return similarity >= MEANING_SAME
    # One must do all that the other does: else what it says held in none of the other's episodes.
    if not (contains(a.steps, b.steps) or contains(b.steps, a.steps)):
        return False
    alike = steps_alike(a.steps, b.steps)
    if a.situation == b.situation:
        return alike >= STEPS_NEAR or similarity >= MEANING_NEAR
    return alike >= STEPS_ALIKE and similarity >= MEANING_SAME


def _tell(recovery: Pattern) -> str:
    error = clip_at_word(recovery.situation, _SITUATION_CHARS)
    return playbook_line("Fix", f"On {error}: {recovery.advice}")


def _held(recovery: Pattern, run: EpisodeRun) -> bool | None:
    """Tell whether the error was mended after the steps of the recovery."""
    for place, act in enumerate(run.done):
        if not act.ok and met(act) == recovery.situation:
            after = run.done[place + 1 :]
            if follows(path(after), recovery.steps[1:]):
                # Who took another way and never came back to this one needed no more.
                again = [later.ok for later in after if later.action == act.action]
                return any(again) if again else True
    return None


def _mended_anyway(runs: Sequence[EpisodeRun]) -> float:
    """Return how often errors are mended, whatever is done."""
    return share([
        any(later.ok and later.action == act.action for later in done[place + 1 :])
        for _, done in runs
        for place, act in enumerate(done)
        if not act.ok
    ])  # fmt: skip


RECOVERY = Kind(
    "recovery",
    _extract,
    same_error,
    _tell,
    _held,
    chance=_mended_anyway,
    tells=lambda run: not all(act.ok for act in run.done),
    advised=lambda recovery: recovery.steps[1:],
)
