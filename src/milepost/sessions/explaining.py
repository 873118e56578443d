"""Say why a session is told what it is told, and why other memories are left out.

It follows what `brief` and `remind` do and writes nothing itself; what they write is undone by
whoever asks.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from milepost.memory import validation
from milepost.memory.branches import branches_told
from milepost.memory.context import HASH_DIGITS, Context
from milepost.memory.home import at_place, home_of
from milepost.memory.values import Record
from milepost.sessions.briefing import (
    LINES,
    USEFUL,
    Briefings,
    candidates_for,
    follow,
    known_of,
    least_likely,
    questions_of,
    told_of,
)
from milepost.sessions.requests import request_in
from milepost.sessions.state import State, doubts, load_state
from milepost.sessions.usefulness import (
    Candidate,
    choose,
    few_of_nobody,
    is_told,
    reasons,
    usefulness,
)
from milepost.sessions.values import Briefing, Explained, Reason
from milepost.text.fence import as_data
from milepost.text.lines import clip
from milepost.text.secrets import without_secrets

# How many of those that were left out are worth naming.
_LEFT_OUT = 15
_TEXT_CHARS = 90
_BRIEF_LIMIT, _REMIND_LIMIT = 8, 4
_NO_QUESTION = "the prompt neither asks for what is known nor turns to another subject"
_TRIED = "it was tried before"


def explain_brief(opening: Callable[[], Context], asked: Mapping[str, Any]) -> Explained:
    """Brief a session, and say why."""
    context = at_place(opening(), asked["folder"], asked["project"], asked["identity"])
    now, home = context.clock(), home_of(context)
    owner, branches = home.project, branches_told(context, home).names
    questions = questions_of(asked["branch"], asked["commits"], asked["files"])
    everywhere = (*branches, *context.store.branches.of(context.space, owner or ""))
    everything = candidates_for(context, home, everywhere, questions)
    elsewhere = [c for c in everything if c.record.branch not in (None, *branches)]
    candidates = candidates_for(context, home, branches, questions)
    known = load_state(context, asked["session"])
    shown = known.shown if asked["source"] == "resume" else ()
    doubt = doubts(context, owner)
    # Afterwards the session would know what it was told.
    briefing = Briefings(opening).brief(**asked)
    fresh = [c for c in candidates if c.record.hash not in shown]
    ordered = list(choose(fresh, now, doubt))
    distinct = {c.record.hash for c, _ in ordered}
    ranked = enumerate(few_of_nobody(ordered, owner))
    ranks = {c.record.hash: (i, v) for i, (c, v) in ranked}
    rated = [(c, usefulness(c, now, doubt.get(c.record.hash, 0.0))) for c in candidates]
    rated.sort(key=lambda pair: -pair[1])
    rows = [
        _row(c.record, value, briefing, _why(c, now, ranks, distinct, shown, briefing, doubt))
        for c, value in rated
    ]
    rows += [
        _row(c.record, 0.0, briefing, f"it belongs to the branch {c.record.branch}")
        for c in elsewhere
        if home.place.git
    ]
    return Explained(briefing, tuple(text for text, _ in questions), _few(rows))


def _why(
    candidate: Candidate,
    now: int,
    ranks: Mapping[str, tuple[int, float]],
    distinct: Collection[str],
    shown: Sequence[str],
    briefing: Briefing,
    doubt: Mapping[str, float],
) -> str:
    name = candidate.record.hash
    # The doubt begins with the third time, and one use takes it away.
    doubts = ["shown several times in a row without use"] if doubt.get(name) else []
    doubts += [candidate.freshness.mark] if candidate.freshness.mark else []
    against = ", ".join(doubts)
    if name in briefing.hashes:
        speaking = ", ".join(reasons(candidate, now)) or "the best there is"
        return f"{speaking}, but {against}" if against else speaking
    if name in shown:
        return "this session was shown it before"
    if name not in distinct:
        return "another that is likelier of use says the same"
    if name not in ranks:
        return "enough that belongs to no project is told already"
    rank, likelihood = ranks[name]
    if rank >= LINES * _BRIEF_LIMIT:
        return ": ".join(filter(None, ("there are enough that are likelier of use", against)))
    if rank >= _BRIEF_LIMIT and likelihood < USEFUL:
        return ": ".join(filter(None, ("hardly of use", against)))
    return "no room left in the budget"


def explain_remind(opening: Callable[[], Context], asked: Mapping[str, Any]) -> Explained:
    """Remind a session, and say why."""
    context = opening()
    request = request_in(asked["prompt"])
    state = load_state(context, asked["session"])
    briefing = Briefings(opening).remind(**asked)
    if request.skip:
        return Explained(briefing, ("the prompt says #skip",))
    probe = context.texts.probe(asked["prompt"][: validation.QUERY_CHARS_MAX], whole=True)
    after, turned = follow(state, probe)
    least = least_likely(after, asks=request.asks, turned=turned and not request.corrects)
    if least is None:
        told = (_NO_QUESTION, _TRIED) if briefing.text else (_NO_QUESTION,)
        return Explained(briefing, told)
    what = "asks for what is known" if request.asks else "turns to another subject"
    there = at_place(context, asked["folder"], state.project or asked["project"])
    where = told_of(there, home_of(there), state.branches)
    ranked = known_of(context, request.query, where, 0.0)
    scores = dict(zip(ranked.ids, ranked.scores, strict=True))
    rows = [
        _row(record, scores[record.id], briefing, _why_not(record, scores, state, briefing, least))
        for record in context.store.memories.records(ranked.ids)
        if is_told(record)
    ]
    return Explained(briefing, (f"the prompt {what}: {request.query}",), _few(rows))


def _why_not(
    record: Record, scores: Mapping[int, float], state: State, briefing: Briefing, least: float
) -> str:
    if record.hash in briefing.hashes:
        return "answers the prompt"
    if record.hash in state.shown:
        return "this session was shown it before"
    best = max(scores.values(), default=0.0)
    if best < least:
        return f"nothing is sure enough to be told now: {best:.2f} of {least:.2f}"
    return f"not among the {_REMIND_LIMIT} best, or no room left in the budget"


def _row(record: Record, likelihood: float, briefing: Briefing, why: str) -> Reason:
    text = clip(as_data(without_secrets(record.content)), _TEXT_CHARS)
    name = record.hash[:HASH_DIGITS]
    return Reason(name, text, round(likelihood, 3), record.hash in briefing.hashes, why)


def _few(rows: Sequence[Reason]) -> tuple[Reason, ...]:
    """Return all that are told, in their order, and the likeliest of the others."""
    told = [row for row in rows if row.is_told]
    return (*told, *[row for row in rows if not row.is_told][:_LEFT_OUT])
