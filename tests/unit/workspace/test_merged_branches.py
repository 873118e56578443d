"""A branch is merged when HEAD holds what was done on it, however it came there."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repository import Repository
from milepost.workspace.git import Looking, is_merged


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.commit({"a.txt": "one\ntwo\nthree\n", "b.txt": "one\n"}, "first")
    return repository


def branch(shop: Repository, *, commits: int = 2) -> tuple[str, str]:
    """Begin the branch `work`, commit on it and go back to main; return where it was and is."""
    base = tip = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "-b", "work")
    for i in range(commits):
        tip = shop.commit({f"new{i}.txt": f"line {i}\n", "a.txt": f"one\n{i}\nthree\n"}, f"w{i}")
    shop.git("checkout", "-q", "main")
    return base, tip


def test_a_branch_is_not_merged_before_it_is(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.commit({"b.txt": "two\n"})
    assert not is_merged(shop.root, "work", base, tip)


def test_a_merge_commit_merges(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.commit({"b.txt": "two\n"})
    shop.git("merge", "-q", "--no-ff", "--no-edit", "work")
    assert is_merged(shop.root, "work", base, tip)
    assert is_merged(shop.root, "work", "", "")
    # A branch that was first seen when all was done on it had no commits since.
    assert is_merged(shop.root, "work", tip, tip)


def test_a_fast_forward_merges(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.git("merge", "-q", "--ff-only", "work")
    assert is_merged(shop.root, "work", base, tip)
    shop.git("branch", "-q", "-D", "work")
    assert is_merged(shop.root, "work", base, tip)


def test_a_squash_merges_even_if_the_branch_is_deleted(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.commit({"b.txt": "two\n"})
    shop.git("merge", "-q", "--squash", "work")
    shop.commit({}, "work, squashed")
    shop.git("branch", "-q", "-D", "work")
    shop.commit({"b.txt": "three\n"})
    assert is_merged(shop.root, "work", base, tip)


def test_a_rebase_merges(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.commit({"b.txt": "two\n"})
    shop.git("cherry-pick", "main..work")
    assert is_merged(shop.root, "work", base, tip)


def test_one_of_two_commits_is_not_the_branch(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.git("cherry-pick", "work~1")
    shop.commit({"b.txt": "two\n"})
    assert not is_merged(shop.root, "work", base, tip)


def test_a_fresh_branch_is_not_merged(shop: Repository) -> None:
    base, tip = branch(shop, commits=0)
    assert not is_merged(shop.root, "work", base, tip)
    shop.commit({"b.txt": "two\n"})
    assert not is_merged(shop.root, "work", base, tip)
    assert not is_merged(shop.root, "work", base, "")


def test_a_branch_that_was_reset_to_where_it_began_is_not_merged(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.git("branch", "-q", "-f", "work", base)
    assert not is_merged(shop.root, "work", base, tip)


def test_a_detached_head_holds_what_it_stands_on(shop: Repository) -> None:
    base, tip = branch(shop)
    shop.git("checkout", "-q", "--detach", tip)
    assert is_merged(shop.root, "work", base, tip)
    shop.git("checkout", "-q", "--detach", base)
    assert not is_merged(shop.root, "work", base, tip)


def test_each_worktree_has_a_head_of_its_own(shop: Repository, tmp_path: Path) -> None:
    base, tip = branch(shop)
    shop.git("worktree", "add", "-q", "-b", "release", str(tmp_path / "release"), "main")
    shop.git("merge", "-q", "--no-ff", "--no-edit", "work")
    assert is_merged(shop.root, "work", base, tip)
    assert not is_merged(str(tmp_path / "release"), "work", base, tip)


@pytest.mark.parametrize("tip", ["", "0" * 40, "--help", "HEAD", "main", "deadbeef; rm"])
def test_a_commit_that_is_not_there_is_not_merged(shop: Repository, tip: str) -> None:
    assert not is_merged(shop.root, "no-such", "", tip)


def test_without_git_or_a_repository_nothing_is_merged(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, tip = branch(shop)
    shop.git("merge", "-q", "--ff-only", "work")
    assert not is_merged(str(tmp_path), "work", base, tip)
    assert not is_merged(str(tmp_path / "nowhere"), "work", base, tip)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not is_merged(shop.root, "work", base, tip)


def test_no_program_of_the_repository_is_run(shop: Repository, tmp_path: Path) -> None:
    base, tip = branch(shop)
    mark = tmp_path / "owned"
    shop.git("merge", "-q", "--squash", "work")
    shop.commit({".gitattributes": "*.txt diff=x merge=x\n"}, "squashed, and more")
    for name in (
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "merge.x.driver",
        "core.fsmonitor",
    ):
        shop.git("config", name, f"touch {mark}")
    is_merged(shop.root, "work", base, tip)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["x", "x=y.z"])
def test_no_filter_of_the_repository_is_run(shop: Repository, tmp_path: Path, name: str) -> None:
    mark = tmp_path / "owned"
    shop.commit({"a.txt": "one\n"}, "begin")
    shop.write(".git/info/attributes", f"*.txt filter={name}\n")
    for way in ("clean", "process", "smudge"):
        shop.git("config", f"filter.{name}.{way}", f"touch {mark}")
    shop.git("config", f"filter.{name}.required", "true")
    shop.write("a.txt", "two\n")
    recent = Looking(shop.root).answer()
    assert not mark.exists()
    assert recent.changed == ("a.txt",)


def test_no_filter_of_a_submodule_is_run(shop: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "owned"
    other = Repository(tmp_path / "other")
    other.commit({"b.txt": "one\n"}, "begin")
    shop.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.root, "sub")
    shop.commit({"a.txt": "one\n"}, "begin")
    shop.write(".git/modules/sub/info/attributes", "*.txt filter=x\n")
    shop.git("config", "-f", ".git/modules/sub/config", "filter.x.clean", f"touch {mark}")
    shop.write("sub/b.txt", "two\n")
    Looking(shop.root).answer()
    assert not mark.exists()


def test_a_repository_that_the_environment_names_is_not_asked(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, tip = branch(shop)
    shop.git("merge", "-q", "--ff-only", "work")
    other = Repository(tmp_path / "other")
    other.commit({"b.txt": "one\n"}, "elsewhere")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.folder / ".git" / "index"))
    assert is_merged(shop.root, "work", base, tip)
    assert "elsewhere" not in Looking(shop.root).answer().commits
