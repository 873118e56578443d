"""Completion scripts know every command, its flags and their values."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import done, milepost

from milepost.surfaces.cli.command_line import all_commands
from support import PATIENCE_S

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_milepost
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bash") / "milepost.bash"
    place.write_text(done("completion", "bash"))
    return place


def completed(script: Path, *words: str, folder: Path | None = None) -> list[str]:
    """Return what bash offers for the last word."""
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash")
    ended = subprocess.run(
        [shell, "-c", BASH, "bash", str(script), "milepost", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
        cwd=folder,
    )
    assert ended.stderr == ""
    return sorted(ended.stdout.split())


def test_bash_completes_commands_groups_and_what_follows(script: Path) -> None:
    assert completed(script, "sto") == ["storage", "store", "store-batch"]
    assert completed(script, "storage", "") == [
        "check", "compact", "empty-bin", "health", "info", "reembed", "reindex", "sync"
    ]  # fmt: skip
    assert completed(script, "backup", "re") == ["restore"]
    assert completed(script, "completion", "") == ["bash", "fish", "zsh"]
    assert "daemon_idle" in completed(script, "config", "set", "d")


def test_bash_completes_flags_and_their_values(script: Path) -> None:
    assert completed(script, "search", "--for") == ["--format"]
    assert completed(script, "search", "x", "--format", "") == ["human", "json", "yaml"]
    assert completed(script, "rm", "--dry") == ["--dry-run"]
    assert completed(script, "storage", "info", "--dry") == []
    assert completed(script, "search", "--limit", "") == []


def test_bash_does_not_take_a_value_for_a_command(script: Path) -> None:
    assert completed(script, "--space", "storage", "heal") == ["health"]
    assert completed(script, "--format", "json", "storage", "com") == ["compact"]


def test_bash_completes_files_where_files_are_meant(script: Path, tmp_path: Path) -> None:
    (tmp_path / "copy-of-mine.db").touch()

    assert completed(script, "backup", "restore", "cop", folder=tmp_path) == ["copy-of-mine.db"]
    assert completed(script, "search", "--url", "cop", folder=tmp_path) == ["copy-of-mine.db"]
    assert completed(script, "search", "cop", folder=tmp_path) == []


def test_bash_knows_every_listed_command_and_all_its_flags(script: Path) -> None:
    for command in [command for command in all_commands() if command.listed]:
        *above, last = command.path
        assert last in completed(script, *above, last)
        flags = [name for a in command.arguments for name in a.names if name.startswith("--")]
        offered = completed(script, *above, last, "--")
        assert {*flags, "--format", "--url", "--help"} <= set(offered)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_they_can_read(shell: str, tmp_path: Path) -> None:
    text = done("completion", shell)
    (tmp_path / "script").write_text(text)

    for command in [command for command in all_commands() if command.listed]:
        assert "/".join(command.path) in text
    found = shutil.which(shell)
    if found is not None:
        subprocess.run([found, "-n", tmp_path / "script"], check=True, env={"PATH": os.defpath})


def test_another_shell_is_a_wrong_call() -> None:
    assert milepost("completion", "tcsh").code == 2
