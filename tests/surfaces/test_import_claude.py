"""`milepost import claude-code`: what it makes of instructions and old transcripts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from command_line import done, milepost, refused

from milepost import connect
from milepost.surfaces.importing import formats
from milepost.surfaces.importing.markdown import passages
from milepost.surfaces.importing.source import FileContent
from milepost.surfaces.importing.transcripts import read_session

KEY = "ghp_" + "a1B2c3D4" * 5
RULES = f"""---
name: rules
---
# CLAUDE.md

- Always answer in German.
- Never use emoji.

<!-- not for agents -->
<private>the cat is called Minka</private>

## Testing

Run one test with `make test T=name`; the token is {KEY}.

```sh
# not a heading
make test
```

@docs/other.md
"""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the user's rules, and a project to stand in."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MILEPOST_URL", str(path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (home / ".claude").mkdir(parents=True)
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    return home


def said(text: str, **more: Any) -> dict[str, Any]:
    """Return an entry of a transcript in which a person says something."""
    return {"type": "user", "message": {"role": "user", "content": text}} | more


def transcript(home: Path, name: str, entries: list[Mapping[str, Any]], cwd: str) -> Path:
    folder = home / ".claude" / "projects" / cwd.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    about = {"cwd": cwd, "sessionId": name, "timestamp": NOON.isoformat().replace("+00:00", "Z")}
    lines = [json.dumps(about | dict(entry)) for entry in entries]
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(["{broken", *lines, "null"]) + "\n")
    return file


DECISION = "We decided to use PostgreSQL instead of MySQL because of JSONB."
SESSION = [
    said(f"From now on always use tabs in this repository. {DECISION}"),
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest"}}
            ],
        },
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1 passed"}],
        },
    },
]


def stored(path: Path) -> list[Any]:
    with connect(path) as memory:
        rows = memory.search_iter("everything", min_score=0)
        return [memory.get(row.hash) for row in rows]


def test_a_dry_run_reports_file_by_file_and_makes_no_store(home: Path, path: Path) -> None:
    (home / ".claude" / "CLAUDE.md").write_text(RULES)
    transcript(home, "s1", SESSION, "/work/shop")

    told = milepost("import", "claude-code", "--dry-run", "--json").data
    text = done("import", "claude-code", "--dry-run")

    rules, session = told["files"]
    assert told["dry_run"] is True
    assert rules == {
        "file": "~/.claude/CLAUDE.md",
        "kinds": {"preference": 1, "note": 1},
        "known": 0,
        "secrets": 1,
        "problem": "",
        "relations": 0,
        "left_out": {},
    }
    assert session["kinds"] == {"preference": 1, "decision": 1, "summary": 1}
    assert "5 memories would be stored, 0 were known already, 1 secret left out" in text
    assert not path.exists()


def test_a_second_import_finds_everything_known(home: Path, path: Path) -> None:
    (home / ".claude" / "CLAUDE.md").write_text(RULES)
    transcript(home, "s1", SESSION, "/work/shop")

    assert "5 memories were stored" in done("import", "claude-code")
    before = stored(path)
    assert "0 memories were stored, 5 were known" in done("import", "claude-code")
    assert "0 memories would be stored, 5 were known" in done("import", "claude-code", "--dry-run")

    assert stored(path) == before
    assert len(before) == 5


def test_secrets_and_private_spans_are_not_stored(home: Path, path: Path) -> None:
    (home / ".claude" / "CLAUDE.md").write_text(RULES)
    transcript(home, "s1", [said(f"We decided to use the token {KEY} for CI, not ours.")], "/work")

    done("import", "claude-code")

    texts = " ".join(memory.content for memory in stored(path))
    assert "Always answer in German." in texts
    assert "[secret]" in texts
    assert KEY not in texts
    assert KEY.encode() not in path.read_bytes()
    assert "Minka" not in texts


def test_memories_of_a_transcript_have_its_time_session_and_project(home: Path, path: Path) -> None:
    transcript(home, "s1", SESSION, "/work/shop")

    done("import", "claude-code")

    (decision,) = [memory for memory in stored(path) if memory.kind == "decision"]
    assert decision.content == DECISION
    assert decision.created == NOON.timestamp()
    assert (decision.session, decision.project) == ("s1", "shop")


def test_instructions_belong_to_their_project_and_those_at_home_to_none(
    home: Path, path: Path, tmp_path: Path
) -> None:
    (home / ".claude" / "CLAUDE.md").write_text("Always answer in German.")
    Path("AGENTS.md").write_text("Use tabs in every file.")
    Path("CLAUDE.md").symlink_to("AGENTS.md")
    learned = home / ".claude" / "projects" / "-work-boats" / "memory"
    learned.mkdir(parents=True)
    (learned / "MEMORY.md").write_text("The harbour opens at six.")
    transcript(home, "s1", [said("hello")], "/work/boats")

    done("import", "claude-code")

    assert {memory.content: memory.project for memory in stored(path)} == {
        "Always answer in German.": None,
        "Use tabs in every file.": "shop",
        "The harbour opens at six.": "boats",
    }


def test_files_and_folders_can_be_named_with_the_project(path: Path, tmp_path: Path) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "CLAUDE.md").write_text("Use tabs in every file.")
    (tmp_path / "a" / "README.md").write_text("Not for agents at all.")
    (tmp_path / "notes.md").write_text("The harbour opens at six.")
    named = (tmp_path / "a", tmp_path / "notes.md")

    done("import", "claude-code", *named, "--project", "boats")

    assert {memory.content: memory.project for memory in stored(path)} == {
        "Use tabs in every file.": "boats",
        "The harbour opens at six.": "boats",
    }
    assert "There is no" in refused("import", "claude-code", tmp_path / "absent")


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude" / "CLAUDE.md").write_text("Always answer in German.")
    broken = transcript(home, "s1", SESSION, "/work/shop")
    opened = Path.open

    def fail(self: Path, *arguments: Any, **options: Any) -> Any:
        if self == broken:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *arguments, **options)

    # Root may read everything, so the refusal of the system has to be played.
    monkeypatch.setattr(Path, "open", fail)
    told = milepost("import", "claude-code", "--json")

    assert told.code == 1
    assert [file["problem"] for file in told.data["files"]] == ["", "Permission denied"]


def test_nothing_to_import_is_said() -> None:
    assert "no memory of claude-code was found here" in done("import", "claude-code")


def test_an_interrupted_import_keeps_what_is_done_and_goes_on_when_run_again(
    home: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        text = f"We decided to use library number {number} instead of our own."
        file = transcript(home, f"s{number}", [said(text)], "/work/shop")
        os.utime(file, (number, number))

    def interrupted(file: Path, project: str | None) -> FileContent:
        if file.stem == "s3":
            raise KeyboardInterrupt
        return read_session(file, project)

    with monkeypatch.context() as patch:
        patch.setattr(formats, "read_session", interrupted)
        outcome = milepost("import", "claude-code")
    assert outcome.code == 130
    assert "3 of 5 files are done; the same command goes on" in outcome.err
    assert len(stored(path)) == 3

    assert "2 memories were stored, 3 were known" in done("import", "claude-code")
    assert len(stored(path)) == 5


# How a text is cut


def test_short_sections_stay_whole_and_know_their_headings() -> None:
    found = passages("# Shop\n\n## Testing\nRun make.\n\n### Slow ones\nRun make slow.\n")

    assert [part.text for part in found] == [
        "Shop > Testing: Run make.",
        "Shop > Testing > Slow ones: Run make slow.",
    ]
    assert [part.tags for part in found] == [("testing",), ("testing", "slow-ones")]


def test_long_lists_are_cut_between_points_and_lose_nothing() -> None:
    points = [f"- point {n} says {'this and that ' * 8}\n  and goes on" for n in range(40)]

    found = passages("# Rules\n" + "\n".join(points))

    assert 4 < len(found) < 40
    assert all(part.text.startswith("Rules:\n- point") for part in found)
    assert all(len(part.text) < 700 for part in found)
    joined = "\n".join(part.text for part in found)
    assert all(point.rstrip() in joined for point in points)


def test_code_is_not_cut_into_headings_and_paragraphs() -> None:
    (found,) = passages("Build it:\n\n```sh\n# first\n\n- not a point\nmake all\n```\n")

    assert found.text == "Build it:\n```sh\n# first\n\n- not a point\nmake all\n```"


def test_a_huge_block_is_cut_between_lines() -> None:
    rows = [f"| row {n} | {'x' * 40} |" for n in range(200)]

    found = passages("\n".join(rows))

    assert all(len(part.text) <= 2_000 for part in found)
    assert [line for part in found for line in part.text.split("\n")] == rows
