"""What a consolidation that nobody watches leaves alone: all that somebody undid before."""

from collections.abc import Sequence

from milepost.knowledge.values import Consolidation, MemoryLink, Merge


def without_undone(plan: Consolidation, undone: Sequence[Consolidation]) -> Consolidation:
    """Return a plan without what some runs did that were undone."""
    groups = [{merge.keep, *merge.drop} for run in undone for merge in run.merged]
    replaced = {(each.old, each.new) for run in undone for each in run.superseded}
    faded = {name for run in undone for name in (*run.decayed, *run.archived)}
    linked = {_ends(link) for run in undone for link in run.associations}
    spared = plan._replace(
        merged=tuple(left for merge in plan.merged if (left := _apart(merge, groups)).drop),
        superseded=tuple(s for s in plan.superseded if (s.old, s.new) not in replaced),
        decayed=tuple(name for name in plan.decayed if name not in faded),
        archived=tuple(name for name in plan.archived if name not in faded),
        associations=tuple(link for link in plan.associations if _ends(link) not in linked),
    )
    counts = {name: len(getattr(spared, name)) for name in plan.totals}
    return spared._replace(totals=counts)


def _apart(merge: Merge, groups: Sequence[set[str]]) -> Merge:
    """Return a merge without those that were parted from the one that stays."""
    parted = {name for group in groups if merge.keep in group for name in group}
    return merge._replace(drop=tuple(name for name in merge.drop if name not in parted))


def _ends(link: MemoryLink) -> tuple[str, str]:
    return link.memory, link.other
