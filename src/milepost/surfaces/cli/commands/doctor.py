"""`milepost doctor`: look at everything that can be wrong, and say how to repair it."""

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import milepost
from milepost import reading
from milepost.app import local_memory
from milepost.config import SECRETS, Settings, config_file, data_folder, inbox_folder
from milepost.errors import ConfigError, MilepostError, SandboxUnavailable
from milepost.location import clear_hosts, is_database, is_loopback, shown
from milepost.measuring.runs import embedder_of, last_run
from milepost.memory.values import OWN_SPACE
from milepost.opening import open_context, open_runner, sandbox_folder
from milepost.sandbox import can_compile
from milepost.secret_sources import FILE, all_revealed, is_open_to_all, references, revealed
from milepost.storage import maintenance, store_file
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.commands.storage import COLOURS, check_store
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.programs import compile_shown
from milepost.surfaces.cli.terminal import moment, paint, size, table
from milepost.text.lines import counted
from milepost.upkeep.alerts.values import OFF
from milepost.upkeep.alerts.watching import status_of_rules
from milepost.upkeep.backups.schedules import status_of
from milepost.upkeep.values import BROKEN, DEAD, LEFTOVER, NOTE, OK, Check

_PYTHON = (3, 11)
_EXTRAS = {
    "server": ("starlette", "uvicorn", "mcp"),
    "sandbox": ("wasmtime",),
    "onnx": ("onnxruntime", "tokenizers"),
    "tokens": ("tiktoken",),
    "postgres": ("psycopg", "psycopg_pool"),
    "documents": ("lxml", "pypdfium2", "python_calamine", "tree_sitter"),
}
# Less than this and writing will soon fail; less than the second is worth a word.
_DISK_BYTES_MIN, _DISK_BYTES_FEW = 50_000_000, 1_000_000_000
_JOBS = 1_000


def examine(call: Call) -> View:
    """Check everything; what cannot be checked because of something else is left out."""
    checks = list(_security(call) if call.values["security"] else _checks(call))
    broken = [check for check in checks if check.status == BROKEN]
    rows = [
        (paint(check.status, COLOURS[check.status]), check.name, check.told) for check in checks
    ]
    notes = sum(check.status == NOTE for check in checks)
    well = f"{counted(notes, 'thing')} open" if call.values["security"] and notes else "all is well"
    verdict = f"{len(broken)} broken" if broken else well
    data = {"status": BROKEN if broken else OK, "checks": checks}
    return View(data, f"{table(rows)}\n{verdict}", ready=not broken)


def _checks(call: Call) -> Iterator[Check]:
    yield _python()
    yield Check(
        "package", OK, f"milepost {milepost.__version__} in {Path(milepost.__file__).parent}"
    )
    yield from _extras()
    config = _config(call)
    yield config
    yield _edge("round trip", _round_trip)
    if config.status == BROKEN:
        return
    settings = call.settings
    yield from _secrets(settings)
    yield from _protected(settings)
    if call.is_remote:
        yield _edge("server", lambda: _server(call))
    else:
        yield from _local(settings)
    yield _edge("embedder", lambda: _embedder(settings))
    yield _edge("sandbox", lambda: _sandbox(settings, now=call.values["compile"]))
    yield _edge("documents", _documents)
    yield _edge("daemon", lambda: _daemon(settings))
    yield from _clients()


def _security(call: Call) -> Iterator[Check]:
    from milepost.surfaces.cli.commands.security import examine_security

    config = _config(call)
    yield config
    if config.status != BROKEN:
        yield from examine_security(call.settings, call.values["advisories"] or "")


def _clients() -> Iterator[Check]:
    """Run what clients are told to run, as it stands in their settings."""
    from milepost.surfaces.install.configured import Trial, configured, try_hook, try_server

    # Most clients are told to run the same.
    trials: dict[object, Trial] = {}
    for command in configured():
        if isinstance(command, ConfigError):
            yield Check("client", BROKEN, str(command))
            continue
        what = "server" if command.server else "hooks"
        run = (command.server, command.hook, tuple(command.environment.items()))
        if run not in trials:
            trials[run] = try_server(command) if command.server else try_hook(command)
        trial = trials[run]
        repair = f"look at {command.file}, or `milepost install {command.client}` again"
        yield Check(
            f"{command.client} {what}",
            OK if trial.works else BROKEN,
            trial.told,
            "" if trial.works else repair,
        )


