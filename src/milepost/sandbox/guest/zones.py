"""Time zones from memory: the data of the tzdata package, read when the component is built."""

from __future__ import annotations

import io
import zlib
import zoneinfo
from importlib import resources
from zoneinfo import _common, _tzpath

_data: dict[str, bytes] = {}


def install_zones() -> None:
    """Read all zones, and let zoneinfo find them here."""
    try:
        root = resources.files("tzdata")
    except ModuleNotFoundError:
        return
    for name in root.joinpath("zones").read_text().split():
        file = root.joinpath("zoneinfo", *name.split("/"))
        _data[name] = zlib.compress(file.read_bytes())
    vars(_common)["load_tzdata"] = _load
    vars(_tzpath)["find_tzfile"] = lambda _key: None
    vars(zoneinfo)["available_timezones"] = lambda: set(_data)


def _load(key: str) -> io.BytesIO:
    if key not in _data:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(zlib.decompress(_data[key]))
