"""Errors as problem+json (RFC 9457): type, title, status, detail, and our stable code."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response

from milepost.errors import MilepostError
from milepost.request import request_id
from milepost.text.disguise import escaped

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 1

_STATUS = {
    "invalid_input": 400,
    "not_found": 404,
    "ambiguous": 409,
    "key_conflict": 409,
    "forbidden": 403,
    "overloaded": 429,
    "store_busy": 503,
    "space_moved": 503,
    "store_unavailable": 503,
    "embedder_unavailable": 503,
}
# What the server itself refuses, beside the errors of operations.
REFUSALS = {
    "unauthorized": "The key is missing or wrong; send it as `Authorization: Bearer KEY`.",
    "forbidden": "The key may not do that or not there; pages of other origins may do nothing.",
    "method_not_allowed": "The path exists, but not for this method.",
    "timeout": "The request came too slowly.",
    "too_large": "The body is larger than the server takes.",
    "unsupported_media_type": "Bodies must be application/json.",
    "misdirected": "The Host header names another server.",
    "tree_asked": "The client must tell of its working tree; ours do so by themselves.",
    "insufficient_scope": "The token lacks a scope, which WWW-Authenticate names.",
    "unreachable": "The issuer of tokens does not answer, so that they cannot be checked.",
    "internal": "A fault of the server, which it has logged.",
}
_BY_STATUS = {404: "not_found", 405: "method_not_allowed"}


class Problem(NamedTuple):
    """What is told to a client whose request failed."""

    status: int
    code: str
    detail: str
    headers: Mapping[str, str] = {}
    more: Mapping[str, Any] = {}

    @property
    def title(self) -> str:
        """What the status is called."""
        return HTTPStatus(self.status).phrase

    def body(self) -> bytes:
        """Return it as JSON."""
        fields = {
            "type": f"/docs#error-{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "request": request_id(),
        }
        # It quotes what was asked, which may hide or steer.
        return escaped(msgspec.json.encode(fields | dict(self.more)).decode()).encode()

    def response(self) -> Response:
        """Return it as a response."""
        return Response(self.body(), self.status, self.headers, MEDIA_TYPE)


class Refused(Exception):
    """A request ends here with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def problem_of(error: MilepostError) -> Problem:
    """Return the problem that an error of an operation is."""
    status = _STATUS.get(error.code, 500)
    again = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status in (429, 503) else {}
    return Problem(status, error.code, str(error), again)


def problem_with_status(status: int, detail: str, headers: Mapping[str, str]) -> Problem:
    """Return the problem that the router's refusal is."""
    return Problem(status, _BY_STATUS.get(status, "error"), detail, headers)


INTERNAL = Problem(
    500, "internal", "The server failed on this request and has logged why; report it if it lasts."
)
