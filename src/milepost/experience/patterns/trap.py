"""Trap: what was tried and failed, with why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from milepost.experience.patterns.pattern import (
    EpisodeRun,
    Kind,
    in_order,
    pattern,
    playbook_line,
    share,
    succeeded,
)
from milepost.experience.patterns.recovery import met, same_error
from milepost.experience.reflection import first_sentence, trouble_told
from milepost.experience.steps import in_words
from milepost.experience.values import Episode, Pattern
from milepost.text.failures import error_line, tells
from milepost.text.lines import clip_at_word
from milepost.text.mending import Act, mendings

TRAPS_MAX = 3
_LOOP_MIN = 3
_SEEN_CHARS = 120
_TRIED_MAX = 3


def _extract(run: EpisodeRun) -> list[Pattern]:
    """Return what an episode warns of."""
    traps = [*_dead_ends(run), *_loops(run)][:TRAPS_MAX]
    return [*traps, *_said(run.episode)]


def _dead_ends(run: EpisodeRun) -> list[Pattern]:
    """Return failures that nothing mended, those that were met most often first."""
    mended = {met(fix.failure) for fix in mendings(run.done)}
    groups: dict[str, list[Act]] = {}
    for act in run.done:
        if not act.ok and met(act) not in mended and tells(act.error):
            groups.setdefault(met(act), []).append(act)
    worst = sorted(groups.values(), key=lambda group: (-len(group), group[0].number))
    traps = [_dead_end(run, group) for group in worst]
    return [trap for trap in traps if trap is not None]


def _dead_end(run: EpisodeRun, group: Sequence[Act]) -> Pattern | None:
    first = group[0]
    seen = clip_at_word(error_line(first.step.observation), _SEEN_CHARS) or first.error
    if not first.did.changes:
        # That a check fails is no trap; what did not make it pass is.
        tried = _tried(group, run.done)
        if not tried or succeeded(run.episode):
            return None
        advice = f"{in_order([in_words(act) for act in tried])} did not mend: {seen}"
    else:
        advice = f"{in_words(first)} fails: {seen}"
        other = _what_worked_after(group[-1], run.done) if succeeded(run.episode) else None
        if other is not None:
            advice += f"; {in_words(other)} worked later"
    structure = (first.action, first.error)
    return _trap(run.episode, structure, met(first), advice, (first.action,))


def _trap(
    episode: Episode, structure: Sequence[str], situation: str, advice: str, steps: Sequence[str]
) -> Pattern:
    return pattern("trap", structure, situation, advice, steps, held=[episode])


def _what_worked_after(last: Act, done: Sequence[Act]) -> Act | None:
    after = (d for d in done if d.number > last.number and d.ok and d.action != last.action)
    return next((act for act in after if act.did.changes), None)


def _tried(group: Sequence[Act], done: Sequence[Act]) -> list[Act]:
    """Return what was changed between the first time that a failure was met and the last."""
    between = (d for d in done if group[0].number < d.number < group[-1].number and d.ok)
    changed = {d.step.action: d for d in between if d.did.changes}
    return list(changed.values())[-_TRIED_MAX:]


def _loops(run: EpisodeRun) -> list[Pattern]:
    """Return the action that a failed episode kept repeating."""
    # To run the tests again and again is how one works; to look around over and over is not.
    acts = [d for d in run.done if d.did.changes or not d.action.startswith("run ")]
    if succeeded(run.episode) or not acts:
        return []
    counts = Counter((act.step.tool, act.step.action) for act in acts)
    (tool, action), count = counts.most_common(1)[0]
    if count < _LOOP_MIN:
        return []
    repeated = next(d for d in run.done if (d.step.tool, d.step.action) == (tool, action))
    advice = f"{in_words(repeated)} was repeated {count} times and did not help; try another way"
    structure = (repeated.action, "repeated")
    return [_trap(run.episode, structure, run.episode.task, advice, (repeated.action,))]


def _said(episode: Episode) -> list[Pattern]:
    """Return the trap that a verdict tells of."""
    if succeeded(episode) or not episode.verdict.strip():
        return []
    said = list(dict.fromkeys(trouble_told(episode.verdict)))
    if not said and episode.outcome == "failure":
        said = [first_sentence(episode.verdict)]
    if not said:
        return []
    return [_trap(episode, (episode.task, said[0]), episode.task, " ".join(said), ())]


def _tell(trap: Pattern) -> str:
    # A trap without an action is a verdict, and that may as well say what to do.
    return playbook_line("Trap" if trap.steps else "Lesson", trap.advice)


def _held(trap: Pattern, run: EpisodeRun) -> bool | None:
    """Tell whether the action failed, and with the error that the trap names if it names one."""
    tried = [act for act in run.done if (act.action,) == trap.steps[:1]]
    named = bool(tried) and trap.situation.startswith(f"{tried[0].action}: ")
    sprung = [d for d in tried if not d.ok and (not named or met(d) == trap.situation)]
    return bool(sprung) if tried else None


TRAP = Kind(
    "trap",
    _extract,
    same_error,
    _tell,
    _held,
    chance=lambda runs: share([not act.ok for run in runs for act in run.done]),
    tells=lambda run: bool(run.done),
    # To keep away from a trap shows in no step.
    advised=lambda _trap: (),
)
