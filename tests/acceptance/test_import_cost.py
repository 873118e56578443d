"""Importing is cheap: heavy modules load on first use, in a fresh process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support import PATIENCE_S, kept_warm

RunPython = Callable[..., CompletedProcess[str]]

LOADED = "import json, sys; print(json.dumps(sorted(m.partition('.')[0] for m in sys.modules)))"

LOADED_MODULES = "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded_by(run_python: RunPython, statements: str) -> set[str]:
    return set(json.loads(run_python(f"{statements}\n{LOADED}").stdout.splitlines()[-1]))


def test_importing_the_package_loads_nothing_heavy(run_python: RunPython) -> None:
    heavy = "numpy msgspec pydantic apsw mcp starlette onnxruntime platformdirs asyncio tiktoken"

    assert loaded_by(run_python, "import milepost").isdisjoint(heavy.split())


@pytest.mark.parametrize("name", ["search", "store", "health", "recall"])
def test_importing_an_operation_loads_neither_numpy_nor_a_server(
    run_python: RunPython, name: str
) -> None:
    heavy = "numpy pydantic mcp starlette onnxruntime tiktoken tokenizers asyncio"

    assert loaded_by(run_python, f"from milepost import {name}").isdisjoint(heavy.split())


def test_listing_the_names_loads_nothing_heavy(run_python: RunPython) -> None:
    loaded = loaded_by(run_python, "import milepost; dir(milepost); milepost.__version__")

    assert loaded.isdisjoint({"numpy", "apsw", "msgspec"})


def test_storing_and_searching_load_no_inference_runtime(
    run_python: RunPython, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    heavy = "pydantic mcp starlette onnxruntime tiktoken tokenizers httpx"

    used = "from milepost import store, search; store('a harbour'); search('harbour')"

    assert loaded_by(run_python, used).isdisjoint(heavy.split())


@pytest.mark.parametrize("url", ["mysql://x", "/proc/nowhere/m.db", "sqlite://", "/"])
def test_health_tells_of_a_broken_url_and_never_raises(
    run_python: RunPython, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_URL", url)

    told = run_python("from milepost import health; h = health(); print(h.status, h.ready)")

    assert told.stdout.split() == ["error", "False"]
    assert told.stderr == ""


COMMAND = "from milepost.surfaces.cli import main\ntry: main({!r})\nexcept SystemExit: pass"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["backup"],
        ["search", "--help"],
        ["serch"],
        ["search"],
        ["search", "x", "--colour"],
        ["search", "harbour"],
        ["get", "deadbeef"],
    ],
    ids=" ".join,
)
def test_a_command_loads_no_capability_where_a_warm_process_or_a_table_tells(
    run_python: RunPython, path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    statements = f"from milepost.surfaces import warm; warm.GREETING_S = {PATIENCE_S}\n"
    with kept_warm(path):
        told = run_python(statements + COMMAND.format(words) + LOADED_MODULES)

    loaded = set(json.loads(told.stdout.splitlines()[-1]))
    heavy = "numpy msgspec apsw inspect typing logging ast yaml pathlib milepost.app"
    assert loaded.isdisjoint(heavy.split())
    assert not {name for name in loaded if name.startswith("milepost.storage")}
