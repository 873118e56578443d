"""Statistics over episodes, held against truths that were planted; all draws have fixed seeds."""

from __future__ import annotations

from math import comb
from random import Random

import pytest

from milepost.experience.statistics.changes import breaks, chance_of, likeliest_break, slope
from milepost.experience.statistics.intervals import (
    Belief,
    below_in_beta,
    credible,
    mean,
)
from milepost.experience.statistics.places import Sight, beliefs, parts
from milepost.experience.statistics.rates import ALL, by_domain, changes
from milepost.experience.values import Ended
from milepost.shares import wilson

HOUR_S = 3_600.0


def drawn(dice: Random, share: float, count: int) -> list[bool]:
    return [dice.random() < share for _ in range(count)]


def episodes(dice: Random, *stretches: tuple[float, int]) -> list[Ended]:
    """Episodes an hour apart, so many with each share of success, in three domains."""
    outcomes = [held for share, count in stretches for held in drawn(dice, share, count)]
    return [
        Ended(
            f"e{i}",
            "fix",
            "success" if held else "failure",
            i * HOUR_S,
            {"domain": dice.choice("abc")},
        )
        for i, held in enumerate(outcomes)
    ]


@pytest.mark.parametrize("count", [10, 40, 160])
def test_the_interval_of_a_share_holds_it_nineteen_times_in_twenty(count: int) -> None:
    covered = []
    for share in (0.1, 0.3, 0.5, 0.8, 0.9):
        chances = [comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(count + 1)]
        inside = [
            low <= share <= high for low, high in (wilson(k, count) for k in range(count + 1))
        ]
        covered.append(sum(chance for chance, held in zip(chances, inside, strict=True) if held))

    assert min(covered) > 0.92
    assert sum(covered) / len(covered) == pytest.approx(0.95, abs=0.015)


def test_without_an_episode_nothing_is_known_of_a_share() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("x", "a", "b", "below"),
    [(0.3, 1, 1, 0.3), (0.5, 3, 3, 0.5), (0.2, 1, 5, 1 - 0.8**5), (0.9, 7, 1, 0.9**7)],
)
def test_a_beta_distribution_is_what_it_is_in_closed_form(
    x: float, a: float, b: float, below: float
) -> None:
    assert below_in_beta(x, a, b) == pytest.approx(below, abs=1e-9)
    assert (below_in_beta(0.0, a, b), below_in_beta(1.0, a, b)) == (0.0, 1.0)


def test_a_mixture_is_as_wide_as_what_is_mixed() -> None:
    low, high = credible([Belief(0.5, 20, 1), Belief(0.5, 1, 20)])

    assert low < 0.05
    assert high > 0.95
    assert mean([Belief(0.5, 20, 1), Belief(0.5, 1, 20)]) == pytest.approx(0.5)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_a_share_that_stays_is_called_changed_in_one_case_of_twenty_at_most(share: float) -> None:
    dice = Random(11)
    named = sum(bool(breaks(drawn(dice, share, 120), 0.05)) for _ in range(300))

    # Three standard errors above 15 of 300.
    assert named <= 26


def test_all_domains_together_raise_no_more_alarms_than_one_series() -> None:
    dice = Random(12)
    stores = [episodes(dice, (0.7, 150)) for _ in range(150)]
    named = sum(bool(changes({ALL: store, **by_domain(store)})) for store in stores)

    assert named <= 15


def test_a_planted_change_is_found_where_it_is() -> None:
    dice = Random(13)
    stores = [episodes(dice, (0.85, 100), (0.4, 60)) for _ in range(60)]
    named = [changes({ALL: store}) for store in stores]
    placed = [any(c.earliest <= 100 * HOUR_S <= c.latest for c in found) for found in named]

    assert sum(map(bool, named)) >= 58
    assert sum(placed) >= 54
    first = next(found for found in named if len(found) == 1)[0]
    assert first.before.low > first.after.high
    assert (first.before.episodes + first.after.episodes) == 160


def test_a_large_change_is_seen_within_thirty_episodes() -> None:
    dice = Random(14)
    delays = []
    for _ in range(25):
        series = drawn(dice, 0.85, 100) + drawn(dice, 0.3, 100)
        delays.append(next(n for n in range(10, 101, 5) if breaks(series[: 100 + n], 0.05)))

    assert sorted(delays)[12] <= 30


def test_two_changes_are_two() -> None:
    often, seldom = [False, *[True] * 9] * 10, [True, *[False] * 9] * 10

    assert [found.place for found in breaks([*often, *seldom, *often], 0.01)] == [101, 201]


def test_what_is_short_or_all_alike_has_no_change() -> None:
    assert likeliest_break([True] * 9 + [False] * 9) is None
    assert likeliest_break([True] * 100) is None
    assert chance_of(0.0, 0.1) == 1.0


def test_a_trend_is_named_where_there_is_one_and_seldom_elsewhere() -> None:
    dice = Random(15)
    rising = [slope(range(150), [dice.random() < 0.4 + i / 300 for i in range(150)])
              for _ in range(40)]  # fmt: skip
    level = [slope(range(150), drawn(dice, 0.7, 150))[1] for _ in range(300)]

    assert sum(p <= 0.05 and grows > 0 for grows, p in rising) >= 36
    assert sum(p <= 0.05 for p in level) <= 26
    assert slope([], []) == slope([1, 1], [True, False]) == (0.0, 1.0)


def sights(dice: Random, shares: dict[str, float], count: int) -> list[Sight]:
    languages = [dice.choice(["python", "rust"]) for _ in range(count)]
    return [Sight({"language": name}, dice.random() < shares[name]) for name in languages]


def interval(seen: list[Sight], language: str) -> tuple[float, float]:
    held = sum(each.held for each in seen)
    found = parts(seen, ["language"])
    return credible(beliefs(found, {"language": language}, (held, len(seen) - held)))


@pytest.mark.parametrize(
    "shares",
    [
        {"python": 0.8, "rust": 0.8},
        {"python": 0.9, "rust": 0.1},
        {"python": 0.5, "rust": 0.5},
    ],
)
def test_the_share_at_a_place_is_in_its_interval(shares: dict[str, float]) -> None:
    dice = Random(16)
    inside = []
    for _ in range(60):
        seen = sights(dice, shares, 30)
        inside += [low <= share <= high for name, share in shares.items()
                   for low, high in [interval(seen, name)]]  # fmt: skip

    assert sum(inside) / len(inside) >= 0.9


def test_a_pattern_of_one_language_is_expected_in_no_other() -> None:
    seen = sights(Random(17), {"python": 0.95, "rust": 0.05}, 30)

    assert interval(seen, "python")[0] > 0.5
    assert interval(seen, "rust")[1] < 0.5
    low, high = interval(seen, "go")
    assert (low < 0.1, high > 0.9) == (True, True)
    assert parts(seen, ["language"])[0].matters > 0.99


def test_a_language_that_plays_no_part_is_taken_for_one() -> None:
    dice = Random(18)
    matters = [
        parts(sights(dice, {"python": 0.8, "rust": 0.8}, 40), ["language"])[0].matters
        for _ in range(50)
    ]

    assert sorted(matters)[25] < 0.35


def test_a_pattern_about_a_place_says_nothing_of_others() -> None:
    seen = [Sight({"language": "python"}, held=True)] * 20
    found = parts(seen, ["language"], local=True)

    assert mean(beliefs(found, {"language": "rust"}, (20, 0))) == pytest.approx(0.5)
    assert mean(beliefs(found, {"language": "python"}, (20, 0))) > 0.9
