"""Look back at an episode: what worked, what cost most, what failed and what fixed it.

By rules over the steps alone; each sentence names the steps that show it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from milepost.experience.steps import acts_in, each_step, in_words
from milepost.experience.values import BY_AGENT, BY_USER, Episode, Insight
from milepost.text.failures import error_line
from milepost.text.lines import clip_at_word
from milepost.text.mending import Act, Mending, mendings

ASPECTS = ("worked", "cost", "failed", "fixed")
PER_ASPECT_MAX = 3
_SEEN_CHARS = 140
_PATH_SHOWN = 5
# From this share on a step is what cost most; below it nothing stands out.
_COSTLY_SHARE = 0.4
_REPEATED_MIN = 3
_BOOKKEEPING = "run git "

_SPEAKER = re.compile(f"{BY_USER}|{BY_AGENT}")
_SENTENCE = re.compile(rf"(?<=[.!?])\s+(?=[A-Z`\"'(])|\n+|\s+(?={_SPEAKER.pattern})")
_REMEDY = re.compile(
    r"\bshould(?:n't)?\b|\bnext (?:trial|time|attempt)|\bI will\b|\bneeds? to\b|\bmust\b"
    r"|\binstead\b|\bfix(?:ed)?\b|\bsolution is\b|\bworks? (?:when|if|with|after)\b"
    r"|\bafter (?:adding|changing)",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:incorrect|wrong|stuck|fail\w*|forgot\w*|unable|unsuccessful|error|cannot|couldn't"
    r"|could not|did not|didn't|does not|doesn't|was not|wasn't|missing|broke\w*|because|however"
    r"|timed? ?out|loop)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]\w+")
# Words that every account of a failure has; a sentence of nothing else says nothing.
_EMPTY = frozenset(
    "the this that these those and but for with from into then than have has had was were will "
    "would should could can may did does not its it my me in on to of is are be been an as at by "
    "or if so again also any all some other same more try tried trying make sure different action "
    "actions execute identical two row help stuck loop trial next time environment plan task case "
    "cases test tests incorrect results result failed fail fails leads lead leading causes causing "
    "cause implementation function correctly properly correct because however additionally which "
    "when where there current instead need needs order take attention read carefully double check "
    "before after".split()
)
_CONTENT_MIN = 2


def reflect(
    episode: Episode,
    done: Sequence[Act] | None = None,
    mended: Sequence[Mending] | None = None,
) -> tuple[Insight, ...]:
    """Return what an episode teaches, one sentence each.

    done, mended: what its steps amount to, where that is known already.
    """
    done = acts_in(episode) if done is None else done
    if not done:
        return _from_verdict(episode)
    found = mendings(done) if mended is None else mended
    said = _said_besides(episode)
    insights = [
        *_worked(episode, done),
        *_cost(done),
        *_failed(done, found),
        *(_fixed(fix) for fix in found if fix.cause_seen),
    ]
    # What whoever tried it says counts for more than one more error among many.
    room = dict.fromkeys(ASPECTS, PER_ASPECT_MAX)
    for insight in said:
        room[insight.aspect] -= 1
    return (*_first(insights, room), *said)


def _first(insights: Sequence[Insight], room: dict[str, int]) -> list[Insight]:
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


def _worked(episode: Episode, done: Sequence[Act]) -> list[Insight]:
    if episode.outcome not in ("success", "partial"):
        return []
    good = [act for act in done if act.ok]
    if not good:
        return []
    way = _way(good)
    actions = [_done(act) for act in way]
    reached = "led to success" if episode.outcome == "success" else "got part of the way"
    text = f"{_then(actions)} {reached}{_ending(good)}"
    return [Insight("worked", text, tuple(act.number for act in each_step(way)))]


def _way(good: Sequence[Act]) -> list[Act]:
    """Return the steps that stand for a way: the last of each action, the latest few of them."""
    last = {act.action: act for act in good}
    return sorted(last.values(), key=lambda act: act.number)[-_PATH_SHOWN:]


def _done(act: Act) -> str:
    """Return a command word for word, for it can be given again; anything else by its kind."""
    return in_words(act) if act.action.startswith("run ") else act.action


def _ending(good: Sequence[Act]) -> str:
    """Return what was seen last; what git says of a commit tells nothing of the work."""
    worked = [act for act in good if not act.action.startswith(_BOOKKEEPING)]
    seen = worked[-1].step.observation.strip() if worked else ""
    line = seen.splitlines()[-1] if seen else ""
    return f": {clip_at_word(line, _SEEN_CHARS)}" if line else ""


def _cost(done: Sequence[Act]) -> list[Insight]:
    """Name the one thing that cost the largest share of time, tokens or steps."""
    candidates = [
        *_costly(done, [act.step.latency_ms or 0.0 for act in done], "time"),
        *_costly(done, [float(act.step.tokens or 0) for act in done], "tokens"),
        *_repeated(done),
    ]
    return [max(candidates, key=lambda found: found[0])[1]] if candidates else []


def _costly(done: Sequence[Act], costs: Sequence[float], what: str) -> list[tuple[float, Insight]]:
    total = sum(costs)
    by_action: dict[str, float] = {}
    for act, cost in zip(done, costs, strict=True):
        by_action[act.action] = by_action.get(act.action, 0.0) + cost
    # What was measured of one thing alone compares it with nothing.
    measured = sum(spent > 0 for spent in by_action.values())
    if len(done) < _REPEATED_MIN or measured < 2 or total <= 0:
        return []
    action, most = max(by_action.items(), key=lambda costly: costly[1])
    share = most / total
    if share < _COSTLY_SHARE:
        return []
    numbers = tuple(act.number for act in done if act.action == action)
    text = f"`{action}` took {share:.0%} of the {what} ({_amount(most, what)})"
    return [(share, Insight("cost", text, numbers[:10]))]


def _amount(value: float, what: str) -> str:
    if what == "tokens":
        return f"{value:,.0f} tokens"
    return f"{value / 1000:,.1f} s" if value >= 1000 else f"{value:.0f} ms"


def _repeated(done: Sequence[Act]) -> list[tuple[float, Insight]]:
    """Find an action that was done over and over, word for word."""
    (tool, action), count = Counter((d.step.tool, d.step.action) for d in done).most_common(1)[0]
    if count < _REPEATED_MIN:
        return []
    again = [d for d in done if (d.step.tool, d.step.action) == (tool, action)]
    steps = len(each_step(done))
    text = f"`{clip_at_word(action or tool, 80)}` was done {count} times in {steps} steps"
    if not any(act.ok for act in again):
        text += " and never worked"
    return [(count / steps, Insight("cost", text, tuple(d.number for d in again[:10])))]


def _failed(done: Sequence[Act], found: Sequence[Mending]) -> list[Insight]:
    """Name the failures, those that nothing mended first, then those that came most often."""
    mended = {(fix.failure.action, fix.failure.error): fix.cause_seen for fix in found}
    groups: dict[tuple[str, str], list[Act]] = {}
    for act in done:
        if not act.ok:
            groups.setdefault((act.action, act.error), []).append(act)
    worst = sorted(
        groups.items(), key=lambda met: (met[0] in mended, -len(met[1]), met[1][0].number)
    )
    return [_failure(group, passed=mended.get(met) is False) for met, group in worst]


def _failure(group: Sequence[Act], *, passed: bool) -> Insight:
    first = group[0]
    times = f" {len(group)} times" if len(group) > 1 else ""
    later = "; it passed later" if passed else ""
    text = f"{in_words(first)} failed{times}: {_seen(first)}{later}"
    return Insight("failed", text, tuple(act.number for act in group[:10]))


def _fixed(fix: Mending) -> Insight:
    error = _seen(fix.failure)
    shown_by = each_step((fix.failure, *fix.change, fix.success))
    numbers = tuple(act.number for act in shown_by)
    if fix.change:
        change = _then([in_words(act) for act in fix.change])
        helped = f"made {in_words(fix.success)} work after"
        if not fix.success.ok:
            helped = f"got {in_words(fix.success)} past"
        return Insight("fixed", f"{change} {helped}: {error}", numbers)
    text = f"{in_words(fix.success)} worked where {in_words(fix.failure)} had failed: {error}"
    return Insight("fixed", text, numbers)


def _seen(act: Act) -> str:
    return clip_at_word(error_line(act.step.observation), _SEEN_CHARS) or "no message"


def _then(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])}, then {parts[-1]}"


def what_failed(verdict: str) -> str:
    """Return the sentence that says best what went wrong, or ""."""
    return _best(verdict, _WRONG, _REMEDY)


def what_to_do(verdict: str) -> str:
    """Return the sentence that says best what to do instead, or ""."""
    return _best(verdict, _REMEDY, None)


def trouble_told(verdict: str) -> list[str]:
    """Return what went wrong and what to do instead, in the order in which it was said."""
    told = {what_failed(verdict), what_to_do(verdict)}
    return [said for one in sentences(verdict) if (said := clip_at_word(one)) in told]


def first_sentence(verdict: str) -> str:
    """Return the beginning of a verdict."""
    found = sentences(verdict)
    return clip_at_word(found[0]) if found else ""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with who says it if the text tells."""
    said, speaker = [], ""
    for part in filter(None, map(str.strip, _SENTENCE.split(text[:8_000].strip()))):
        named = _SPEAKER.match(part)
        speaker = named[0] if named else speaker
        said.append(part if named else f"{speaker}{part}")
    return said


def _best(verdict: str, wanted: re.Pattern[str], unwanted: re.Pattern[str] | None) -> str:
    best, most = "", _CONTENT_MIN - 1.0
    for sentence in sentences(verdict):
        # What is to be done in another case than this one tells nothing about this one.
        if not wanted.search(sentence) or sentence.startswith("If "):
            continue
        content = {word.lower() for word in _WORD.findall(sentence)} - _EMPTY
        score = min(len(content), 12) / (2 if unwanted and unwanted.search(sentence) else 1)
        if score > most:
            best, most = sentence, score
    return clip_at_word(best)
