"""What a memory says of the code, beside the code as it is now."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_repository import Repository
from milepost import InvalidInput
from milepost.app import Operations
from milepost.workspace.values import Place
from support import WAYS, reached

MONEY = (
    "def round_total(total):\n    return round(total, 2)\n\n\ndef tax(total):\n    return total\n"
)
QUESTION = "how are totals rounded?"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    made = Repository(tmp_path / "shop")
    made.commit({"src/billing/money.py": MONEY, "src/cart.py": "items = []\n"})
    return made


@pytest.fixture(params=WAYS)
def memory(path: Path, shop: Repository, request: pytest.FixtureRequest) -> Iterator[Operations]:
    """The memory of who works in the repository: a file, or a server that has no repository."""
    with reached(request.param, path) as opened:
        yield opened.within(place=Place(folder=shop.root))


def test_a_memory_whose_file_changed_is_marked(memory: Operations, shop: Repository) -> None:
    memory.store("Totals are rounded half up in src/billing/money.py", kind="decision")
    assert memory.search(QUESTION)[0].mark == ""

    shop.write("src/billing/money.py", MONEY.replace("2)", "0)"))
    assert memory.search(QUESTION)[0].mark == "src/billing/money.py changed since"
    assert "(src/billing/money.py changed since)" in str(memory.search(QUESTION))
    assert "(src/billing/money.py changed since)" in memory.brief(folder=shop.root).text


def test_a_symbol_is_looked_at_by_itself(memory: Operations, shop: Repository) -> None:
    memory.store("Totals are rounded half up by round_total")

    shop.write("src/billing/money.py", MONEY.replace("return total\n", "return total * 1.19\n"))
    assert memory.search(QUESTION)[0].mark == ""
    shop.write("src/billing/money.py", MONEY.replace("2)", "0)"))
    assert memory.search(QUESTION)[0].mark == "round_total in src/billing/money.py changed since"


def test_what_is_gone_is_said(memory: Operations, shop: Repository) -> None:
    memory.store("Totals are rounded half up in src/billing/money.py")
    (shop.folder / "src/billing/money.py").unlink()

    assert memory.search(QUESTION)[0].mark == "src/billing/money.py is gone"


def test_what_was_only_moved_to_another_file_is_the_same(
    memory: Operations, shop: Repository
) -> None:
    memory.store("Totals are rounded half up by round_total")
    shop.git("mv", "src/billing/money.py", "src/amounts.py")
    assert memory.search(QUESTION)[0].mark == ""

    shop.write("src/amounts.py", MONEY.replace("2)", "0)"))
    assert memory.search(QUESTION)[0].mark == "round_total in src/billing/money.py is gone"


def test_what_changed_sinks_below_what_did_not(memory: Operations, shop: Repository) -> None:
    memory.store("Totals are rounded half even in src/billing/money.py", created="2026-02-01")
    memory.store("Totals are rounded half up, says src/cart.py", created="2026-02-01")
    first = memory.search(QUESTION)[0]
    changed = "src/cart.py" if "cart" in first.preview else "src/billing/money.py"
    shop.write(changed, "something = 'else'\n")

    rows = memory.search(QUESTION)
    assert rows[0].hash != first.hash
    assert rows[0].mark == ""
    assert rows[1].mark == f"{changed} changed since"


def test_stale_lists_what_changed_and_confirm_renews_it(
    memory: Operations, shop: Repository
) -> None:
    name = memory.store("Totals are rounded half up in src/billing/money.py")
    memory.store("The cart is a list, see src/cart.py")
    assert not memory.stale()

    shop.write("src/billing/money.py", "nothing = 0\n")
    stale = memory.stale()
    assert [row.hash for row in stale] == [name]
    assert "src/billing/money.py changed since" in str(stale)

    assert memory.confirm(name) == name
    assert not memory.stale()
    assert memory.search(QUESTION)[0].mark == ""


def test_storing_the_same_again_renews_it(memory: Operations, shop: Repository) -> None:
    memory.store("Totals are rounded half up in src/billing/money.py")
    shop.write("src/billing/money.py", "nothing = 0\n")
    memory.store("Totals are rounded half up in src/billing/money.py")

    assert memory.search(QUESTION)[0].mark == ""


def test_a_new_version_rests_on_the_code_as_it_is_then(
    memory: Operations, shop: Repository
) -> None:
    name = memory.store("Totals are rounded half up in src/billing/money.py")
    shop.write("src/billing/money.py", "nothing = 0\n")
    memory.update(name, content="Totals are rounded half even in src/billing/money.py")

    assert memory.search(QUESTION)[0].mark == ""


def test_a_memory_of_another_project_is_not_compared(memory: Operations, shop: Repository) -> None:
    memory.store("Totals are rounded half up in src/billing/money.py", project="other")
    shop.write("src/billing/money.py", "nothing = 0\n")

    assert memory.search(QUESTION)[0].mark == "in other"


def test_nothing_of_the_anchors_stays_when_a_memory_is_deleted(
    memory: Operations, shop: Repository
) -> None:
    name = memory.store("Totals are rounded half up in src/billing/money.py")
    shop.write("src/billing/money.py", "nothing = 0\n")
    memory.delete(name)

    assert not memory.stale()


def test_without_a_repository_there_is_nothing_to_compare_with(
    memory: Operations, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="no git repository"):
        memory.stale(folder=str(tmp_path))


def test_a_whole_memory_says_that_its_code_changed(memory: Operations, shop: Repository) -> None:
    name = memory.store("Totals are rounded half up in src/billing/money.py", kind="decision")
    assert memory.get(name).marks == ()
    (shop.folder / "src/billing/money.py").unlink()

    assert memory.get(name).marks == ("src/billing/money.py is gone",)
    assert "src/billing/money.py is gone" in str(memory.get(name))
