"""A result that crosses a wire is the same result, whatever the wire is."""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from milepost import Milepost
from milepost.codec import field_types, from_data, tagged, to_data, untagged
from milepost.experience.values import Episode, EpisodeList, Insight, Step
from milepost.memory.values import CompactMemory, CompactSearchResult, Deleted, Memory
from milepost.registry import operations_of
from milepost.upkeep.values import CompactHealthInfo
from milepost.values import remarked, remarks, result_type

HIT = CompactMemory("0a1b2c3d", "Ann likes tea", ("a", "b"), 1.5, 0.25)
MEMORY = Memory(
    "0a1b", "text", (), "note", {"n": [1, {"m": None}]}, *[None] * 3, *[0.0] * 3, None, None, "0a1b"
)
STEP = Step(1, "bash", "make", {"cwd": "/"}, "done", True)
EPISODE = Episode(
    "e1", "fix", "coding", {}, ("t",), None, "", (), 1.0, None, 0.5,
    (Insight("fixed", "by hand", (1,)),), None, (("follows", "e0"),), 1, (STEP,),
)  # fmt: skip
RESULTS: list[tuple[Any, Any]] = [
    (str, "0a1b2c3d"),
    (list[str], ["0a1b2c3d"]),
    (CompactSearchResult, CompactSearchResult((HIT, HIT), 7, "tea")),
    (list[CompactMemory], [HIT]),
    (Memory, MEMORY),
    (Episode, EPISODE),
    (CompactHealthInfo, CompactHealthInfo("healthy", 3, "sqlite").noted(["slow"])),
    (Deleted, remarked(Deleted(1, ("0a1b",)), 2)),
    (str, remarked("0a1b2c3d", 1, "4e5f6a7b: tea -> milk")),
    (list[str], [remarked("0a1b2c3d", 0, "4e5f6a7b: tea -> milk"), "4e5f6a7b"]),
    (EpisodeList | None, None),
]
WIRES = {
    "JSON": lambda data: json.loads(json.dumps(data)),
    "marshal": lambda data: marshal.loads(marshal.dumps(data, 4)),
}


def same(one: Any, other: Any) -> bool:
    told = [(x, str(x), type(x).__name__, remarks(x)) for x in (one, other)]
    return told[0] == told[1] and getattr(one, "notes", ()) == getattr(other, "notes", ())


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("kind", "result"), RESULTS)
def test_a_result_comes_back_as_it_was(kind: Any, result: Any, wire: str) -> None:
    cross = WIRES[wire]

    assert same(untagged(cross(tagged(result))), result)
    assert same(from_data(kind, cross(to_data(result))), result)


def test_what_is_published_has_names_and_no_tags() -> None:
    assert to_data(CompactSearchResult((HIT,), 1, "tea")) == {
        "memories": [
            {"hash": "0a1b2c3d", "preview": "Ann likes tea", "tags": ["a", "b"], "created": 1.5,
             "score": 0.25, "kind": "note", "project": None, "when": "", "mark": ""},
        ],
        "total": 1,
        "query": "tea",
    }  # fmt: skip
    assert to_data(remarked("0a1b2c3d", 1)) == {"value": "0a1b2c3d", "secrets_hidden": 1}
    assert to_data(remarked("0a1b2c3d", 0, "4e5f6a7b: tea -> milk")) == {
        "value": "0a1b2c3d",
        "may_replace": "4e5f6a7b: tea -> milk",
    }


def test_data_that_looks_tagged_stays_data() -> None:
    data = {"$": "Deleted", "fields": [1], "b": {1: (2, [3])}}

    assert untagged(tagged(data)) == data


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        tagged([object()])


@pytest.mark.parametrize("operation", operations_of(Milepost).values(), ids=lambda o: o.name)
def test_every_type_that_an_operation_returns_can_be_named(operation: Any) -> None:
    for kind in _named(operation.returns):
        assert result_type(kind.__name__) is kind


def _named(hint: Any) -> Iterator[Any]:
    if hasattr(hint, "_fields"):
        yield hint
        for inner in field_types(hint).values():
            yield from _named(inner)
    for inner in get_args(hint):
        yield from _named(inner)
