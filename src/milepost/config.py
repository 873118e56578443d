"""The settings, and the only place that reads the environment."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

APP = "milepost"


class Settings(NamedTuple):
    """Everything that can be set."""

    url: str
    space: str = "default"
    embedder: str = "static"
    embedder_keys: tuple[str, ...] = ()
    models_folder: Path | None = None


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read MILEPOST_URL, MILEPOST_SPACE, MILEPOST_EMBEDDER and MILEPOST_EMBEDDER_KEYS."""
    given = os.environ if environment is None else environment
    keys = given.get("MILEPOST_EMBEDDER_KEYS", "")
    return Settings(
        url=given.get("MILEPOST_URL") or str(data_folder(given) / "memory.db"),
        space=given.get("MILEPOST_SPACE") or "default",
        embedder=given.get("MILEPOST_EMBEDDER") or "static",
        embedder_keys=tuple(key.strip() for key in keys.split(",") if key.strip()),
        models_folder=data_folder(given) / "models",
    )


def data_folder(given: Mapping[str, str]) -> Path:
    """Return the folder of this user's data."""
    if os.name == "posix" and "XDG_DATA_HOME" not in given and _is_linux():
        # What platformdirs would say, without the time it takes to import.
        return Path.home() / ".local" / "share" / APP
    from platformdirs import user_data_path

    return user_data_path(APP, appauthor=False)


def _is_linux() -> bool:
    return os.uname().sysname == "Linux"
