"""Whether what a memory says of the code may still hold: the code it rests on, then and now."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from milepost.memory.context import Context
from milepost.memory.home import Home, home_of, tree_of
from milepost.memory.hot_reads import rests_on
from milepost.memory.values import Draft, Record
from milepost.workspace.values import Anchor

CHANGED, GONE = "changed", "gone"
# How much less a memory counts whose code changed, or is no longer there.
_TRUST = {"": 1.0, CHANGED: 0.6, GONE: 0.4}
# What is read of the working tree for one answer.
_ANCHORS_MAX = 60
_NAMED = 2


class Freshness(NamedTuple):
    """What became of the code that a memory rests on, in words, and how far to trust it still."""

    mark: str = ""
    trust: float = 1.0


FRESH = Freshness()


def anchors_of(context: Context, drafts: Sequence[Draft]) -> Sequence[tuple[Anchor, ...]]:
    """Return the code that memories rest on, of those that belong to the project worked on."""
    none: list[tuple[Anchor, ...]] = [()] * len(drafts)
    tree, home = tree_of(context), home_of(context)
    ours = [i for i, draft in enumerate(drafts) if home.project in draft.projects]
    if tree is None or not ours or not home.place.git:
        return none
    found = tree.anchors([drafts[i].content for i in ours])
    for i, anchors in zip(ours, found, strict=True):
        none[i] = anchors
    return none


def freshness_of(
    context: Context, home: Home, records: Sequence[Record]
) -> Mapping[int, Freshness]:
    """Return what became of the code, by memory; those whose code is the same are left out."""
    ours = [record.id for record in records if home.project in record.projects]
    return freshness_by_id(context, home, ours, _ANCHORS_MAX)


def freshness_by_id(
    context: Context, home: Home, ours: Sequence[int], most: int | None = None
) -> Mapping[int, Freshness]:
    """Return what became of the code of memories of the project; of the same code nothing.

    most: how many files and symbols are looked at.
    """
    tree = tree_of(context)
    if home.project is None or not home.place.git or tree is None or not ours:
        return {}
    anchors = context.store.anchors.of(ours)
    pairs = [(i, anchor) for i in ours for anchor in anchors.get(i, ())][:most]
    if not pairs:
        return {}
    rests_on("the files of the working tree")
    states = tree.states([anchor for _, anchor in pairs])
    stale: dict[int, list[tuple[Anchor, str]]] = {}
    for (memory_id, anchor), state in zip(pairs, states, strict=True):
        if state:
            stale.setdefault(memory_id, []).append((anchor, state))
    return {memory_id: _freshness(changed) for memory_id, changed in stale.items()}


def _freshness(changed: Sequence[tuple[Anchor, str]]) -> Freshness:
    said = [
        f"{_name(anchor)} {'is gone' if state == GONE else 'changed since'}"
        for anchor, state in changed
    ]
    more = [f"{len(said) - _NAMED} more"] if len(said) > _NAMED else []
    return Freshness(", ".join([*said[:_NAMED], *more]), min(_TRUST[state] for _, state in changed))


def _name(anchor: Anchor) -> str:
    return f"{anchor.symbol} in {anchor.path}" if anchor.symbol else anchor.path
