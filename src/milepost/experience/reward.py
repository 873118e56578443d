"""What an episode was worth, in terms that a person can check.

reward = base × efficiency × quality × complexity + learning

The factors stay near one, so that a success is always worth more than a failure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from milepost.experience.patterns.kinds import KINDS
from milepost.experience.steps import acts_in, contains, each_step, path
from milepost.experience.values import COMPLEXITIES, Episode, Pattern, Reward, Step, Term
from milepost.text.mending import Act, Mending, mendings
from milepost.values import NamedTuple

# How far each factor reaches from one to either side.
_EFFICIENCY_SPAN = 0.25
_QUALITY_SPAN = 0.2
_COMPLEXITY = dict(zip(COMPLEXITIES, (0.9, 1.0, 1.2), strict=True))
# What can be learned by the way; less of it counts where the task itself was not done.
_RECOVERED, _RECOVERED_MAX, _USED_PATTERN = 0.05, 0.15, 0.05
_LEARNED_WITHOUT_SUCCESS = 0.5
# A part of a task is worth no more than this, nor less than a trace.
_PARTIAL_MIN, _PARTIAL_MAX = 0.1, 0.9
# The results of tests stand at the end of what they print.
_END_CHARS = 20_000
# Peers count half when there are this many.
_PEERS_HALF = 4

_PERCENT = re.compile(r"\b(\d{1,3}(?:\.\d+)?) ?%")
_OF = re.compile(r"\b(\d{1,4}) ?(?:/|of|out of) ?(\d{1,4})\b")
_PASSED = re.compile(r"\b(\d+) (?:tests? )?pass(?:ed|ing)\b|\bpassed[:=] ?(\d+)", re.IGNORECASE)
_FAILED = re.compile(
    r"\b(\d+) (?:tests? )?(?:failed|failing|failures?|errors?)\b"
    r"|\b(?:failed|failures|errors)[:=] ?(\d+)",
    re.IGNORECASE,
)
_ALL_PASS = re.compile(r"^(?:OK|PASS)\b|^ok\s+\S|BUILD SUCCESS|[Aa]ll tests pass", re.MULTILINE)
_SOME_FAIL = re.compile(r"^FAIL(?:ED)?\b|BUILD FAIL", re.MULTILINE)


class Peers(NamedTuple):
    """How similar episodes went that were completed: their numbers of steps and durations."""

    steps: Sequence[int] = ()
    seconds: Sequence[float] = ()


def reward(
    episode: Episode,
    peers: Peers,
    shown: Sequence[Pattern] = (),
    done: Sequence[Act] | None = None,
    mended: Sequence[Mending] | None = None,
) -> Reward:
    """Return what an episode was worth, with the terms of it.

    shown: the patterns that whoever worked on it was shown.
    done, mended: what its steps amount to, where that is known already.
    """
    done = acts_in(episode) if done is None else done
    mended = mendings(done) if mended is None else mended
    base = _base(episode, done)
    efficiency = _efficiency(episode, peers)
    quality = _quality(episode, done)
    complexity = _complexity(episode.context)
    learning = _learning(episode, done, mended, shown)
    product = base.value * efficiency.value * quality.value * complexity.value
    terms = (base, efficiency, quality, complexity, learning)
    return Reward(round(product + learning.value, 4), terms)


def _base(episode: Episode, done: Sequence[Act]) -> Term:
    if episode.outcome == "success":
        return Term("base", 1.0, "the task succeeded")
    if episode.outcome != "partial":
        return Term("base", 0.0, f"the task ended as {episode.outcome or 'open'}")
    share, why = _share_done(episode, done)
    share = min(max(share, _PARTIAL_MIN), _PARTIAL_MAX)
    return Term("base", share, f"the task was done in part: {why}")


def _share_done(episode: Episode, done: Sequence[Act]) -> tuple[float, str]:
    """Return what share of a task was done, from the most direct word on it that there is."""
    percent = _PERCENT.search(episode.verdict)
    if percent and float(percent[1]) <= 100:
        return float(percent[1]) / 100, f"the verdict says {percent[0]}"
    of = _OF.search(episode.verdict)
    if of and int(of[2]) > 0 and int(of[1]) <= int(of[2]):
        return int(of[1]) / int(of[2]), f"the verdict says {of[0]}"
    tests = tests_seen(episode.steps)
    if tests is not None:
        return tests, f"{tests:.0%} of the tests passed when last run"
    if done:
        ended = each_step(done)
        share = sum(act.ok for act in ended) / len(ended)
        return share, f"{share:.0%} of the steps went well"
    return 0.5, "how much of it is not known"


def _efficiency(episode: Episode, peers: Peers) -> Term:
    """Compare with similar episodes by position, so that no constant has to say what is long."""
    places, parts = [], []
    count = max(episode.step_count, len(episode.steps))
    if peers.steps and count:
        places.append(_position(count, peers.steps))
        parts.append(f"{count} steps against {_median(peers.steps):g}")
    if peers.seconds and episode.completed is not None:
        seconds = max(episode.completed - episode.created, 0.0)
        places.append(_position(seconds, peers.seconds))
        parts.append(f"{_duration(seconds)} against {_duration(_median(peers.seconds))}")
    if not places:
        return Term("efficiency", 1.0, "no similar episode to compare with")
    n = max(len(peers.steps), len(peers.seconds))
    trust = n / (n + _PEERS_HALF)
    place = sum(places) / len(places)
    value = 1 + _EFFICIENCY_SPAN * (2 * place - 1) * trust
    similar = "in 1 similar episode" if n == 1 else f"in the middle one of {n} similar episodes"
    return Term("efficiency", round(value, 3), f"{' and '.join(parts)} {similar}")


def _position(value: float, others: Sequence[float]) -> float:
    """Return the share of the others that needed more, those with as much counting half."""
    more = sum(other > value for other in others)
    return (more + sum(other == value for other in others) / 2) / len(others)


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _quality(episode: Episode, done: Sequence[Act]) -> Term:
    seen: list[tuple[float, str]] = []
    if done:
        ended = each_step(done)
        wrong = sum(not act.ok for act in ended)
        seen.append((1 - wrong / len(ended), f"{wrong} of {len(ended)} steps went wrong"))
    tests = tests_seen(episode.steps)
    if tests is not None:
        seen.append((tests, f"{tests:.0%} of the tests passed when last run"))
    if episode.artifacts:
        count = len(episode.artifacts)
        seen.append((1.0, f"{count} artifact{'s' * (count > 1)}"))
    if not seen:
        return Term("quality", 1.0, "nothing was seen that tells")
    score = sum(value for value, _ in seen) / len(seen)
    value = 1 + _QUALITY_SPAN * (2 * score - 1)
    return Term("quality", round(value, 3), ", ".join(why for _, why in seen))


def tests_seen(steps: Sequence[Step]) -> float | None:
    """Return the share of tests that passed in the last observation that tells of tests."""
    for step in reversed(steps):
        share = _tests_in(step.observation[-_END_CHARS:])
        if share is not None:
            return share
    return None


def _tests_in(observation: str) -> float | None:
    passed, wrong = _last(_PASSED, observation), _last(_FAILED, observation)
    if passed is not None:
        total = passed + (wrong or 0)
        return passed / total if total else None
    if _SOME_FAIL.search(observation):
        return 0.0
    return 1.0 if _ALL_PASS.search(observation) else None


def _last(pattern: re.Pattern[str], text: str) -> int | None:
    matches = pattern.findall(text)
    return int(next(filter(None, matches[-1]))) if matches else None


def _complexity(context: Mapping[str, object]) -> Term:
    value = context.get("complexity")
    if isinstance(value, str) and value.lower() in _COMPLEXITY:
        return Term("complexity", _COMPLEXITY[value.lower()], f"called {value.lower()}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        level = min(max(value if value <= 1 else value / 10, 0.0), 1.0)
        low, high = _COMPLEXITY["low"], _COMPLEXITY["high"]
        return Term("complexity", round(low + (high - low) * level, 3), f"given as {value:g}")
    return Term("complexity", 1.0, "not said, taken as medium")


def _learning(
    episode: Episode, done: Sequence[Act], mended: Sequence[Mending], shown: Sequence[Pattern]
) -> Term:
    value, parts = 0.0, []
    recovered = sum(mending.cause_seen for mending in mended)
    if recovered:
        value += min(_RECOVERED * recovered, _RECOVERED_MAX)
        parts.append(f"recovered from {recovered} error{'s' * (recovered > 1)}")
    used = _used_pattern(episode) or any(_follows(done, pattern) for pattern in shown)
    if used and episode.outcome in ("success", "partial"):
        value += _USED_PATTERN
        parts.append("used a known pattern with success")
    if episode.outcome != "success":
        value *= _LEARNED_WITHOUT_SUCCESS
    return Term("learning", round(value, 3), " and ".join(parts) or "nothing to recover from")


def _follows(done: Sequence[Act], pattern: Pattern) -> bool:
    """Tell whether a run does what a pattern says."""
    steps = KINDS[pattern.kind].advised(pattern)
    return bool(steps) and contains(path(done), steps)


def _used_pattern(episode: Episode) -> bool:
    if episode.context.get("pattern_ids"):
        return True
    return any(step.parameters.get("pattern_ids") for step in episode.steps if step.parameters)


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
