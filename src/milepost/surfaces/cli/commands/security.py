"""`milepost doctor --security`: what is open, and what would close it."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from milepost.access.keys import read as read_keys
from milepost.access.values import ADMIN, Key
from milepost.app import local_memory
from milepost.config import SECRETS, Settings, config_file, data_folder
from milepost.errors import MilepostError
from milepost.location import is_database, is_loopback
from milepost.memory.values import OWN_SPACE
from milepost.opening import open_context
from milepost.secret_sources import FILE, is_open_to_others, references
from milepost.storage import maintenance, store_file
from milepost.surfaces.cli.commands import advisories
from milepost.text.lines import counted
from milepost.text.secrets import without_secrets
from milepost.upkeep.values import BROKEN, NOTE, OK, Check

_OTHERS = 0o077
_FILES_MAX = 100_000
_SHOWN = 3


def examine_security(settings: Settings, known_holes: str) -> Iterator[Check]:
    """Look at all that may be open; what cannot be looked at is told as such.

    known_holes: a file with advisories, if not the database of them is to be asked.
    """
    for name, check in _CHECKS.items():
        yield from _told(name, lambda check=check: check(settings))  # type: ignore[misc]
    if not settings.url.startswith(("http://", "https://")):
        yield from _told("store", lambda: _of_store(settings))
    yield from _told("dependencies", lambda: advisories.examine(known_holes))


def _told(name: str, check: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    try:
        yield from check()
    except (MilepostError, OSError) as problem:
        yield Check(name, BROKEN, f"it could not be looked at: {problem}")


def _files(settings: Settings) -> Iterator[Check]:
    """Look for files that other users can read or write."""
    if os.name != "posix":
        return
    places = [Path(data_folder()), Path(config_file()), Path(settings.runtime_folder)]
    file = None if is_database(settings.url) else store_file(settings.url)
    if file is not None:
        beside = file.parent.glob(f"{file.name}*") if file.parent.is_dir() else ()
        places += [*beside, file.parent / "backups"]
    found = sorted({str(place) for each in places for place in _open_to_others(each)})
    if found:
        shown = ", ".join(found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        finding = f"other users can read {shown}{more}"
        yield Check("files", NOTE, finding, f"chmod -R go= {found[0]}, and so on")
    else:
        yield Check("files", OK, "no file is open to other users")


def _open_to_others(place: Path) -> Iterator[Path]:
    """Yield what other users get at; what lies in a folder that is closed they do not."""
    waiting, seen = [place], 0
    while waiting and seen < _FILES_MAX:
        here = waiting.pop()
        seen += 1
        try:
            mode = here.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode) and mode & _OTHERS:
            waiting += here.iterdir()
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            yield here


def _secrets(settings: Settings) -> Iterator[Check]:
    """Look for secrets that others can read, and for text that is kept with its secrets."""
    for name in sorted(SECRETS):
        for value in references(getattr(settings, name)):
            if is_open_to_others(value):
                file = value.removeprefix(FILE)
                finding = f"{name} lies in {file}, which other users can read or write"
                yield Check(f"secret {name}", NOTE, finding, f"chmod 600 {file}")
    if settings.secrets == "keep":
        finding = "secrets in what is stored are kept as they are"
        yield Check("secrets", NOTE, finding, "set secrets to redact or refuse")
    else:
        yield Check("secrets", OK, f"secrets in what is stored: {settings.secrets}")


def _serving(settings: Settings) -> Iterator[Check]:
    """Look at who gets in by `milepost serve`, and who listens in between."""
    from milepost.surfaces.http.peer import without_key

    local = is_loopback(settings.host.lower())
    if local:
        open_to = without_key(settings)
        if "every user" in open_to:
            yield Check("loopback", NOTE, open_to, "or serve nobody: commands need no server")
        else:
            yield Check("loopback", OK, open_to or "a key or a token is asked for")
    elif not settings.tls_cert and settings.tls_proxy == "off":
        finding = f"`milepost serve` on {settings.host} takes keys and tells memories without TLS"
        repair = "set tls_cert and tls_key, or tls_proxy to on if a proxy in front speaks TLS"
        yield Check("tls", NOTE, finding, repair)
    if settings.key and not local:
        finding = "the server's own key opens every space, may do everything and never ends"
        yield Check("key", NOTE, finding, "give others keys of their own: `milepost key create`")


def _oauth(settings: Settings) -> Iterator[Check]:
    """Look at whether tokens of an issuer would be taken as they should."""
    from milepost.access.issuer import Issuer
    from milepost.surfaces.http import oauth
    from milepost.transport.tls import Tls

    if not settings.oauth_issuer:
        named = [name for name in settings._fields if name.startswith("oauth_")]
        if any(getattr(settings, name) for name in named):
            finding = "settings of OAuth are set, and oauth_issuer is not: no token is taken"
            yield Check("oauth", NOTE, finding, "set oauth_issuer")
        return
    try:
        oauth.of(settings)
        metadata = Issuer(settings.oauth_issuer, Tls(settings.ca)).published()
    except MilepostError as problem:
        yield Check("oauth", BROKEN, str(problem), "correct oauth_issuer and oauth_audience")
        return
    if "S256" not in (metadata.get("code_challenge_methods_supported") or ()):
        finding = "the issuer does not announce PKCE with S256, so that clients must not use it"
        yield Check("oauth", NOTE, finding, "switch PKCE on at the issuer")
    if "*" in settings.oauth_spaces:
        finding = "every token of the issuer is for all spaces"
        yield Check("oauth", NOTE, finding, "name spaces, or a claim, in oauth_spaces")
    if not settings.oauth_audience.rstrip("/").endswith("/mcp"):
        finding = "oauth_audience is not the address of /mcp: clients may refuse it"
        yield Check("oauth", NOTE, finding, "end it with /mcp")
    yield Check("oauth", OK, f"{settings.oauth_issuer} answers")


def _sandbox(settings: Settings) -> Iterator[Check]:
    """Look at which layers hold programs."""
    import contextlib

    from milepost.opening import open_runner

    if settings.sandbox == "off":
        yield Check("sandbox", OK, "off: no program is run")
        return
    with contextlib.closing(open_runner(settings)) as runner:
        status = runner.status()
    missing = [f"{layer.name}: {layer.note}" for layer in status.layers if not layer.active]
    if not status.available:
        yield Check("sandbox", OK, f"no program is run: {status.note}")
    elif missing and settings.sandbox != "strict":
        finding = f"programs run with fewer layers ({'; '.join(missing)})"
        yield Check("sandbox", NOTE, finding, "set sandbox to strict to refuse them")
    else:
        yield Check("sandbox", OK, f"{counted(len(status.layers), 'layer')}, or no program")


_CHECKS: dict[str, Callable[[Settings], Iterator[Check]]] = {
    "files": _files,
    "secrets": _secrets,
    "serving": _serving,
    "oauth": _oauth,
    "sandbox": _sandbox,
}


def _of_store(settings: Settings) -> Iterator[Check]:
    """Look at the store itself: its keys, its audit, whether a thief of the disk can read it."""
    file = None if is_database(settings.url) else store_file(settings.url)
    if file is None and not is_database(settings.url):
        return
    if file is not None and not file.exists():
        return
    yield _encryption(settings)
    yield from _keys(settings)
    yield _audit(settings)


def _encryption(settings: Settings) -> Check:
    from milepost.surfaces.cli.commands.doctor import encryption

    encrypted, _ = maintenance.encryption_state(settings.url)
    if encrypted or settings.encryption_key:
        return encryption(settings)
    if is_database(settings.url):
        finding = "whoever gets the database's disk, or a dump, reads it"
        return Check(
            "encryption", NOTE, finding, "`milepost encrypt` seals texts; encrypt the disk"
        )
    copies = counted(len(maintenance.copies(settings.url)), "copy")
    finding = f"whoever gets the disk reads the store and its backups ({copies})"
    return Check("encryption", NOTE, finding, "`milepost encrypt`, or encrypt the disk")


def _keys(settings: Settings) -> Iterator[Check]:
    """Look for keys that are good for too much, or for too long."""
    context = open_context(settings._replace(embedder="static"), read_only=True)
    try:
        known = [key for key, _ in read_keys(context.within(OWN_SPACE).store).values()]
    finally:
        context.close()
    now = time.time()
    good = [key for key in known if not key.revoked and (key.ends is None or key.ends > now)]
    yield from _named(good, lambda key: key.ends is None, "never ends", "make it with --expires")
    yield from _named(
        good, lambda key: ADMIN in key.scopes, "may administer", "give another scope if it need not"
    )
    yield from _named(good, lambda key: "*" in key.spaces, "is for all spaces", "name its spaces")
    yield Check("keys", OK, counted(len(good), "key"))


def _named(
    keys: list[Key], is_meant: Callable[[Key], bool], what: str, repair: str
) -> Iterator[Check]:
    for key in keys:
        if is_meant(key):
            again = f"{repair}; `milepost key revoke {key.name}` ends it"
            yield Check("key", NOTE, f"{without_secrets(key.name)} {what}", again)


def _audit(settings: Settings) -> Check:
    with local_memory(settings._replace(embedder="static")) as memory:
        check = memory.verify_audit()
    if check.problems:
        finding = f"the audit was tampered with: {check.problems[0]}"
        return Check("audit", BROKEN, finding, "find out who wrote to the store; keep a copy of it")
    whole = f"{counted(check.entries, 'entry')} of the space {settings.space}, whole"
    return Check("audit", OK, f"{whole}; the last has the digest {check.digest or 'of none'}")
