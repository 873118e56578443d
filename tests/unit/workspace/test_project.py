"""What a folder tells of its project, whatever stands in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from git_repository import Repository
from milepost.workspace.project import detect


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit({"a.py": "x = 1\n"})
    return made


@pytest.mark.parametrize(
    "head",
    ["ref: refs/heads/{up}secret", "ref: refs/heads/a\x1b[31m\nb", "ref: " + "x" * 9_000, "\0"],
)
def test_a_head_that_git_would_not_write_is_no_branch(repository: Repository, head: str) -> None:
    (repository.folder.parent / "secret").write_text("the key of somebody")
    repository.write(".git/HEAD", head.format(up="../" * 4))
    project = detect(repository.root)
    assert (project.branch, project.head, project.is_main) == ("", "", True)


def test_a_branch_that_is_packed_stands_at_its_commit(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "feature/tax")
    commit = repository.commit({"b.py": "y = 1\n"})
    repository.git("branch", "feature/tax-free", "main")
    repository.git("pack-refs", "--all")
    project = detect(repository.root)
    assert (project.branch, project.head) == ("feature/tax", commit)
    assert project.main_head == repository.git("rev-parse", "main")
    assert not project.is_main


def test_nobody_waits_for_a_head_that_is_a_pipe(repository: Repository) -> None:
    (repository.folder / ".git" / "HEAD").unlink()
    os.mkfifo(repository.folder / ".git" / "HEAD")
    assert detect(repository.root).name == "shop"


def test_a_folder_called_everywhere_is_a_project_like_others(tmp_path: Path) -> None:
    assert detect(Repository(tmp_path / "everywhere").root).name == "everywhere (project)"
