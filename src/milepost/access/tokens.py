"""Tokens of an OAuth issuer: whom they let in, what these may do, and where."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from milepost.access.issuer import ALGORITHMS, Issuer
from milepost.access.values import OAUTH, SCOPES, Caller

PREFIX = "milepost:"
CLAIM = "claim:"
LEEWAY_S = 30
_TYPES = (None, "at+jwt", "application/at+jwt", "jwt")
_NAME_CHARS, _SPACES_MAX, _TOKEN_CHARS = 200, 256, 16_384
# What makes a pattern of a name: who may enter is never decided by one in a token.
_PATTERN = frozenset("*?[")


class TokenRefused(Exception):
    """The token lets nobody in; the message says why, in words of ours alone."""


class TokenRules(NamedTuple):
    """What is asked of a token, and what it is good for.

    audience: the address of this server, for which a token must have been made.
    spaces: names of spaces, patterns of them, and claim:NAME for those that a claim names.
    """

    issuer: str
    audience: str
    spaces: tuple[str, ...]


class Tokens:
    """Tells who comes with a token."""

    def __init__(self, rules: TokenRules, issuer: Issuer) -> None:
        self._rules = rules
        self._issuer = issuer

    def caller(self, token: str, surface: str) -> Caller:
        """Return who comes with a token, or raise `TokenRefused`."""
        if len(token) > _TOKEN_CHARS or not token.isascii() or not token.isprintable():
            raise TokenRefused("This is no token.")
        # A token with two dots tells itself what another would have to be asked for.
        claims = self._signed(token) if token.count(".") == 2 else self._introspected(token)
        if "cnf" in claims:
            raise TokenRefused("The token is bound to a key of its holder, which is not supported.")
        name = claims.get("sub")
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= _NAME_CHARS:
            raise TokenRefused("The token names no subject that can be shown.")
        who = sha256(f"{self._rules.issuer}\n{name}".encode()).hexdigest()[:12]
        spaces = tuple(dict.fromkeys(_spaces(self._rules.spaces, claims)))[:_SPACES_MAX]
        everywhere = "*" in self._rules.spaces
        return Caller(name, surface, OAUTH + who, None if everywhere else spaces, _scopes(claims))

    def _signed(self, token: str) -> Mapping[str, Any]:
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            algorithm, kind = header.get("alg"), header.get("typ")
            if algorithm not in ALGORITHMS:
                raise TokenRefused("The token is not signed in a way that is accepted.")
            if (kind.lower() if isinstance(kind, str) else kind) not in _TYPES:
                raise TokenRefused("The token is not an access token.")
            key = self._issuer.key(header.get("kid"), algorithm)
            if key is None:
                raise TokenRefused("The token is signed by a key that the issuer does not have.")
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._rules.audience,
                issuer=self._rules.issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as problem:
            raise TokenRefused(_why(problem)) from problem
        except (ValueError, TypeError, OverflowError, RecursionError) as problem:
            raise TokenRefused("This is no token.") from problem
        return claims

    def _introspected(self, token: str) -> Mapping[str, Any]:
        if not self._issuer.can_be_asked:
            raise TokenRefused("This is neither a key of this server nor a signed token.")
        said = self._issuer.said_of(token)
        if said.get("active") is not True:
            raise TokenRefused("The issuer says that the token is not good, or no longer.")
        if said.get("iss", self._rules.issuer) != self._rules.issuer:
            raise TokenRefused("The token is of another issuer.")
        if self._rules.audience not in _listed(said.get("aud")):
            raise TokenRefused("The token was made for another server.")
        now = time.time()
        if not now - LEEWAY_S < _moment(said.get("exp"), now + 1):
            raise TokenRefused("The token has expired.")
        if not _moment(said.get("nbf"), now) <= now + LEEWAY_S:
            raise TokenRefused("The token is not good yet.")
        return said


def _why(problem: Exception) -> str:
    """Return in a sentence what is wrong with a token, without anything that stands in it."""
    import jwt

    said: tuple[tuple[type[Exception], str], ...] = (
        (jwt.ExpiredSignatureError, "The token has expired."),
        (jwt.ImmatureSignatureError, "The token is not good yet."),
        (jwt.InvalidAudienceError, "The token was made for another server."),
        (jwt.InvalidIssuerError, "The token is of another issuer."),
        (jwt.MissingRequiredClaimError, "The token lacks one of exp, iss, aud and sub."),
        (jwt.InvalidSignatureError, "The signature of the token is wrong."),
    )
    return next((text for kind, text in said if isinstance(problem, kind)), "This is no token.")


def _moment(value: object, otherwise: float) -> float:
    if value is None:
        return otherwise
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # What is no moment is no time at which the token would be good.
    return float(value) if is_number else float("nan")  # type: ignore[arg-type]


def _listed(value: object) -> list[str]:
    """Return the words of a claim, which is a text with spaces or a list."""
    values = value.split() if isinstance(value, str) else value
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []


def _scopes(claims: Mapping[str, Any]) -> tuple[str, ...]:
    given = {*_listed(claims.get("scope")), *_listed(claims.get("scp"))}
    return tuple(scope for scope in SCOPES if PREFIX + scope in given)


def _spaces(named: tuple[str, ...], claims: Mapping[str, Any]) -> Iterator[str]:
    for name in named:
        if not name.startswith(CLAIM):
            yield name
            continue
        for space in _listed(claims.get(name.removeprefix(CLAIM))):
            if not _PATTERN.intersection(space) and space[0].isalnum():
                yield space
