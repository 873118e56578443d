"""A kind of pattern is one value in one table: whatever deals with patterns deals with it."""

from __future__ import annotations

import pytest

from milepost import Milepost
from milepost.experience.patterns.kinds import KINDS
from milepost.experience.patterns.pattern import EpisodeRun, Kind, pattern, playbook_line
from milepost.experience.values import Pattern
from milepost.registry import operations_of


def _first_looks(run: EpisodeRun) -> list[Pattern]:
    if not run.done:
        return []
    action = run.done[0].action
    episode = [run.episode]
    return [
        pattern("opening", (action,), "how to begin", f"begin with {action}", (action,), episode)
    ]


def _began_so(opening: Pattern, run: EpisodeRun) -> bool | None:
    return run.done[0].action == opening.steps[0] if run.done else None


# A kind that nobody needs: how episodes begin.
OPENING = Kind(
    "opening",
    _first_looks,
    same=lambda a, b, _similarity: a.steps == b.steps,
    tell=lambda opening: playbook_line("Begin", opening.advice),
    held=_began_so,
    chance=lambda _runs: 0.25,
)


@pytest.fixture
def worked(memory: Milepost, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Episodes that all begin with the same step, in a memory that knows one kind more."""
    monkeypatch.setitem(KINDS, OPENING.name, OPENING)
    memory.worker.close()
    names = []
    for place in ("shop", "billing", "search", "mail"):
        name = memory.create_episode(f"deploy the {place} service")
        memory.add_step(name, "bash", f"terraform plan -target {place}", observation="no changes")
        memory.add_step(name, "bash", f"helm upgrade {place}", observation="released")
        memory.complete_episode(name, "success")
        names.append(name)
    memory.extract_patterns()
    return names


def test_a_kind_in_the_table_is_found_in_episodes_and_merged(
    memory: Milepost, worked: list[str]
) -> None:
    (opening,) = memory.list_patterns(kind="opening").patterns
    assert opening.advice == "begin with run terraform plan"
    assert memory.get_pattern(opening.id).evidence == tuple(worked)
    assert opening.successes == 4


@pytest.mark.usefixtures("worked")
def test_a_kind_in_the_table_is_told_and_counted_as_shown(memory: Milepost) -> None:
    (opening,) = memory.list_patterns(kind="opening").patterns
    told = memory.recommend("deploy the mail service with terraform")
    assert "- Begin: begin with run terraform plan (4/4: " in told.text
    assert opening.id in told.patterns


@pytest.mark.usefixtures("worked")
def test_a_kind_in_the_table_is_validated_against_its_own_chance(memory: Milepost) -> None:
    checked = memory.validate_patterns(share=0.5).checked
    (opening,) = [row for row in checked if row.kind == "opening"]
    assert (opening.applied, opening.held, opening.lift) == (2, 2, 0.75)


def test_every_kind_is_named_where_one_can_be_chosen() -> None:
    choices = [p for o in operations_of(Milepost).values() for p in o.parameters
               if o.spec.category == "pattern" and p.name == "kind"]  # fmt: skip
    assert len(choices) == 2
    for text in (*(parameter.description for parameter in choices), Pattern.__doc__ or ""):
        assert [name for name in KINDS if name not in text] == []
