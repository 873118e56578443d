"""Secrets that a setting only names: they lie in a file, or in the system's keyring.

A setting `file:PATH` or `keyring:` is looked up where the secret is used. Hooks and searches read
the settings all the time and need none of them; a keyring may ask its owner to unlock it.
"""

from __future__ import annotations

import os

from milepost.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

FILE, KEYRING, PROMPT = "file:", "keyring:", "prompt:"
SERVICE = "milepost"
SECRET_BYTES_MAX = 64 * 1024
_READABLE_BY_ALL, _OPEN_TO_OTHERS = 0o004, 0o077


def is_reference(value: str) -> bool:
    """Whether a value names where a secret is, instead of being one."""
    return value in (KEYRING, PROMPT) or value.startswith(FILE)


def references(value: str | Sequence[str]) -> list[str]:
    """Return what in the value of a setting names a secret that is elsewhere."""
    values = [value] if isinstance(value, str) else value
    return [named for named in values if is_reference(named)]


def revealed(name: str, value: str) -> str:
    """Return the secret of a setting, wherever it is."""
    if value.startswith(FILE):
        return _read(name, value.removeprefix(FILE))
    if value == PROMPT:
        return typed(name)
    return _from_keyring(name) if value == KEYRING else value


def all_revealed(name: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the secrets of a setting that has several: in a file or a keyring, one a line too."""
    secrets: list[str] = []
    for value in values:
        given = revealed(name, value)
        secrets += given.replace(",", "\n").split("\n") if is_reference(value) else [given]
    return tuple(secret.strip() for secret in secrets if secret.strip())


def is_open_to_all(value: str) -> bool:
    """Whether a secret lies in a file that every user of the machine can read.

    No reason to refuse it: containers are given their secrets so, and have one user.
    """
    return _is_open(value, _READABLE_BY_ALL)


def is_open_to_others(value: str) -> bool:
    """Whether a secret lies in a file that anybody but its owner can read or write."""
    return _is_open(value, _OPEN_TO_OTHERS)


def _is_open(value: str, to: int) -> bool:
    if os.name != "posix" or not value.startswith(FILE):
        return False
    return bool(os.stat(_path(value.removeprefix(FILE))).st_mode & to)  # noqa: PTH116


def keep_in_keyring(name: str, secret: str) -> None:
    """Put a secret into the keyring, and make sure that it is there."""
    _asked(name, lambda ring: ring.set_password(SERVICE, name, secret))
    if _asked(name, lambda ring: ring.get_password(SERVICE, name)) != secret:
        raise _no_keyring(name, "it did not keep what it was given")


def take_from_keyring(name: str) -> None:
    """Remove a secret from the keyring, if it is there."""
    if _asked(name, lambda ring: ring.get_password(SERVICE, name)) is not None:
        _asked(name, lambda ring: ring.delete_password(SERVICE, name))


def _read(name: str, place: str) -> str:
    try:
        with open(_path(place), "rb") as file:  # noqa: PTH123 -- pathlib takes longer
            content = file.read(SECRET_BYTES_MAX + 1)
        secret = content.decode().strip("\r\n")
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{name} cannot be read from {place}: {why}.") from problem
    if not secret.strip() or len(content) > SECRET_BYTES_MAX:
        what = "is empty" if not secret.strip() else f"has over {SECRET_BYTES_MAX:,} bytes"
        raise ConfigError(f"{name} cannot be read from {place}: the file {what}.")
    return secret


def typed(name: str) -> str:
    """Return a secret that a person types, without showing it."""
    import getpass
    import sys

    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError(f"{name} is to be typed, and there is no terminal here to type it at.")
    secret = getpass.getpass(f"{name}: ")
    if not secret.strip():
        raise ConfigError(f"No {name} was typed.")
    return secret


def _path(place: str) -> str:
    return os.path.expanduser(place)  # noqa: PTH111


def _from_keyring(name: str) -> str:
    secret = _asked(name, lambda ring: ring.get_password(SERVICE, name))
    if not secret:
        raise ConfigError(
            f"The keyring has no {name}; `milepost config set-secret {name}` puts it there."
        )
    return str(secret)


def _asked(name: str, question: Callable[[Any], Any]) -> Any:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as problem:
        raise ConfigError(
            f'{name} is kept in the keyring, which needs pip install "milepost[keyring]".'
        ) from problem
    try:
        return question(keyring)
    except (KeyringError, OSError, RuntimeError) as problem:
        raise _no_keyring(name, str(problem) or type(problem).__name__) from problem


def _no_keyring(name: str, why: str) -> ConfigError:
    """Return what to do; what backends say is long, and its first sentence is enough."""
    short = " ".join(why.split()).partition(". ")[0][:200].rstrip(".")
    return ConfigError(
        f"The system's keyring cannot be used ({short}); keep the secret in a file that only you "
        f"can read and set MILEPOST_{name.upper()}_FILE to its path."
    )
