"""The registry over HTTP: discover the operations, call them, watch the server.

Starlette and uvicorn are imported only when a server is made, and only then must be installed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from milepost.app import Operations
from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.surfaces.http.limits import ServerLimits

if TYPE_CHECKING:
    from starlette.applications import Starlette

_DEFAULTS = ServerLimits()


def create_app(
    memory: Operations, settings: Settings, *, limits: ServerLimits = _DEFAULTS
) -> Starlette:
    """Return the ASGI application over a memory."""
    _check_installed()
    from milepost.surfaces.http import endpoints

    return endpoints.create_app(memory, settings, limits=limits)


def serve(
    memory: Operations,
    settings: Settings,
    ready: Callable[[str], None] | None = None,
    limits: ServerLimits = _DEFAULTS,
) -> None:
    """Serve a memory until SIGINT or SIGTERM, then finish the requests under way.

    ready: is told the address as soon as the server listens.
    """
    _check_installed()
    from milepost.surfaces.http import uvicorn_server

    uvicorn_server.serve(memory, settings, ready, limits)


def running(
    memory: Operations, settings: Settings, limits: ServerLimits = _DEFAULTS
) -> AbstractContextManager[str]:
    """Serve a memory from a thread for the length of a `with` block, which gets the address."""
    _check_installed()
    from milepost.surfaces.http import uvicorn_server

    return uvicorn_server.running(memory, settings, limits)


def _check_installed() -> None:
    for package in ("starlette", "uvicorn", "mcp"):
        if find_spec(package) is None:
            raise ConfigError(
                f'A server needs {package}; install it with pip install "milepost[server]".'
            )
