"""Who may come in, and as whom: the right Host, no foreign page, and a key where one is needed."""

from collections.abc import Callable, Mapping
from hmac import compare_digest
from ipaddress import ip_address

from anyio import to_thread
from starlette.requests import Request

from milepost.access.keys import PREFIX, KeyRing
from milepost.access.values import CALLER, OAUTH, OWNER, Caller
from milepost.config import Settings
from milepost.errors import ConfigError, MilepostError
from milepost.location import is_loopback
from milepost.secret_sources import revealed
from milepost.surfaces.dashboard import SESSION, wants_page
from milepost.surfaces.dashboard.session import Sessions
from milepost.surfaces.http import oauth
from milepost.surfaces.http.oauth import MCP
from milepost.surfaces.http.peer import PEER, Peer
from milepost.surfaces.http.problems import Problem, Refused, problem_of

# Answered without a key and however busy the server is, so that whoever watches it can ask.
PROBES = frozenset({"/health", "/healthz", "/readyz"})
_WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 -- recognised, not bound

Headers = Mapping[bytes, bytes]


class Access:
    """The rules for one server.

    keys: those of its store, where the store is opened here.
    """

    def __init__(self, settings: Settings, keys: Callable[[], KeyRing] | None = None) -> None:
        self._host = settings.host.lower()
        self._is_local = is_loopback(self._host)
        self._key = revealed("key", settings.key).strip()
        self._keys = keys
        self.oauth = oauth.of(settings)
        self.sessions = Sessions()
        # Answered whoever asks.
        self.open_paths = PROBES.union(self.oauth.paths if self.oauth else ())
        is_open = not self._key and not self.oauth and not self._is_local
        if is_open and not (keys and keys().has_any()):
            raise ConfigError(
                f"Serving on {settings.host} lets others in; set MILEPOST_KEY to a secret that "
                "they must know, make keys with `milepost key create`, name an issuer of tokens "
                "(oauth_issuer), or serve on 127.0.0.1."
            )

    @property
    def needs_key(self) -> bool:
        """Whether nobody is let in without a key or a token."""
        return bool(self._key or self.oauth or not self._is_local)

    async def caller(
        self,
        path: str,
        headers: Headers,
        address: str,
        peer: Peer | None = None,
        method: str = "GET",
    ) -> Caller:
        """Return who sent a request, or refuse one that may not come in.

        peer: the other end on this machine, where it is known whose that is.
        """
        self._check_host(headers)
        _check_origin(headers)
        owner = OWNER._replace(surface="mcp" if path == MCP else "http", address=address)
        if path in self.open_paths:
            return owner
        if wants_page(path, headers.get(b"accept", b"")) or (path == SESSION and method == "POST"):
            return owner._replace(name="nobody", spaces=(), scopes=())
        scheme, _, given = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        secret = given.strip() if scheme.lower() == "bearer" else ""
        session = None if secret else self.sessions.of(headers)
        if session is None:
            return await self._known(secret, owner, peer)
        return await self._known(session.secret, owner._replace(surface="dashboard"), None)

    async def _known(self, secret: str, owner: Caller, peer: Peer | None) -> Caller:
        """Return who comes with a secret, or with none, or refuse them.

        owner: the same who comes, if it is who runs this server.
        peer: the other end on this machine, if it is to be asked whose that is.
        """
        if self._key and compare_digest(secret.encode(), self._key.encode()):
            return owner._replace(name="server key")
        if secret.startswith(PREFIX) and self._keys is not None:
            # Keys are read from the store, for which nobody else must wait.
            found = await to_thread.run_sync(self._by_key, self._keys, secret, owner.surface)
            if found is not None:
                return found._replace(address=owner.address)
        elif secret and self.oauth is not None:
            known = await self.oauth.caller(secret, owner.surface)
            return known._replace(address=owner.address)
        if secret or self._key or self.oauth or not self._is_local:
            raise Refused(self.oauth.unauthorized() if self.oauth else _UNKNOWN)
        if peer is not None and not await peer.is_ours():
            raise Refused(_ANOTHER_USER)
        return owner

    async def is_ours(self, request: Request) -> bool | None:
        """Say whether a request comes from the user who runs this server; None if not known."""
        peer = request.scope.get("state", {}).get(PEER)
        return None if peer is None else await peer.is_ours()

    async def admit(self, secret: str, request: Request) -> None:
        """Refuse to begin a session for who may not come in by a secret, or with an empty one."""
        peer = request.scope.get("state", {}).get(PEER)
        # Until then it is nobody who asks, and nobody may look for a key.
        asking = CALLER.set(OWNER)
        try:
            await self._known(secret, OWNER._replace(surface="dashboard"), peer)
        finally:
            CALLER.reset(asking)

    def check(self, caller: Caller, path: str, body: bytes) -> None:
        """Refuse what a token lacks a scope for, before anything of it is done."""
        if self.oauth is not None and caller.key.startswith(OAUTH):
            self.oauth.check_scopes(caller, path, body)

    def _by_key(self, keys: Callable[[], KeyRing], secret: str, surface: str) -> Caller | None:
        try:
            return keys().caller(secret, surface)
        except MilepostError as problem:
            raise Refused(problem_of(problem)) from problem  # as of any call while it is away

    def _check_host(self, headers: Headers) -> None:
        named = _name(headers.get(b"host", b"").decode("latin-1"))
        if not self._answers_to(named):
            detail = f"This server answers to {self._host}, not to {named or 'no Host at all'}."
            raise Refused(Problem(421, "misdirected", detail))

    def _answers_to(self, name: str) -> bool:
        """Keep out pages whose own name was pointed at this address (DNS rebinding)."""
        if self.oauth is not None and name == self.oauth.host:
            return True
        if self._is_local:
            return is_loopback(name)
        if self._host in _WILDCARDS:
            # It cannot know all its names; there is a key, which such a page does not know.
            return True
        return name == self._host or is_loopback(name) or _is_address(name)


_UNKNOWN = Problem(
    401,
    "unauthorized",
    "This server needs its key: set MILEPOST_KEY, or send Authorization: Bearer KEY.",
    {"WWW-Authenticate": 'Bearer realm="milepost"'},
)

_ANOTHER_USER = _UNKNOWN._replace(
    detail="Without a key this server answers only to programs of the user who runs it; ask them "
    "for a key (`milepost key create`)."
)


def _check_origin(headers: Headers) -> None:
    """Refuse what a browser sends for a page of another origin."""
    origin = headers.get(b"origin")
    foreign = origin is not None and origin.partition(b"://")[2] != headers.get(b"host")
    if headers.get(b"sec-fetch-mode") != b"navigate":
        # An image or a script of another page comes without Origin.
        foreign |= headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site")
    if foreign:
        detail = "Pages of other origins may not use this server; call it from a program."
        raise Refused(Problem(403, "forbidden", detail))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")
