"""Check the statistics over episodes against truths that were planted.

Coverage of the intervals, false alarms where nothing changes, how soon a change is seen and where,
and whether a pattern is expected where it holds. Beside each stands the simplest thing that could
be done instead. All draws have fixed seeds; nothing was fitted to them.

    python bench/experience_statistics.py [--trials 400]
"""

import argparse
import statistics
from collections.abc import Callable, Sequence
from math import comb
from random import Random
from typing import Any

from tqdm import tqdm

from common import save, table
from milepost.experience.statistics.changes import slope
from milepost.experience.statistics.intervals import Belief, credible, mean
from milepost.experience.statistics.places import Sight, beliefs, parts
from milepost.experience.statistics.rates import ALL, by_domain, changes
from milepost.experience.values import Ended
from milepost.shares import wilson

DOMAINS = ("auth", "payments", "search", "media", "infra")
LANGUAGES = ("python", "typescript", "rust", "go")
HOUR_S = 3_600.0
LOOK_EVERY = 5
# The floor for changes: the last so many against those before, when they differ by so much.
LAST, APART = 20, 0.25


def wilson_coverage() -> list[dict[str, Any]]:
    """Return how often the interval of a share holds it, counted over all outcomes."""
    rows = []
    for n in (10, 30, 100, 300):
        for p in (0.05, 0.2, 0.5, 0.8, 0.95):
            chances = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            inside = [low <= p <= high for low, high in (wilson(k, n) for k in range(n + 1))]
            covered = sum(c for c, i in zip(chances, inside, strict=True) if i)
            rows.append({"episodes": n, "rate": p, "coverage": covered})
    return rows


def series(dice: Random, shares: Sequence[float]) -> list[Ended]:
    """Return episodes an hour apart that end well with the chances given."""
    return [
        Ended(
            f"e{i}",
            "fix",
            "success" if dice.random() < p else "failure",
            i * HOUR_S,
            {"domain": dice.choice(DOMAINS)},
        )
        for i, p in enumerate(shares)
    ]


def alarms(episodes: Sequence[Ended]) -> bool:
    """Tell whether the analysis names a change, in all or in a domain."""
    return bool(changes({ALL: episodes, **by_domain(episodes)}))


def floor_alarms(episodes: Sequence[Ended]) -> bool:
    """Tell whether the last few differ from those before by more than a quarter."""
    well = [episode.outcome == "success" for episode in episodes]
    last, before = well[-LAST:], well[:-LAST]
    if len(before) < LAST:
        return False
    return abs(sum(last) / len(last) - sum(before) / len(before)) >= APART


def false_alarms(trials: int) -> list[dict[str, Any]]:
    """Return how often a change is named where there is none, in one look."""
    rows = []
    for n in (50, 200, 1_000):
        for p in (0.5, 0.8, 0.95):
            dice = Random(n * 1_000 + int(100 * p))
            stores = [series(dice, [p] * n) for _ in range(trials)]
            rows.append({
                "episodes": n,
                "rate": p,
                "named": share(map(alarms, stores)),
                "floor": share(map(floor_alarms, stores)),
            })  # fmt: skip
    return rows


