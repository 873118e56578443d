"""`milepost space` shows where spaces are, and moves them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import done, milepost, refused

import milepost as memory
from support import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the settings, a store of two spaces, and no map."""
    monkeypatch.setenv("MILEPOST_CONFIG", str(tmp_path / "milepost.toml"))
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "usual.db"))
    monkeypatch.setenv("MILEPOST_DAEMON", "off")
    with memory.connect(tmp_path / "usual.db") as usual:
        usual.store("The harbour is closed in winter")
        usual.within("team").store_batch(["The crew drinks tea at four", "The mast is of ash"])
    return tmp_path


def _listed() -> dict[tuple[str, str], tuple[int, str]]:
    found = milepost("space", "list", "--json").data
    return {(s["space"], Path(s["store"]).name): (s["memories"], s["note"]) for s in found}


def test_a_space_is_moved_shown_and_used_where_it_is(folder: Path) -> None:
    assert _listed() == {("default", "usual.db"): (1, ""), ("team", "usual.db"): (2, "")}

    said = done("space", "move", "team", "--to", str(folder / "team.db"))

    assert "writers waited" in said
    assert (folder / "spaces.toml").read_text() == f'team = "{folder}/team.db"\n'
    left = f"a copy: moved to {folder}/team.db"
    assert _listed() == {
        ("default", "usual.db"): (1, ""),
        ("team", "usual.db"): (2, left),
        ("team", "team.db"): (2, ""),
    }
    assert done("search", "what does the crew drink?", "--space", "team").endswith("tea at four")
    done("store", "The crew drinks coffee at six", "--space", "team")
    assert _listed()["team", "team.db"] == (3, "")
    assert "already" in done("space", "move", "team", "--to", str(folder / "team.db"))


def test_a_rehearsal_of_a_move_changes_nothing(folder: Path) -> None:
    said = done("space", "move", "team", "--to", str(folder / "team.db"), "--dry-run")

    assert "copy team (2 memories" in said
    assert not (folder / "team.db").exists()
    assert not (folder / "spaces.toml").exists()
    done("store", "The crew drinks coffee at six", "--space", "team")


def test_what_was_moved_is_removed_when_that_is_asked_for(
    folder: Path, postgres_store_url: str
) -> None:
    before = (folder / "spaces.toml", "# ours\n'other' = 'other.db'\n")
    before[0].write_text(before[1])

    done("space", "move", "team", "--to", postgres_store_url, "--remove")

    assert before[0].read_text() == f'{before[1]}team = "{postgres_store_url}"\n'
    assert set(_listed()) == {("default", "usual.db"), ("team", Path(postgres_store_url).name)}
    assert "team was moved to" in refused(
        "store", "x", "--space", "team", "--url", folder / "usual.db"
    )


def test_a_space_that_is_there_already_is_not_overwritten(folder: Path) -> None:
    with memory.connect(folder / "team.db", space="team") as other:
        other.store("Another crew drinks rum")
    arguments = ("space", "move", "team", "--to", str(folder / "team.db"))

    assert "has a space team already; --replace" in refused(*arguments)
    done(*arguments, "--replace")

    with memory.connect(folder / "usual.db", space="team") as team:
        wait_until(lambda: team.health().count == 2)


def test_the_map_is_not_that_of_a_store_that_is_named(folder: Path) -> None:
    usual = folder / "usual.db"

    assert "MILEPOST_URL instead" in refused("space", "move", "x", "--to", "y.db", "--url", usual)
    assert "other.db" not in done("space", "list", "--url", usual)
