"""Who looks at the dashboard: one-time tokens, and the sessions of browsers that they open.

A session stands for what its browser came in with: a key, a token of an issuer, or nothing where
nothing is needed. It is checked anew with each request, so a key that is revoked ends its sessions.
They are kept in this process alone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple

TOKEN_S = 60.0
SESSION_S = 12 * 3600.0
# The oldest make room: somebody who may open sessions must not fill the memory with them.
TOKENS_MAX, SESSIONS_MAX = 100, 1_000
# What a page proves with that it is of this very address. A cookie goes to all ports of a host, and
# a page of another one cannot send this header.
PROOF_HEADER = b"milepost-ui"


class Entry(NamedTuple):
    """What a token lets in: who has a secret; perhaps this user of the machine alone."""

    secret: str
    only_us: bool
    ends: float


class Session(NamedTuple):
    """A browser that was let in: by which secret, what its page proves itself by, until when."""

    secret: str
    proof: str
    ends: float


class Sessions:
    """The tokens and sessions of one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens: dict[str, Entry] = {}
        self._sessions: dict[str, Session] = {}

    def new_token(self, secret: str, only_us: bool) -> str:
        """Return what opens one session within a minute, for whoever came with a secret.

        only_us: whether it came from the user who runs the server, and is good for no other.
        """
        token = secrets.token_urlsafe(32)
        _make_room(self._tokens, self._clock(), TOKENS_MAX)
        self._tokens[token] = Entry(secret, only_us, self._clock() + TOKEN_S)
        return token

    def redeem(self, token: str) -> Entry | None:
        """Return what a token lets in, this once; None for one that lets nobody in."""
        entry = self._tokens.pop(token, None)
        return entry if entry is not None and self._clock() < entry.ends else None

    def begin(self, secret: str) -> tuple[str, Session]:
        """Begin a session; return what its cookie says, and the session."""
        name = secrets.token_urlsafe(32)
        _make_room(self._sessions, self._clock(), SESSIONS_MAX)
        session = Session(secret, secrets.token_urlsafe(32), self._clock() + SESSION_S)
        self._sessions[name] = session
        return name, session

    def of(self, headers: Mapping[bytes, bytes]) -> Session | None:
        """Return the session of a request whose page proves that it is ours."""
        session = self._sessions.get(_cookie(headers))
        proof = headers.get(PROOF_HEADER, b"")
        if session is None or self._clock() >= session.ends:
            return None
        return session if compare_digest(proof, session.proof.encode()) else None

    def end(self, headers: Mapping[bytes, bytes]) -> None:
        """End the session of a request."""
        if self.of(headers) is not None:
            del self._sessions[_cookie(headers)]


def cookie_name(host: str, secure: bool) -> str:
    """Return what the cookie of a server is called: servers of one host share its cookies."""
    port = host.rpartition(":")[2]
    name = f"milepost-{port if port.isdigit() else 'ui'}"
    # A name that browsers let nobody set for a whole domain, nor without TLS.
    return f"__Host-{name}" if secure else name


def _cookie(headers: Mapping[bytes, bytes]) -> str:
    host = headers.get(b"host", b"").decode("latin-1")
    try:
        cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
    except CookieError:
        return ""
    given = cookies.get(cookie_name(host, True)) or cookies.get(cookie_name(host, False))
    return given.value if given else ""


def _make_room(kept: dict[str, Any], now: float, most: int) -> None:
    for name in [name for name, entry in kept.items() if entry.ends <= now]:
        del kept[name]
    while len(kept) >= most:
        del kept[next(iter(kept))]
