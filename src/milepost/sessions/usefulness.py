"""How likely a memory is of use to a session that starts: what it is about, and what it says.

The weights are fitted by bench/fit_briefing.py on the development half of its labelled histories
and rounded by hand.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from typing import NamedTuple

from milepost.memory.freshness import FRESH, Freshness
from milepost.memory.values import BOILERPLATE, INSTRUCTS, Record
from milepost.text.instructing import names_instruct
from milepost.text.words import content_words, stem

DAY_US = 86_400_000_000

# What an agent calls a memory, as its kind or as a tag; agents are not consistent about either.
_CALLED = {
    "preference": frozenset({"preference", "convention", "rule", "pinned", "important"}),
    "open": frozenset({"next", "todo", "open", "blocker"}),
    "decision": frozenset({"decision", "architecture"}),
    "error": frozenset({"error", "bug", "gotcha", "warning", "insight", "lesson"}),
    "log": frozenset({"commit", "change"}),
    "summary": frozenset({"summary", "session"}),
}
_WEIGHTS = {
    "bias": -4.4,
    "related": 5.4,
    "preference": 3.1,
    "open": 1.9,
    "decision": 1.3,
    "error": 0.5,
    "log": -2.3,
    "rules": 2.2,
    "failures": 2.0,
    # Where a session stopped matters to the next one, and to hardly any other.
    "last summary": 1.6,
    "latest": 0.4,
}
# What speaks for a memory, as people say it; so much of it is worth a word.
_WORDS = {
    "related": "related to the work",
    "preference": "a preference",
    "open": "left to do",
    "decision": "a decision",
    "error": "tells of an error",
    "rules": "states a rule",
    "failures": "tells what went wrong",
    "last summary": "where a session stopped lately",
    "latest": "of the last days",
}
_TELLING = 0.2
_LATEST_DAYS = 4.0
# What a memory is about it says at its beginning.
_READ_CHARS = 800
# How far a memory sinks that was always shown and never used.
_DOUBT = 0.7
# So many places down a list, a memory has a third as much to do with the question.
_PLACES = 15.0

# Two memories that share more of their words than this say the same.
_SAME = 0.7
_STATED = frozenset({"decision", "preference", "fact", "note"})
# By these words a summary says what it is about to tell.
_LABELS = re.compile(r"\b(?:Asked|Commits):|; at last:|\bAt the end\b")

# The names by which memories are looked for that matter whatever the work.
MARKS = ("preference", "convention", "rule", "important", "next", "todo", "open", "blocker",
         "decision", "error", "summary")  # fmt: skip
_WISHES = frozenset({"preference", "remembered"})
# Of what belongs to no project, so many are told in one at most.
_OF_NOBODY = {"wish": 5, "note": 2}
# Kinds that programs keep for themselves.
HIDDEN_KINDS = frozenset({"skill"})

# Words by which a note without a label tells a rule, or what went wrong.
_RULE = re.compile(
    r"\b(?:must|never|always|not allowed|forbidden|only|do not|don't|has to|have to|rule|required|"
    r"at most|at least|no new|instead of|wants?|asked)\b"
)
_FAILURE = re.compile(
    r"\b(?:lost|broken?|corrupt\w*|crash\w*|fail\w*|throws?|blocked|out of memory|wrong|trap|"
    r"collided|rejected|kill(?:s|ed)|leak\w*|deadlock|race|time(?:d )?out|busy|error)\b"
)


def is_told(record: Record) -> bool:
    """Whether a memory may be told to who did not search for it."""
    marked = {INSTRUCTS, BOILERPLATE}.intersection(record.marks)
    return record.kind not in HIDDEN_KINDS and not marked and not names_instruct([record.kind])


class Candidate(NamedTuple):
    """A memory that may be told, and how much it has to do with what is being worked on."""

    record: Record
    related: float = 0.0
    freshness: Freshness = FRESH


def usefulness(candidate: Candidate, now: int, doubt: float = 0.0) -> float:
    """Return how likely a memory is of use."""
    features = signs(candidate, now)
    odds = sum(_WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    # A rule is followed without being quoted or fetched.
    doubt = 0.0 if features["preference"] else _DOUBT * doubt
    return candidate.freshness.trust * (1 - doubt) / (1 + exp(-odds))


def reasons(candidate: Candidate, now: int) -> list[str]:
    """Return what speaks most for a memory, in words."""
    weighed = {n: _WEIGHTS.get(n, 0.0) * v for n, v in signs(candidate, now).items() if n in _WORDS}
    best = sorted(weighed, key=lambda name: -weighed[name])
    return [_WORDS[name] for name in best if weighed[name] >= _TELLING][:3]


def signs(candidate: Candidate, now: int) -> dict[str, float]:
    """Return what speaks for a memory, each from 0 to 1."""
    record = candidate.record
    names = {record.kind.lower(), *(tag.lower() for tag in record.tags)}
    called = {what: float(bool(names & known)) for what, known in _CALLED.items()}
    said = record.content[:_READ_CHARS].lower()
    latest = exp(-max(0, now - record.created_us) / DAY_US / _LATEST_DAYS)
    return called | {
        "bias": 1.0,
        "related": candidate.related,
        "rules": _told(_RULE, said),
        "failures": _told(_FAILURE, said),
        "last summary": latest * called["summary"],
        "latest": latest,
    }


def _told(words: re.Pattern[str], text: str) -> float:
    """Return 0, a half or 1 for no such word, one or several."""
    return min(2, len(words.findall(text))) / 2


def related(places: Iterable[tuple[int, float]]) -> float:
    """Return how much a memory has to do with several questions, from its places in their lists.

    Places rather than scores: what a branch or a commit asks is no question that scores were made
    for, but its order is good.
    """
    unrelated = 1.0
    for place, weight in places:
        unrelated *= 1 - weight * exp(-place / _PLACES)
    return 1 - unrelated


def choose(
    candidates: Sequence[Candidate], now: int, doubts: Mapping[str, float]
) -> Iterator[tuple[Candidate, float]]:
    """Yield the candidates by falling usefulness, each thing said once."""
    telling = _without_repeats(candidates)
    rated = [(c, usefulness(c, now, doubts.get(c.record.hash, 0.0))) for c in telling]
    rated.sort(key=lambda pair: -pair[1])
    said: list[tuple[frozenset[str], Record]] = []
    for candidate, value in rated:
        words = _said(candidate.record.content)
        alike = [record for other, record in said if _overlap(words, other) > _SAME]
        if not any(_says_the_same(candidate.record, record) for record in alike):
            said.append((words, candidate.record))
            yield candidate, value


def _without_repeats(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without summaries that only repeat a statement of their session."""
    stated: dict[str | None, list[frozenset[str]]] = {}
    for record in (c.record for c in candidates):
        if record.kind in _STATED and record.session is not None:
            stated.setdefault(record.session, []).append(_said(record.content))

    def repeats(record: Record) -> bool:
        own = stated.get(record.session, []) if record.kind == "summary" else []
        words = _said(_LABELS.sub("", record.content)) if own else frozenset()
        return any(len(words & other) > _SAME * len(words) for other in own)

    return [c for c in candidates if not repeats(c.record)]


def _said(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))


def few_of_nobody(
    ordered: Iterable[tuple[Candidate, float]], project: str | None
) -> Iterator[tuple[Candidate, float]]:
    """Yield what may be told; of what belongs to no project a few, that they flood no briefing."""
    room = dict(_OF_NOBODY)
    for candidate, value in ordered:
        if project is not None and not candidate.record.projects:
            names = {candidate.record.kind, *candidate.record.tags}
            what = "wish" if names & _WISHES else "note"
            if room[what] == 0:
                continue
            room[what] -= 1
        yield candidate, value


def _says_the_same(record: Record, other: Record) -> bool:
    """Whether a memory that shares its words with another that is told says no more.

    One that takes back what the other says does, and a change is not told by a summary's way.
    """
    from milepost.text.overturning import is_against_something, overturns

    if record.kind == "decision" and other.kind == "summary":
        return not is_against_something(record.content)
    newer = record.created_us > other.created_us
    return not (newer and overturns(record.content, other.content))


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))
