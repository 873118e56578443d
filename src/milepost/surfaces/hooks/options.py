"""How hooks reach the memory: our settings, or the JSON that mcp-memory-service's hooks have."""

from __future__ import annotations

import os

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from milepost.config import Settings

TIMEOUT_MS = 5_000


class Options(NamedTuple):
    """Which ways to the memory are open to a hook, and how long it may take."""

    code: bool = True
    fallback: bool = True
    timeout_ms: int = TIMEOUT_MS
    python: str = ""
    metrics: bool = True
    # A command, or the address of a server that speaks MCP over HTTP.
    server: tuple[str, ...] = ()


def load_options(settings: Settings) -> Options:
    """Return what the settings say, else the JSON file, else the defaults."""
    told = _from_json(settings.hook_config)
    given = {
        "code": _switch(settings.hook_code),
        "fallback": _switch(settings.hook_fallback),
        "timeout_ms": settings.hook_timeout or None,
        "python": settings.hook_python or None,
        "metrics": _switch(settings.hook_metrics),
        "server": _words(settings.hook_server) or None,
    }
    return Options(**told | {name: value for name, value in given.items() if value is not None})


def _switch(value: str) -> bool | None:
    return None if value == "" else value == "on"


def _words(command: str) -> tuple[str, ...]:
    if not command:
        return ()
    import shlex

    return tuple(shlex.split(command))


def _from_json(path: str) -> dict[str, Any]:
    """Return what a file in the published form says; one that cannot be read says nothing."""
    if not os.path.exists(path):
        return {}
    import json

    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    code, service = _table(found, "codeExecution"), _table(found, "memoryService")
    kinds: dict[str, tuple[str, type]] = {
        "code": ("enabled", bool),
        "fallback": ("fallbackToMCP", bool),
        "timeout_ms": ("timeout", int),
        "python": ("pythonPath", str),
        "metrics": ("enableMetrics", bool),
    }
    told = {
        name: code[key]
        for name, (key, kind) in kinds.items()
        if type(code.get(key)) is kind and (kind is not int or code[key] > 0)
    }
    command = _table(service, "mcp").get("serverCommand")
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        told["server"] = tuple(command)
    return told


def _table(found: object, key: str) -> dict[str, Any]:
    inner = found.get(key) if isinstance(found, dict) else None
    return inner if isinstance(inner, dict) else {}
