"""`milepost serve`, `mcp` and `daemon`: the processes that keep a memory open."""

import logging
import sys
import threading
from collections.abc import Callable

from milepost.app import Operations
from milepost.config import Settings
from milepost.errors import MilepostError
from milepost.location import shown
from milepost.opening import sandbox_folder
from milepost.surfaces.cli.command import SHOWN, Call
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import moment, table
from milepost.surfaces.logging import configure_logging

log = logging.getLogger(__name__)


def serve_http(call: Call) -> object:
    """Serve the memory over HTTP until a signal comes."""
    from milepost.surfaces.http.peer import without_key
    from milepost.surfaces.http.tls import pin_of_server

    def ready(url: str) -> None:
        print(f"milepost: serving {shown(call.settings.url)} on {url}", file=sys.stderr, flush=True)
        if call.settings.tls_cert:
            pin = pin_of_server(call.settings)
            print(f"milepost: clients may pin {pin}", file=sys.stderr, flush=True)
        if keyless := without_key(call.settings):
            print(f"milepost: {keyless}", file=sys.stderr, flush=True)

    serve_here(call, call.settings, ready)
    return SHOWN


def serve_here(call: Call, settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve the memory over HTTP, and let short-lived programs ask it as well."""
    from milepost.surfaces.http import serve

    configure_logging(call.settings, to_file=True)
    serve(_kept_warm(call, "server"), settings, ready=ready)


def serve_mcp(call: Call) -> object:
    """Serve the memory to one MCP client until it hangs up."""
    from milepost.surfaces.mcp import serve_stdio

    configure_logging(call.settings, to_file=True)
    serve_stdio(_kept_warm(call, "MCP server"), call.settings)
    return SHOWN


def _kept_warm(call: Call, role: str) -> Operations:
    """Return the memory to serve, and let short-lived programs ask it as well."""
    memory = call.memory(warm_too=False)
    ended = threading.Event()

    def answer_others() -> None:
        # Not at once: clients wait for the first answer, and nobody for this.
        if ended.wait(0.5):
            return
        from milepost.surfaces.warm_server import keep_warm

        server = keep_warm(memory, call.settings, role)
        # A client that only looks whether the server answers is gone by then.
        if not ended.wait(2.0):
            _compile_sandbox(call.settings)
        ended.wait()
        if server is not None:
            server.stop()

    answering = threading.Thread(target=answer_others, daemon=True, name="milepost-role")
    answering.start()
    call.closing.callback(answering.join, 0.2)
    call.closing.callback(ended.set)
    return memory


def _compile_sandbox(settings: Settings) -> None:
    """Compile the sandbox for this machine, which the first program would else wait for."""
    if settings.sandbox == "off":
        return
    from milepost.sandbox import compile_ahead

    try:
        compile_ahead(sandbox_folder(settings), beside_others=True)
    except MilepostError as problem:
        log.info("%s", problem)


def daemon_run(call: Call) -> object:
    """Keep the memory warm in this process."""
    from milepost.surfaces import daemon

    configure_logging(call.settings, to_file=True)
    log.info("a daemon keeps %s warm", call.settings.shown_url)
    code = daemon.run(call.settings)
    log.info("the daemon of %s ends", call.settings.shown_url)
    raise SystemExit(code)


def daemon_start(call: Call) -> object:
    """Start a process that keeps the memory warm."""
    from milepost.surfaces import daemon

    if call.dry_run:
        return Rehearsed((f"start a process that keeps {call.settings.shown_url} warm",))
    return daemon.start(call.settings)


def daemon_stop(call: Call) -> object:
    """Stop the process that keeps the memory warm."""
    from milepost.surfaces import daemon

    if call.dry_run:
        return Rehearsed((f"stop the process that keeps {call.settings.shown_url} warm",))
    return daemon.stop(call.settings)


def daemon_status(call: Call) -> View:
    """Show the processes that keep memories warm."""
    from milepost.surfaces import daemon

    processes = daemon.status(call.settings)
    rows = [
        (d.pid, d.role, d.version, moment(d.since), d.calls, f"{d.resident_mb:.0f} MB", d.url)
        if d.answers
        else (d.pid, d.role, "does not answer", "", "", "", d.url)
        for d in processes
    ]
    head = ("pid", "role", "version", "since", "calls", "memory", "store")
    return View(processes, table(rows, head) if rows else "no process keeps a memory warm")


def answer_hook(call: Call) -> object:
    """Answer an event of a session, where options are given; without any it is answered sooner."""
    if call.values.get("explain"):
        from milepost.surfaces.hooks.explain import explain

        return explain(call.values["event"], call.flags)
    from milepost.surfaces.hooks import main

    main(call.values["event"], call.flags)
    return SHOWN
