"""Who may come in: the right Host, no foreign page, and the key where one is set."""

from collections.abc import Mapping
from hmac import compare_digest
from ipaddress import ip_address

from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.location import is_loopback
from milepost.secret_sources import revealed
from milepost.surfaces.http.problems import Problem, Refused

# Answered without a key and however busy the server is, so that whoever watches it can ask.
PROBES = frozenset({"/health", "/healthz", "/readyz"})
_WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 -- recognised, not bound

Headers = Mapping[bytes, bytes]


class Access:
    """The rules for one server."""

    def __init__(self, settings: Settings) -> None:
        self._host = settings.host.lower()
        self._is_local = is_loopback(self._host)
        self._key = revealed("key", settings.key).strip().encode()
        if not self._key and not self._is_local:
            raise ConfigError(
                f"Serving on {settings.host} lets others in; set MILEPOST_KEY to a secret that "
                "they must know, or serve on 127.0.0.1."
            )

    def check(self, path: str, headers: Headers) -> None:
        """Refuse a request that may not come in."""
        self._check_host(headers)
        _check_origin(headers)
        if self._key and path not in PROBES:
            self._check_key(headers)

    def _check_host(self, headers: Headers) -> None:
        named = _name(headers.get(b"host", b"").decode("latin-1"))
        if not self._answers_to(named):
            detail = f"This server answers to {self._host}, not to {named or 'no Host at all'}."
            raise Refused(Problem(421, "misdirected", detail))

    def _answers_to(self, name: str) -> bool:
        """Keep out pages whose own name was pointed at this address (DNS rebinding)."""
        if self._is_local:
            return is_loopback(name)
        if self._host in _WILDCARDS:
            # It cannot know all its names; there is a key, which such a page does not know.
            return True
        return name == self._host or is_loopback(name) or _is_address(name)

    def _check_key(self, headers: Headers) -> None:
        scheme, _, key = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not compare_digest(key.strip(), self._key):
            detail = (
                "This server needs its key: set MILEPOST_KEY, or send Authorization: Bearer KEY."
            )
            challenge = {"WWW-Authenticate": 'Bearer realm="milepost"'}
            raise Refused(Problem(401, "unauthorized", detail, challenge))


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
