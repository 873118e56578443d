"""`milepost install`: what it puts into the settings of others, and what it leaves alone."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_line import command, done, milepost, on_terminal, refused

from milepost.surfaces.cli.builtin import CLIENTS as NAMES
from milepost.surfaces.install import jsonc
from milepost.surfaces.install.clients import CLIENTS
from support import PATIENCE_S

SETTINGS = """{
  // what I like
  "model": "opus",
  "permissions": { "allow": ["Bash(ls:*)"], },
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  }
}
"""
BROKEN = '{"mcpServers": {'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project of the test's own."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "home"


def contents(folder: Path) -> dict[str, str]:
    """Return what every file below a folder holds."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in files}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def commands_in(settings: Path) -> dict[str, list[str]]:
    hooks = jsonc.read(settings.read_text())["hooks"]
    return {e: [h["command"] for g in groups for h in g["hooks"]] for e, groups in hooks.items()}


# Every client


def test_the_command_line_names_every_client() -> None:
    assert set(NAMES) == set(CLIENTS)


@pytest.mark.parametrize(
    ("client", "scope"), [(c.name, scope) for c in CLIENTS.values() for scope in c.scopes]
)
def test_installing_twice_changes_nothing_and_uninstalling_leaves_nothing(
    tmp_path: Path, client: str, scope: str
) -> None:
    before = contents(tmp_path)
    where = (client, "--scope", scope, "--yes")

    done("install", *where)
    after = contents(tmp_path)
    assert all(path.startswith("home" if scope == "user" else "project") for path in after)
    assert after != before
    assert done("install", *where) == "nothing to change"
    assert contents(tmp_path) == after
    done("uninstall", *where)

    assert contents(tmp_path) == before
    assert done("uninstall", *where) == "nothing to change"


@pytest.mark.parametrize("client", NAMES)
def test_a_dry_run_shows_the_whole_change_and_makes_none(tmp_path: Path, client: str) -> None:
    shown = done("install", client, "--dry-run", "--diff")
    assert contents(tmp_path) == {}

    done("install", client, "--yes")
    for path, text in contents(tmp_path).items():
        assert f"+++ {tmp_path / path}" in shown
        assert all(f"+{line}" in shown for line in text.splitlines())


def test_without_a_diff_a_line_a_file_says_what_goes_where(home: Path) -> None:
    shown = done("install", "gemini", "--dry-run").splitlines()
    assert shown == [
        f"create {home}/.gemini/settings.json: the MCP server, 6 hooks",
        f"create {home}/.gemini/GEMINI.md: a note that there is a memory",
    ]


def test_a_client_without_settings_of_a_project_says_so() -> None:
    outcome = milepost("install", "claude-desktop", "--scope", "project")
    assert outcome.code == 2
    assert "no settings of a project" in outcome.err


def test_as_data_the_change_is_told_file_by_file(home: Path) -> None:
    write(home / ".cursor" / "mcp.json", "{}")

    told = milepost("install", "cursor", "--dry-run", "--json").data

    file, _ = told["files"]
    assert (told["client"], told["scope"], told["dry_run"]) == ("cursor", "user", True)
    assert file["action"] == "change"
    assert file["backup"].endswith("mcp.json.before-milepost")