def detection(trials: int) -> list[dict[str, Any]]:
    """Plant a change after 200 episodes and look every five: how soon is it named, and where?

    The first row has no change: what sixty looks name all the same.
    """
    rows = []
    for before, after in ((0.8, 0.8), (0.8, 0.3), (0.8, 0.5), (0.9, 0.7), (0.5, 0.8)):
        dice = Random(int(1_000 * before + 100 * after))
        delays, floor_delays, placed = [], [], []
        for _ in range(trials // 4):
            store = series(dice, [before] * 200 + [after] * 300)
            delays.append(delay(store, names_change, 200))
            floor_delays.append(delay(store, floor_alarms, 200))
            named = changes({ALL: store})
            placed.append(any(c.earliest <= 200 * HOUR_S <= c.latest for c in named))
        rows.append({
            "from": before,
            "to": after,
            "named within 300": share(d is not None for d in delays),
            "delay p50": middle(delays),
            "the true place is in its span": share(placed),
            "floor named within 300": share(d is not None for d in floor_delays),
            "floor delay p50": middle(floor_delays),
        })  # fmt: skip
    return rows


def names_change(episodes: Sequence[Ended]) -> bool:
    """Tell whether a change is named that is not long before the planted one."""
    return any(change.latest >= 200 * HOUR_S for change in changes({ALL: episodes}))


def delay(
    store: Sequence[Ended], named: Callable[[Sequence[Ended]], bool], changed: int
) -> int | None:
    """Return after how many episodes a change is named; None when it never is."""
    looks = range(changed + LOOK_EVERY, len(store) + 1, LOOK_EVERY)
    return next((look - changed for look in looks if named(store[:look])), None)


def trends(trials: int) -> list[dict[str, Any]]:
    """Return how often a trend is named, where there is none and where there is one."""
    rows = []
    for start, end in ((0.7, 0.7), (0.95, 0.95), (0.5, 0.8), (0.9, 0.6)):
        for n in (30, 200):
            dice = Random(n + int(1_000 * start) + int(10 * end))
            shares = [start + (end - start) * i / n for i in range(n)]
            ps = [
                slope(range(n), [dice.random() < chance for chance in shares])[1]
                for _ in range(5 * trials)
            ]
            named = share(p <= 0.05 for p in ps)
            rows.append({"from": start, "to": end, "episodes": n, "named": named})
    return rows


# What share of episodes a pattern holds in by language; the last language was never seen.
TRUTHS = {
    "holds everywhere": dict.fromkeys(LANGUAGES, 0.85),
    "holds in one language": {"python": 0.9, "typescript": 0.1, "rust": 0.1, "go": 0.1},
    "holds nowhere": dict.fromkeys(LANGUAGES, 0.15),
    "says nothing": dict.fromkeys(LANGUAGES, 0.5),
}


def fits(trials: int) -> list[dict[str, Any]]:
    """Return for planted patterns whether the interval holds the true share, and the verdicts."""
    rows = []
    for name, truth in TRUTHS.items():
        for n in (6, 20, 60):
            dice = Random(n + 100 * len(name))
            scores: dict[tuple[str, str], list[tuple[bool, float, str]]] = {}
            for _ in range(trials):
                sights = [sight(dice, truth) for _ in range(n)]
                for where in ("python", "rust", "go"):
                    for way, rule in WAYS.items():
                        held = rule(sights, where)
                        scores.setdefault((where, way), []).append(score(held, truth[where]))
            for (where, way), found in scores.items():
                verdicts = [verdict for _, _, verdict in found]
                rows.append({
                    "pattern": name,
                    "seen": n,
                    "asked for": where + (" (never seen)" if where == "go" else ""),
                    "way": way,
                    "true share": truth[where],
                    "coverage": share(covered for covered, _, _ in found),
                    "error": statistics.mean(error for _, error, _ in found),
                    "right": share(v == "right" for v in verdicts),
                    "wrong": share(v == "wrong" for v in verdicts),
                })  # fmt: skip
    return rows


def sight(dice: Random, truth: dict[str, float]) -> Sight:
    """Return an episode somewhere, and whether the pattern held."""
    language = dice.choice(LANGUAGES[:-1])
    place = {"language": language, "domain": dice.choice(DOMAINS)}
    return Sight(place, dice.random() < truth[language])


def weighed(sights: Sequence[Sight], language: str) -> list[Belief]:
    """Return what `pattern_fit` believes."""
    here = {"language": language, "domain": "auth"}
    held = sum(each.held for each in sights)
    return beliefs(parts(sights, ["language", "domain"]), here, (held, len(sights) - held))


def pooled(sights: Sequence[Sight], _language: str) -> list[Belief]:
    """Return what is believed by all that was seen, wherever."""
    held = sum(each.held for each in sights)
    return [Belief(1.0, 1 + held, 1 + len(sights) - held)]


def local(sights: Sequence[Sight], language: str) -> list[Belief]:
    """Return what is believed by what was seen in this language alone."""
    return pooled([each for each in sights if each.place["language"] == language], language)


WAYS = {"pattern_fit": weighed, "floor: all alike": pooled, "floor: here alone": local}


def score(held: Sequence[Belief], truth: float) -> tuple[bool, float, str]:
    """Return whether an interval holds the truth, how far off the mean is, and the verdict."""
    low, high = credible(held)
    said = "yes" if low > 0.5 else "no" if high < 0.5 else "unsure"
    true = "yes" if truth > 0.5 else "no" if truth < 0.5 else "unsure"
    verdict = "right" if said == true else "unsure" if said == "unsure" else "wrong"
    return low <= truth <= high, abs(mean(held) - truth), verdict


def share(values: Any) -> float:
    """Return the share of what is true."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def middle(values: Sequence[int | None]) -> float | None:
    """Return the median of what is there."""
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None


def figures(trials: int = 400) -> dict[str, Any]:
    """Check all of it."""
    parts_of: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "coverage of the intervals of rates (exact)": wilson_coverage,
        "false alarms, no change": lambda: false_alarms(trials),
        "a planted change": lambda: detection(trials),
        "trends": lambda: trends(trials),
        "planted patterns": lambda: fits(trials // 2),
    }
    return {"trials": trials} | {name: measure() for name, measure in tqdm(parts_of.items())}


def main() -> None:
    """Check all of it in one run, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=400)
    found = figures(parser.parse_args().trials)
    for name, rows in found.items():
        if name != "trials":
            print(f"\n{name}\n")
            print(table(list(rows[0]), [list(row.values()) for row in rows]))
    save("experience_statistics", found)


if __name__ == "__main__":
    main()
