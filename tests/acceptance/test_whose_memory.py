"""Whose a memory is: the project that is worked on, and the branch of it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import milepost
from git_repository import Repository
from milepost import InvalidInput, MilepostClient
from milepost.app import Operations
from milepost.workspace.values import Place
from support import WAYS, reached

Make = Callable[[str], Repository]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def make(name: str) -> Repository:
        made = Repository(tmp_path / name)
        made.commit({"readme.txt": "hello\n"}, "Begin")
        return made

    return make


@pytest.fixture
def shop(repository: Make) -> Repository:
    return repository("shop")


@pytest.fixture(params=WAYS)
def memory(path: Path, request: pytest.FixtureRequest) -> Iterator[Operations]:
    """The memory in a file, or at a server that has no repository."""
    with reached(request.param, path) as opened:
        yield opened


def at(memory: Operations, repository: Repository) -> Operations:
    """Return a memory for who works in a repository, seen as it is now."""
    server = isinstance(memory, MilepostClient)
    folders = memory._folders if server else memory._opening().workspaces
    folders._seen.clear()
    return memory.within(place=Place(folder=repository.root))


def told(memory: Operations, repository: Repository) -> str:
    return at(memory, repository).brief(folder=repository.root).text


def test_what_is_stored_belongs_to_the_project_of_the_working_folder(
    memory: Operations, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.write("src/cart.py", "items = []\n")
    monkeypatch.chdir(shop.folder / "src")

    assert memory.get(memory.store("We chose PostgreSQL")).project == "shop"


def test_a_project_is_named_and_everywhere_is_said(memory: Operations, shop: Repository) -> None:
    here = at(memory, shop)

    assert here.get(here.store("for billing", project="billing")).project == "billing"
    assert here.get(here.store("for all", project="everywhere")).project is None
    assert here.get(here.store_batch(["one of many"])[0]).project == "shop"


def test_connect_takes_the_project(path: Path) -> None:
    with milepost.connect(path, project="billing") as billing:
        assert billing.get(billing.store("a fact")).project == "billing"
    with milepost.connect(path, project="everywhere") as nobody:
        assert nobody.get(nobody.store("another fact")).project is None


def test_two_repositories_of_one_name_do_not_share_a_memory(
    memory: Operations, shop: Repository, tmp_path: Path, repository: Make
) -> None:
    (tmp_path / "other").mkdir()
    other = repository("other/shop")
    one, two = at(memory, shop), at(memory, other)

    assert one.get(one.store("of the first")).project == "shop"
    assert two.get(two.store("of the second")).project == f"shop ({os.path.realpath(other.root)})"


def test_a_session_is_told_and_keeps_for_its_own_of_two_projects_of_one_name(
    memory: Operations, shop: Repository, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = Repository(tmp_path / "elsewhere" / "shop")
    at(memory, shop).store("Invoices are rounded to cents, half to even", kind="decision")
    at(memory, other).store("Invoices are rounded up to whole euros", kind="decision")
    there = {"project": "shop", "folder": other.root}
    turns = [{"role": "user", "text": "Always round with decimal.Decimal, never with floats."}]

    reminded = memory.remind("How are invoices rounded? What did we decide?", "s1", **there)
    kept = memory.notice("s2", turns, stage="end", **there)[0]

    assert "euros" in reminded.text
    assert "cents" not in reminded.text
    assert memory.get(kept).project == f"shop ({other.root})"


def test_the_own_project_is_told_first_and_others_are_named(
    memory: Operations, shop: Repository, repository: Make
) -> None:
    billing = repository("billing")
    at(memory, billing).store("The database is PostgreSQL 16", kind="decision")
    at(memory, shop).store("The database is SQLite", kind="decision")
    question = "which database do we use?"

    lines = [str(row) for row in at(memory, shop).search(question)]
    assert "SQLite" in lines[0]
    assert "in billing" not in lines[0]
    assert "(in billing) The database is PostgreSQL 16" in lines[1]
    rows = at(memory, billing).search(question)
    assert [row.project for row in rows] == ["billing", "shop"]


def test_a_project_that_the_question_names_counts_as_the_own(
    memory: Operations, shop: Repository, repository: Make
) -> None:
    at(memory, repository("billing")).store("The database of billing is PostgreSQL 16")
    at(memory, shop).store("The database is SQLite")

    assert "PostgreSQL" in at(memory, shop).search("which database does billing use?")[0].preview


def test_everywhere_asks_all_projects_alike_and_a_name_one_alone(
    memory: Operations, shop: Repository, repository: Make
) -> None:
    at(memory, repository("billing")).store("The database is PostgreSQL 16, for its JSONB")
    here = at(memory, shop)
    here.store("A note about the colour of the buttons in the database form")

    question = "which database was chosen for its JSONB?"
    assert here.search(question, project="everywhere")[0].project == "billing"
    assert {row.project for row in here.search(question, project="shop")} <= {"shop"}


def test_the_kind_stands_in_a_line_unless_it_is_a_plain_note(memory: Operations) -> None:
    memory.store("Deploys go out on Tuesday", kind="decision")
    memory.store("The office is in Hamburg")

    assert " decision " in str(memory.search("when do deploys go out?"))
    assert " note " not in str(memory.search("where is the office?"))


def test_notes_of_no_project_do_not_flood_a_briefing(memory: Operations, shop: Repository) -> None:
    for number in range(40):
        memory.store(f"General remark {number} about cooking rice and fish", project="everywhere")
    memory.store("Prefers short answers", kind="preference", project="everywhere")
    at(memory, shop).store("The cart rounds half even", kind="decision")

    text = told(memory, shop)
    assert "rounds half even" in text
    assert "Prefers short answers" in text
    assert text.count("General remark") <= 2


def test_what_is_said_on_a_branch_is_told_there_and_elsewhere_once_it_is_merged(
    memory: Operations, shop: Repository
) -> None:
    shop.git("checkout", "-qb", "feature/cart")
    at(memory, shop).store("The cart keeps its items in Redis", kind="decision")
    shop.commit({"cart.py": "items = []\n"}, "Keep the cart in Redis")

    question = "where does the cart keep its items?"
    assert "in Redis" in told(memory, shop)
    assert at(memory, shop).search(question)[0].mark == ""
    shop.git("checkout", "-q", "main")
    assert "in Redis" not in told(memory, shop)
    # It is shown on request, and says whose it is.
    assert "branch feature/cart" in at(memory, shop).search(question)[0].mark
    shop.git("checkout", "-qb", "other")
    assert "in Redis" not in told(memory, shop)
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--no-ff", "-m", "Merge the cart", "feature/cart")
    shop.git("branch", "-qD", "feature/cart")
    assert "in Redis" in told(memory, shop)
    assert at(memory, shop).search(question)[0].mark == ""


def test_what_belongs_to_a_branch_can_be_listed(memory: Operations, shop: Repository) -> None:
    at(memory, shop).store("The cart rounds half even")
    shop.git("checkout", "-qb", "feature/cart")
    name = at(memory, shop).store("The cart keeps its items in Redis")

    assert [row.hash for row in memory.list_memories(branch="feature/cart")] == [name]
    assert not memory.list_memories(branch="other")
    with pytest.raises(InvalidInput, match="branch must be"):
        memory.list_memories(branch=7)  # type: ignore[arg-type]


def test_a_squashed_branch_that_was_deleted_is_merged(memory: Operations, shop: Repository) -> None:
    shop.git("checkout", "-qb", "feature/cart")
    told(memory, shop)
    shop.commit({"cart.py": "items = []\n"}, "Begin the cart")
    shop.commit({"cart.py": "items = {}\n"}, "Go on with the cart")
    at(memory, shop).store("The cart keeps its items in Redis", kind="decision")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--squash", "feature/cart")
    shop.git("commit", "-qm", "Add the cart (#12)")
    shop.git("branch", "-qD", "feature/cart")

    assert "in Redis" in told(memory, shop)


def test_a_fresh_branch_without_commits_is_not_merged(memory: Operations, shop: Repository) -> None:
    shop.git("checkout", "-qb", "try")
    at(memory, shop).store("The try uses a bloom filter", kind="decision")
    shop.git("checkout", "-q", "main")

    assert "bloom" not in told(memory, shop)


def test_a_git_that_takes_too_long_is_asked_once_and_again_the_next_time(
    memory: Operations, shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "three"):
        shop.git("checkout", "-qb", name, "main")
        shop.commit({f"{name}.txt": "1\n"})
        at(memory, shop).store(f"The cache of {name} is Redis", kind="decision")
        shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--no-ff", "-m", "all", "one", "two", "three")
    slow, asked = tmp_path / "slow", tmp_path / "asked"
    slow.mkdir()
    (slow / "git").write_text(f'#!/bin/sh\necho "$@" >> {asked}\nexec sleep 60\n')
    (slow / "git").chmod(0o755)

    with monkeypatch.context() as slowly:
        slowly.setenv("PATH", str(slow), prepend=os.pathsep)
        slowly.setattr("milepost.workspace.git.MERGED_PATIENCE_S", 0.05)
        assert "Redis" not in told(memory, shop)

    assert asked.read_text().count("refs/heads/") == 1
    assert told(memory, shop).count("Redis") == 3


def test_a_wish_that_is_said_on_a_branch_holds_everywhere(
    memory: Operations, shop: Repository
) -> None:
    shop.git("checkout", "-qb", "try")
    at(memory, shop).store("Always use tabs", kind="preference")
    shop.git("checkout", "-q", "main")

    assert "tabs" in told(memory, shop)


def test_what_is_said_again_on_the_main_branch_belongs_to_no_branch(
    memory: Operations, shop: Repository
) -> None:
    shop.git("checkout", "-qb", "try")
    at(memory, shop).store("Totals are rounded half even", kind="decision")
    shop.git("checkout", "-q", "main")
    at(memory, shop).store("Totals are rounded half even", kind="decision")

    assert "half even" in told(memory, shop)


def test_a_branch_that_builds_on_another_is_told_its_memories(
    memory: Operations, shop: Repository
) -> None:
    shop.git("checkout", "-qb", "below")
    shop.commit({"a.py": "a = 1\n"}, "Add a")
    at(memory, shop).store("Below decided for msgpack", kind="decision")
    shop.git("checkout", "-qb", "above")

    assert "msgpack" in told(memory, shop)
    shop.git("checkout", "-q", "main")
    assert "msgpack" not in told(memory, shop)


def test_a_reminder_keeps_other_branches_out_too(memory: Operations, shop: Repository) -> None:
    shop.git("checkout", "-qb", "try")
    at(memory, shop).store("We decided that the cart lives in Redis", kind="decision")
    shop.git("checkout", "-q", "main")
    here = at(memory, shop)
    here.brief(folder=shop.root, session="s1")

    reminded = here.remind("where did we decide the cart lives?", "s1", folder=shop.root)
    assert "Redis" not in reminded.text


def test_what_a_session_did_on_a_branch_belongs_to_it(memory: Operations, shop: Repository) -> None:
    shop.git("checkout", "-qb", "try")
    turns = [{"role": "user", "text": "We decided to keep the sessions in Memcached for now."}]
    at(memory, shop).notice("s1", turns, folder=shop.root)
    shop.git("checkout", "-q", "main")

    assert "Memcached" not in told(memory, shop)
    late = [{"role": "user", "text": "We decided to keep the logs in Loki for now."}]
    # The branch is that of the session, though another is checked out by now.
    at(memory, shop).notice("s2", late, folder=shop.root, branch="try")
    assert "Loki" not in told(memory, shop)
    shop.git("checkout", "-q", "try")
    assert "Memcached" in told(memory, shop)
    assert "Loki" in told(memory, shop)


def test_what_the_work_on_a_branch_must_be_like_belongs_to_it_and_a_rule_of_the_user_does_not(
    memory: Operations, shop: Repository
) -> None:
    shop.git("checkout", "-qb", "try")
    said = "The codes must have ten digits. From now on always use tabs in this repository."
    at(memory, shop).notice("s1", [{"role": "user", "text": said}], folder=shop.root)
    shop.git("checkout", "-q", "main")

    text = told(memory, shop)
    assert "tabs" in text
    assert "ten digits" not in text


def test_who_names_another_project_works_on_no_branch_of_it(
    memory: Operations, shop: Repository, repository: Make
) -> None:
    at(memory, shop).store("The cart is a list")
    billing = repository("billing")
    billing.git("checkout", "-qb", "try")
    there = memory.within(place=Place("shop", billing.root))
    there.store("The cart is a table", kind="decision")

    assert "is a table" in told(memory, shop)


def test_deleting_by_a_search_leaves_other_projects_alone(
    memory: Operations, shop: Repository, repository: Make
) -> None:
    at(memory, repository("billing")).store("The database is PostgreSQL 16")
    here = at(memory, shop)
    here.store("The database is SQLite")

    assert here.delete_where(query="which database do we use?").deleted == 1
    assert [row.project for row in here.search("which database do we use?")] == ["billing"]
    assert here.delete_where(query="which database do we use?", project="everywhere").deleted == 1


def test_who_asks_from_elsewhere_cannot_name_a_folder_here(
    memory: Operations, shop: Repository
) -> None:
    far = memory.within(place=Place("everywhere", None))

    assert far.brief(folder=shop.root).project is None
    with pytest.raises(milepost.InvalidInput, match="no git repository of yours"):
        far.stale(folder=shop.root)


MERGES = {
    "no-ff": [("merge", "-q", "--no-ff", "-m", "Bring it in", "feature/cart")],
    "ff-only": [("merge", "-q", "--ff-only", "feature/cart")],
    "squash": [("merge", "-q", "--squash", "feature/cart"), ("commit", "-qm", "Add it (#12)")],
}


@pytest.mark.parametrize("way", MERGES)
def test_a_session_that_ends_tells_where_its_branch_stood(
    memory: Operations, shop: Repository, way: str
) -> None:
    shop.git("checkout", "-qb", "feature/cart")
    told(memory, shop)
    shop.commit({"cart.py": "items = []\n"}, "Keep the cart in Redis")
    head = shop.git("rev-parse", "HEAD").strip()
    turns = [{"role": "user", "text": "We decided to keep the cart in Redis."}]
    shop.git("checkout", "-q", "main")
    for command in MERGES[way]:
        shop.git(*command)
    shop.git("branch", "-qD", "feature/cart")
    # What the session left is read only now.
    at(memory, shop).notice(
        "s1", turns, stage="end", folder=shop.root, branch="feature/cart", head=head
    )

    assert "in Redis" in told(memory, shop)


def test_a_search_alone_sees_that_a_branch_was_merged(memory: Operations, shop: Repository) -> None:
    shop.git("checkout", "-qb", "feature/cart")
    shop.commit({"cart.py": "items = []\n"}, "Keep the cart in Redis")
    at(memory, shop).store("The cart keeps its items in Redis", kind="decision")
    shop.git("checkout", "-q", "main")
    question = "where does the cart keep its items?"
    assert "branch feature/cart" in at(memory, shop).search(question)[0].mark
    shop.git("merge", "-q", "--no-ff", "-m", "Merge the cart", "feature/cart")
    shop.git("branch", "-qD", "feature/cart")

    assert at(memory, shop).search(question)[0].mark == ""


@pytest.mark.parametrize("merge", ["--ff-only", "--no-ff"])
def test_commits_that_no_session_saw_are_merged_by_what_git_says(
    memory: Operations, shop: Repository, merge: str
) -> None:
    shop.git("checkout", "-qb", "feature/cart")
    at(memory, shop).store("The cart keeps its items in Redis", kind="decision")
    shop.commit({"cart.py": "items = []\n"}, "Keep the cart in Redis")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", merge, "feature/cart")
    shop.git("branch", "-qD", "feature/cart")

    assert "in Redis" in told(memory, shop)
