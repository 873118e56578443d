"""`milepost export` and the way back, `milepost import FILE`."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from milepost.config import Settings
from milepost.embedding.static import NAME as STATIC
from milepost.errors import ConfigError, InvalidInput
from milepost.location import shown
from milepost.opening import open_context
from milepost.placing import at_its_store
from milepost.sealing import HEADER_BYTES, Key, SealBroken, is_header, key_among, new_key
from milepost.storage.maintenance import key_of_store
from milepost.storage.moving.exporting import exported
from milepost.storage.moving.importing import Added, Contents, contents, import_into
from milepost.storage.moving.lines import FORMAT
from milepost.surfaces.cli.command import SHOWN, Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, table
from milepost.text.lines import counted
from milepost.unlocking import NAME, secrets_of, unlock

_OUT = "-"
_CHUNK, _BEGINNING = 1 << 20, 64
_CLEAR = "milepost: the store is encrypted, but {} is in clear text; --encrypt seals it"


def export(call: Call) -> object:
    """Write a memory to a file; it is whole or not there."""
    if call.values["file_format"] == "markdown":
        from milepost.surfaces.cli.commands.notes import export_notes

        return export_notes(call)
    settings = where_it_lies(call)
    target, sealed = call.values["target"], call.values["encrypt"]
    spaces = None if call.values["all_spaces"] else [settings.space]
    unlock(settings)
    if call.dry_run:
        return Rehearsed((f"write {', '.join(spaces or ['all spaces'])} to {target}",))
    key = _key_for(settings) if sealed else None
    if not sealed and key_of_store(settings.url) is not None:
        print(_CLEAR.format("standard output" if target == _OUT else target), file=sys.stderr)
    with Progress("export") as progress:
        without = frozenset({f"static:{STATIC}"}) if call.values["vectors"] else None
        lines = exported(
            settings.url,
            spaces,
            project=call.values["project"],
            without=without,
            told=progress,
        )
        parts = lines if key is None else _sealed(key, lines)
        if target == _OUT:
            for part in parts:
                sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
            return SHOWN
        size = write_whole(Path(target).expanduser(), parts)
    return View({"file": target, "bytes": size}, f"wrote {size:,} bytes to {target}")


def where_it_lies(call: Call) -> Settings:
    if call.is_remote:
        raise ConfigError(
            f"{shown(call.settings.url)} is a server; run this where its store is, with "
            "MILEPOST_URL naming that."
        )
    return at_its_store(call.settings)


def _key_for(settings: Settings) -> Key:
    """Return the key of the store, or a new one of the secret that is named for it."""
    key = key_of_store(settings.url)
    if key is not None:
        return key
    secrets = secrets_of([settings.encryption_key])
    if not secrets:
        raise Misuse(f"--encrypt needs a key: the store has none, and {NAME} names none")
    return new_key(secrets[0])


def _sealed(key: Key, parts: Iterable[bytes]) -> Iterator[bytes]:
    yield key.header
    yield from key.sealed_file(parts)


def write_whole(target: Path, parts: Iterable[bytes]) -> int:
    """Write a file for its owner alone, there when all of it is on disk; return its size."""
    size, part_of_it = 0, None
    try:
        fd, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.absolute().parent)
        part_of_it = Path(name)
        with os.fdopen(fd, "wb") as file:
            for part in parts:
                size += file.write(part)
            file.flush()
            os.fsync(file.fileno())
        part_of_it.replace(target)
    except OSError as problem:
        raise InvalidInput(f"Cannot write {target} ({problem.strerror}).") from problem
    finally:
        if part_of_it is not None:
            with suppress(OSError):
                part_of_it.unlink(missing_ok=True)
    return size


def is_export(source: str) -> bool:
    """Whether a source is standard input, or a file that begins as an export does."""
    if source == _OUT:
        return True
    try:
        with Path(source).expanduser().open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:
        return False
    first = beginning.partition(b"\n")[0]
    return is_header(beginning) or (first.startswith(b'{"format"') and FORMAT.encode() in first)


def import_export(call: Call) -> object:
    """Bring in what an export has; what is here already stays as it is."""
    settings = where_it_lies(call)
    unlock(settings)
    with _Source(call.values["source"], settings) as source:
        known = contents(source.lines)
        rename = _rename(call, known)
        if call.dry_run:
            return Rehearsed(tuple(_planned(known, rename)))
        open_context(settings._replace(embedder="static")).close()  # made, or brought up to date
        with (
            closing(open_context(Settings(url="memory://", embedder="static"))) as models,
            Progress("import") as progress,
        ):
            added = import_into(
                settings.url,
                source.lines,
                known,
                models.texts.analyse,
                rename=rename,
                progress=progress,
            )
    return View(added, "\n".join(_told(added)))


def _rename(call: Call, known: Contents) -> Callable[[str], str]:
    """Return where a space goes: under its own name, or a single one where it was said."""
    space = call.flags.get("space")
    if space is None:
        return lambda name: name
    if len(known.spaces) > 1:
        raise Misuse(f"--space is for one space; the file has {', '.join(known.spaces)}")
    return lambda _: space


def _planned(known: Contents, rename: Callable[[str], str]) -> Iterator[str]:
    for space, parts in known.spaces.items():
        memories, rows = parts.get("memories", 0), sum(parts.values())
        yield f"bring {counted(memories, 'memory')}, {rows:,} rows, into {rename(space)}"


def _told(added: list[Added]) -> Iterator[str]:
    rows = [
        (space.space, part, f"{space.new.get(part, 0):,}", f"{space.known.get(part, 0):,}")
        for space in added
        for part in {**space.new, **space.known}
    ]
    yield table(rows, ("space", "what", "new", "known")) if rows else "the file holds nothing"


class _Source:
    """A file to import: as it is, sealed, or on standard input."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._settings, self._spooled = settings, None
        if name == _OUT:
            self._spooled = tempfile.NamedTemporaryFile(prefix="milepost-")  # noqa: SIM115
            while part := sys.stdin.buffer.read(_CHUNK):
                self._spooled.write(part)
            self._spooled.flush()
            name = self._spooled.name
        self._path = Path(name).expanduser()
        if not self._path.is_file():
            raise InvalidInput(
                f"There is no file {self._path}; name a file that `milepost export` wrote."
            )

    def __enter__(self) -> "_Source":
        return self

    def __exit__(self, *_: object) -> None:
        if self._spooled is not None:
            self._spooled.close()

    def lines(self) -> Iterator[bytes]:
        """Yield the lines from the first on."""
        try:
            with self._path.open("rb") as file:
                header = file.read(HEADER_BYTES)
                if is_header(header):
                    yield from _split(self._key(header).opened_parts(self._path, HEADER_BYTES))
                    return
                file.seek(0)
                yield from file
        except OSError as problem:
            raise InvalidInput(f"Cannot read {self._path} ({problem.strerror}).") from problem
        except SealBroken as problem:
            raise InvalidInput(f"{problem}; nothing was imported.") from problem

    def _key(self, header: bytes) -> Key:
        key = key_among(secrets_of([self._settings.encryption_key]), header)
        if key is None:
            raise ConfigError(f"{self._path} is encrypted, and {NAME} does not name its key.")
        return key


def _split(parts: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest
