"""`milepost encrypt`, `decrypt` and `rekey`: how the store and what lies beside it are kept."""

import os
import secrets
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from milepost.config import Settings, inbox_folder
from milepost.errors import ConfigError
from milepost.location import is_database
from milepost.sealing import Key, Lines, key_among, new_key
from milepost.secret_sources import (
    FILE,
    KEYRING,
    PROMPT,
    is_open_to_others,
    keep_in_keyring,
    typed,
)
from milepost.sessions import inbox
from milepost.storage import maintenance
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress
from milepost.text.lines import counted
from milepost.unlocking import NAME, secret_named, unlock
from milepost.upkeep.values import Reencrypted

_KEY_BYTES = 32
_ELSEWHERE = (
    "Copies that were made elsewhere, and what the disk still holds of files that were removed, "
    "are out of reach."
)
_IN_CLEAR = (
    "In clear text stay names (of spaces, sessions, projects, tags, authors, files, tools, kinds), "
    "the graph, vectors and times."
)
_LOGGED = (
    "What was there before is in the database's log, its archive, dumps and replicas until these "
    "expire."
)


def encrypt(call: Call) -> object:
    """Encrypt the store, its copies, its index and what sessions left."""
    settings = call.settings
    place = _named(settings)
    if call.values["create_key"] and not call.dry_run:
        _create(place)
    secret = _private_secret(place) if not call.dry_run or not call.values["create_key"] else ""

    def chosen(present: Key | None) -> Key | None:
        return new_key(secret or secrets.token_hex(_KEY_BYTES)) if present is None else present

    return _recode(call, "encrypt", chosen, [secret])


def decrypt(call: Call) -> object:
    """Write the store, its copies and what sessions left in clear text."""
    place = _named(call.settings)
    return _recode(call, "decrypt", lambda _: None, [secret_named(place)])


def rekey(call: Call) -> object:
    """Write everything under another key; the old one then opens nothing of it."""
    settings = call.settings
    place, fresh = _named(settings), _new_place(call)
    if call.values["create_key"] and not call.dry_run:
        _create(fresh)
    secret = _typed_twice() if fresh == PROMPT else _private_secret(fresh)
    unlock(settings, lambda: secret)

    def chosen(present: Key | None) -> Key | None:
        if present is not None and key_among([secret], present.header) == present:
            return present  # it was begun before
        return new_key(secret)

    result = _recode(call, "rekey", chosen, [secret_named(place), secret])
    if not call.dry_run and place == KEYRING:
        keep_in_keyring(NAME, secret)
    return result


def _recode(
    call: Call, verb: str, chosen: Callable[[Key | None], Key | None], known: list[str]
) -> object:
    url = call.settings.url
    if call.dry_run:
        files = maintenance.to_recode(url, chosen)
        return Rehearsed(tuple(f"{verb} {file}" for file in files) or ("change nothing",))
    beside = partial(_seal_beside, call.settings, known)
    with Progress(verb) as progress:
        done = maintenance.recode(url, chosen, beside, progress)
    return View(done, _told(done, call), ready=not done.left)


def _seal_beside(settings: Settings, known: list[str], key: Key | None) -> int:
    return inbox.seal_anew(inbox_folder(settings), Lines(key, known))


def _told(done: Reencrypted, call: Call) -> str:
    state = "encrypted" if done.encrypted else "in clear text"
    if is_database(call.settings.url):
        return "\n".join(_told_of_database(done, state))
    lines = [f"{done.file} is {state}"]
    if done.databases:
        lines.append(f"written anew: {', '.join(done.databases)}")
    indexed, left = (counted(n, "file") for n in (done.index_files, done.inbox_files))
    lines.append(f"and {indexed} of the index, {left} of the inbox")
    lines += [f"left as it is: {file}" for file in done.left]
    if done.encrypted:
        lines.append(_ELSEWHERE)
    if call.values.get("new_key_file") and call.settings.encryption_key != KEYRING:
        lines.append(f"set {NAME} to {FILE}{call.values['new_key_file']} from now on")
    return "\n".join(lines)


def _told_of_database(done: Reencrypted, state: str) -> Iterator[str]:
    yield f"the texts in {done.file} are {state}"
    if done.databases:
        yield f"written anew: {', '.join(done.databases)}"
    yield f"and {counted(done.inbox_files, 'file')} of the inbox here"
    if done.encrypted:
        yield _IN_CLEAR
        yield _LOGGED


def _named(settings: Settings) -> str:
    if not is_database(settings.url):
        maintenance.file_to_keep(settings.url)
    if not settings.encryption_key:
        raise ConfigError(
            "Say first where the key is: MILEPOST_ENCRYPTION_KEY_FILE=PATH, or "
            f"`milepost config set {NAME} {FILE}PATH`, or `milepost config set-secret {NAME}`."
        )
    return settings.encryption_key


def _new_place(call: Call) -> str:
    file, prompt = call.values.get("new_key_file") or "", call.values["prompt"]
    if bool(file) == prompt:
        raise Misuse("say where the new key is: --new-key-file FILE, or --prompt to type it")
    return PROMPT if prompt else f"{FILE}{Path(file).expanduser().absolute()}"


def _typed_twice() -> str:
    secret = typed(f"new {NAME}")
    if typed(f"new {NAME} again") != secret:
        raise Misuse("the two are not the same")
    return secret


def _private_secret(place: str) -> str:
    """Return the secret of a place that no other user can read."""
    secret = secret_named(place)
    if is_open_to_others(place):
        file = place.removeprefix(FILE)
        raise ConfigError(f"Other users can read {file}; chmod 600 {file} and try again.")
    return secret


def _create(place: str) -> None:
    """Make a key of 256 bits where one shall be; one that is there is never replaced."""
    if place.startswith(FILE):
        _create_file(Path(place.removeprefix(FILE)).expanduser())
    else:
        raise Misuse("--create-key writes the key into a file; name one as encryption_key")


def _create_file(file: Path) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigError(f"{file} exists already; leave out --create-key to use it.") from None
    except OSError as problem:
        raise ConfigError(f"Cannot write {file} ({problem.strerror}).") from problem
    with os.fdopen(fd, "w") as opened:
        opened.write(f"{secrets.token_hex(_KEY_BYTES)}\n")
        opened.flush()
        os.fsync(opened.fileno())
