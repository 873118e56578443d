"""How completed episodes ended: in all, over time, by tool and by domain."""

from __future__ import annotations

from collections import Counter

from milepost.experience.patterns.pattern import DAY_S, SUCCEEDED
from milepost.experience.statistics.changes import SIDE_MIN, Break, breaks, slope
from milepost.experience.values import ABANDONED, OUTCOMES, Change, Rate, ToolRate, Trend
from milepost.shares import wilson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from milepost.experience.values import Ended, ToolUse

# How likely an analysis names a change where there is none, all series taken together.
FALSE_ALARMS = 0.05
ALL = "all episodes"
_WEEK_S = 7 * DAY_S


def judged(episodes: Sequence[Ended]) -> list[Ended]:
    """Return those whose end tells how it went, in the order of their ends."""
    told = (episode for episode in episodes if episode.outcome != ABANDONED)
    return sorted(told, key=lambda episode: (episode.completed, episode.id))


def went_well(episodes: Sequence[Ended]) -> list[bool]:
    """Return for each episode whether it ended well, at least in part."""
    return [episode.outcome in SUCCEEDED for episode in episodes]


def rate(name: str, outcomes: Sequence[bool]) -> Rate:
    """Return a share with its interval."""
    return counted_rate(name, sum(outcomes), len(outcomes))


def counted_rate(name: str, well: int, count: int) -> Rate:
    """Return the share of so many, with its interval."""
    low, high = wilson(well, count)
    return Rate(name, well, count, round(low, 4), round(high, 4))


def outcome_counts(episodes: Sequence[Ended]) -> dict[str, int]:
    """Return how many ended in which way, those that none did left out."""
    counts = Counter(episode.outcome for episode in episodes)
    return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}


def trend(episodes: Sequence[Ended]) -> Trend:
    """Return how the share that ends well moves with time."""
    weeks = [episode.completed / _WEEK_S for episode in episodes]
    per_week, p = slope(weeks, went_well(episodes))
    return Trend(round(per_week, 4), round(p, 4))


def by_domain(episodes: Sequence[Ended]) -> dict[str, list[Ended]]:
    """Return the episodes of each domain, the largest first."""
    groups: dict[str, list[Ended]] = {}
    for episode in episodes:
        domain = episode.context.get("domain")
        if isinstance(domain, str) and domain:
            groups.setdefault(domain, []).append(episode)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def changes(groups: Mapping[str, Sequence[Ended]]) -> list[Change]:
    """Return when the share that ends well changed in some series of episodes.

    The more series there are, the surer each change has to be.
    """
    series = {name: some for name, some in groups.items() if len(some) >= 2 * SIDE_MIN}
    return [
        change
        for name, some in series.items()
        for change in _changes(name, some, FALSE_ALARMS / len(series))
    ]


def _changes(name: str, episodes: Sequence[Ended], level: float) -> list[Change]:
    outcomes = went_well(episodes)
    parted = breaks(outcomes, level)
    edges = [0, *(found.place for found in parted), len(outcomes)]
    return [
        _change(name, episodes, found, outcomes[start : found.place], outcomes[found.place : end])
        for found, start, end in zip(parted, edges, edges[2:], strict=False)
    ]


def _change(
    name: str, episodes: Sequence[Ended], found: Break, before: list[bool], after: list[bool]
) -> Change:
    return Change(
        name,
        episodes[found.place].completed,
        episodes[found.earliest].completed,
        episodes[min(found.latest, len(episodes) - 1)].completed,
        rate("before", before),
        rate("since", after),
        float(f"{found.p:.2g}"),
    )


def tool_rates(uses: Sequence[ToolUse]) -> list[ToolRate]:
    """Return how episodes ended by tool.

    Steps of one episode hang together, so the interval is that of the episodes.
    """
    return [
        ToolRate(counted_rate(use.tool, use.well, use.episodes), use.steps, use.failed)
        for use in uses
    ]
