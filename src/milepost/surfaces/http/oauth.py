"""This server as a resource of an OAuth issuer: what it publishes, asks for and refuses.

The issuer is another program. Clients learn of it here (RFC 9728), get their tokens there, by a
code and PKCE, and show them in the header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from anyio import CapacityLimiter, to_thread

from milepost.access.issuer import Issuer
from milepost.access.tokens import PREFIX, TokenRefused, TokenRules, Tokens
from milepost.access.values import READ, WRITE, Caller
from milepost.app import Operations
from milepost.config import Settings
from milepost.errors import ConfigError, MilepostError, Overloaded, Unreachable
from milepost.location import is_loopback
from milepost.registry import Operation, find, operations_of
from milepost.secret_sources import revealed
from milepost.surfaces.http.problems import RETRY_AFTER_SECONDS, Problem, Refused, problem_of
from milepost.transport.tls import Tls

MCP = "/mcp"
WELL_KNOWN = "/.well-known/oauth-protected-resource"
# What a memory is of use with; clients ask for more when they are told that it is needed.
_BASIC = (READ, WRITE)
# An issuer that hangs must not keep all threads waiting, nor everybody else.
_AT_ONCE, _WAITING = 8, 64


class OAuth:
    """Lets in who has a token of the issuer that the settings name."""

    def __init__(self, settings: Settings) -> None:
        _check(settings)
        client = (
            settings.oauth_client_id,
            revealed("oauth_client_secret", settings.oauth_client_secret),
        )
        issuer = Issuer(settings.oauth_issuer, Tls(settings.ca), client)
        spaces = settings.oauth_spaces or (settings.space,)
        rules = TokenRules(settings.oauth_issuer, settings.oauth_audience, spaces)
        self._tokens = Tokens(rules, issuer)
        self._rules = rules
        self._operations = operations_of(Operations)
        where = urlsplit(settings.oauth_audience)
        self.host = (where.hostname or "").lower()
        path = where.path.rstrip("/")
        # Clients look for it below the path of what they were refused at, then without a path.
        self.paths = tuple(dict.fromkeys((WELL_KNOWN + path, WELL_KNOWN)))
        self._metadata_url = f"{where.scheme}://{where.netloc}{self.paths[0]}"
        self._limiter: CapacityLimiter | None = None
        self._room = _AT_ONCE + _WAITING

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What clients are told of this server (RFC 9728)."""
        return {
            "resource": self._rules.audience,
            "authorization_servers": [self._rules.issuer],
            "scopes_supported": [PREFIX + scope for scope in _BASIC],
            "bearer_methods_supported": ["header"],
            "resource_name": "Milepost",
        }

    async def caller(self, token: str, surface: str) -> Caller:
        """Return who comes with a token, or refuse it."""
        if self._room <= 0:
            raise Refused(problem_of(Overloaded("Too many tokens to check; try again.")))
        self._limiter = self._limiter or CapacityLimiter(_AT_ONCE)
        self._room -= 1
        try:
            return await to_thread.run_sync(
                self._tokens.caller, token, surface, limiter=self._limiter
            )
        except TokenRefused as problem:
            raise Refused(self.unauthorized(str(problem))) from problem
        except Unreachable as problem:
            again = {"Retry-After": str(RETRY_AFTER_SECONDS)}
            raise Refused(Problem(503, problem.code, str(problem), again)) from problem
        finally:
            self._room += 1

    def unauthorized(self, wrong: str = "") -> Problem:
        """Return what is told to who shows no token, or one that is not good."""
        detail = wrong or "This server needs a token of its issuer, or a key."
        fields = {"error": "invalid_token", "error_description": wrong} if wrong else {}
        return Problem(401, "unauthorized", detail, self._challenge(fields, (READ,)))

    def check_scopes(self, caller: Caller, path: str, body: bytes) -> None:
        """Refuse a request whose token lacks what it needs, all of which is named."""
        needed = [scope for scope in self._needed(path, body) if scope not in caller.scopes]
        if not needed and not caller.scopes:
            needed = [READ]
        if not needed:
            return
        scopes = tuple(dict.fromkeys(needed))
        detail = f"The token lacks {' '.join(PREFIX + scope for scope in scopes)}."
        fields = {"error": "insufficient_scope", "error_description": detail}
        headers = self._challenge(fields, scopes)
        raise Refused(Problem(403, "insufficient_scope", detail, headers))

    def _challenge(self, fields: Mapping[str, str], scopes: Sequence[str]) -> Mapping[str, str]:
        all_fields = {
            "realm": "milepost",
            **fields,
            "scope": " ".join(PREFIX + scope for scope in scopes),
            "resource_metadata": self._metadata_url,
        }
        named = ", ".join(f'{name}="{value}"' for name, value in all_fields.items())
        return {"WWW-Authenticate": f"Bearer {named}"}

    def _needed(self, path: str, body: bytes) -> Iterator[str]:
        """Yield the scopes that a request needs; what it is not known to need is seen later."""
        if path == MCP:
            for message in _messages(body):
                yield from self._needed_by(message)
        elif path.startswith("/tools/") and path.endswith("/execute"):
            name = unquote(path.removeprefix("/tools/").removesuffix("/execute"))
            yield from self._scope_of(name)

    def _needed_by(self, message: Mapping[str, Any]) -> Iterator[str]:
        method, params = message.get("method"), message.get("params")
        if method == "tools/call" and isinstance(params, dict):
            yield from self._needed_by_tool(params.get("name"), params.get("arguments"))
        elif method in ("resources/read", "prompts/get", "completion/complete"):
            yield READ

    def _needed_by_tool(self, name: object, arguments: object) -> Iterator[str]:
        from milepost.surfaces.mcp.node_tools import NODE_TOOLS
        from milepost.surfaces.mcp.tools import CALL_TOOL

        if name == CALL_TOOL and isinstance(arguments, dict):
            name = arguments.get("name")
        if isinstance(name, str) and name in NODE_TOOLS:
            yield READ if NODE_TOOLS[name].read_only else WRITE
        else:
            yield from self._scope_of(name)

    def _scope_of(self, name: object) -> Iterator[str]:
        if isinstance(name, str):
            yield from (each.spec.scope for each in _found(self._operations, name))


def of(settings: Settings) -> OAuth | None:
    """Return what the settings say of an issuer; None where they name none."""
    return OAuth(settings) if settings.oauth_issuer else None


def _check(settings: Settings) -> None:
    try:
        where = urlsplit(settings.oauth_audience)
        is_safe = where.scheme == "https" or is_loopback(where.hostname or "")
        is_plain = not where.query and not where.fragment and '"' not in settings.oauth_audience
    except ValueError:
        is_safe = is_plain = False
    if not is_safe or not is_plain or where.scheme not in ("http", "https"):
        raise ConfigError(
            "oauth_audience must be the address of this server's /mcp as clients know it, such as "
            "https://memory.example.org/mcp: tokens for another are refused."
        )
    if find_spec("jwt") is None:
        raise ConfigError('Tokens need PyJWT; install it with pip install "milepost[server]".')


def _found(operations: Mapping[str, Operation], name: str) -> list[Operation]:
    try:
        return [find(operations, name)]
    except MilepostError:
        return []  # whoever asks for what is not there is told so by who looks for it


def _messages(body: bytes) -> list[Mapping[str, Any]]:
    try:
        sent = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return []
    messages = sent if isinstance(sent, list) else [sent]
    return [message for message in messages if isinstance(message, dict)]