def _edge(name: str, check: Callable[[], Check]) -> Check:
    """Run a check whose failure, of whatever kind, is its finding."""
    try:
        return check()
    except MilepostError as problem:
        return Check(name, BROKEN, str(problem))
    except Exception as problem:  # noqa: BLE001 -- told in the report, which is what it is for
        return Check(name, BROKEN, f"{type(problem).__name__}: {problem}")


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _PYTHON:
        return Check("python", BROKEN, version, "install Python 3.11 or newer")
    return Check("python", OK, f"{version} in {sys.prefix}")


def _extras() -> Iterator[Check]:
    for extra, packages in _EXTRAS.items():
        missing = [package for package in packages if find_spec(package) is None]
        if missing:
            lack = f"not installed ({', '.join(missing)})"
            yield Check(f"extra {extra}", NOTE, lack, f"pip install 'milepost[{extra}]' adds it")
        else:
            yield Check(f"extra {extra}", OK, "installed")


def _sandbox(settings: Settings, *, now: bool) -> Check:
    """Check which of the layers that hold programs work here; compile them now, if asked to."""
    if settings.sandbox == "off":
        return Check("sandbox", NOTE, "switched off", "set sandbox to on to run programs")
    try:
        with contextlib.closing(open_runner(settings)) as runner:
            status = runner.status()
    except SandboxUnavailable as problem:
        return Check("sandbox", NOTE, str(problem))
    if not status.available:
        return Check("sandbox", NOTE, status.note)
    missing = [f"{layer.name}: {layer.note}" for layer in status.layers if not layer.active]
    if missing:
        finding = f"programs run with fewer layers ({'; '.join(missing)})"
        return Check("sandbox", NOTE, finding, "set sandbox to strict to refuse them")
    layers = f"all {len(status.layers)} layers work"
    compiled = compile_shown(settings) if now else ""
    if can_compile(sandbox_folder(settings)):
        repair = compiled or "`milepost doctor --compile` does it now, the first program else"
        return Check("sandbox", NOTE, f"{layers}, not compiled for this machine yet", repair)
    return Check("sandbox", OK, f"{layers}; {compiled}" if compiled else layers)


def _documents() -> Check:
    """Check which walls stand around what reads documents."""
    lacks = reading.lacking()
    if lacks:
        told = "; ".join(f"{wall}: {why}" for wall, why in lacks.items())
        repair = "read only documents that you trust"
        return Check("documents", NOTE, f"are read with fewer walls ({told})", repair)
    return Check("documents", OK, "are read by processes that can do nothing else")


def _config(call: Call) -> Check:
    place = Path(config_file())
    try:
        _ = call.settings
    except ConfigError as problem:
        return Check("config", BROKEN, str(problem), f"correct it, or move {place} away")
    if not place.exists():
        return Check("config", OK, f"defaults and environment, there is no {place}")
    return _private("config", place, 0o600)


def _secrets(settings: Settings) -> Iterator[Check]:
    """Check that the secrets which are kept elsewhere are there."""
    for name in sorted(SECRETS):
        for value in references(getattr(settings, name)):
            yield _edge(f"secret {name}", partial(_secret, name, value))


def _secret(name: str, value: str) -> Check:
    revealed(name, value)
    if is_open_to_all(value):
        finding = f"{value} can be read by every user of this machine"
        return Check(f"secret {name}", NOTE, finding, f"chmod 600 {value.removeprefix(FILE)}")
    return Check(f"secret {name}", OK, value)


def _protected(settings: Settings) -> Iterator[Check]:
    """Check that keys travel by TLS wherever they leave this machine."""
    keys = ("key", "embedder_keys", "reflector_key")
    for key, setting in zip(keys, ("url", "embedder", "reflector"), strict=True):
        for host in clear_hosts(getattr(settings, setting)) if getattr(settings, key) else ():
            finding = f"{key} is sent to {host} without TLS: whoever is in between reads it"
            yield Check(f"tls {setting}", NOTE, finding, f"use an https:// address in {setting}")
    if settings.tls_cert or settings.tls_key or settings.client_ca:
        yield _edge("tls", lambda: _certificate(settings))
    elif not is_loopback(settings.host.lower()) and settings.tls_proxy == "off":
        finding = f"`milepost serve` on {settings.host} takes keys without TLS"
        repair = "set tls_cert and tls_key, or tls_proxy to on if a proxy in front speaks TLS"
        yield Check("tls", NOTE, finding, repair)


def _certificate(settings: Settings) -> Check:
    from milepost.surfaces.http.tls import context_of, pin_of_server

    context_of(settings)
    return Check("tls", OK, f"{settings.tls_cert}, pin {pin_of_server(settings)}")


