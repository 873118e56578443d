"""What clients are told to run, as it stands in their settings, and whether it works."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from milepost.errors import ConfigError
from milepost.storage import store_file
from milepost.surfaces.hooks.mcp import connected
from milepost.surfaces.install.clients import CLIENTS, PROJECT, Client
from milepost.surfaces.install.files import text_of
from milepost.surfaces.install.hook_groups import HookGroups, commands_in
from milepost.surfaces.install.invocations import mentions_hook, server_words
from milepost.surfaces.install.pieces import Piece, ServerEntry, Several, Unless
from milepost.surfaces.install.settings_file import SettingsFile, find

# A client gives a server longer; who looks after an installation wants to know before.
PATIENCE_S = 20.0
# Neither a store nor a warm process is touched; a failure is told, and no way around it is tried.
_HARMLESS = {
    "MILEPOST_URL": "memory://",
    "MILEPOST_DAEMON": "off",
    "MILEPOST_HOOK_FALLBACK": "off",
    "MILEPOST_HOOK_TIMEOUT": "15000",
}


class Configured(NamedTuple):
    """A command in the settings of a client: a server's words, or a hook's line."""

    client: str
    file: Path
    server: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    hook: str = ""


class Trial(NamedTuple):
    """How a command did."""

    works: bool
    told: str


def configured() -> Iterator[Configured | ConfigError]:
    """Yield what the clients on this machine are told to run, and what keeps us from telling."""
    for client in CLIENTS.values():
        if client.is_here():
            yield from _of(client)


def _of(client: Client) -> Iterator[Configured | ConfigError]:
    scopes = [scope for scope in client.scopes if scope != PROJECT or _is_project()]
    for piece in _flat(piece for scope in scopes for piece in client.pieces(scope, Path.cwd())):
        if not isinstance(piece, ServerEntry | HookGroups):
            continue
        try:
            data = SettingsFile(piece.path, piece.format).read(text_of(piece.path))
        except ConfigError as problem:
            yield problem
            continue
        if isinstance(piece, ServerEntry):
            yield from _server(client.name, piece, find(data, piece.place))
        else:
            yield from _hook(client.name, piece, data)


def _is_project() -> bool:
    """Whether the current folder is one of a project's, and not the user's own."""
    return Path.cwd() != Path.home()


def _flat(pieces: Iterator[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        if isinstance(piece, Several):
            yield from piece.pieces
        else:
            yield piece.piece if isinstance(piece, Unless) else piece


def _server(client: str, piece: ServerEntry, entry: Any) -> Iterator[Configured]:
    words = server_words(entry)
    if words:
        given = entry.get("env") or entry.get("environment") or {}
        variables = {str(name): str(value) for name, value in given.items()}
        yield Configured(client, piece.path, tuple(words), variables)


def _hook(client: str, piece: HookGroups, data: Any) -> Iterator[Configured]:
    lines = [line for event in piece.groups for line in commands_in(data, event)]
    ours = [line for line in lines if mentions_hook(line)]
    # One tells as much as all of them, and the start of a session does the most.
    if ours:
        best = next((line for line in ours if "session-start" in line), ours[0])
        yield Configured(client, piece.path, hook=best)


def try_server(command: Configured, patience_s: float = PATIENCE_S) -> Trial:
    """Start a server as the client does, ask it for its tools and end it."""
    store = _named_store(command.server)
    if store is not None and not store.exists():
        return Trial(True, f"not started, for that would make {store}")
    environment = {**os.environ, **command.environment, **_HARMLESS}
    began = time.monotonic()
    try:
        with connected(command.server, began + patience_s, environment) as call:
            tools = [tool["name"] for tool in call("tools/list", {}).get("tools", [])]
            took = time.monotonic() - began
            _search(call, tools, command)
    except Exception as problem:  # noqa: BLE001 -- whatever keeps it from answering is the finding
        return Trial(False, f"{' '.join(command.server)}: {type(problem).__name__}: {problem}")
    return Trial(True, f"answers in {took:.1f} s with {len(tools)} tools")


def _search(call: Callable[..., dict[str, Any]], tools: list[str], command: Configured) -> None:
    """Have a server of ours look something up, for it lists its tools before it is loaded."""
    if {"search", "find_tools"} <= {*tools} and _named_store(command.server) is None:
        asked = {"name": "search", "arguments": {"query": "does it answer?"}}
        if call("tools/call", asked).get("isError"):
            raise LookupError("its search fails")


def _named_store(words: Sequence[str]) -> Path | None:
    """Return the file that a command names as its store, which our variables do not change."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word.startswith("--url"):
            return store_file(word.partition("=")[2] or following)
    return None


def try_hook(command: Configured, patience_s: float = PATIENCE_S) -> Trial:
    """Run a hook's line as the client does, on an empty memory that ends with it."""
    began = time.monotonic()
    sent = json.dumps({"session_id": "doctor", "cwd": os.getcwd(), "source": "startup"})  # noqa: PTH109
    try:
        ended = subprocess.run(  # noqa: S603 -- the line that the client itself runs
            _shell(command.hook),
            input=sent.encode(),
            capture_output=True,
            env={**os.environ, **_HARMLESS},
            timeout=patience_s,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as problem:
        return Trial(False, f"{command.hook}: {problem}")
    took = time.monotonic() - began
    said = " ".join(ended.stderr.decode("utf-8", "replace").split())[:300]
    if ended.returncode or said:
        return Trial(False, said or f"{command.hook} ended with {ended.returncode}")
    return Trial(True, f"runs in {took:.1f} s")


def _shell(line: str) -> list[str]:
    if line.startswith("& "):
        return ["powershell", "-NoProfile", "-Command", line]
    return ["sh", "-c", line]
