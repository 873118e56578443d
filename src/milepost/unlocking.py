"""Where the key of an encrypted store comes from, for everything that opens or writes beside one.

The setting encryption_key only names a place: a file, the system's keyring, or a prompt.
"""

from __future__ import annotations

import os
from functools import lru_cache

from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.sealing import Lines, beginning_of, is_header, key_among, new_key
from milepost.secret_sources import FILE, KEYRING, PROMPT, revealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAME, OF_COPIES = "encryption_key", "backup_key"


def secret_named(reference: str, name: str = NAME) -> str:
    """Return the secret that a place keeps; a keyring and a person are asked once."""
    if not reference.startswith(FILE) and reference not in (KEYRING, PROMPT):
        raise ConfigError(
            f"{name} names where the key is: {FILE}PATH, {KEYRING} or {PROMPT}; a key that stands "
            "in a setting or in the environment is seen by too many."
        )
    return revealed(name, reference) if reference.startswith(FILE) else _asked_once(name, reference)


@lru_cache(maxsize=4)
def _asked_once(name: str, reference: str) -> str:
    return revealed(name, reference)


def secrets_of(references: Sequence[str], name: str = NAME) -> list[str]:
    """Return the secrets that places keep."""
    return [secret_named(reference, name) for reference in references if reference]


def secrets_of_copies(settings: Settings) -> list[str]:
    """Return the secret that copies of the settings' store are encrypted by, if they have one."""
    return secrets_of([settings.backup_key], OF_COPIES)


def unlock(settings: Settings, also: Callable[[], str] | None = None) -> None:
    """Let this process open the store of the settings, should it be encrypted.

    also: another secret that may be its key.
    """
    from milepost.location import is_database
    from milepost.storage import store_file

    def secrets() -> list[str]:
        known = secrets_of([settings.encryption_key])
        return known if also is None else [*known, also()]

    path = store_file(settings.url)
    if path is not None:
        from milepost.storage.sqlite.keys import offer

        offer(path, secrets)
    elif is_database(settings.url):
        from milepost.storage.offered import offer as offer_database

        offer_database(settings.url, secrets)
    if settings.backup_key:
        from milepost.storage.offered import offer_of_copies

        offer_of_copies(settings.backup_key, lambda: secrets_of_copies(settings))


def lines_beside(settings: Settings) -> Lines:
    """Return what seals and opens the lines that hooks leave beside a store.

    Nothing is left in clear text where a key is named, nor beside a store that is encrypted.
    """
    from milepost.errors import StoreEncrypted
    from milepost.location import file_of, is_database

    path = file_of(settings.url)
    if path is None:
        if not settings.encryption_key or not is_database(settings.url):
            return Lines()
        secrets = secrets_of([settings.encryption_key])
        return Lines(new_key(secrets[0]), secrets)
    path = os.path.expanduser(path)  # noqa: PTH111 -- pathlib takes longer
    header = beginning_of(path)
    if not is_header(header):
        if header or not settings.encryption_key:
            return Lines()
        secrets = secrets_of([settings.encryption_key])
        return Lines(new_key(secrets[0]), secrets)  # the store will be encrypted when it is made
    secrets = secrets_of([settings.encryption_key])
    key = key_among(secrets, header)
    if key is None:
        raise StoreEncrypted(f"{path} is encrypted, and {NAME} does not name its key.")
    return Lines(key, secrets)