def _private(name: str, place: Path, mode_wanted: int) -> Check:
    """Check that nobody else can read a file or folder."""
    mode = stat.S_IMODE(place.stat().st_mode)
    if os.name == "posix" and mode & ~mode_wanted & 0o077:
        finding = f"{place} can be read by other users (mode {mode:o})"
        return Check(name, NOTE, finding, f"chmod {mode_wanted:o} {place}")
    return Check(name, OK, f"{place} (mode {mode:o})")


def _local(settings: Settings) -> Iterator[Check]:
    if is_database(settings.url):
        yield from _database(settings)
        return
    path = store_file(settings.url)
    if path is None:
        yield Check("store", OK, f"{shown(settings.url)}, which ends with the process")
        return
    yield _folder(path)
    yield _edge("disk", lambda: _disk(path))
    if not path.exists():
        yield Check("store", OK, f"there is no {path} yet; the first memory makes it")
        return
    yield _edge("file", lambda: _private("file", path, 0o600))
    yield _edge("encryption", lambda: encryption(settings))
    yield _edge("copies", lambda: _copies(settings))
    yield from _store(settings)


def encryption(settings: Settings) -> Check:
    encrypted, clear = maintenance.encryption_state(settings.url)
    if is_database(settings.url) and (encrypted or not settings.encryption_key):
        texts = "sealed; names, the graph and vectors are not" if encrypted else "in clear text"
        return Check("encryption", OK, f"texts in the database are {texts}")
    if clear:
        finding = f"the store is encrypted, and these are in clear text: {', '.join(clear)}"
        return Check("encryption", NOTE, finding, "`milepost encrypt` again, or remove them")
    if encrypted:
        return Check("encryption", OK, "the store and its copies are encrypted")
    if settings.encryption_key:
        finding = "encryption_key is set, but the store is in clear text"
        return Check("encryption", NOTE, finding, "`milepost encrypt` encrypts it")
    return Check("encryption", OK, "the store is in clear text")


def _database(settings: Settings) -> Iterator[Check]:
    """Check a database, which is looked at before anything is opened there."""
    try:
        yield from maintenance.health(settings.url)
    except MilepostError as problem:
        yield Check("database", BROKEN, str(problem))
        return
    yield _edge("background", lambda: _background(settings))
    yield from _watched(settings)
    yield _edge("recall", lambda: _recall(settings))


def _folder(path: Path) -> Check:
    folder = next(above for above in path.parents if above.exists())
    if not folder.is_dir():
        return Check("folder", BROKEN, f"{folder} is not a folder", "move it, or set another url")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check("folder", BROKEN, f"{folder} cannot be written to", f"chmod u+rwx {folder}")
    if folder == Path(data_folder()):
        return _edge("folder", lambda: _private("folder", folder, 0o700))
    return Check("folder", OK, str(folder))


def _disk(path: Path) -> Check:
    folder = next(above for above in path.parents if above.exists())
    free = shutil.disk_usage(folder).free
    room = f"{size(free)} free for {folder}"
    if free < _DISK_BYTES_MIN:
        return Check("disk", BROKEN, room, "free some space")
    needed = 2 * path.stat().st_size if path.exists() else 0
    if free < max(_DISK_BYTES_FEW, needed):
        return Check("disk", NOTE, room, "a backup or `milepost storage compact` may not fit")
    return Check("disk", OK, room)


def _copies(settings: Settings) -> Check:
    """Say what is copied of the store: what is deleted from it stays there."""
    copies = maintenance.copies(settings.url)
    amount = f"{counted(len(copies), 'copy')}, {size(sum(copy.bytes for copy in copies))}"
    if any(copy.kind == LEFTOVER for copy in copies):
        repair = "`milepost backup prune --kind leftover --keep 0` removes them"
        return Check("copies", NOTE, f"{amount}, of some only parts", repair)
    return Check("copies", OK, amount)


def _store(settings: Settings) -> Iterator[Check]:
    try:
        check = check_store(settings, quick=True)
    except MilepostError as problem:
        yield Check("store", BROKEN, str(problem))
        return
    if check.problems:
        yield Check("store", BROKEN, check.problems[0], "`milepost backup restore FILE`")
        return
    yield _edge("background", lambda: _background(settings))
    yield from _watched(settings)
    memories = maintenance.info(settings.url).memories
    yield Check("store", OK, f"{counted(memories, 'memory')}, opens and is whole")
    yield _edge("recall", lambda: _recall(settings))
    if check.index_problems:
        yield Check("index", NOTE, f"{'; '.join(check.index_problems)}; it was made again")
    else:
        yield Check("index", OK, "agrees with the store")


