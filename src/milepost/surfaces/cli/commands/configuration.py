"""`milepost config`: show the settings, and write them into milepost.toml."""

import getpass
import os
import sys
from pathlib import Path

from milepost.config import SECRETS, Origin, config_file, load_settings, trace_settings
from milepost.errors import ConfigError
from milepost.location import MASKED, shown
from milepost.secret_sources import (
    FILE,
    KEYRING,
    PROMPT,
    is_open_to_all,
    keep_in_keyring,
    references,
    revealed,
    take_from_keyring,
)
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import table
from milepost.surfaces.install import toml
from milepost.surfaces.install.files import text_of, write
from milepost.surfaces.install.settings_file import Edit, Removed, SettingsFile

# Settings that may hold a password beside what can be shown.
_ADDRESSES = ("url", "replica", "reflector", "embedder", "hook_server")
# What stands for a secret that is not where the setting says.
_LACKING = "cannot be read"


def show(call: Call) -> View:
    """Show every setting and where it comes from."""
    origins = [_masked(origin) for origin in trace_settings(call.flags)]
    rows = [(o.name, _text(o.value), o.source) for o in origins]
    return View(origins, table(rows, ("setting", "value", "from")))


def _masked(origin: Origin) -> Origin:
    """Hide a secret, and say where it is kept; of an address only the password is one."""
    if origin.name in _ADDRESSES:
        return origin._replace(value=shown(str(origin.value)))
    if origin.name not in SECRETS or not origin.value:
        return origin
    places = references(origin.value)  # type: ignore[arg-type]
    problems = {value: _problem(origin.name, value) for value in places}
    told = [f"{_place(value, why)}, which {origin.source} names" for value, why in problems.items()]
    value = _LACKING if any(problems.values()) else MASKED
    return Origin(origin.name, value, "; ".join(told) or origin.source)


def _problem(name: str, value: str) -> str:
    """Return why a secret cannot be read from where it is kept; nothing if it can."""
    if value == PROMPT:
        return ""  # whoever only looks is not asked
    try:
        revealed(name, value)
    except ConfigError as problem:
        return str(problem).rstrip(".")
    return ""


def _place(value: str, problem: str) -> str:
    """Return where a secret is kept, and what is to be said of that."""
    place = {KEYRING: "keyring", PROMPT: "prompt"}.get(value, f"file {value.removeprefix(FILE)}")
    said = problem or ("every user of this machine can read it" if is_open_to_all(value) else "")
    return f"{place} ({said})" if said else place


def _text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def path(_call: Call) -> str:
    """Return where the configuration file is."""
    return config_file()


def set_value(call: Call) -> object:
    """Write a setting into the configuration file."""
    name, value = call.values["name"], call.values["value"]
    if not value:
        raise Misuse(f"the value is empty; `milepost config unset {name}` removes it")
    return written(name, value, dry_run=call.dry_run)


def written(name: str, value: str, *, dry_run: bool = False) -> object:
    """Write a setting and say so, or only say what would be written."""
    # No file and no environment: only this value is looked at.
    parsed = getattr(load_settings({name: value}, {"MILEPOST_CONFIG": os.devnull}), name)
    file, text = _file()
    said = MASKED if name in SECRETS else shown(_text(parsed))
    if dry_run:
        return Rehearsed((f"set {name} to {said} in {file.path}",))
    _write(file, text, Edit((name,), list(parsed) if isinstance(parsed, tuple) else parsed))
    return f"{name} is {said} in {file.path}{_overridden(name, file.path)}"


def set_secret(call: Call) -> object:
    """Keep a secret in the system's keyring, and say in the configuration file that it is there."""
    name = call.values["name"]
    if call.dry_run:
        return Rehearsed((f"keep {name} in the keyring and say so in {config_file()}",))
    secret = _typed(name)
    # As a setting would be: the keys of an embedder have commas between them.
    load_settings({name: secret}, {"MILEPOST_CONFIG": os.devnull})
    _file()  # a file that cannot be read is told before anything is kept
    keep_in_keyring(name, secret)
    written(name, KEYRING)
    place = Path(config_file())
    return f"{name} is in the keyring, as {place} says{_overridden(name, place)}"


def _typed(name: str) -> str:
    """Return a secret that is typed without being shown, or comes from another program."""
    secret = getpass.getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not secret.strip():
        raise Misuse(f"nothing was given: type {name}, or pass it on standard input")
    return secret.strip()


def _overridden(name: str, place: Path) -> str:
    source = next(origin.source for origin in trace_settings() if origin.name == name)
    return "" if source == str(place) else f", but {source} comes first"


def unset_value(call: Call) -> object:
    """Remove a setting from the configuration file."""
    name, (file, text) = call.values["name"], _file()
    if name not in file.read(text):
        return f"{name} is not set in {file.path}"
    if call.dry_run:
        return Rehearsed((f"remove {name} from {file.path}",))
    if file.read(text)[name] in (KEYRING, [KEYRING]):
        take_from_keyring(name)
    _write(file, text, Edit((name,), Removed))
    return f"{name} is no longer set in {file.path}"


def _file() -> tuple[SettingsFile, str | None]:
    """Return the file and its text, which must be one that Milepost can read."""
    place = Path(config_file())
    if not place.exists():
        return SettingsFile(place, toml), None
    load_settings(environment={"MILEPOST_CONFIG": str(place)})
    return SettingsFile(place, toml), text_of(place)


def _write(file: SettingsFile, text: str | None, edit: Edit) -> None:
    """Write the file, which may hold keys, for its owner alone."""
    write(file.path, file.edited(text, [edit]) or "", private=True, keep_mode=False)
