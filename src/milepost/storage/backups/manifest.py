"""What a copy of a store says of itself: its digest, and of each table how much it holds and what.

It lies beside the copy, and a copy without it does not count. Nothing in it quotes a memory; the
digests of an encrypted copy are made with its key.
"""

import json
import os
from collections.abc import Mapping
from contextlib import closing
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from milepost.errors import StoreCorrupt, StoreUnavailable
from milepost.storage.sqlite.backup import settle, verify
from milepost.storage.sqlite.connection import connect, our_errors
from milepost.storage.sqlite.copying import sync
from milepost.storage.sqlite.keys import key_of
from milepost.upkeep.values import Copy, CopyInfo

SUFFIX = ".json"
_FORMAT, _VERSION = "milepost backup", 1
_DIGEST_BYTES, _BLOCK_BYTES = 16, 1 << 20
# A restore writes there for which index a store was made.
_LEFT_OUT = frozenset({"meta"})

# By table how many rows there are, and their digest.
Tables = Mapping[str, tuple[int, str]]


class Manifest(NamedTuple):
    """A copy as it was when it was made."""

    name: str
    size: int
    sha256: str
    made: float
    schema: int
    memories: int
    encrypted: bool
    tables: Tables

    def told(self) -> bytes:
        """Return it as it is kept beside the copy."""
        about = {"format": _FORMAT, "version": _VERSION}
        return json.dumps(about | self._asdict(), indent=1).encode() + b"\n"

    def info(self, place: str) -> CopyInfo:
        """Return the copy as it is told of."""
        return CopyInfo(place, self.size, self.memories, self.schema, self.made)

    def copy(self, place: str, kind: str) -> Copy:
        """Return the copy as it is listed, which is not beside the store."""
        return Copy(place, kind, self.size, self.made, self.memories, elsewhere=True)


def manifest_of(copy: Path, name: str) -> Manifest:
    """Return what a copy has to say of itself; raise when it is not whole."""
    about = verify(copy)
    encrypted = key_of(copy) is not None
    return Manifest(name, about.bytes, digest_of(copy), about.made, about.schema, about.memories,
                    encrypted, tables_of(copy))  # fmt: skip


def read_manifest(told: bytes) -> Manifest:
    """Return what stands beside a copy; raise StoreCorrupt where that is something else."""
    try:
        about = json.loads(told)
        if about["format"] != _FORMAT or about["version"] > _VERSION:
            raise ValueError
        tables = {
            name: (int(rows), str(digest)) for name, (rows, digest) in about["tables"].items()
        }
        return Manifest._make(about[field] for field in Manifest._fields)._replace(tables=tables)
    except (ValueError, KeyError, TypeError) as problem:
        raise StoreCorrupt("What stands beside the copy does not describe one.") from problem


def refuse_changed(copy: Path) -> None:
    """Raise for a copy that is not as what lies beside it says; others say nothing."""
    told = Path(f"{copy}{SUFFIX}")
    if copy.is_file() and told.is_file():
        refuse_other(copy, read_manifest(told.read_bytes()), str(copy))


def refuse_other(copy: Path, manifest: Manifest, name: str) -> None:
    """Raise for a copy that is not what was described."""
    if digest_of(copy) != manifest.sha256:
        raise StoreCorrupt(f"{name} is not as it was made: its digest is another.")


def renew(copy: Path) -> None:
    """Let a copy that was written anew say what it is now, if it says anything of itself."""
    if Path(f"{copy}{SUFFIX}").is_file():
        describe(copy)


def describe(copy: Path) -> None:
    """Write down beside a copy what it says of itself."""
    write_whole(Path(f"{copy}{SUFFIX}"), manifest_of(copy, copy.name).told())


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file for its owner alone, which is there as a whole or as it was before."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(content)
        sync(partial)
        settle(partial, path)
    except OSError as problem:
        raise StoreUnavailable(f"Cannot write {path} ({problem.strerror}).") from problem
    finally:
        partial.unlink(missing_ok=True)


def digest_of(path: Path) -> str:
    """Return the digest of a file, byte for byte."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def tables_of(path: Path, like: Path | None = None) -> dict[str, tuple[int, str]]:
    """Return of each table of a database how many rows it has, and the digest of all they hold.

    like: the copy with whose digests these are to be compared.
    """
    key = key_of(like or path)
    secret = b"" if key is None else key.made_for("digests of a copy")
    with our_errors(path), closing(connect(path, apsw.SQLITE_OPEN_READONLY)) as connection:
        found: Any = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        names = sorted(name for (name,) in found if name not in _LEFT_OUT)
        return {name: _digest_of_table(connection, name, secret) for name in names}


def _digest_of_table(connection: apsw.Connection, name: str, secret: bytes) -> tuple[int, str]:
    columns: Any = connection.execute("SELECT name, pk FROM pragma_table_info(?)", (name,))
    key = sorted((place, column) for column, place in columns if place)
    order = ", ".join(f'"{column}"' for _, column in key) or "rowid"
    digest, rows = blake2b(key=secret, digest_size=_DIGEST_BYTES), 0
    for row in connection.execute(f'SELECT * FROM "{name}" ORDER BY {order}'):  # noqa: S608 -- names of tables
        digest.update(repr(row).encode("utf-8", "surrogatepass"))
        rows += 1
    return rows, digest.hexdigest()
