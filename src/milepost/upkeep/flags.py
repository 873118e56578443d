"""Flags: in which spaces a setting is in force, so that a change reaches some before the others.

A flag is named for the setting that it holds back. Where it is on the setting is what it was set
to, where it is off it has its default. Without a flag it is on in every space. Flags belong to the
store, and lie in the space of its own.
"""

import json
import time
from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple

from milepost.errors import InvalidInput, StoreError
from milepost.memory.values import OWN_SPACE
from milepost.ports import Store, Work

_TOPIC = "flags"
# How long a process may go by what it has read.
FRESH_S = 2.0
_NONE: frozenset[str] = frozenset()


class Flag(NamedTuple):
    """In which share of the spaces a setting is in force, and in which spaces whatever the share.

    Without a share it is in force in all.
    """

    name: str
    share: float | None = None
    spaces: Mapping[str, bool] = {}

    def is_on(self, space: str) -> bool:
        """Whether the setting is in force in a space."""
        named = self.spaces.get(space)
        if named is not None:
            return named
        return self.share is None or place_of(self.name, space) < self.share


def place_of(name: str, space: str) -> float:
    """Return where a space stands among all, from 0 to below 100: the same on every machine.

    Each flag has an order of its own, so that not the same spaces are first every time.
    """
    digest = blake2b(f"{name}\0{space}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64 * 100


def share_from(text: str) -> float:
    """Return the share that somebody wrote: on, off, or as 25%."""
    if text in ("on", "off"):
        return 100.0 if text == "on" else 0.0
    try:
        share = float(text.removesuffix("%")) if text.endswith("%") else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise InvalidInput(f"A flag is on, off, a share such as 25%, or clear, not {text!r}.")
    return share


def read(work: Work) -> dict[str, Flag]:
    """Return the flags of a store that were set."""
    written = json.loads(work.values.get(OWN_SPACE, _TOPIC, "") or "{}")
    return {name: Flag(name, said["share"], said["spaces"]) for name, said in written.items()}


def change(store: Store, name: str, share: float | None, space: str | None) -> Flag:
    """Set a flag for all spaces, or for one alone; a share of None clears it there."""
    with store.within(OWN_SPACE).writing() as work:
        flags = read(work)
        flag = flags.get(name, Flag(name))
        if space is None:
            flag = flag._replace(share=share)
        else:
            others = {one: is_on for one, is_on in flag.spaces.items() if one != space}
            flag = flag._replace(spaces=others if share is None else others | {space: share > 0})
        flags[name] = flag
        told = {f.name: f._asdict() for f in flags.values() if f.share is not None or f.spaces}
        for one in told.values():
            del one["name"]
        work.values.put(OWN_SPACE, _TOPIC, "", json.dumps(told) if told else None)
    return flag


class Flags:
    """The flags of a store, as they were a moment ago."""

    def __init__(self, store: Store) -> None:
        self._store = store.within(OWN_SPACE)
        self._known: dict[str, Flag] = {}
        self._read_at = float("-inf")

    def off_in(self, space: str) -> frozenset[str]:
        """Return the settings that are not in force in a space."""
        now = time.monotonic()
        if now - self._read_at > FRESH_S:
            self._read_at = now
            self._known = self._read()
        if not self._known:
            return _NONE
        return frozenset(f.name for f in self._known.values() if not f.is_on(space))

    def _read(self) -> dict[str, Flag]:
        """Return what the store says; while it does not answer, what it said before."""
        try:
            return read(self._store)
        except StoreError:
            return self._known
