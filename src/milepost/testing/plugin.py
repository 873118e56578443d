"""Fixtures for pytest: `pytest_plugins = ["milepost.testing.plugin"]` in a conftest.py."""

import os
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest

from milepost.config import AGENT_VARIABLES, EMBEDDER_VARIABLES, SESSION_VARIABLES
from milepost.testing import Clock

if TYPE_CHECKING:
    from milepost.app import Milepost


@pytest.fixture(scope="session")
def no_settings() -> Iterator[None]:
    """Keep the tests away from memory, settings and session of whoever, or what, runs them."""
    # Not below pytest's folder: the path of a socket must be short.
    folder = mkdtemp(prefix="mp-")
    with pytest.MonkeyPatch.context() as patch:
        ours = [name for name in os.environ if name.startswith("MILEPOST_")]
        for name in (*ours, *AGENT_VARIABLES, *SESSION_VARIABLES, *EMBEDDER_VARIABLES):
            patch.delenv(name, raising=False)
        patch.setenv("MILEPOST_URL", f"{folder}/memory.db")
        patch.setenv("MILEPOST_CONFIG", f"{folder}/milepost.toml")
        patch.setenv("MILEPOST_RUNTIME_FOLDER", folder)
        # Where the tests are run from says nothing about whose memories they make.
        patch.setenv("MILEPOST_PROJECT", "everywhere")
        yield
    rmtree(folder, ignore_errors=True)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A clock for the memories that are opened after it."""
    with Clock().running() as clock:
        yield clock


@pytest.fixture
def memory(no_settings: None, tmp_path: Path) -> Iterator["Milepost"]:  # noqa: ARG001
    """An empty memory in a file of its own."""
    from milepost.app import open_memory
    from milepost.opening import settings_for

    with open_memory(settings_for(tmp_path / "m.db")) as memory:
        yield memory
