"""An OAuth issuer: which keys it signs with, and what it says of tokens that only it can read."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlencode, urlsplit, urlunsplit

from milepost.errors import ConfigError, Unreachable
from milepost.location import is_loopback
from milepost.transport.connections import Address, Request, Transport, TransportError
from milepost.transport.tls import Tls

if TYPE_CHECKING:
    from jwt import PyJWK

logger = logging.getLogger(__name__)

# Keys are asked for again after so long, and not more often than that for one nobody knows.
FRESH_S, AGAIN_S = 600.0, 10.0
# While the issuer is away its keys go on being used for so long.
KEPT_S = 86_400.0
# What the issuer said of a token it may have taken back since.
SAID_S = 30.0
_SAID_MAX = 4_096
_ANSWER_S, _ANSWER_BYTES = 5.0, 1 << 20
_RSA_BITS = 2_048
# Which kind of key, and which curve, signs by which algorithm; none of them is a shared secret.
KINDS = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
ALGORITHMS = tuple(KINDS)


class Issuer:
    """What one issuer publishes, as it was a while ago; safe to share between threads.

    client: the name and the secret by which it lets this server ask about tokens, if it does.
    """

    def __init__(
        self, url: str, tls: Tls | None = None, client: tuple[str, str] = ("", "")
    ) -> None:
        _check(url, "oauth_issuer")
        self.url = url
        self._tls = tls
        self._client = client
        self._lock = Lock()
        self._keys: list[Mapping[str, Any]] = []
        self._made: dict[tuple[str, str], PyJWK | None] = {}
        self._endpoint = ""
        self._read_at = self._tried_at = float("-inf")
        self._problem = ""
        self._said: dict[bytes, tuple[float, Mapping[str, Any]]] = {}

    @property
    def can_be_asked(self) -> bool:
        """Whether it tells this server about tokens."""
        return bool(self._client[0])

    def key(self, name: str | None, algorithm: str) -> PyJWK | None:
        """Return the key of a name that signs by an algorithm; None where there is none.

        Whoever comes with a name that nobody knows has the issuer asked, but seldom.
        """
        found = self._known(name, algorithm)
        now = time.monotonic()
        if found is None or now - self._read_at > FRESH_S:
            self._look_again(wait=found is None)
            found = self._known(name, algorithm)
        if self._problem and (found is None or now - self._read_at > KEPT_S):
            raise self._away()
        return found

    def published(self) -> Mapping[str, Any]:
        """Return what it publishes of itself now, or raise `Unreachable`."""
        try:
            return self._metadata()
        except _Broken as problem:
            self._problem = str(problem)
            raise self._away() from problem

    def said_of(self, token: str) -> Mapping[str, Any]:
        """Return what the issuer says of a token (RFC 7662)."""
        digest, now = sha256(token.encode()).digest(), time.monotonic()
        at, said = self._said.get(digest, (float("-inf"), {}))
        if now - at < SAID_S:
            return said
        if not self._endpoint:
            self._look_again(wait=True)
            if not self._endpoint:
                raise self._away()
        said = self._asked_of(token)
        if len(self._said) >= _SAID_MAX:
            self._said.clear()
        self._said[digest] = (now, said)
        return said

    def _known(self, name: str | None, algorithm: str) -> PyJWK | None:
        fitting = [key for key in self._keys if _fits(key, name, algorithm)]
        if len(fitting) != 1:
            return None
        place = (str(fitting[0].get("kid")), algorithm)
        if place not in self._made:
            self._made[place] = _made(fitting[0], algorithm)
        return self._made[place]

    def _look_again(self, *, wait: bool) -> None:
        """Read the keys anew, one thread at a time; others wait only if they must."""
        if not self._lock.acquire(blocking=wait):
            return
        try:
            if time.monotonic() - self._tried_at < AGAIN_S:
                return
            self._tried_at = time.monotonic()
            self._read()
            self._problem, self._read_at = "", time.monotonic()
        except _Broken as problem:
            self._problem = str(problem)
            logger.warning("The issuer %s: %s", self.url, problem)
        finally:
            self._lock.release()

    def _read(self) -> None:
        metadata = self._metadata()
        keys = self._answer("GET", metadata.get("jwks_uri")).get("keys")
        if not isinstance(keys, list):
            raise _Broken("its jwks_uri has no keys")
        self._keys, self._made = [key for key in keys if _is_usable(key)], {}
        self._endpoint = str(metadata.get("introspection_endpoint") or "")
        if self.can_be_asked and not self._endpoint:
            raise _Broken("its metadata names no introspection_endpoint")

    def _metadata(self) -> Mapping[str, Any]:
        """Return what it publishes of itself, by RFC 8414 or else by OpenID Connect."""
        scheme, host, path, *_ = urlsplit(self.url.rstrip("/"))
        known = "/.well-known/oauth-authorization-server" + path
        places = (
            urlunsplit((scheme, host, known, "", "")),
            f"{self.url.rstrip('/')}/.well-known/openid-configuration",
        )
        problem = _Broken("")
        for place in places:
            try:
                metadata = self._answer("GET", place)
            except _Broken as failure:
                problem = failure
                continue
            if metadata.get("issuer") != self.url:
                raise _Broken("it says that it is another issuer than oauth_issuer names")
            return metadata
        raise problem

    def _asked_of(self, token: str) -> Mapping[str, Any]:
        login = ":".join(quote_plus(part) for part in self._client)
        headers = {
            "Authorization": f"Basic {b64encode(login.encode()).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        body = urlencode({"token": token, "token_type_hint": "access_token"}).encode()
        try:
            return self._answer("POST", self._endpoint, headers, body)
        except _Broken as problem:
            self._problem = str(problem)
            raise self._away() from problem

    def _answer(
        self,
        method: str,
        url: object,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Mapping[str, Any]:
        """Return the object that an address of the issuer answers with."""
        try:
            scheme, host, port, path = _check(url, "an address in its metadata")
            transport = Transport(
                Address(scheme == "https", host, port, ""),
                _ANSWER_S,
                bytes_max=_ANSWER_BYTES,
                tls=self._tls,
            )
            all_headers = {"Accept": "application/json", **(headers or {})}
            reply = transport.ask(Request(method, path, all_headers, body))
            transport.close()
            if reply.status != 200:
                raise _Broken(f"{host} answers with status {reply.status}")
            answer = json.loads(reply.body)
        except (TransportError, ConfigError, ValueError, RecursionError) as problem:
            raise _Broken(f"{str(problem) or type(problem).__name__}") from problem
        if not isinstance(answer, dict):
            raise _Broken(f"{host} answers with something else than an object")
        return answer

    def _away(self) -> Unreachable:
        return Unreachable(
            f"The issuer of tokens, {self.url}, cannot be used ({self._problem}); "
            "try again in a moment."
        )


class _Broken(Exception):
    """The issuer did not answer, or not as one does; the next try may go better."""


def _check(url: object, what: str) -> tuple[str, str, int | None, str]:
    """Return the parts of an address, which must have TLS beyond this machine."""
    try:
        scheme, where, path, query, fragment = urlsplit(str(url))
        host, port = urlsplit(str(url)).hostname or "", urlsplit(str(url)).port
    except ValueError:
        scheme = host = where = fragment = ""
    is_safe = scheme == "https" or (scheme == "http" and is_loopback(host))
    if not host or not is_safe or fragment or "@" in where:
        raise ConfigError(f"{what} must be an https:// address, such as https://login.example.org.")
    return scheme, host, port, f"{path or '/'}{'?' + query if query else ''}"


def _is_usable(key: object) -> bool:
    """Whether a published key is one to sign with, and no shared secret."""
    if not isinstance(key, dict) or key.get("use") not in (None, "sig"):
        return False
    return any(key.get("kty") == kind for kind, _ in KINDS.values())


def _fits(key: Mapping[str, Any], name: str | None, algorithm: str) -> bool:
    kind, curve = KINDS[algorithm]
    if name is not None and key.get("kid") != name:
        return False
    if key.get("alg") not in (None, algorithm) or key.get("kty") != kind:
        return False
    return curve is None or key.get("crv") == curve


def _made(key: Mapping[str, Any], algorithm: str) -> PyJWK | None:
    from jwt import PyJWK, PyJWTError

    try:
        made = PyJWK(dict(key), algorithm)
    except (PyJWTError, ValueError, TypeError):
        return None
    return (
        made
        if getattr(made.key, "key_size", _RSA_BITS) >= _RSA_BITS or key["kty"] != "RSA"
        else None
    )
