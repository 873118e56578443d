"""The OpenAPI document, derived from the operations."""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from milepost import __version__
from milepost.codec import field_types
from milepost.registry import Operation
from milepost.surfaces.http.catalogue import Operations
from milepost.surfaces.http.problems import MEDIA_TYPE as PROBLEM

_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_REMARKS = {
    "secrets_hidden": {"type": "integer"},
    "may_replace": {"type": "string", "description": "what it may take the place of, and why"},
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "where the error is documented"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what was wrong and what to do"},
        "code": {"type": "string", "description": "stable name of the error"},
        "nearest": {"type": "array", "items": {"type": "string"}},
    },
}
_TENANT = "the tenant whose memories are used, percent-encoded where not ASCII"
_KEY = "names the call: sent again under the same key, it is answered as before and not done again"
_VIEW = "compact gives the text that a model reads"


def openapi(operations: Operations) -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, Any] = dict(_registry_paths())
    for operation in operations.values():
        paths[f"/tools/{operation.name}/execute"] = {"post": _execution(operation)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Milepost",
            "version": __version__,
            "description": "A persistent memory for AI agents.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        # The second says that a server on loopback may need no key.
        "security": [{"key": []}, {}],
    }


def _execution(operation: Operation) -> dict[str, Any]:
    schema = {**operation.schema(), "example": operation.example}
    answers: dict[str, Any] = {
        "application/json": {"schema": _answer_schema(operation)},
        "text/plain": {"schema": {"type": "string"}},
        "application/x-ndjson": {"schema": {"type": "string"}},
    }
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.spec.category],
        "parameters": [
            _parameter("view", "query", _VIEW) | {"schema": {"enum": ["compact"]}},
            _parameter("Milepost-Space", "header", _TENANT),
            *([] if operation.spec.read_only else [_parameter("Idempotency-Key", "header", _KEY)]),
        ],
        "requestBody": {
            "required": bool(schema["required"]),
            "content": {"application/json": {"schema": schema}},
        },
        "responses": {
            "200": {"description": operation.returned, "content": answers},
            "default": _problem_response(),
        },
    }


def _registry_paths() -> Iterator[tuple[str, Any]]:
    view = _parameter("view", "query", "compact names them all in a short text")
    yield (
        "/tools/discover",
        _reading("discover_tools", "List the categories and their tools.", view),
    )
    category = _parameter("category", "query", "only this category")
    yield "/tools/list", _reading("list_tools", "List the names of the tools.", category)
    need = _parameter("q", "query", "what is needed, in words", required=True)
    yield "/tools/search", _reading("search_tools", "Find the tools that serve a need.", need)
    name = _parameter("name", "path", "a tool's name or alias", required=True)
    yield "/tools/{name}", _reading("describe_tool", "Tell how a tool is called.", name)
    yield "/health", _reading("health_probe", "Tell whether the server runs.")
    yield "/healthz", _reading("healthz", "Tell whether the server runs.")
    yield "/readyz", _reading("readyz", "Tell whether the memory can be used.")
    yield "/metrics", _reading("metrics", "Give figures to Prometheus.", media_type="text/plain")


def _reading(
    name: str, summary: str, *parameters: Any, media_type: str = "application/json"
) -> dict[str, Any]:
    content = {media_type: {"schema": {"type": "string" if "text" in media_type else "object"}}}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "tags": ["registry"],
            "parameters": list(parameters),
            "responses": {
                "200": {"description": summary, "content": content},
                "default": _problem_response(),
            },
        }
    }


def _parameter(
    name: str, where: str, description: str, *, required: bool = False
) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "description": description,
        "required": required,
        "schema": {"type": "string"},
    }


def _problem_response() -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": "What was wrong.", "content": {PROBLEM: {"schema": schema}}}


def _answer_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of an answer; what writes a text may remark on it."""
    schema = result_schema(operation.returns)
    plain = schema.get("items", schema)
    if operation.spec.read_only or plain.get("type") not in ("string", "integer"):
        return schema
    fields = {"value": dict(plain), **_REMARKS}
    either = {"anyOf": [dict(plain), {"type": "object", "properties": fields}]}
    return {**schema, "items": either} if "items" in schema else either


def result_schema(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a result, which travels by the names of its fields."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [result_schema(option) for option in inner]}
    if hasattr(kind, "_fields"):
        hints = field_types(kind)
        return {
            "type": "object",
            "properties": {name: result_schema(hints[name]) for name in kind._fields},
            "required": list(kind._fields),
        }
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object"}
    if origin is not None:
        return {"type": "array", "items": result_schema(inner[0])}
    return {"type": _JSON_TYPES[kind]} if kind in _JSON_TYPES else {}
