"""What is remembered of a session by itself."""

from __future__ import annotations

import pytest

from milepost import InvalidInput, Milepost

RUN = "pytest tests/test_cart.py"
BROKEN = "ImportError: cannot import name 'quantize' from 'cart'"


def said(role: str, text: str) -> dict[str, object]:
    return {"role": role, "text": text}


def ran(text: str, failed: bool = False, tool: str = "Bash", given: str = RUN) -> dict[str, object]:
    return {"role": "tool", "tool": tool, "input": given, "text": text, "failed": failed}


def kinds(memory: Milepost, kind: str) -> list[str]:
    found = list(memory.search_iter("the", kind=kind, min_score=0.0))
    return [memory.get(one.hash).content for one in found]


def everything(memory: Milepost) -> str:
    return "\n".join(text for kind in KINDS for text in kinds(memory, kind))


KINDS = ("decision", "preference", "error", "commit", "change", "insight", "next", "summary")


def test_a_rule_of_the_user_is_remembered_for_the_project(memory: Milepost) -> None:
    memory.notice("s1", [said("user", "From now on always use tabs in this project.")], "shop")
    (text,) = kinds(memory, "preference")
    assert "tabs" in text
    assert memory.search("tabs", project="shop").total == 1


def test_noticing_the_same_stretch_twice_changes_nothing(memory: Milepost) -> None:
    turns = [said("user", "Let's go with Redis instead of Memcached because it persists.")]
    first = memory.notice("s1", turns)
    memory.notice("s1", turns)
    assert len(first) == 1
    assert memory.health().count == 1


def test_an_error_that_was_fixed_later_is_remembered_once_with_its_fix(memory: Milepost) -> None:
    failing = [said("user", "run the tests"), ran(f"Exit code 1\n{BROKEN}", failed=True)]
    memory.notice("s1", failing)
    mended = [
        *failing,
        ran("ok", tool="Edit", given="src/cart.py\n+def quantize(): ..."),
        ran("1 passed"),
    ]
    memory.notice("s1", mended)
    (text,) = kinds(memory, "error")
    assert "quantize" in text
    assert "cart.py" in text


def test_the_end_of_a_session_leaves_a_summary(memory: Milepost) -> None:
    turns = [
        said("user", "make the invoice importer accept two digit years"),
        ran("ok", tool="Edit", given="src/importer.py\n+year += 2000"),
        ran("3 passed"),
        said("assistant", "The importer accepts two digit years. Next we should cover leap years."),
    ]
    memory.notice("s1", turns, stage="end")
    (text,) = kinds(memory, "summary")
    assert "importer" in text


def test_secrets_and_private_words_are_not_remembered(memory: Milepost) -> None:
    key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    memory.notice(
        "s1",
        [
            said("user", f"From now on always use the token {key} <private>my diary</private>"),
            said("assistant", f"We decided to keep {key} in the environment because of CI."),
        ],
    )
    assert memory.health().count > 0
    assert key not in everything(memory)
    assert "diary" not in everything(memory)


def test_what_the_session_used_of_its_briefing_does_not_sink(memory: Milepost) -> None:
    memory.store("The staging host is otter.example.org, port 4711", project="shop")
    memory.store("The office has a ping-pong table on floor 3", project="shop")
    for i in range(8):
        told = memory.brief(project="shop", session=f"s{i}")
        assert len(told.hashes) == 2
        used = [said("assistant", "I connect to otter.example.org on port 4711 for staging.")]
        memory.notice(f"s{i}", used, "shop", stage="end")
    text = memory.brief(project="shop").text
    assert text.index("otter") < text.index("ping-pong")


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("text", "turns"),
        ([7], "turn"),
        ([{"role": "user"}], "turn"),
        ([{"role": "user", "text": "x", "mood": "y"}], "mood"),
    ],
)
def test_turns_that_are_none_are_refused(memory: Milepost, turns: object, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        memory.notice("s1", turns)  # type: ignore[arg-type]


def test_an_unknown_stage_is_refused(memory: Milepost) -> None:
    with pytest.raises(InvalidInput, match="stage"):
        memory.notice("s1", [], stage="noon")
