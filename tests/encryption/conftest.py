"""What tests of encrypted stores share: somebody with a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from encrypted_user import User


@pytest.fixture
def user(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> User:
    """Somebody with a key, for commands and for the functions of this process alike."""
    somebody = User(tmp_path, tmp_path_factory.mktemp("outside"))
    for name, value in somebody.environment.items():
        if name != "MILEPOST_LOG_LEVEL":
            monkeypatch.setenv(name, value)
    return somebody
