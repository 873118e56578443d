"""What was tried and failed, with why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from milepost.learning.fixes import fixes
from milepost.learning.patterns import pattern, succeeded
from milepost.learning.reflection import shown
from milepost.learning.signatures import telling_line
from milepost.learning.steps import Deed
from milepost.learning.verdicts import clip, first_sentence, what_failed, what_to_do
from milepost.model.experience import Episode, Pattern

TRAPS_MAX = 3
_LOOP_MIN = 3
_SEEN_CHARS = 120


def traps(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return what an episode warns of."""
    found = [*_dead_ends(episode, done), *_loops(episode, done)][:TRAPS_MAX]
    return [*found, *_told(episode)]


def _dead_ends(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return failures that nothing mended, those that were met most often first."""
    mended = {(fix.failure.action, fix.failure.error) for fix in fixes(done)}
    groups: dict[tuple[str, str], list[Deed]] = {}
    for deed in done:
        if not deed.ok and (deed.action, deed.error) not in mended:
            groups.setdefault((deed.action, deed.error), []).append(deed)
    worst = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1][0].number))
    return [_dead_end(episode, met, done) for _, met in worst]


def _dead_end(episode: Episode, met: Sequence[Deed], done: Sequence[Deed]) -> Pattern:
    first = met[0]
    seen = clip(telling_line(first.step.observation), _SEEN_CHARS) or first.error
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
    return next(after, None)


def _loops(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return the action that a failed episode kept repeating."""
    if succeeded(episode) or not done:
        return []
    counts = Counter((deed.step.tool, deed.step.action) for deed in done)
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
    said = list(dict.fromkeys(filter(None, (wrong, remedy)))) or [first_sentence(episode.verdict)]
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
