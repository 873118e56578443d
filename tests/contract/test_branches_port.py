"""The branches of memories in every store: told by project, until they are released."""

from __future__ import annotations

from made_memories import add, listed

from milepost.ports import Store

SHOP = {"projects": ("shop",)}


def fill(store: Store) -> None:
    add(store, "on the main branch", **SHOP)
    add(store, "on one branch", branch="one", **SHOP)
    add(store, "more on one branch", branch="one", **SHOP)
    add(store, "on another branch", branch="another", **SHOP)
    add(store, "elsewhere", branch="theirs", projects=("port",))
    add(store, "in another space", branch="hidden", space="theirs", **SHOP)


def test_the_branches_of_a_project_are_told_once_each(store: Store) -> None:
    fill(store)

    assert store.branches.of("default", "shop") == ["another", "one"]
    assert store.branches.of("default", "port") == ["theirs"]
    assert store.branches.of("default", "unknown") == []
    assert store.branches.of("theirs", "shop") == ["hidden"]


def test_what_belongs_to_a_branch_is_kept_from_others(store: Store) -> None:
    fill(store)

    assert listed(store, project="shop", branches=()) == ["on the main branch"]
    on_one = listed(store, project="shop", branches=("one",))
    assert set(on_one) == {"on the main branch", "on one branch", "more on one branch"}


def test_a_released_branch_belongs_to_the_project(store: Store) -> None:
    fill(store)
    assert listed(store, project="shop", branches=()) == ["on the main branch"]

    assert store.branches.release("default", "shop", "one") == 2
    assert store.branches.release("default", "shop", "one") == 0
    assert store.branches.release("default", "shop", "theirs") == 0

    assert store.branches.of("default", "shop") == ["another"]
    assert len(listed(store, project="shop", branches=())) == 3


def test_what_is_said_on_two_branches_belongs_to_none(store: Store) -> None:
    for branch in ("one", "two"):
        add(store, "money is rounded", branch=branch, **SHOP)

    assert store.branches.of("default", "shop") == []
    assert listed(store, project="shop", branches=()) == ["money is rounded"]
