"""The guest component is built from what is in the tree."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from milepost import __version__
from milepost.sandbox import guest_cache

GUEST = Path(__file__).parents[2] / "guest"


@pytest.fixture
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", GUEST / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_component_is_up_to_date(hook: ModuleType) -> None:
    assert hook.recorded()["key"] == hook.key(), "run `python guest/hatch_build.py`"
    assert hook.build() is False


def test_the_component_is_where_the_package_looks_for_it(hook: ModuleType) -> None:
    assert hook.COMPONENT == guest_cache.COMPONENT
    assert hook.RECORD == guest_cache.RECORD


def test_a_change_of_what_the_guest_shares_makes_another_component(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hook.key()
    monkeypatch.setattr(hook, "SHARED", ("values.py",))
    assert hook.key() != before


def test_without_its_tool_the_build_says_what_to_do(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "TOOLS", ("no_such_tool",))
    monkeypatch.setattr(hook, "key", lambda: "another")
    with pytest.raises(SystemExit, match="pip install no-such-tool"):
        hook.build()


def test_milepost_and_its_guest_have_one_version(hook: ModuleType) -> None:
    assert hook.PROJECT["project"]["version"] == version("milepost-guest") == __version__


def test_importing_the_sandbox_loads_neither_wasmtime_nor_msgspec(run_python: object) -> None:
    heavy = "{'wasmtime', 'msgspec', 'ctypes'}"
    run_python(f"import milepost.sandbox, sys; assert not {heavy} & set(sys.modules)")  # type: ignore[operator]


def test_the_host_never_loads_wasmtime() -> None:
    assert "wasmtime" not in sys.modules
