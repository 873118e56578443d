"""`milepost profile` shows where the time goes, and `--trace` where an error was raised."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import done, milepost, refused

from milepost.phases import WATCHED, Phase, phase, ran, watching
from support import kept_warm


@pytest.fixture
def store(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    for number in range(3):
        done("store", f"Lamp {number} is lit at dusk")
    return path


@pytest.mark.usefixtures("store")
def test_a_search_is_taken_apart_into_phases_and_statements() -> None:
    profile = milepost("profile", "--times", "2", "--json", "search", "when are lamps lit?").data

    assert profile["command"] == "search when are lamps lit?"
    assert profile["times"] == 2
    timings = {timing["name"]: timing for timing in profile["timings"]}
    assert timings["search"]["within"] == []
    for name in (
        "opening the store",
        "analysing the question",
        "finding candidates",
        "ranking",
        "making lines",
        "choosing passages",
        "rendering",
    ):
        assert timings[name]["within"] == ["search"], name
        assert timings[name]["first_ms"] <= timings["search"]["first_ms"]
    assert timings["features"]["within"] == ["search", "ranking"]
    assert timings["opening the store"]["again_ms"] == 0, "only the first time"
    records = timings["records"]
    assert (records["statement"], records["times"]) == (True, 1)
    assert records["within"] == ["search", "choosing passages"]


def test_a_warm_process_is_left_out_for_it_would_do_the_work(store: Path) -> None:
    with kept_warm(store):
        shown = done("profile", "--times", "1", "search", "lamps")
    assert "finding candidates" in shown
    assert "median of 1 more, ms" in shown


@pytest.mark.usefixtures("store")
def test_a_profile_is_shown_as_json_by_an_option_behind_the_command_too() -> None:
    assert milepost("profile", "get", "00", "--json").code == 1
    assert milepost("profile", "--times", "1", "tags", "--json").data["command"] == "tags --json"


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("words", [(), ("store", "x"), ("logs",), ("nothing",), ("search",)])
def test_only_what_reads_is_done_again_and_again(words: tuple[str, ...]) -> None:
    assert milepost("profile", *words).code == 2
    assert milepost("profile", "--times", "0", "tags").code == 2


def test_what_a_server_does_is_not_seen_from_here() -> None:
    assert "run it beside the store" in refused(
        "profile", "search", "x", "--url", "http://127.0.0.1:9"
    )


def test_nothing_is_taken_down_unless_somebody_watches() -> None:
    with phase("outside"):
        assert WATCHED.get() is None
        assert ran("statement", sum, [1, 2]) == 3
    whole = Phase("whole")
    with watching(whole), phase("part"):
        ran("statement", sum, [1])
        with pytest.raises(TypeError):
            ran("statement", sum, 1)
    (part,) = whole.inner
    assert part.statements["statement"][0] == 2
    assert WATCHED.get() is None


@pytest.mark.usefixtures("store")
def test_the_stack_of_an_error_is_shown_when_asked_for() -> None:
    short = refused("get", "00000000")
    shown = milepost("get", "00000000", "--trace")
    assert shown.code == 1
    assert shown.err.startswith("Traceback")
    assert "in find_record" in shown.err
    assert shown.err.endswith(short)
    assert "milepost logs --request" in shown.err


def test_the_stack_is_that_of_the_store_also_beside_a_warm_process(store: Path) -> None:
    with kept_warm(store):
        assert "in find_record" in milepost("--trace", "get", "00000000").err
