"""What lies beside a store and may hold what is erased from it: what sessions left, and copies."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from milepost.location import is_database
from milepost.memory.context import Context
from milepost.memory.traces import Surroundings
from milepost.sealing import Lines
from milepost.storage import maintenance, store_file
from milepost.storage.lock import take
from milepost.text.phrases import Name, Phrase
from milepost.upkeep.values import LEFTOVER

# The folder beside a file in which an erasure is noted until it is finished, and copies are made.
_SUFFIX = ".erasing"
_COPYING = "copy"
_WAIT_S = 1.0


def unfinished_in(url: str) -> list[tuple[str, str]]:
    """Return the spaces of a file with the erasures that are not finished there."""
    path = store_file(url)
    if path is None or not os.path.isdir(f"{path}{_SUFFIX}"):  # noqa: PTH112 -- at every opening
        return []
    notes = Path(f"{path}{_SUFFIX}").glob("er_*")
    return [(note.read_text("utf-8"), note.name) for note in sorted(notes)]


class BesideStore(Surroundings):
    """What lies beside the store of an address."""

    def __init__(
        self,
        url: str,
        inbox: str,
        lines: Callable[[], Lines],
        open_copy: Callable[[str], Context],
    ) -> None:
        self._url, self._inbox, self._lines, self._open_copy = url, inbox, lines, open_copy
        self._path = store_file(url)
        self._folder = Path(f"{self._path}{_SUFFIX}")

    def begun(self, space: str, erasure: str) -> None:
        """Note where whoever opens the store next sees it that an erasure is not finished."""
        if self._path is not None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            (self._folder / erasure).write_text(space, "utf-8")

    def finished(self, erasure: str) -> None:
        """Take the note away."""
        if self._path is not None:
            (self._folder / erasure).unlink(missing_ok=True)
            if not any(self._folder.glob("er_*")):
                shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Keep others from finishing the same; False when somebody else is at it."""
        if self._path is None:
            yield True
            return
        held = None
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            held = take(self._folder / "lock", wait_s=_WAIT_S)
        try:
            yield held is not None
        finally:
            if held is not None:
                os.close(held)

    def erase(self, wanted: Phrase | Name, session: str | None) -> None:
        """Take texts out of what sessions left; all of one session, and of those so called."""
        from milepost.sessions import inbox

        own = None if session is None else inbox.file_name(session)
        inbox.erase(self._inbox, wanted.without, self._lines())
        inbox.forget(
            self._inbox,
            lambda name: name == own or (isinstance(wanted, Phrase) and wanted.quoted_in(name)),
        )

    def copies(self) -> list[str]:
        """Return the copies that lie beside the store."""
        if self._path is None:
            return []
        return [c.file for c in maintenance.copies(self._url) if c.kind != LEFTOVER]

    def rewrite(self, copy: str, space: str, act: Callable[[Context], None]) -> None:
        """Do the same in a copy, and put it in the place of the one before when it is whole."""
        from milepost.storage.backups.manifest import renew
        from milepost.storage.sqlite.backup import settle, verify
        from milepost.storage.sqlite.copying import copy_database

        place, made = Path(copy), Path(copy).stat().st_mtime
        work = self._folder / _COPYING
        shutil.rmtree(work, ignore_errors=True)  # of one that was killed
        work.mkdir(mode=0o700, parents=True)
        fresh = work / place.name
        try:
            copy_database(place, fresh)
            context = self._open_copy(str(fresh))
            try:
                act(context.within(space))
            finally:
                context.close()
            verify(fresh)
            os.utime(fresh, (made, made))
            settle(fresh, place)
            renew(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def scrub(self) -> None:
        """Free what deletions left in a database, and remove copies that nobody finished."""
        if self._path is not None:
            found = maintenance.copies(self._url)
            maintenance.remove_copies(copy for copy in found if copy.kind == LEFTOVER)
        elif is_database(self._url):
            from milepost.storage.postgres import maintenance as database

            database.vacuum(self._url, lambda _done, _all: None)

    def out_of_reach(self) -> list[str]:
        """Return in words what is never looked into from here."""
        usual = ["copies and exports made elsewhere", "blocks of the disk that were freed"]
        if self._path is not None:
            return usual
        return [
            "backups of the database (pg_dump, base backups)",
            "its write-ahead log and its archive",
            "replicas, until they have replayed this",
            *usual,
        ]
