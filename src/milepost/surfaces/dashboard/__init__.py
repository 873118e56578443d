"""The page application at `/`: its files, and how a browser is let in.

All that it shows it asks of the operations under /tools, as every client does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from milepost import __version__
from milepost.access.values import CALLER
from milepost.errors import InvalidInput, NotFound
from milepost.surfaces.dashboard.session import SESSION_S, TOKEN_S, Sessions, cookie_name
from milepost.surfaces.http.problems import Problem, Refused

# Whoever asks gets these, without a key: they say nothing of any memory.
FILES = "/ui/"
SESSION, TOKEN = "/ui-session", "/ui-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_STATIC = Path(__file__).parent / "static"
_HEADERS = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
_UNKNOWN = Problem(
    401, "unauthorized", "That key is not known here, or the link was used or is over a minute old."
)


class File(NamedTuple):
    """A file of the page."""

    media_type: str
    content: bytes
    tag: str


@cache
def files() -> dict[str, File]:
    """Return the files of the page by their paths."""
    found = (path for path in sorted(_STATIC.rglob("*")) if path.suffix in _TYPES)
    return {path.relative_to(_STATIC).as_posix(): _file(path) for path in found}


def _file(path: Path) -> File:
    content = path.read_bytes()
    return File(_TYPES[path.suffix], content, f'"{sha256(content).hexdigest()[:20]}"')


def wants_page(path: str, accept: bytes) -> bool:
    """Whether a request is for the page or a file of it, which anybody may have."""
    return path.startswith(FILES) or (path == "/" and b"text/html" in accept)


class Door(Protocol):
    """Who decides whether somebody comes in."""

    sessions: Sessions

    @property
    def needs_key(self) -> bool:
        """Whether nobody comes in without a key."""

    async def is_ours(self, request: Request) -> bool | None:
        """Say whether a request comes from the user who runs the server; None if not known."""

    async def admit(self, secret: str, request: Request) -> None:
        """Refuse whoever may not come in by a secret, or with an empty one."""


class Dashboard:
    """What the page consists of, and who is let in by it."""

    def __init__(self, door: Door, space: str, store: str, *, behind_tls: bool = False) -> None:
        self._door = door
        self._behind_tls = behind_tls
        self._sessions = door.sessions
        self._space = space
        self._store = store

    def routes(self) -> list[Route]:
        """Return the routes, but for `/`, which is not the page's alone."""
        return [
            Route(FILES + "{path:path}", self.file),
            Route(SESSION, self.who),
            Route(SESSION, self.enter, methods=["POST"]),
            Route(SESSION, self.leave, methods=["DELETE"]),
            Route(TOKEN, self.token, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Answer with the page."""
        return _sent(request, "index.html")

    async def file(self, request: Request) -> Response:
        """Answer with a file of the page."""
        return _sent(request, request.path_params["path"])

    async def who(self, request: Request) -> Response:  # noqa: ARG002
        """Say as whom the browser is let in, and what that one may."""
        caller = CALLER.get()
        return _json({
            "name": caller.name,
            "scopes": caller.scopes,
            "spaces": caller.spaces,
            "space": caller.only_space or self._space,
            "needs_key": self._door.needs_key,
            "version": __version__,
        })  # fmt: skip

    async def token(self, request: Request) -> Response:
        """Hand out a token that opens one session for who asks."""
        session = self._sessions.of(dict(request.scope["headers"]))
        _, _, given = request.headers.get("authorization", "").partition(" ")
        secret = session.secret if session else given.strip()
        token = self._sessions.new_token(secret, await self._door.is_ours(request) is True)
        return _json({"token": token, "seconds": TOKEN_S, "store": self._store})

    async def enter(self, request: Request) -> Response:
        """Begin a session, for a token or a key."""
        secret = await self._secret(request, _fields(await request.body()))
        await self._door.admit(secret, request)
        name, session = self._sessions.begin(secret)
        response = _json({"proof": session.proof})
        secure = self._is_secure(request)
        response.set_cookie(
            cookie_name(request.headers.get("host", ""), secure),
            name,
            max_age=int(SESSION_S),
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        return response

    def _is_secure(self, request: Request) -> bool:
        """Whether the browser speaks TLS, with this server or with a proxy before it."""
        return self._behind_tls or request.url.scheme == "https"

    async def _secret(self, request: Request, given: Mapping[str, Any]) -> str:
        if "key" in given:
            return str(given["key"])
        entry = self._sessions.redeem(str(given["token"]))
        # Others of this machine may have seen it in a list of processes.
        if entry is None or (entry.only_us and await self._door.is_ours(request) is False):
            raise Refused(_UNKNOWN)
        return entry.secret

    async def leave(self, request: Request) -> Response:
        """End the session of a browser."""
        self._sessions.end(dict(request.scope["headers"]))
        secure = self._is_secure(request)
        response = Response(status_code=204)
        response.delete_cookie(
            cookie_name(request.headers.get("host", ""), secure),
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        return response


def _sent(request: Request, path: str) -> Response:
    found = files().get(path)
    if found is None:
        raise NotFound(f"The page has no file {path!r}.")
    headers = _HEADERS | {"ETag": found.tag}
    if found.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.content, headers=headers, media_type=found.media_type)


def _fields(body: bytes) -> dict[str, Any]:
    try:
        given = msgspec.json.decode(body)
    except ValueError as problem:
        raise InvalidInput(f"The body is not JSON: {problem}.") from problem
    if not isinstance(given, dict) or not given.keys() & {"token", "key"}:
        raise InvalidInput('Send {"token": …}, as `milepost ui` got it, or {"key": …}.')
    return given


def _json(data: Any) -> Response:
    return Response(msgspec.json.encode(data), media_type="application/json")
