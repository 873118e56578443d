"""What every operation promises to the surfaces that are derived from it."""

import re
from pathlib import Path

import pytest

import milepost
from milepost.app import Milepost
from milepost.errors import InvalidInput, NotFound
from milepost.registry import Operation, find, fitting, nearest_names, operations_of
from milepost.token_costs import TOKENS

OPERATIONS = operations_of(Milepost)
ROOT = Path(__file__).parents[2]
each = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))


def test_the_package_offers_every_operation() -> None:
    offered = {name for name in milepost.__all__ if name.islower()}

    assert offered == {*OPERATIONS, "get_by_hash", "connect"}


def test_everything_the_package_names_exists() -> None:
    for name in milepost.__all__:
        assert getattr(milepost, name) is not None
    with pytest.raises(AttributeError):
        _ = milepost.no_such_thing  # type: ignore[attr-defined]


def test_type_checkers_see_everything_the_package_names() -> None:
    source = Path(milepost.__file__).read_text()
    seen = set(re.findall(r" as (\w+)$|^    (\w+) = _default", source, re.MULTILINE))
    names = {first or second for first, second in seen} - {"_default"}

    assert names == set(milepost.__all__)


@each
def test_an_operation_says_what_it_does_and_shows_how(operation: Operation) -> None:
    assert operation.summary.endswith(".")
    assert operation.name in operation.spec.example
    assert operation.spec.example in (getattr(Milepost, operation.name).__doc__ or "")


@each
def test_what_the_answer_to_an_example_costs_is_known(operation: Operation) -> None:
    assert operation.spec.tokens, "run `make docs`, which measures it"
    assert f"costs {operation.spec.tokens} tokens" in getattr(Milepost, operation.name).__doc__


def test_no_cost_is_kept_of_what_is_no_operation() -> None:
    assert set(TOKENS) == set(OPERATIONS)


@each
def test_every_parameter_is_described(operation: Operation) -> None:
    for parameter in operation.parameters:
        assert parameter.description, parameter.name


@each
def test_an_unknown_parameter_is_refused_with_the_known_ones(operation: Operation) -> None:
    with pytest.raises(InvalidInput, match="no parameter 'colour'"):
        operation.bind({"colour": "red"})


def test_a_wrong_type_is_refused_as_the_method_itself_refuses_it(memory: Milepost) -> None:
    with pytest.raises(InvalidInput, match="limit must be a whole number") as over_the_wire:
        OPERATIONS["search"].call(memory, {"query": "x", "limit": "many"})
    with pytest.raises(InvalidInput) as from_python:
        memory.search("x", limit="many")  # type: ignore[arg-type]
    assert str(over_the_wire.value) == str(from_python.value)


def test_a_missing_parameter_is_named_and_described() -> None:
    with pytest.raises(InvalidInput, match="search needs query: what to look for"):
        OPERATIONS["search"].bind({})


def test_numbers_typed_as_text_are_understood() -> None:
    assert OPERATIONS["search"].bind({"query": "x", "limit": "3"}) == {"query": "x", "limit": 3}


def test_an_operation_is_found_by_its_alias() -> None:
    assert find(OPERATIONS, "retrieve_memory").name == "search"
    with pytest.raises(NotFound, match="there are"):
        find(OPERATIONS, "zzzzz")
    with pytest.raises(NotFound, match="did you mean search"):
        find(OPERATIONS, "serch")


def test_the_readme_lists_the_api_and_commands_that_exist() -> None:
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()

    for name in OPERATIONS:
        assert f"`{name}" in readme, name
    for command in re.findall(r"^make (\w+)", readme, re.MULTILINE):
        assert f"\n{command}:" in makefile


def test_a_need_that_nothing_serves_finds_no_operation() -> None:
    assert fitting(OPERATIONS, "zzzz weather") == []
    assert fitting(OPERATIONS, "delete a memory")[0].name == "delete"


def test_a_name_that_is_none_is_told_those_that_have_its_words_memories_first() -> None:
    operations = operations_of(Milepost)

    assert nearest_names(operations, "list")[0] == "list_memories"
    assert nearest_names(operations, "list-memory")[0] == "list_memories"
    assert nearest_names(operations, "serach")[0] == "search"
