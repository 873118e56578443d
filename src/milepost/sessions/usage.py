"""Which memories sessions were told of, and which of those they used."""

import json
from collections.abc import Iterable, Mapping

from milepost.memory.context import HASH_DIGITS, Context
from milepost.sessions.state import as_mapping
from milepost.upkeep.values import Expense

_TOPIC = "usage"
ENTRIES_MAX = 2_000
# Whoever fetches a whole memory uses it.
_FETCHING = frozenset({"get"})

# By hash: how often it was shown since it was last used, how often used, when last shown.
Counts = dict[str, tuple[int, int, int]]


def shown(context: Context, project: str | None, hashes: Iterable[str]) -> None:
    """Note that a session was told of memories."""
    now, counts = context.clock(), _load(context, project)
    for name in _names(counts, hashes):
        times, uses, _ = counts.get(name, (0, 0, 0))
        counts[name] = (times + 1, uses, now)
    _save(context, project, counts)


def used(context: Context, project: str | None, hashes: Iterable[str]) -> None:
    """Note that memories were of use, which takes all doubt away."""
    counts = _load(context, project)
    # Doubt is about what was shown; of anything else nothing need be known.
    of_use = [name for name in _names(counts, hashes) if name in counts]
    for name in of_use:
        _, uses, last = counts[name]
        counts[name] = (0, uses + 1, last)
    if of_use:
        _save(context, project, counts)


def doubt(context: Context, project: str | None) -> Mapping[str, float]:
    """Return by hash how doubtful it is that showing a memory again is of use, from 0 to 1."""
    counts = _load(context, project)
    return {name: found for name, (times, _, _) in counts.items() if (found := _doubt(times))}


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
    return list(dict.fromkeys(known.get(given[:HASH_DIGITS], given) for given in hashes))


def _load(context: Context, project: str | None) -> Counts:
    known = as_mapping(context.store.values.get(context.space, _TOPIC, project or ""))
    return {name: tuple(counted) for name, counted in known.items() if _is_count(counted)}


def _is_count(value: object) -> bool:
    return isinstance(value, list) and [type(part) for part in value] == [int, int, int]


def _save(context: Context, project: str | None, counts: Counts) -> None:
    """Keep the counts of what was shown last; two who count at once may lose a count."""
    latest = sorted(counts.items(), key=lambda item: item[1][2])[-ENTRIES_MAX:]
    text = json.dumps(dict(latest), separators=(",", ":"))
    context.store.values.put(context.space, _TOPIC, project or "", text)
