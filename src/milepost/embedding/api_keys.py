"""API keys used in turn; one that a server turns away rests for a while."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple

from milepost.errors import ConfigError

REFUSED_S = 300.0
RATE_LIMITED_S = 2.0

# No server can stretch or shrink a rest beyond these.
REST_S_MIN = 1.0
REST_S_MAX = 300.0


class NoKeyError(Exception):
    """Every key rests; the message says why, never which."""

    def __init__(self, reason: str, wait_s: float, *, refused: bool) -> None:
        super().__init__(reason)
        self.wait_s = wait_s
        self.refused = refused


class _Rest(NamedTuple):
    until_s: float
    reason: str
    refused: bool


class KeyRing:
    """Hand out keys in turn; without any key, hand out the empty one."""

    def __init__(self, keys: Sequence[str], monotonic: Callable[[], float]) -> None:
        self._keys = [_usable(key) for key in keys] or [""]
        self._monotonic = monotonic
        self._lock = Lock()
        self._next = 0
        self._rests: dict[str, _Rest] = {}

    def take(self) -> str:
        """Return the next key that does not rest."""
        with self._lock:
            now_s = self._monotonic()
            for _ in self._keys:
                key = self._keys[self._next]
                self._next = (self._next + 1) % len(self._keys)
                if key not in self._rests or self._rests[key].until_s <= now_s:
                    return key
            soonest = min(self._rests.values())
            refused = all(rest.refused for rest in self._rests.values())
            reason = f"{soonest.reason} for {self._all()}"
            raise NoKeyError(reason, soonest.until_s - now_s, refused=refused)

    def refused(self, key: str, reason: str) -> None:
        """Set aside a key that the server does not accept."""
        self._rest(key, REFUSED_S, reason, refused=True)

    def rate_limited(self, key: str, wait_s: float | None) -> None:
        """Set aside a key that was used too much, as long as the server asks."""
        wait_s = RATE_LIMITED_S if wait_s is None else wait_s
        self._rest(key, wait_s, "HTTP 429 (rate limit)", refused=False)

    def redact(self, text: str) -> str:
        """Return a text without any of the keys in it."""
        for key in filter(None, self._keys):
            text = text.replace(key, "[key]")
        return text

    def _rest(self, key: str, for_s: float, reason: str, *, refused: bool) -> None:
        with self._lock:
            until_s = self._monotonic() + min(max(for_s, REST_S_MIN), REST_S_MAX)
            self._rests[key] = _Rest(until_s, reason, refused)

    def _all(self) -> str:
        if self._keys == [""]:
            return "calls without an API key"
        return f"all {len(self._keys)} API keys" if len(self._keys) > 1 else "the only API key"


def _usable(key: str) -> str:
    key = key.strip()
    # Checked here because the HTTP library would quote a bad key in its error.
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("Check the API keys: one is empty or holds spaces or odd characters.")
    return key
