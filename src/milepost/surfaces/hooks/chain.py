"""Reach the memory from a hook: a warm process, else the store itself, else an MCP server."""

from __future__ import annotations

from milepost.surfaces import reach, warm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from milepost.config import Settings
    from milepost.sessions.values import Briefing
    from milepost.surfaces.hooks.options import Options


class Unreached(Exception):
    """No way led to the memory; the message says why the last of them did not."""

    def __init__(self, message: str, *, last_way: bool = False) -> None:
        super().__init__(message)
        # Whether no other way was allowed, so that somebody wants to know.
        self.last_way = last_way


def ask(settings: Settings, options: Options, name: str, arguments: dict[str, Any]) -> Briefing:
    """Return what an operation tells, by the first way that works."""
    problem = "the memory is switched off for hooks"
    if options.code:
        try:
            briefing: Briefing = reach.ask_once(settings, name, arguments)
            return briefing
        except Exception as failure:  # noqa: BLE001 -- the next way is tried, or the reason told
            problem = f"{type(failure).__name__}: {failure}"
        if not options.fallback:
            raise Unreached(problem, last_way=True)
    if not options.fallback or not options.server:
        raise Unreached(problem)
    from milepost.surfaces.hooks.mcp import brief_by_mcp

    return brief_by_mcp(options.server, name, arguments, options.timeout_ms / 1e3)


def start_work(settings: Settings) -> None:
    """Have the inbox read in the background: a warm process does it, else one is started."""
    if reach.way_to(settings) == reach.WARM:
        return
    from milepost.surfaces.detached import start_detached

    url = warm.canonical(settings.url) or settings.url
    start_detached("jobs", "run", "--url", url, "--space", settings.space)
