"""Score patterns on episodes they were not made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from milepost.experience.patterns.decisions import START
from milepost.experience.patterns.frames import fits
from milepost.experience.patterns.making import succeeded
from milepost.experience.steps import Deed, deeds, path
from milepost.experience.values import Checked, Episode, Pattern, Validation

Run = tuple[Episode, Sequence[Deed]]
# Tells of a run whether a pattern held in it; None where it does not apply.
Test = Callable[[Pattern, Run], bool | None]


def validate(patterns: Sequence[Pattern], held_out: Sequence[Episode]) -> Validation:
    """Return for each pattern where it applied, where it held, and its lift over the base rate.

    A sequence, decision or context holds when the episode ends well, and is compared with how all
    of them end; a recovery holds when the error is mended after its steps, and is compared with how
    often errors are mended; a trap holds when the action fails, and with the error that it names if
    it names one, and is compared with how often steps fail.
    """
    runs = [(e, deeds(e)) for e in held_out if e.outcome is not None]
    base = _share([succeeded(episode) for episode, _ in runs])
    bases = {
        "recovery": _share([mended for _, done in runs for mended in _errors_mended(done)]),
        "trap": _share([not deed.ok for _, done in runs for deed in done]),
    }
    checked = [_check(p, runs, bases.get(p.kind, base)) for p in patterns]
    checked.sort(key=lambda c: (-c.lift * c.applied, c.pattern))
    return Validation(len(runs), base, tuple(checked))


def _check(pattern: Pattern, runs: Sequence[Run], base: float) -> Checked:
    test = _TESTS[pattern.kind]
    held = [found for run in runs if (found := test(pattern, run)) is not None]
    lift = _share(held) - base if held else 0.0
    return Checked(pattern.id, pattern.kind, len(held), sum(held), round(lift, 4))


def _sequence_held(pattern: Pattern, run: Run) -> bool | None:
    episode, done = run
    return succeeded(episode) if pattern.steps and _follows(path(done), pattern.steps) else None


def _decision_held(pattern: Pattern, run: Run) -> bool | None:
    episode, done = run
    actions = [START, *(deed.action for deed in done)]
    taken = any(pattern.steps == pair for pair in pairwise(actions))
    return succeeded(episode) if taken else None


def _context_held(pattern: Pattern, run: Run) -> bool | None:
    episode, done = run
    if any(episode.context.get(key) != value for key, value in pattern.context.items()):
        return None
    last = [deed.ok for deed in done if deed.action == pattern.steps[0]][-1:]
    return last[0] if last else None


def _recovery_held(pattern: Pattern, run: Run) -> bool | None:
    _, done = run
    for place, deed in enumerate(done):
        if not deed.ok and _met(deed) == pattern.situation:
            after = done[place + 1 :]
            if _follows(path(after), pattern.steps[1:]):
                # Who took another way and never came back to this one needed no more.
                again = [later.ok for later in after if later.action == deed.action]
                return any(again) if again else True
    return None


def _trap_held(pattern: Pattern, run: Run) -> bool | None:
    _, done = run
    tried = [deed for deed in done if pattern.steps and deed.action == pattern.steps[0]]
    named = pattern.situation.startswith(f"{pattern.steps[0]}: ") if pattern.steps else False
    sprung = [d for d in tried if not d.ok and (not named or _met(d) == pattern.situation)]
    return bool(sprung) if tried else None


def _met(deed: Deed) -> str:
    return f"{deed.action}: {deed.error}"


def _errors_mended(done: Sequence[Deed]) -> list[bool]:
    return [_works_again(deed, done[i + 1 :]) for i, deed in enumerate(done) if not deed.ok]


def _works_again(failure: Deed, after: Sequence[Deed]) -> bool:
    return any(deed.ok and deed.action == failure.action for deed in after)


def _follows(actions: Sequence[str], steps: Sequence[str]) -> bool:
    """Tell whether actions do the steps in their order; a star in a step fits any object."""
    rest = iter(actions)
    return all(any(fits(step, action) for action in rest) for step in steps)


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


_TESTS: dict[str, Test] = {
    "sequence": _sequence_held,
    "decision": _decision_held,
    "context": _context_held,
    "recovery": _recovery_held,
    "trap": _trap_held,
}
