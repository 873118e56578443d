"""Look back at an episode: what worked, what cost most, what failed and what fixed it.

By rules over the steps alone; each sentence names the steps that show it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from milepost.experience.actions import is_bland
from milepost.experience.steps import Deed, deeds, each_step
from milepost.experience.values import Episode, Insight
from milepost.experience.verdicts import first_sentence, what_failed, what_to_do
from milepost.text.commands import is_shell
from milepost.text.failures import error_line
from milepost.text.mending import Mending, mendings
from milepost.text.sentences import clip_at_word

ASPECTS = ("worked", "cost", "failed", "fixed")
PER_ASPECT_MAX = 3
_SHOWN_CHARS = 80
_SEEN_CHARS = 140
_PATH_SHOWN = 5
# From this share on a step is what cost most; below it nothing stands out.
_COSTLY_SHARE = 0.4
_REPEATED_MIN = 3


def reflect(episode: Episode) -> tuple[Insight, ...]:
    """Return what an episode teaches, one sentence each."""
    done = deeds(episode)
    if not done:
        return _from_verdict(episode)
    found = mendings(done)
    said = _said_besides(episode)
    insights = [
        *_worked(episode, done),
        *_cost(done),
        *_failed(done, found),
        *(_fixed(fix) for fix in found),
    ]
    # What whoever tried it says counts for more than one more error among many.
    room = Counter(dict.fromkeys(ASPECTS, PER_ASPECT_MAX))
    room.subtract(insight.aspect for insight in said)
    return (*_first(insights, room), *said)


def _first(insights: Sequence[Insight], room: Counter[str]) -> list[Insight]:
    kept = []
    for insight in insights:
        room[insight.aspect] -= 1
        if room[insight.aspect] >= 0:
            kept.append(insight)
    return kept


def _from_verdict(episode: Episode) -> tuple[Insight, ...]:
    """Without steps the verdict is all there is to reflect on."""
    if not episode.verdict.strip():
        return ()
    if episode.outcome == "success":
        said = what_to_do(episode.verdict) or first_sentence(episode.verdict)
        return (Insight("worked", said),)
    wrong, remedy = what_failed(episode.verdict), what_to_do(episode.verdict)
    if not wrong and not remedy and episode.outcome == "failure":
        wrong = first_sentence(episode.verdict)
    found = [Insight("failed", wrong)] if wrong else []
    if remedy and remedy != wrong:
        found.append(Insight("fixed", remedy))
    return tuple(found)


def _said_besides(episode: Episode) -> tuple[Insight, ...]:
    """Return what only the verdict tells: the reason of a failure that no step shows."""
    return () if episode.outcome == "success" else _from_verdict(episode)


def _worked(episode: Episode, done: Sequence[Deed]) -> list[Insight]:
    if episode.outcome not in ("success", "partial"):
        return []
    good = [deed for deed in done if deed.ok]
    if not good:
        return []
    way = _way(good)
    actions = [_done(deed) for deed in way]
    reached = "led to success" if episode.outcome == "success" else "got part of the way"
    text = f"{_then(actions)} {reached}{_ending(good[-1])}"
    return [Insight("worked", text, tuple(deed.number for deed in each_step(way)))]


def _way(good: Sequence[Deed]) -> list[Deed]:
    """Return the steps that stand for a way: the last of each action, the latest few of them."""
    last = {deed.action: deed for deed in good}
    return sorted(last.values(), key=lambda deed: deed.number)[-_PATH_SHOWN:]


def _done(deed: Deed) -> str:
    """Return a command word for word, for it can be given again; anything else by its kind."""
    return shown(deed) if deed.action.startswith("run ") else deed.action


def _ending(last: Deed) -> str:
    seen = last.step.observation.strip()
    line = seen.splitlines()[-1] if seen else ""
    return f": {clip_at_word(line, _SEEN_CHARS)}" if line else ""


def _cost(done: Sequence[Deed]) -> list[Insight]:
    """Name the one thing that cost the largest share of time, tokens or steps."""
    candidates = [
        *_costly(done, [deed.step.latency_ms or 0.0 for deed in done], "time"),
        *_costly(done, [float(deed.step.tokens or 0) for deed in done], "tokens"),
        *_repeated(done),
    ]
    return [max(candidates, key=lambda found: found[0])[1]] if candidates else []


def _costly(done: Sequence[Deed], costs: Sequence[float], what: str) -> list[tuple[float, Insight]]:
    total = sum(costs)
    # What was measured of one thing alone compares it with nothing.
    measured = {deed.action for deed, cost in zip(done, costs, strict=True) if cost}
    if len(done) < _REPEATED_MIN or len(measured) < 2 or total <= 0:
        return []
    by_action: Counter[str] = Counter()
    for deed, cost in zip(done, costs, strict=True):
        by_action[deed.action] += cost  # type: ignore[assignment]
    action, most = by_action.most_common(1)[0]
    share = most / total
    if share < _COSTLY_SHARE:
        return []
    numbers = tuple(deed.number for deed in done if deed.action == action)
    text = f"`{action}` took {share:.0%} of the {what} ({_amount(most, what)})"
    return [(share, Insight("cost", text, numbers[:10]))]


def _amount(value: float, what: str) -> str:
    if what == "tokens":
        return f"{value:,.0f} tokens"
    return f"{value / 1000:,.1f} s" if value >= 1000 else f"{value:.0f} ms"


def _repeated(done: Sequence[Deed]) -> list[tuple[float, Insight]]:
    """Find an action that was done over and over, word for word."""
    (tool, action), count = Counter((d.step.tool, d.step.action) for d in done).most_common(1)[0]
    if count < _REPEATED_MIN:
        return []
    again = [d for d in done if (d.step.tool, d.step.action) == (tool, action)]
    steps = len(each_step(done))
    text = f"`{clip_at_word(action or tool, _SHOWN_CHARS)}` was done {count} times in {steps} steps"
    if not any(deed.ok for deed in again):
        text += " and never worked"
    return [(count / steps, Insight("cost", text, tuple(d.number for d in again[:10])))]


def _failed(done: Sequence[Deed], found: Sequence[Mending]) -> list[Insight]:
    """Name the failures, those that nothing mended first, then those that came most often."""
    mended = {(fix.failure.action, fix.failure.error) for fix in found}
    groups: dict[tuple[str, str], list[Deed]] = {}
    for deed in done:
        if not deed.ok:
            groups.setdefault((deed.action, deed.error), []).append(deed)
    worst = sorted(
        groups.items(), key=lambda met: (met[0] in mended, -len(met[1]), met[1][0].number)
    )
    return [_failure(group) for _, group in worst]


def _failure(group: Sequence[Deed]) -> Insight:
    first = group[0]
    times = f" {len(group)} times" if len(group) > 1 else ""
    text = f"{shown(first)} failed{times}: {_seen(first)}"
    return Insight("failed", text, tuple(deed.number for deed in group[:10]))


def _fixed(fix: Mending) -> Insight:
    error = _seen(fix.failure)
    shown_by = each_step((fix.failure, *fix.change, fix.success))
    numbers = tuple(deed.number for deed in shown_by)
    if fix.change:
        change = _then([shown(deed) for deed in fix.change])
        helped = f"made {shown(fix.success)} work after"
        if not fix.success.ok:
            helped = f"got {shown(fix.success)} past"
        return Insight("fixed", f"{change} {helped}: {error}", numbers)
    if fix.success.step.action == fix.failure.step.action:
        return Insight("fixed", f"{shown(fix.success)} worked when tried again: {error}", numbers)
    text = f"{shown(fix.success)} worked where {shown(fix.failure)} had failed: {error}"
    return Insight("fixed", text, numbers)


def shown(deed: Deed) -> str:
    """Return a step as its sentence names it: a command, or a tool and what it was used on."""
    step = deed.step
    text = _IN_FOLDER.sub("", step.action) or step.action or step.tool
    if is_shell(step.tool):
        return f"`{clip_at_word(text, _SHOWN_CHARS)}`"
    named = next((str(v) for k, v in step.parameters.items() if k.endswith("path")), "")
    tool = step.tool.lower().replace("_", " ")
    if named and named not in text and not named.endswith(text):
        text = f"{text} {named}"
    elif not (is_bland(step.tool) or " " in text or text.lower().startswith(tool)):
        text = f"{tool} {text}"
    return f"`{clip_at_word(text, _SHOWN_CHARS)}`"


# Where a command was run tells less than the command.
_IN_FOLDER = re.compile(r"^\s*cd \S+ *(?:&&|;) *")


def _seen(deed: Deed) -> str:
    return clip_at_word(error_line(deed.step.observation), _SEEN_CHARS) or "no message"


def _then(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])}, then {parts[-1]}"
