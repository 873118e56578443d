"""How hooks reach the memory: our settings, or the JSON that mcp-memory-service's hooks have."""

from __future__ import annotations

import os

from milepost.config import DEFAULT, settings_of
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from milepost.config import Origin


class Options(NamedTuple):
    """Which ways to the memory are open to a hook, and how long it may take."""

    code: bool
    fallback: bool
    timeout_ms: int
    python: str
    metrics: bool
    # A command, or the address of a server that speaks MCP over HTTP.
    server: tuple[str, ...]


# The setting behind each option.
_SETTINGS = {
    "code": "hook_code",
    "fallback": "hook_fallback",
    "timeout_ms": "hook_timeout",
    "python": "hook_python",
    "metrics": "hook_metrics",
    "server": "hook_server",
}


def load_options(origins: Sequence[Origin]) -> Options:
    """Return what is set, else what the JSON file says, else the defaults."""
    settings = settings_of(origins)
    ours = Options(
        settings.hook_code == "on",
        settings.hook_fallback == "on",
        settings.hook_timeout,
        settings.hook_python,
        settings.hook_metrics == "on",
        _words(settings.hook_server),
    )
    unset = {origin.name for origin in origins if origin.source == DEFAULT}
    options = _from_json(settings.hook_config)
    return ours._replace(
        **{name: value for name, value in options.items() if _SETTINGS[name] in unset}
    )


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
            data = json.load(file)
    except (OSError, ValueError):
        return {}
    code, service = _table(data, "codeExecution"), _table(data, "memoryService")
    kinds: dict[str, tuple[str, type]] = {
        "code": ("enabled", bool),
        "fallback": ("fallbackToMCP", bool),
        "timeout_ms": ("timeout", int),
        "python": ("pythonPath", str),
        "metrics": ("enableMetrics", bool),
    }
    options = {
        name: code[key]
        for name, (key, kind) in kinds.items()
        if type(code.get(key)) is kind and (kind is not int or code[key] > 0)
    }
    command = _table(service, "mcp").get("serverCommand")
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        options["server"] = tuple(command)
    return options


def _table(data: object, key: str) -> dict[str, Any]:
    inner = data.get(key) if isinstance(data, dict) else None
    return inner if isinstance(inner, dict) else {}
