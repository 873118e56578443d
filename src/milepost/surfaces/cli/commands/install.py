"""`milepost install` and `milepost uninstall`: show what would change, ask, write."""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from milepost.errors import ConfigError
from milepost.location import without_passwords
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.programs import compile_shown
from milepost.surfaces.cli.terminal import agreed, paint, table
from milepost.surfaces.install.clients import CLIENTS, PROJECT, USER, Client
from milepost.surfaces.install.files import backup_of
from milepost.surfaces.install.plan import Change, Plan, carry_out, installing, uninstalling
from milepost.text.disguise import visible

_COLOURS = {"+": "green", "-": "red", "@": "dim"}


class ChangedFile(NamedTuple):
    """A file that was changed, or would be."""

    file: str
    action: str
    backup: str | None
    what: str = ""


class Installation(NamedTuple):
    """What was done to a client's files, or would be."""

    client: str
    scope: str
    files: tuple[ChangedFile, ...]
    notes: tuple[str, ...]
    diff: str
    dry_run: bool


class ClientStatus(NamedTuple):
    """A client on this machine, whether it has Milepost, and what keeps us from telling."""

    client: str
    installed: bool
    files: tuple[str, ...]
    problem: str = ""


def install(call: Call) -> object:
    """Put Milepost into the settings of a client; without one, show the clients that are here."""
    client, scope = _asked(call)
    if client is None:
        return _listed()
    _refuse_settings(call)
    plan = installing(client.pieces(scope, Path.cwd()))
    more = [*_lacking(), *([client.afterwards] if client.afterwards and plan.changes else [])]
    view = _perform(call, client, scope, plan._replace(notes=(*plan.notes, *more)))
    return view if call.dry_run or not view.ready else _with_sandbox(call, view)


def _with_sandbox(call: Call, view: View) -> View:
    """Have the sandbox ready for the first program, which would else wait for it."""
    compiled = compile_shown(call.settings)
    return view._replace(text=f"{view.text}\n{compiled}") if compiled else view


def uninstall(call: Call) -> object:
    """Take Milepost out of the settings of a client."""
    client, scope = _asked(call)
    assert client is not None
    return _perform(call, client, scope, uninstalling(client.pieces(scope, Path.cwd())))


def _refuse_settings(call: Call) -> None:
    """Say where settings belong: what install writes runs with those in force."""
    for name in ("url", "space"):
        if call.flags.get(name):
            raise Misuse(
                f"install writes no settings: `milepost config set {name} {call.flags[name]}`"
            )


def _lacking() -> list[str]:
    """Return what has to be installed before all of it works."""
    if find_spec("mcp") is not None:
        return []
    return ['the MCP server needs the extra "server": pip install "milepost[server]"']


def _asked(call: Call) -> tuple[Client | None, str]:
    name, scope = call.values.get("client"), call.values["scope"]
    client = CLIENTS[name] if name else None
    if client is not None and scope not in client.scopes:
        raise Misuse(f"{name} has no settings of a {scope}")
    return client, scope


def _listed() -> View:
    clients = [_known(client) for client in CLIENTS.values() if client.is_here()]
    rows = [
        (k.client, "yes" if k.installed else "no", k.problem or ", ".join(k.files)) for k in clients
    ]
    nobody = f"no client was found here; Milepost knows {', '.join(CLIENTS)}"
    text = table(rows, ("client", "milepost", "settings")) if rows else nobody
    hint = "`milepost install CLIENT` says what it would change, and asks; --diff shows every line."
    return View(clients, f"{text}\n{hint}")


def _known(client: Client) -> ClientStatus:
    pieces = client.pieces(USER, Path.cwd())
    files = tuple(str(piece.path) for piece in pieces if _is_settings(piece.path))
    try:
        return ClientStatus(client.name, not installing(pieces).changes, files)
    except ConfigError as problem:
        return ClientStatus(client.name, False, files, str(problem))


def _is_settings(path: Path) -> bool:
    return path.suffix in (".json", ".jsonc", ".toml")


def _perform(call: Call, client: Client, scope: str, plan: Plan) -> View:
    installation = Installation(
        client.name,
        scope,
        tuple(_changed(change) for change in plan.changes),
        plan.notes,
        without_passwords(plan.diff()),
        call.dry_run,
    )
    notes = [f"note: {note}" for note in plan.notes]
    if not plan.changes:
        return View(installation, "\n".join(["nothing to change", *notes]))
    shown = [*map(_planned, installation.files), *notes]
    if call.values.get("diff"):
        shown = [*map(_painted, installation.diff.splitlines()), *shown]
    if call.dry_run:
        return View(installation, "\n".join(shown))
    if call.values.get("form", "human") == "human":
        print("\n".join(shown), flush=True)
    files = len(plan.changes)
    question = f"Change {'this file' if files == 1 else f'these {files} files'}?"
    if not call.values["yes"] and not agreed(question):
        return View(installation._replace(files=()), "nothing was changed", ready=False)
    carry_out(plan, private=scope != PROJECT)
    lines = [_told(changed) for changed in installation.files]
    return View(installation, "\n".join([*lines, f"Start a new session of {client.name} now."]))


def _changed(change: Change) -> ChangedFile:
    backed_up = change.keeps and change.before is not None
    return ChangedFile(
        str(change.path),
        change.action,
        str(backup_of(change.path)) if backed_up else None,
        change.what,
    )


def _planned(changed: ChangedFile) -> str:
    return f"{changed.action} {changed.file}: {changed.what}"


def _told(changed: ChangedFile) -> str:
    backup = f"; what it held is in {changed.backup}" if changed.backup else ""
    return f"{changed.action}d {changed.file}{backup}"


def _painted(line: str) -> str:
    colour = _COLOURS.get(line[:1])
    return paint(visible(line), colour) if colour else visible(line)
