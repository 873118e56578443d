"""`milepost graph extract` tells the budget before it asks a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import milepost, refused

import milepost as package
from model_server import Model, serving


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as server:
        note = {"number": 1, "entities": [{"name": "blue cupboard", "type": "place"}]}
        server.answer = json.dumps({"notes": [note | {"relations": []}]})
        yield server


@pytest.fixture
def store(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    with package.connect(path) as memory:
        memory.store("we keep it in the blue cupboard")
    return path


def test_the_budget_comes_first_and_yes_goes_on(
    store: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_REFLECTOR", f"{model.url}#wise")

    planned = milepost("graph", "extract", "--dry-run")
    assert planned.out.startswith("planned: 1 memory, 1 call, ")
    assert milepost("graph", "extract").code != 0
    assert model.asked == []

    outcome = milepost("graph", "extract", "--yes")
    assert outcome.code == 0
    assert outcome.err == planned.out
    assert outcome.out.startswith("done: 1 memory, 1 call, ")
    assert ": 1 entity, 0 relations, 0 refused, 0 left [wise]" in outcome.out


def test_without_a_model_it_says_what_to_set(store: Path) -> None:
    assert "set reflector" in refused("graph", "extract", "--yes")