def _watched(settings: Settings) -> Iterator[Check]:
    """Check what rules found, and whether there is a backup that can be relied on."""
    try:
        with contextlib.closing(open_context(settings)) as context:
            alerts, backups = status_of_rules(context), status_of(context)
    except MilepostError as problem:
        yield Check("alerts", BROKEN, str(problem))
        return
    for alert in alerts.firing:
        yield Check(f"alert {alert.rule}", NOTE, alert.found, "`milepost alerts list` says more")
    if not alerts.firing:
        checked = "nobody has looked yet" if alerts.checked is None else "none fires"
        yield Check("alerts", OK, f"{checked}; told: {', '.join(alerts.told) or 'nobody'}")
    if backups.every == OFF:
        yield Check("backups", OK, "none are made by themselves (`milepost backup schedule`)")
    elif backups.failed is not None:
        yield Check("backups", NOTE, f"the last one failed: {backups.problem}",
                    "`milepost jobs retry` tries again")  # fmt: skip
    else:
        made = "none yet" if backups.last is None else f"the last {moment(backups.last.made)}"
        yield Check("backups", OK, f"{backups.every} to {backups.to}, {made}")
    if backups.drill is not None:
        well = backups.drill.ready
        yield Check("drill", OK if well else NOTE, str(backups.drill).replace("\n", "; "),
                    "" if well else "`milepost backup schedule` makes another copy")  # fmt: skip


def _recall(settings: Settings) -> Check:
    """Check that as much is found as before, by what was measured last."""
    with contextlib.closing(open_context(settings)) as context:
        last, embedder = last_run(context), embedder_of(context)
    again = "`milepost measure recall` says what it finds now"
    if last is None:
        return Check("recall", OK, f"not measured yet; {again}")
    if last.is_worse:
        return Check("recall", NOTE, f"fell {last.change}", "look at what changed since")
    if (last.version, last.embedder) != (milepost.__version__, embedder):
        finding = f"measured by milepost {last.version} with {last.embedder}, which is not in use"
        return Check("recall", NOTE, finding, again)
    return Check("recall", OK, str(last.own or "no memory has a sentence to ask by"))


def _background(settings: Settings) -> Check:
    """Check that what hooks left, and other work that was put off, gets done."""
    inbox = Path(inbox_folder(settings))
    left = len(list(inbox.iterdir())) if inbox.is_dir() else 0
    with contextlib.closing(open_context(settings).store) as store:
        jobs = [job for s in (settings.space, OWN_SPACE) for job in store.jobs.list(s, None, _JOBS)]
    dead = [job for job in jobs if job.state == DEAD]
    if dead:
        finding = f"{counted(len(dead), 'job')} failed for good ({dead[0].problem})"
        return Check("background", NOTE, finding, "`milepost jobs retry` has them tried again")
    finding = f"{counted(left, 'session')} in the inbox, {counted(len(jobs), 'job')} waiting"
    return Check("background", OK, finding)


def _round_trip() -> Check:
    with local_memory(Settings("memory://")) as memory:
        name = memory.store("The harbour master keeps the key of the north gate")
        hits = memory.search("who keeps the key of the gate?")
        gone = memory.delete(name)
    if [hit.hash for hit in hits.memories] != [name] or gone.deleted != 1:
        return Check("round trip", BROKEN, "a memory was not found again", "reinstall milepost")
    return Check("round trip", OK, "stored, found and deleted a memory in a temporary store")


def _server(call: Call) -> Check:
    health = call.memory().health()
    return Check("server", OK if health.ready else BROKEN, f"{shown(call.settings.url)}: {health}")


def _embedder(settings: Settings) -> Check:
    from milepost.embedding import open_embedder

    keys = all_revealed("embedder_keys", settings.embedder_keys)
    embedder = open_embedder(
        settings.embedder, keys=keys, models_folder=Path(settings.models_folder)
    )
    vector = embedder.embed_query("does it answer?")
    return Check("embedder", OK, f"{embedder.model}, {len(vector)} dimensions")


def _daemon(settings: Settings) -> Check:
    from milepost.surfaces import daemon

    if settings.daemon == "off":
        return Check("daemon", OK, "off")
    processes = daemon.status(settings)
    silent = [process for process in processes if process.version == "?"]
    if silent:
        pids = ", ".join(str(process.pid) for process in silent)
        return Check("daemon", NOTE, f"process {pids} does not answer", "`milepost daemon stop`")
    roles = ", ".join(
        f"{process.role} {process.pid} keeps {process.url} warm" for process in processes
    )
    return Check("daemon", OK, roles or "none runs")
