"""`milepost savings` shows what models were given and what it saved, and calculates for a team."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from command_line import command, done, milepost, on_terminal, refused

from milepost.app import open_memory
from milepost.config import agent
from milepost.opening import settings_for
from milepost.text.tokens import estimate
from milepost.upkeep.calculator import BRIEFING, SCHEMAS
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.values import Expense
from support import PATIENCE_S, kept_warm

pytestmark = pytest.mark.usefixtures("default_memory")

RESULTS = Path(__file__).parents[2] / "bench" / "results"
PNG = b"\x89PNG\r\n\x1a\n"
SESSION = "5f1c0a8e-0000-4000-8000-00000000abcd"


@pytest.fixture
def spent(path: Path) -> None:
    """Two days and two sessions in the ledger."""
    today = datetime.now().replace(hour=0, minute=0, second=1)
    yesterday = today - timedelta(days=1)
    with open_memory(settings_for(path)) as memory:
        for at, session, tokens, instead_of in (
            (yesterday, SESSION, 100, 1_000),
            (today, SESSION, 300, 600),
            (today, "other", 200, 400),
        ):
            expense = Expense(at.timestamp(), "search", tokens, instead_of, session)
            memory._opening().part(Ledger).record("default", expense)


def days(*ago: int) -> list[str]:
    return [(datetime.now() - timedelta(days=n)).strftime("%Y-%m-%d") for n in ago]


# Showing the ledger


@pytest.mark.usefixtures("spent")
def test_it_shows_days_and_sessions_with_what_was_saved() -> None:
    shown = done("savings")

    assert shown.startswith("30 days: 600 tokens in place of 2,000, 70% saved\n")
    yesterday, today = days(1, 0)
    rows = [line.split() for line in shown.splitlines()]
    assert [yesterday, "1", "100", "1,000", "90%"] in rows
    assert [today, "2", "500", "1,000", "50%"] in rows
    assert [SESSION[:25], "2", "400", "1,600", "75%"] in rows


@pytest.mark.usefixtures("spent")
def test_it_can_be_one_session_or_fewer_days() -> None:
    assert milepost("savings", "--session", "5f1c", "--json").data["total"]["tokens"] == 400
    assert milepost("savings", "--days", "1", "--json").data["total"]["tokens"] == 500
    assert done("savings", "--days", "1").startswith("today: 500 tokens")


@pytest.mark.usefixtures("spent")
def test_it_comes_as_json_and_yaml() -> None:
    found = milepost("savings", "--format", "json").data

    assert found["total"] == {"name": "30 days", "texts": 3, "tokens": 600, "instead_of": 2_000}
    assert [row["name"] for row in found["days"]] == days(1, 0)
    assert "instead_of: 2000" in done("savings", "--format", "yaml")


@pytest.mark.usefixtures("spent")
def test_a_terminal_is_shown_bars_that_fit_it(path: Path) -> None:
    shown = on_terminal("savings", "--url", path, NO_COLOR="1", COLUMNS="80")

    lines = shown.replace("\r", "").splitlines()
    first, second = (next(line for line in lines if line.startswith(day)) for day in days(1, 0))
    assert max(map(len, lines)) <= 80
    # As long as whole objects would have cost; given and saved are told apart.
    assert (first.count("#") + first.count(".")) == (second.count("#") + second.count("."))
    assert 4 * first.count("#") < second.count("#") < 6 * first.count("#")
    assert "# given   . saved" in lines
    assert "\x1b" not in shown


@pytest.mark.usefixtures("spent")
def test_a_terminal_that_wants_colours_gets_them_and_a_pipe_gets_no_bars(path: Path) -> None:
    assert "\x1b[32m....." in on_terminal("savings", "--url", path)
    assert "#" not in done("savings")


def test_an_empty_ledger_says_so() -> None:
    assert done("savings") == "30 days: nothing was handed to a model yet"


@pytest.mark.usefixtures("spent")
def test_it_draws_a_plot(tmp_path: Path) -> None:
    file = tmp_path / "savings.png"

    assert done("savings", "--plot", file) == f"the plot is in {file}"
    assert file.read_bytes().startswith(PNG)


@pytest.mark.usefixtures("spent")
def test_a_plot_without_matplotlib_says_what_brings_it(tmp_path: Path, path: Path) -> None:
    without = "import sys; sys.modules['matplotlib'] = None; from milepost.surfaces.cli import main"
    words = ["savings", "--plot", str(tmp_path / "x.png"), "--url", str(path)]
    ended = subprocess.run(
        [sys.executable, "-c", f"{without}; sys.exit(main({words!r}))"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    assert 'pip install "milepost[plots]"' in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_plot_of_nothing_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    assert "nothing to plot" in refused("savings", "--plot", tmp_path / "x.png")
    assert "--plot writes a .png file, not x.gif" in milepost("savings", "--plot", "x.gif").err


# What an agent reads of commands


def test_an_agent_in_its_shell_is_a_model_that_is_given_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done("store", "The harbour opens at six")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)

    shown = done("search", "harbour")

    found = milepost("savings", "--json").data
    assert found["sessions"][0]["name"] == SESSION
    assert found["total"]["tokens"] == estimate(shown)
    assert found["total"]["instead_of"] > 2 * estimate(shown)


def test_what_streams_is_counted_as_it_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    done("store-batch", "The harbour opens at six", "The harbour closes at nine")
    monkeypatch.setenv("AI_AGENT", "somebody")

    shown = done("search-iter", "harbour", "--json")

    found = milepost("savings", "--json").data["total"]
    assert len(shown.splitlines()) == 2
    assert (found["texts"], found["tokens"]) == (1, estimate(shown))


def test_a_warm_process_takes_down_what_commands_printed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept_warm(path) as server:
        server._memory.store("The harbour opens at six")
        monkeypatch.setenv("AI_AGENT", "somebody")
        shown = done("search", "harbour")
        (expense,) = server._memory._opening().part(Ledger).expenses("default")

    assert (expense.operation, expense.tokens) == ("search", estimate(shown))
    assert len(expense.hashes) == 1


def test_a_person_who_reads_commands_is_given_nothing_that_counts() -> None:
    done("store", "The harbour opens at six")
    done("search", "harbour")

    assert milepost("savings", "--json").data["total"]["texts"] == 0


def test_agents_are_known_by_what_they_set_in_their_shells() -> None:
    assert agent({}) is None
    assert agent({"CLAUDECODE": ""}) is None
    assert agent({"CURSOR_AGENT": "1"}) == ("CURSOR_AGENT", None)
    assert agent({"CODEX_THREAD_ID": "t1"}) == ("CODEX_THREAD_ID", "t1")
    assert agent({"CLAUDE_CODE_SESSION_ID": SESSION}) is None


def test_the_mcp_server_names_the_session_of_its_client(path: Path) -> None:
    asked = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"id": 2, "method": "tools/call", "params": {"name": "search"}},
    ]
    asked[0]["params"] |= {"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    asked[1]["params"] |= {"arguments": {"query": "harbour"}}
    lines = "".join(json.dumps({"jsonrpc": "2.0"} | message) + "\n" for message in asked)
    for told in ({}, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}):
        _serve(path, lines, told)

    names = [row["name"] for row in milepost("savings", "--json").data["sessions"]]
    assert names[0].startswith(f"mcp-{time.strftime('%Y%m')}")
    assert names[1:] == [SESSION]


def _serve(path: Path, lines: str, told: dict[str, str]) -> None:
    environment = os.environ | {"MILEPOST_DAEMON": "off"} | told
    subprocess.run(
        command("mcp", "--url", path),
        input=lines,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )


# The calculator


@pytest.mark.usefixtures("spent")
def test_the_calculator_takes_the_means_of_this_ledger() -> None:
    found = milepost(
        "savings", "--calculate", "--users", 10, "--sessions", 5, "--price", 3, "--json"
    ).data

    # Two sessions: 400 and 200 tokens in place of 1,600 and 400.
    tokens = {row["name"]: row for row in found["tokens"]}
    assert tokens["texts a session"]["with_milepost"] == 300
    assert tokens["texts a session"]["with_whole_objects"] == 1_000
    month = 10 * 5 * 21 * (300 + SCHEMAS.given)
    assert tokens["tokens a month"]["with_milepost"] == month
    costs = {row["name"]: row["with_milepost"] for row in found["costs"]}
    assert costs["cost a month"] == pytest.approx(month * 3 / 1e6)
    assert costs["cost a year"] == pytest.approx(12 * month * 3 / 1e6)
    assert any("the mean of 2 sessions in this ledger" in line for line in found["assumptions"])


def test_without_a_ledger_the_calculator_names_the_benchmark_that_it_takes() -> None:
    shown = done("savings", "--calculate", "--users", 20, "--price", 2.5, "--currency", "EUR ")

    assert "texts: one briefing of a session, bench/results/hooks.json" in shown
    assert "20 users, 5 sessions a day, 21 days a month" in shown
    assert "EUR2.50 for a million tokens of input" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_shipped_figures_are_those_of_the_benchmarks() -> None:
    tokens = json.loads((RESULTS / "tokens.json").read_text())
    startup = json.loads((RESULTS / "startup.json").read_text())["tokens"]
    peer = tokens["mcp-memory-service"]

    briefing = json.loads((RESULTS / "hooks.json").read_text())["session-start"]["10000"]
    assert BRIEFING[:2] == (briefing["tokens"], briefing["tokens_of_objects"])
    assert SCHEMAS[:2] == (
        startup["tools with annotations and meta, and instructions"],
        peer["context"]["response"],
    )
    assert f"mcp-memory-service {peer['measured']['version']}" in SCHEMAS.source


@pytest.mark.parametrize(
    ("flag", "value", "wanted"),
    [
        ("--users", "0", "users must be a whole number from 1 to 1,000,000, not 0"),
        ("--sessions", "-1", "sessions must be a whole number from 1 to 1,000, not -1"),
        ("--price", "0", "more than 0 and at most 10,000, not 0.0"),
        ("--price", "nan", "more than 0 and at most 10,000, not nan"),
        ("--currency", "", "currency must have 1 to 200 characters"),
        ("--workdays", "40", "workdays must be a whole number from 1 to 31, not 40"),
    ],
)
def test_a_team_that_makes_no_sense_is_refused(flag: str, value: str, wanted: str) -> None:
    assert wanted in refused("savings", "--calculate", flag, value)


def test_flags_of_the_calculator_need_it_and_it_draws_nothing() -> None:
    alone = milepost("savings", "--users", "3")
    drawing = milepost("savings", "--calculate", "--plot", "x.png")

    assert (alone.code, drawing.code) == (2, 2)
    assert "--users is for the calculator; add --calculate" in alone.err
    assert "leave out --calculate" in drawing.err