def test_without_a_terminal_nothing_is_written_unless_it_was_agreed_to(home: Path) -> None:
    outcome = milepost("install", "cursor")

    assert outcome.code == 2
    assert "--yes" in outcome.err
    assert contents(home) == {}


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("\n", False), ("n\n", False)])
def test_on_a_terminal_it_asks(home: Path, answer: str, written: bool) -> None:
    leader, follower = os.openpty()
    os.write(leader, answer.encode())
    ended = subprocess.run(
        command("install", "cursor"),
        stdin=follower,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    os.close(leader)
    os.close(follower)

    assert "Change these 2 files? [y/N]" in ended.stderr
    assert "mcp.json: the MCP server" in ended.stdout
    assert ended.returncode == (0 if written else 1)
    assert bool(contents(home)) == written


def test_colours_of_a_diff_are_for_terminals(home: Path) -> None:
    assert "\x1b[32m+{" in on_terminal("install", "cursor", "--dry-run", "--diff", HOME=str(home))
    assert "\x1b" not in done("install", "cursor", "--dry-run", "--diff")


def test_without_a_client_those_that_are_here_are_listed(home: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", str(home))
    assert "no client was found here" in done("install")

    done("install", "cursor", "--yes")
    write(home / ".codex" / "config.toml", "= broken")
    found = {row["client"]: row for row in milepost("install", "--json").data}

    assert set(found) == {"cursor", "codex"}
    assert found["cursor"]["installed"] is True
    assert "cannot be read" in found["codex"]["problem"]


# What was there


def test_hooks_are_added_beside_those_of_others_and_the_file_is_restored_to_the_letter(
    home: Path,
) -> None:
    settings = write(home / ".claude" / "settings.json", SETTINGS)
    settings.chmod(0o640)

    done("install", "claude-code", "--yes")

    text, found = settings.read_text(), commands_in(settings)
    assert text.startswith(SETTINGS[: SETTINGS.index("    ]\n")].rstrip())
    assert found["Stop"][0] == "say done"
    assert [len(commands) for commands in found.values()] == [2, 1, 1, 1, 1, 1, 1]
    assert settings.stat().st_mode & 0o777 == 0o640
    assert settings.with_name("settings.json.before-milepost").read_text() == SETTINGS

    done("uninstall", "claude-code", "--yes")
    assert contents(home) == {".claude/settings.json": SETTINGS}
    assert settings.stat().st_mode & 0o777 == 0o640


def test_what_was_changed_since_stays_when_milepost_goes(home: Path) -> None:
    settings = write(home / ".claude" / "settings.json", SETTINGS)
    done("install", "claude-code", "--yes")
    later = settings.read_text().replace('"opus", ', "").replace("what I like", "what I hate")
    settings.write_text(later)

    done("uninstall", "claude-code", "--yes")

    assert settings.read_text() == SETTINGS.replace("what I like", "what I hate")
    assert settings.with_name("settings.json.before-milepost").read_text() == SETTINGS


def test_an_empty_container_that_was_there_stays(home: Path) -> None:
    before = '{\n  "mcpServers": {},\n  "x": 1\n}\n'
    settings = write(home / ".cursor" / "mcp.json", before)
    done("install", "cursor", "--yes")
    settings.write_text(settings.read_text().replace('"x": 1', '"x": 2'))

    done("uninstall", "cursor", "--yes")

    assert settings.read_text() == before.replace('"x": 1', '"x": 2')


def test_a_moved_interpreter_is_put_right_and_nothing_else(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/old one/bin/python")
    for client in ("claude-code", "codex", "opencode"):
        done("install", client, "--yes")
    settings = home / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace('"timeout": 5', '"timeout": 77'))
    old = contents(home)
    assert "/old one/bin/python" in old[".codex/config.toml"]

    monkeypatch.setattr(sys, "executable", "/new/bin/python")
    for client in ("claude-code", "codex", "opencode"):
        done("install", client, "--yes")

    new = {k: v for k, v in contents(home).items() if not k.endswith(".before-milepost")}
    assert new == {k: v.replace("/old one/", "/new/") for k, v in old.items()}
    assert '"timeout": 77' in new[".claude/settings.json"]
    for client in ("claude-code", "codex", "opencode"):
        done("uninstall", client, "--yes")
    assert "milepost" not in "".join(
        v for k, v in contents(home).items() if not k.endswith(".before-milepost")
    )


@pytest.mark.parametrize(
    ("client", "path", "text"),
    [
        (
            "cursor",
            ".cursor/mcp.json",
            '{"mcpServers": {"milepost": {"url": "http://127.0.0.1:8765/mcp"}}}',
        ),
        (
            "claude-code",
            ".claude.json",
            '{"mcpServers": {"milepost": {"command": "milepost", "args": ["mcp", "--url", "x"]}}}',
        ),
        ("codex", ".codex/config.toml", '[mcp_servers.milepost]\nurl = "http://127.0.0.1/"\n'),
        ("claude-code", ".claude/commands/recall.md", "my own command\n"),
        ("opencode", ".config/opencode/plugins/milepost.js", "export const mine = 1\n"),
    ],
)
def test_an_entry_of_somebody_elses_is_left_alone_and_told(
    home: Path, client: str, path: str, text: str
) -> None:
    own = write(home / path, text)

    for verb in ("install", "uninstall"):
        told = milepost(verb, client, "--yes")
        assert told.code == 0
        assert own.read_text() == text
        if verb == "install":
            assert f"{own} was not written by install" in told.out.replace("in ", "")


def test_hooks_that_a_person_wrote_are_not_run_twice_nor_removed(home: Path) -> None:
    own = {"type": "command", "command": "MILEPOST_URL=x milepost hook stop"}
    settings = write(
        home / ".claude" / "settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [own]}]}})
    )

    done("install", "claude-code", "--yes")
    assert commands_in(settings)["Stop"] == [own["command"]]
    settings.write_text(settings.read_text() + "\n")
    assert "not written by install" in done("uninstall", "claude-code", "--yes")

    assert commands_in(settings) == {"Stop": [own["command"]]}


def test_the_plugin_and_the_settings_are_not_used_together(home: Path) -> None:
    write(home / ".claude" / "settings.json", '{"enabledPlugins": {"milepost@milepost": true}}')

    assert "claude plugin disable milepost@milepost" in refused("install", "claude-code", "--yes")
    assert len(contents(home)) == 1


# Files that cannot be changed


@pytest.mark.parametrize(
    ("client", "path", "text"),
    [
        ("cursor", ".cursor/mcp.json", BROKEN),
        ("cursor", ".cursor/mcp.json", "[1, 2]"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": ["x"]}'),
        ("claude-code", ".claude.json", BROKEN),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": {"hooks": []}}}'),
        ("codex", ".codex/config.toml", "[mcp_servers\n"),
        ("codex", ".codex/config.toml", "mcp_servers = { other = { command = 'x' } }\n"),
        ("vscode", ".config/Code/User/mcp.json", "\ufeff{"),
    ],
)
def test_a_file_that_cannot_be_changed_is_refused_before_anything_is_written(
    home: Path, client: str, path: str, text: str
) -> None:
    write(home / path, text)

    assert "nothing was changed" in refused("install", client, "--yes")
    assert contents(home) == {path: text}


def test_a_file_that_is_not_text_is_refused(home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe{}")

    assert "not UTF-8" in refused("install", "cursor", "--yes")


@pytest.mark.parametrize("text", ["", "\n", "{}", "// nothing yet\n{}\n"])
def test_an_empty_file_is_filled_and_emptied(home: Path, text: str) -> None:
    path = write(home / ".cursor" / "mcp.json", text)

    done("install", "cursor", "--yes")
    assert jsonc.read(path.read_text())["mcpServers"]["milepost"]["args"][-1] == "mcp"
    done("uninstall", "cursor", "--yes")

    assert contents(home) == {".cursor/mcp.json": text}


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(home: Path, tmp_path: Path, exists: bool) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    if exists:
        write(real, '{"a": 1}\n')
    link = home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)

    done("install", "cursor", "--yes")

    assert link.is_symlink()
    assert "milepost" in real.read_text()
    assert not list(real.parent.glob("*.tmp"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(home: Path) -> None:
    (home / ".cursor").mkdir(mode=0o500)

    assert "Cannot write" in refused("install", "cursor", "--yes")


def test_a_file_in_the_way_of_a_folder_is_told(home: Path) -> None:
    write(home / ".cursor", "not a folder")

    assert str(home / ".cursor") in refused("install", "cursor", "--yes")


# What is run


def test_a_hook_runs_this_interpreter_whatever_it_is_called(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awkward = home / 'it\'s $(touch pwned) a "venv"'
    awkward.mkdir()
    (awkward / "python").symlink_to("/bin/echo")
    monkeypatch.setattr(sys, "executable", str(awkward / "python"))
    done("install", "claude-code", "--yes")

    for commands in commands_in(home / ".claude" / "settings.json").values():
        (text,) = commands
        said = subprocess.run(["/bin/sh", "-c", text], capture_output=True, text=True, check=True)
        assert said.stdout.startswith("-P -m milepost hook ")
    assert not Path("pwned").exists()
    done("uninstall", "claude-code", "--yes")


def test_the_server_and_the_hooks_do_not_take_modules_of_the_project(home: Path) -> None:
    for name in ("milepost.py", "json.py", "argparse.py"):
        write(Path(name), "raise SystemExit('taken from the project')")
    done("install", "claude-code", "--yes")
    (text,) = commands_in(home / ".claude" / "settings.json")["Stop"]

    words = [*shlex.split(text)[:4], "--version"]
    said = subprocess.run(words, capture_output=True, text=True, check=False)

    assert said.stdout.startswith("milepost ")


def test_settings_that_a_team_shares_name_no_folder_of_mine_and_are_silent_without_milepost() -> (
    None
):
    done("install", "claude-code", "--scope", "project", "--yes")

    assert sys.executable not in "".join(contents(Path.cwd()).values())
    for commands in commands_in(Path(".claude/settings.json")).values():
        ended = subprocess.run(
            ["/bin/sh", "-c", *commands],
            env={"PATH": "/usr/bin:/bin"},
            input="{}",
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_other_folders_of_clients_are_found_by_their_variables(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for client in ("claude-code", "codex", "opencode"):
        done("install", client, "--yes")

    assert contents(home) == {}
    assert (tmp_path / "CLAUDE_CONFIG_DIR" / ".claude.json").exists()
    assert tomllib.loads((tmp_path / "CODEX_HOME" / "config.toml").read_text())["mcp_servers"]
    assert (tmp_path / "XDG_CONFIG_HOME" / "opencode" / "plugins" / "milepost.js").exists()


def test_opencode_settings_with_comments_are_found(home: Path) -> None:
    path = write(home / ".config" / "opencode" / "opencode.jsonc", "{\n  // mine\n}\n")

    done("install", "opencode", "--yes")

    assert "// mine" in path.read_text()
    assert not path.with_suffix(".json").exists()


# Notes among what others wrote


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_note_stands_behind_what_a_person_wrote_and_goes_alone(home: Path, end: str) -> None:
    mine = f"# Mine{end}{end}Use tabs.{end}"
    notes = write(home / ".codex" / "AGENTS.md", mine)

    done("install", "codex", "--yes")
    held = notes.read_bytes().decode()
    assert held.startswith(mine)
    assert held.count("MCP server `milepost`") == 1
    assert ("\n" in held.replace("\r\n", "")) is (end == "\n")
    notes.write_bytes(f"{held}{end}Later.{end}".encode())
    assert done("install", "codex", "--yes") == "nothing to change"
    done("uninstall", "codex", "--yes")

    left = notes.read_bytes().decode()
    assert left.startswith(mine.rstrip())
    assert left.rstrip().endswith("Later.")
    assert "milepost" not in left


def test_a_note_that_is_out_of_date_is_replaced_where_it_stands(home: Path) -> None:
    notes = write(home / ".gemini" / "GEMINI.md", "First.\n")
    done("install", "gemini", "--yes")
    fresh = notes.read_text()
    notes.write_text(
        fresh.replace("keeps what past sessions", "holds what older sessions") + "Last.\n"
    )

    done("install", "gemini", "--yes")

    assert notes.read_text() == fresh + "Last.\n"


def test_vs_code_gets_no_hooks_of_its_own_beside_those_of_claude_code(home: Path) -> None:
    done("install", "claude-code", "--yes")

    shown = done("install", "vscode", "--yes")

    assert "VS Code runs the hooks in" in shown
    assert not (home / ".copilot").exists()


def test_hooks_of_others_in_a_flat_file_stay(home: Path) -> None:
    theirs = {"version": 1, "hooks": {"sessionStart": [{"command": "say hello"}]}}
    file = write(home / ".cursor" / "hooks.json", json.dumps(theirs, indent=2))

    done("install", "cursor", "--yes")
    hooks = json.loads(file.read_text())["hooks"]
    assert [len(entries) for entries in hooks.values()] == [2, 1, 1, 1, 1, 1, 1]
    hooks["stop"] = [{"command": "say bye"}]
    file.write_text(json.dumps({"version": 1, "hooks": hooks}))
    done("uninstall", "cursor", "--yes")

    left = json.loads(file.read_text())["hooks"]
    assert left == {"sessionStart": [{"command": "say hello"}], "stop": [{"command": "say bye"}]}
