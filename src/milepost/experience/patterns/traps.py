"""What was tried and failed, with why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from milepost.experience.patterns.making import in_order, pattern, succeeded
from milepost.experience.reflection import shown
from milepost.experience.steps import Deed
from milepost.experience.values import Episode, Pattern
from milepost.experience.verdicts import clip, first_sentence, what_failed, what_to_do
from milepost.text.failures import error_line, tells
from milepost.text.mending import mendings

TRAPS_MAX = 3
_LOOP_MIN = 3
_SEEN_CHARS = 120
_TRIED_MAX = 3


def traps(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return what an episode warns of."""
    found = [*_dead_ends(episode, done), *_loops(episode, done)][:TRAPS_MAX]
    return [*found, *_told(episode)]


def _dead_ends(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return failures that nothing mended, those that were met most often first."""
    mended = {(fix.failure.action, fix.failure.error) for fix in mendings(done)}
    groups: dict[tuple[str, str], list[Deed]] = {}
    for deed in done:
        if not deed.ok and (deed.action, deed.error) not in mended and tells(deed.error):
            groups.setdefault((deed.action, deed.error), []).append(deed)
    worst = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1][0].number))
    found = [_dead_end(episode, met, done) for _, met in worst]
    return [trap for trap in found if trap is not None]


def _dead_end(episode: Episode, met: Sequence[Deed], done: Sequence[Deed]) -> Pattern | None:
    first = met[0]
    seen = clip(error_line(first.step.observation), _SEEN_CHARS) or first.error
    if not first.did.changes:
        # That a check fails is no trap; what did not make it pass is.
        tried = _tried(met, done)
        if not tried or succeeded(episode):
            return None
        advice = f"{in_order([shown(deed) for deed in tried])} did not mend: {seen}"
    else:
        advice = f"{shown(first)} fails: {seen}"
        other = _what_worked_after(met[-1], done) if succeeded(episode) else None
        if other is not None:
            advice += f"; {shown(other)} worked later"
    return pattern(
        "trap",
        (first.action, first.error),
        situation=f"{first.action}: {first.error}",
        advice=advice,
        steps=(first.action,),
        held=[episode],
    )


def _what_worked_after(last: Deed, done: Sequence[Deed]) -> Deed | None:
    after = (d for d in done if d.number > last.number and d.ok and d.action != last.action)
    return next((deed for deed in after if deed.did.changes), None)


def _tried(met: Sequence[Deed], done: Sequence[Deed]) -> list[Deed]:
    """Return what was changed between the first time that a failure was met and the last."""
    between = (d for d in done if met[0].number < d.number < met[-1].number and d.ok)
    changed = {d.step.action: d for d in between if d.did.changes}
    return list(changed.values())[-_TRIED_MAX:]


def _loops(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return the action that a failed episode kept repeating."""
    # To run the tests again and again is how one works; to look around over and over is not.
    acts = [deed for deed in done if deed.did.changes or not deed.action.startswith("run ")]
    if succeeded(episode) or not acts:
        return []
    counts = Counter((deed.step.tool, deed.step.action) for deed in acts)
    (tool, action), count = counts.most_common(1)[0]
    if count < _LOOP_MIN:
        return []
    same = next(d for d in done if (d.step.tool, d.step.action) == (tool, action))
    return [
        pattern(
            "trap",
            (same.action, "repeated"),
            situation=clip(episode.task),
            advice=f"{shown(same)} was repeated {count} times and did not help; try another way",
            steps=(same.action,),
            held=[episode],
        )
    ]


def _told(episode: Episode) -> list[Pattern]:
    """Return the trap that a verdict tells of."""
    if succeeded(episode) or not episode.verdict.strip():
        return []
    wrong, remedy = what_failed(episode.verdict), what_to_do(episode.verdict)
    said = list(dict.fromkeys(filter(None, (wrong, remedy))))
    if not said and episode.outcome == "failure":
        said = [first_sentence(episode.verdict)]
    if not said:
        return []
    return [
        pattern(
            "trap",
            (episode.task, said[0]),
            situation=clip(episode.task),
            advice=" ".join(said),
            steps=(),
            held=[episode],
        )
    ]
