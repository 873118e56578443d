"""What a memory says in its metadata of those that it stands for."""

from __future__ import annotations

from milepost.memory.values import MERGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# So many are named; of the others it is said how many they are.
_NAMED_MAX = 100
_MORE = "more"


def count(metadata: Mapping[str, Any]) -> int:
    """Return how many others a memory stands for."""
    return sum(entry.get(_MORE, 1) for entry in _entries(metadata) or ())


def with_others(
    metadata: Mapping[str, Any], others: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the metadata of a memory that stands for others, and for those they stood for.

    others: what is to be said of each, and its metadata. What a caller keeps under the same name
    stays as it is.
    """
    known = _entries(metadata)
    if known is None:
        return dict(metadata)
    total = count(metadata) + sum(1 + count(theirs) for _, theirs in others)
    told = [*known]
    for about, theirs in others:
        told += [dict(about), *(_entries(theirs) or ())]
    named = [entry for entry in told if _MORE not in entry][:_NAMED_MAX]
    more = [{_MORE: total - len(named)}] if total > len(named) else []
    return {**metadata, MERGED: [*named, *more]}


def _entries(metadata: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return what was written down here; None for what a caller keeps under the same name."""
    entries = metadata.get(MERGED, [])
    ours = isinstance(entries, list) and all(map(_is_entry, entries))
    return entries if ours else None


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and ("created" in entry or isinstance(entry.get(_MORE), int))
