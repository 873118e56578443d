"""How episodes end, and where a pattern holds: asked of stores in which the truth was planted."""

from __future__ import annotations

from random import Random

import pytest

from milepost import InvalidInput, Milepost, NotFound
from milepost.testing import Clock

ERROR = "ModuleNotFoundError: No module named 'lib'"


def attempt(memory: Milepost, *, well: bool, tool: str = "bash", **context: str) -> None:
    """Meet an error and install what is missing, which helps or does not."""
    name = memory.create_episode("make the tests pass", context)
    seen = "3 passed" if well else ERROR
    memory.add_steps(
        name,
        [
            {"tool": tool, "action": "pytest tests", "observation": ERROR, "success": False},
            {"tool": tool, "action": "pip install lib", "observation": "installed"},
            {"tool": tool, "action": "pytest tests", "observation": seen, "success": well},
        ],
    )
    memory.complete_episode(name, "success" if well else "failure")


def recovery(memory: Milepost) -> str:
    memory.extract_patterns()
    (found,) = memory.list_patterns(kind="recovery", include_retired=True).patterns
    return found.id


@pytest.fixture
def changed(clock: Clock, memory: Milepost) -> Milepost:
    """A memory in which auth went well for a month and then mostly did not."""
    dice = Random(3)
    for day in range(60):
        clock.advance(hours=12)
        attempt(memory, well=dice.random() < (0.9 if day < 35 else 0.2), domain="auth")
        attempt(memory, well=dice.random() < 0.7, domain="docs", tool="sh")
    return memory


@pytest.mark.slow
def test_a_change_is_named_with_when_and_from_what_to_what(changed: Milepost) -> None:
    found = changed.analyze_patterns(days=60)

    (change,) = [each for each in found.changes if each.name == "auth"]
    assert change.earliest <= change.at <= change.latest
    assert change.before.low > change.after.high
    assert not [each for each in found.changes if each.name == "docs"]
    assert "auth changed on 2026-01-" in str(found)


@pytest.mark.slow
def test_what_is_counted_is_counted_by_outcome_tool_and_domain(changed: Milepost) -> None:
    found = changed.analyze_patterns(days=60)

    assert sum(found.outcomes.values()) == found.rate.episodes == 120
    assert {rate.name: rate.episodes for rate in found.domains} == {"auth": 60, "docs": 60}
    assert {tool.rate.name: tool.steps for tool in found.tools} == {"bash": 180, "sh": 180}
    auth = next(rate for rate in found.domains if rate.name == "auth")
    bash = next(tool for tool in found.tools if tool.rate.name == "bash")
    assert auth[1:] == bash.rate[1:]
    assert auth.low < auth.well / auth.episodes < auth.high
    assert bash.failed == 60 + (60 - auth.well)

    only = changed.analyze_patterns(days=60, domain="auth")
    assert (only.rate.episodes, only.domains, len(only.tools)) == (60, (), 1)
    week = changed.analyze_patterns(days=7)
    assert week.rate.episodes < 120
    assert len(str(found).splitlines()) < 15


def test_no_episode_is_said_to_be_none(memory: Milepost) -> None:
    found = memory.analyze_patterns()

    assert str(found) == "last 30 days: no episode"
    assert (found.changes, found.tools, found.domains) == ((), (), ())


def test_what_was_abandoned_is_counted_and_tells_nothing(memory: Milepost) -> None:
    attempt(memory, well=True)
    memory.complete_episode(memory.create_episode("left alone"), "abandoned")
    memory.create_episode("still open")
    found = memory.analyze_patterns(days=1)

    assert found.outcomes == {"success": 1, "abandoned": 1}
    assert (found.rate.well, found.rate.episodes) == (1, 1)


def test_a_pattern_that_holds_in_one_language_fits_there_alone(memory: Milepost) -> None:
    for _ in range(8):
        attempt(memory, well=True, language="python", domain="web")
        attempt(memory, well=False, language="rust", domain="web")
    name = recovery(memory)

    here = memory.pattern_fit(name, {"language": "Python", "domain": "web"})
    there = memory.pattern_fit(name, {"language": "rust"})
    nowhere = memory.pattern_fit(name, {"language": "go"})
    assert (here.verdict, there.verdict, nowhere.verdict) == ("yes", "no", "unsure")
    assert here.low < here.probability < here.high
    assert nowhere.high - nowhere.low > 0.8
    assert "language python: 8 of 8 here, 0 of 8 elsewhere" in str(here)
    assert "language go: never seen" in str(nowhere)
    assert "language matters" in str(memory.pattern_fit(name))


def test_a_pattern_seen_once_is_not_sure(memory: Milepost) -> None:
    attempt(memory, well=True, language="python")
    found = memory.pattern_fit(recovery(memory), {"language": "python"})

    assert found.verdict == "unsure"
    assert 0.5 < found.probability < 0.75


def test_the_risk_of_a_pattern_stands_beside_the_usual(memory: Milepost) -> None:
    for _ in range(8):
        attempt(memory, well=True, language="python")
        attempt(memory, well=False, language="rust")
    name = recovery(memory)

    safe = memory.pattern_risk(name, {"language": "python"})
    risky = memory.pattern_risk(name, {"language": "rust"})
    assert safe.high < 0.5 < risky.low
    assert (safe.usual, safe.episodes, risky.usual) == (0.0, 8, 1.0)
    assert (safe.verdict, risky.verdict) == ("unsure", "unsure")
    # Of three errors each of those who fail meets two, and one is mended.
    assert memory.pattern_risk(name).usual == 0.667


def test_a_trap_is_the_riskier_the_more_it_holds(memory: Milepost) -> None:
    for i in range(6):
        name = memory.create_episode(f"release {i}", {"language": "python"})
        memory.add_step(name, "edit", "setup.cfg", observation="PermissionError: denied",
                        success=False)  # fmt: skip
        memory.add_steps(name, [{"tool": "read", "action": f"notes {n}"} for n in range(5)])
        memory.complete_episode(name, "failure")
    memory.extract_patterns()
    (trap,) = memory.list_patterns(kind="trap").patterns

    found = memory.pattern_risk(trap.id, {"language": "python"})
    assert found.probability > 0.8
    assert found.verdict == "higher"


@pytest.mark.parametrize("days", [0, -1, True, 1.5, "week", 40_000])
def test_days_that_are_none_are_refused(memory: Milepost, days: object) -> None:
    with pytest.raises(InvalidInput, match="days"):
        memory.analyze_patterns(days=days)  # type: ignore[arg-type]


def test_a_pattern_that_is_not_there_is_said_to_be_none(memory: Milepost) -> None:
    for ask in (memory.pattern_fit, memory.pattern_risk):
        with pytest.raises(NotFound, match="list_patterns"):
            ask("pt_nobody")
        with pytest.raises(InvalidInput, match="context"):
            ask("pt_nobody", "python")  # type: ignore[arg-type]
