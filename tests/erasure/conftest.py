"""What tests of erasures share: a memory in a folder, or in a database, that is looked through."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import Place


@pytest.fixture(params=["plain", "encrypted", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A store of each kind, with every folder that anything of it is written to."""
    home, outside = tmp_path / "home", tmp_path / "outside"
    folders = {"MILEPOST_RUNTIME_FOLDER": "run", "TMPDIR": "tmp", "HOME": ""}
    outside.mkdir()
    for name, folder in folders.items():
        (home / folder).mkdir(mode=0o700, exist_ok=True, parents=True)
        monkeypatch.setenv(name, str(home / folder))
    url = str(home / "m.db")
    if request.param == "encrypted":
        key = outside / "store.key"
        key.write_text("5e" * 32 + "\n")
        key.chmod(0o600)
        monkeypatch.setenv("MILEPOST_ENCRYPTION_KEY_FILE", str(key))
    elif request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    monkeypatch.setenv("MILEPOST_URL", url)
    monkeypatch.setenv("MILEPOST_DAEMON", "off")
    return Place(request.param, url, home, outside)
