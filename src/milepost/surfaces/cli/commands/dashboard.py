"""`milepost ui`: open the dashboard of a server, of one that runs here, or of one for a while."""

import json
import sys
from threading import Thread

from milepost.errors import ConfigError
from milepost.location import is_loopback, is_server, servers_of
from milepost.secret_sources import revealed
from milepost.surfaces.cli.command import SHOWN, Call
from milepost.surfaces.reach import tls_of
from milepost.transport.connections import Request, Transport, TransportError, parse_address
from milepost.transport.tls import Tls

_ASKING_S = 5.0


def open_dashboard(call: Call) -> object:
    """Open the dashboard in a browser, and serve it here where no server does."""
    settings = call.settings
    is_shown = not call.values.get("no_browser")
    if is_server(settings.url):
        url = servers_of(settings.url)[0]
        link = _link(url, revealed("key", settings.key), tls_of(settings))
        if link is None:
            raise ConfigError(f"{url} does not answer; start it with `milepost serve`.")
        _show(link, is_shown)
        return SHOWN
    running = _running_here(call)
    if running is not None:
        _show(running, is_shown)
        return SHOWN
    return _serve_meanwhile(call, is_shown)


def _running_here(call: Call) -> str | None:
    """Return a link to the server of this store that listens where `milepost serve` would."""
    settings = call.settings
    host = settings.host if is_loopback(settings.host.lower()) else "127.0.0.1"
    scheme = "https" if settings.tls_cert else "http"
    named = f"[{host}]" if ":" in host else host
    url = f"{scheme}://{named}:{settings.port}"
    tls = tls_of(settings)
    return _link(url, revealed("key", settings.key), tls, store=settings.shown_url)


def _serve_meanwhile(call: Call, is_shown: bool) -> object:
    from milepost.surfaces.cli.commands.processes import serve_here

    # Only for whoever sits here, on a port that is free.
    settings = call.settings._replace(host="127.0.0.1", port=0, tls_cert="", tls_key="")

    def ready(url: str) -> None:
        print(f"milepost: serving {settings.shown_url} until Ctrl+C", file=sys.stderr, flush=True)

        def show() -> None:
            # The server answers once this function has returned.
            link = _link(url, revealed("key", settings.key), Tls())
            _show(link or url, is_shown)

        Thread(target=show, daemon=True, name="milepost-ui").start()

    serve_here(call, settings, ready)
    return SHOWN


def _link(url: str, key: str, tls: Tls, store: str | None = None) -> str | None:
    """Return an address that lets a browser in once; None if no server answers there.

    store: the only one that it may be a server of.
    """
    transport = Transport(parse_address(url, "the server"), _ASKING_S, tls=tls)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        reply = transport.ask(Request("POST", "/ui-token", headers, b"", repeatable=False))
    except TransportError:
        return None
    finally:
        transport.close()
    told = _told(reply.body)
    if reply.status != 200 or "token" not in told:
        if store is not None:
            return None  # something else listens there, or a server for others
        raise ConfigError(f"{url} lets nobody in: {told.get('detail') or reply.reason}")
    if store is not None and told.get("store") != store:
        return None
    return f"{url}/#token={told['token']}"


def _told(body: bytes) -> dict[str, str]:
    try:
        told = json.loads(body)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _show(link: str, is_shown: bool) -> None:
    import webbrowser

    if is_shown and webbrowser.open(link):
        print("milepost: the dashboard is open in your browser", file=sys.stderr, flush=True)
        return
    print(link, flush=True)
    print("milepost: the link lets one browser in, within a minute", file=sys.stderr, flush=True)
