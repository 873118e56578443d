"""What is known of sessions: what each was told and talks about, and which memories were of use."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from milepost.memory.context import HASH_DIGITS, Context
from milepost.memory.home import note_session
from milepost.upkeep.values import Expense

_TOPIC = "session"
_KNOWN = "sessions"
_USAGE = "usage"
# More than a session can be told; the oldest are forgotten.
SHOWN_MAX = 400
# A session that so many others came after is not resumed.
SESSIONS_MAX = 500
# Memories of a project whose use is counted.
ENTRIES_MAX = 2_000
# Whoever fetches a whole memory uses it.
_FETCHING = frozenset({"get"})


class State(NamedTuple):
    """A session between two of its events."""

    project: str | None = None
    # Hashes of the memories that are in the model's context.
    shown: tuple[str, ...] = ()
    prompts: int = 0
    # The prompt at which something was last told.
    told_at: int = -1_000
    # What the latest prompts are about, as a vector; empty at first.
    subject: tuple[float, ...] = ()
    # What a compaction is about to throw away.
    saved: str = ""
    # The branches whose memories it may be told.
    branches: tuple[str, ...] = ()
    # When its context began, in microseconds: what it said itself since then it knows.
    since_us: int = 0


# Of what kind each part is; what was damaged is taken for not known.
_KINDS = {"project": str, "prompts": int, "told_at": int, "saved": str, "since_us": int}


def load_state(context: Context, session: str | None) -> State:
    """Return what is known of a session; nothing at first."""
    text = context.store.values.get(context.space, _TOPIC, session) if session else None
    known = as_mapping(text)
    sound = {name: known[name] for name, kind in _KINDS.items() if type(known.get(name)) is kind}
    shown, branches = (_listed(known.get(name), str) for name in ("shown", "branches"))
    subject = _listed(known.get("subject"), float)
    return State(**sound, shown=shown, subject=subject, branches=branches)


def as_mapping(text: str | None) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one when it is none."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _listed(value: object, kind: type) -> tuple[Any, ...]:
    whole = isinstance(value, list) and all(type(item) is kind for item in value)
    return tuple(value) if whole and isinstance(value, list) else ()


def save_state(context: Context, session: str | None, state: State) -> None:
    """Keep what is known of a session."""
    if session:
        if context.store.values.get(context.space, _TOPIC, session) is None:
            _register(context, session)
            note_session(context, session, state.project)
        latest = state._replace(shown=state.shown[-SHOWN_MAX:])
        context.store.values.put(context.space, _TOPIC, session, json.dumps(latest._asdict()))


def _register(context: Context, session: str) -> None:
    """Note a new session, and forget the oldest of too many."""
    known = as_mapping(context.store.values.get(context.space, _KNOWN, "")).get("names")
    names = [*_listed(known, str), session]
    for old in names[:-SESSIONS_MAX]:
        context.store.values.put(context.space, _TOPIC, old, None)
        note_session(context, old, None)
    text = json.dumps({"names": names[-SESSIONS_MAX:]})
    context.store.values.put(context.space, _KNOWN, "", text)


def sound(text: str) -> str:
    """Return a text as a store takes it: without NUL and without halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


# By hash: how often it was shown since it was last used, how often used, when last shown.
Counts = dict[str, tuple[int, int, int]]


def note_shown(context: Context, project: str | None, hashes: Iterable[str]) -> None:
    """Note that a session was told of memories."""
    now, counts = context.clock(), _counts(context, project)
    for name in _names(counts, hashes):
        times, uses, _ = counts.get(name, (0, 0, 0))
        counts[name] = (times + 1, uses, now)
    _keep_counts(context, project, counts)


def note_used(context: Context, project: str | None, hashes: Iterable[str]) -> None:
    """Note that memories were of use, which takes all doubt away."""
    counts = _counts(context, project)
    # Doubt is about what was shown; of anything else nothing need be known.
    of_use = [name for name in _names(counts, hashes) if name in counts]
    for name in of_use:
        _, uses, last = counts[name]
        counts[name] = (0, uses + 1, last)
    if of_use:
        _keep_counts(context, project, counts)


def uses(context: Context, projects: Iterable[str | None]) -> dict[str, int]:
    """Return by hash how often memories were of use to sessions of some projects."""
    counts = [_counts(context, project) for project in projects]
    return {name: times for known in counts for name, (_, times, _) in known.items() if times}


def doubts(context: Context, project: str | None) -> Mapping[str, float]:
    """Return by hash how doubtful it is that showing a memory again is of use, from 0 to 1."""
    counts = _counts(context, project)
    return {name: doubt for name, (times, _, _) in counts.items() if (doubt := _doubt(times))}


def _doubt(times: int) -> float:
    """Return the doubt after so many showings in a row without use.

    By the rule of succession something that came out n times without success succeeds next with
    the chance 1 / (n + 2). Doubt is what is lost of the chance that it had after two showings, so
    it begins with the third at 0.2, is 0.5 after six and never quite reaches 1: what is shown
    rarely enough to be doubted may still be the best there is.
    """
    return max(0.0, 1 - 4 / (times + 2))


def fetched(expenses: Iterable[Expense]) -> set[str]:
    """Return the hashes of the memories that were fetched whole."""
    return {name for e in expenses if e.operation in _FETCHING for name in e.hashes}


def _names(counts: Counts, hashes: Iterable[str]) -> list[str]:
    """Return under which names hashes are counted; the same one may come with more digits."""
    known = {name[:HASH_DIGITS]: name for name in counts}
    return list(dict.fromkeys(known.get(digits[:HASH_DIGITS], digits) for digits in hashes))


def _counts(context: Context, project: str | None) -> Counts:
    known = as_mapping(context.store.values.get(context.space, _USAGE, project or ""))
    return {name: tuple(counted) for name, counted in known.items() if _is_count(counted)}


def _is_count(value: object) -> bool:
    return isinstance(value, list) and [type(part) for part in value] == [int, int, int]


def _keep_counts(context: Context, project: str | None, counts: Counts) -> None:
    """Keep the counts of what was shown last; two who count at once may lose a count."""
    latest = sorted(counts.items(), key=lambda item: item[1][2])[-ENTRIES_MAX:]
    text = json.dumps(dict(latest), separators=(",", ":"))
    context.store.values.put(context.space, _USAGE, project or "", text)
