"""`milepost config`: show the settings, and write them into milepost.toml."""

import json
import os
import tomllib
from contextlib import suppress
from pathlib import Path

from milepost.config import SECRETS, Origin, config_file, load_settings, trace_settings
from milepost.errors import ConfigError
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.output import View, table
from milepost.surfaces.cli.rehearsing import Rehearsed

_MASKED = "********"


def show(call: Call) -> View:
    """Show every setting and where it comes from."""
    found = [_masked(origin) for origin in trace_settings(call.flags)]
    rows = [(o.name, _text(o.value), o.source) for o in found]
    return View(found, table(rows, ("setting", "value", "from")))


def _masked(origin: Origin) -> Origin:
    return origin._replace(value=_MASKED) if origin.name in SECRETS and origin.value else origin


def _text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def path(_call: Call) -> str:
    """Return where the configuration file is."""
    return config_file()


def set_value(call: Call) -> object:
    """Write a setting into the configuration file."""
    name, value = call.given["name"], call.given["value"]
    if not value:
        raise Misuse(f"the value is empty; `milepost config unset {name}` removes it")
    # No file and no environment: only this value is looked at.
    parsed = getattr(load_settings({name: value}, {"MILEPOST_CONFIG": os.devnull}), name)
    place = Path(config_file())
    shown = _MASKED if name in SECRETS else _text(parsed)
    if call.dry_run:
        _checked(place)
        return Rehearsed((f"set {name} to {shown} in {place}",))
    _write(place, _with(_checked(place), name, f"{name} = {_toml(parsed)}"))
    return f"{name} is {shown} in {place}{_overridden(name, place)}"


def _overridden(name: str, place: Path) -> str:
    source = next(origin.source for origin in trace_settings() if origin.name == name)
    return "" if source == str(place) else f", but {source} comes first"


def unset_value(call: Call) -> object:
    """Remove a setting from the configuration file."""
    name, place = call.given["name"], Path(config_file())
    text = _checked(place)
    if name not in tomllib.loads(text):
        return f"{name} is not set in {place}"
    if call.dry_run:
        return Rehearsed((f"remove {name} from {place}",))
    _write(place, _with(text, name, None))
    return f"{name} is no longer set in {place}"


def _checked(place: Path) -> str:
    """Return the text of the file, which must be one that Milepost can read."""
    if not place.exists():
        return ""
    load_settings(environment={"MILEPOST_CONFIG": str(place)})
    return place.read_text("utf-8")


def _toml(value: object) -> str:
    # Texts and lists of texts are written alike in JSON, but for what TOML does not escape.
    given = list(value) if isinstance(value, tuple) else value
    return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")


def _with(text: str, name: str, line: str | None) -> str:
    """Return the text with one setting written anew, and every other line as it was."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    start, end = _span(lines, name)
    lines[start:end] = [] if line is None else [line + "\n"]
    return "".join(lines)


def _span(lines: list[str], name: str) -> tuple[int, int]:
    """Return the lines that hold a setting: those that make up a value by themselves."""
    start = 0
    while start < len(lines):
        end = next(e for e in range(start + 1, len(lines) + 1) if _parses(lines[start:e]))
        if list(tomllib.loads("".join(lines[start:end]))) == [name]:
            return start, end
        start = end
    return start, start


def _parses(lines: list[str]) -> bool:
    try:
        tomllib.loads("".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _write(place: Path, text: str) -> None:
    """Replace the file at once, readable by its owner alone."""
    target = place.resolve()
    partial = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(fd)
        partial.replace(target)
    except OSError as problem:
        with suppress(OSError):
            partial.unlink()
        raise ConfigError(f"Cannot write {target} ({problem.strerror}).") from problem
