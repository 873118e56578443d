"""Where the client of an MCP server works: in this process's folder, unless its roots differ."""

import os
import sys
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from milepost.workspace.values import Place

# A client that does not tell its roots by then is taken to work where the server was started.
PATIENCE_S = 2.0


class Roots:
    """The folder of a client, which is asked once, and again when it says that it changed."""

    def __init__(self) -> None:
        self._place: Place | None = None
        self._lock: anyio.Lock | None = None

    async def place(self, context: ServerRequestContext[Any, Any]) -> Place | None:
        """Return where the client works; None if in the folder of this process."""
        capabilities = context.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return None
        self._lock = self._lock or anyio.Lock()
        async with self._lock:
            if self._place is None:
                self._place = Place(folder=_folder(await _listed(context)))
        return self._place

    async def changed(self, _context: object, _params: object) -> None:
        """Ask again before the next answer."""
        self._place = None


async def _listed(context: ServerRequestContext[Any, Any]) -> list[str]:
    """Return the folders that the client says it works in."""
    answer = None
    with anyio.move_on_after(PATIENCE_S):
        try:
            answer = await context.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult
            )
        except (MCPError, ValidationError):
            return []
    return [path for root in answer.roots if (path := _path(str(root.uri)))] if answer else []


def _folder(folders: list[str]) -> str:
    """Return the folder of this process if it is in one of these, else the first of them."""
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109
    except OSError:
        here = ""
    within = (
        here == (root := os.path.realpath(folder)) or here.startswith(root.rstrip(os.sep) + os.sep)
        for folder in folders
    )
    return "" if not folders or any(within) else folders[0]


def _path(uri: str) -> str:
    """Return the path that a file's address names; nothing for other addresses."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return ""
    path = unquote(parts.path)
    return path.lstrip("/") if sys.platform == "win32" else path
