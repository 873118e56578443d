"""The examples run as they are, offline, and show what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import PATIENCE_S

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.slow


def told(name: str, folder: Path, *arguments: str) -> str:
    """Return what an example prints, run in a folder that is no repository."""
    kept = {k: v for k, v in os.environ.items() if k not in ("MILEPOST_URL", "MILEPOST_PROJECT")}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=kept | {"HOME": str(folder)},
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return re.sub(r"\d{4}-\d\d-\d\d(?=[ )])", "DATE", done.stdout)


def test_an_mcp_client_finds_what_it_stored_and_pays_little_for_the_tools(tmp_path: Path) -> None:
    out = told("mcp_client", tmp_path)

    assert "adf09bdd [db] DATE We chose PostgreSQL over MySQL because of JSONB" in out
    assert "a7497171 decision DATE Deploys go out on Tuesdays, before noon" in out
    tools, tokens = map(int, re.findall(r"\((\d+) tools and the instructions: about (\d+)", out)[0])
    assert tools == 5
    assert tokens < 750


def test_a_provider_of_ones_own_is_asked_and_missed_without_harm(tmp_path: Path) -> None:
    alone, beside, away = told("own_embedder", tmp_path).split("\n\n")[1:]

    assert "Harbour" not in alone
    assert "Harbour is wiped every Sunday night" in beside
    assert "healthy" in beside
    assert "degraded" in away
    assert re.search(r"it was sent \d+ texts", beside)


def test_the_next_attempt_is_told_what_worked_and_what_did_not(tmp_path: Path) -> None:
    advice = told("learning", tmp_path).split("recommend(")[1]

    assert "Steps that worked (2 of 2" in advice
    assert "1. `tests/conftest.py: freeze the clock in a fixture`" in advice
    assert "Trap: " in advice


def test_two_people_on_one_server_find_their_own_project_first(tmp_path: Path) -> None:
    ada, ben, alone, staging, rest = told("team_server", tmp_path).split("\n\n")

    assert ada.splitlines()[1].endswith("DATE Releases of the shop are tagged by the release job")
    assert "(in blog) Releases of the blog" in ada
    assert ben.splitlines()[1].endswith("DATE Releases of the blog are tagged by hand")
    assert alone.splitlines()[1:] == ["blog: Releases of the blog are tagged by hand"]
    assert "harbour" in staging
    assert "in the space finance: no matching memory" in rest
    assert "with a wrong key: This server needs its key" in rest


def test_every_example_is_in_the_documentation() -> None:
    pages = "".join(page.read_text() for page in EXAMPLES.parent.glob("docs/**/*.md"))
    pages += (EXAMPLES.parent / "README.md").read_text()

    names = [f"examples/{file.name}" for file in EXAMPLES.glob("*.py")]
    assert [name for name in names if name not in pages] == []
