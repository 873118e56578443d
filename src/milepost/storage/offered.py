"""The secrets that this process may open stores with, by where the stores are."""

from collections.abc import Callable, Sequence

from milepost.errors import ConfigError, StoreEncrypted
from milepost.location import shown

# Returns the secrets by which stores are opened; the first makes the keys of new ones.
Secrets = Callable[[], Sequence[str]]

_OFFERED: dict[str, Secrets] = {}
# Those that nothing but copies is encrypted by, by where they are kept.
_OF_COPIES: dict[str, Secrets] = {}


def offer(place: str, secrets: Secrets) -> None:
    """Say where the secrets of a store are; they are read when it turns out to need one."""
    _OFFERED[place] = secrets


def offer_of_copies(place: str, secrets: Secrets) -> None:
    """Say where the secrets of copies are, which may lie anywhere."""
    _OF_COPIES[place] = secrets


def secrets_of_copies() -> list[str]:
    """Return the secrets that nothing but copies is encrypted by."""
    return [secret for secrets in _OF_COPIES.values() for secret in secrets()]


def is_offered(place: str) -> bool:
    """Whether somebody spoke of the secrets of a store."""
    return place in _OFFERED


def secrets_for(place: str) -> Sequence[str]:
    """Return the secrets of a store; of one that nobody spoke of, those of all others."""
    known = _OFFERED.get(place)
    found, away = list[str](), None
    for secrets in _OFFERED.values() if known is None else (known,):
        try:
            found += secrets()
        except ConfigError as problem:
            away = problem  # of another store, perhaps
    if away is not None and not found:
        raise StoreEncrypted(f"{shown(place)} needs its key: {away}") from away
    return found
