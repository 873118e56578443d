"""The search index of one store: segments on disk, fresh ones in RAM, always up to date.

Everything here is derived from the database. A memory that changes is indexed again in a newer
segment and hidden in the older ones; deleting the folder only costs the time to build it again.
Whoever asks never waits for the disk's sake: what cannot be written now is answered from RAM.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from milepost.background import start
from milepost.deadline import check_time, held_in_time, without_deadline
from milepost.errors import StoreBusy, StoreError
from milepost.sealing import Key
from milepost.storage.index.arrays import IndexDamaged
from milepost.storage.index.folder import IndexFolder, SegmentFile
from milepost.storage.index.segment import (
    IndexRow,
    Segment,
    blank_rows,
    build_segment,
    is_blank,
    merge_segments,
)

log = logging.getLogger(__name__)

FLUSH_ROWS = 512  # RAM segments that hold this many together go to disk
RAM_SEGMENTS = 4  # more than these are joined
BUILD_ROWS = 50_000  # rows read from the database at a time
BACKGROUND_ROWS = 50_000  # a merge larger than this does not hold up its caller
RETRY_S = 2.0  # after the files could not be written, so long nobody tries
FORGET_S = 1.0  # whoever deletes waits so long for another process that writes the files
LOAD_S = 0.5  # whoever opens waits so long for one that is between stamp and manifest
JOIN_S = 30.0
VERIFY_S = 1.0  # a process that lives longer than this compares the files with their checksums

T = TypeVar("T")


class Feed(Protocol):
    """Where the index learns what changed in the store, in the order of the changes."""

    def is_settled(self) -> bool:
        """Whether what it tells now cannot be undone."""

    def latest_change(self) -> int: ...
    def rows_after(self, change: int) -> Iterator[IndexRow]: ...
    def removed_after(self, change: int) -> Sequence[int]: ...
    def index_stamp(self) -> int: ...
    def set_index_stamp(self, stamp: int, wait_s: float) -> None:
        """Set the stamp; raise StoreBusy when another process writes for so long."""


class SearchIndex:
    """Keeps segments in step with a feed; safe for many threads and processes."""

    def __init__(
        self, feed: Feed, folder: Path | None, key: Callable[[], Key | None] = lambda: None
    ) -> None:
        self._feed = feed
        self._folder = IndexFolder(folder, key) if folder is not None else None
        self.begin_anew()

    def begin_anew(self) -> None:
        """Know nothing yet, as in a child of the process that did."""
        self._mutex = threading.RLock()
        self._disk: list[SegmentFile] = []
        self._ram: list[Segment] = []
        self._change = -1
        self._merging: threading.Thread | None = None
        self._doubted = False
        self._gone: set[int] = set()  # deleted, and maybe in the files yet
        self._bad: set[str] = set()  # files that differ from what was written
        self.unwritten = ""  # what keeps it from its files now
        self._retry_at = 0.0
        self._wait_s = 0.0  # how long whoever writes the files now waits for other processes
        self._verify_at = float("inf")
        self.rebuilt = ""  # why it was made again, if it was

    def ask(self, question: Callable[[list[Segment]], T]) -> T:
        """Put a question to the segments; an index that is damaged is built again, once."""
        try:
            return question(self.segments())
        except IndexDamaged as damage:
            self.rebuild(str(damage))
            return question(self.segments())

    def segments(self) -> list[Segment]:
        """Return the segments that show the store as it is now."""
        check_time()
        with held_in_time(self._mutex):
            if not self._feed.is_settled():
                return self._all()
            if self._change < 0 or self._doubted:
                self._doubted = False
                self._load()
            for item in self._disk:
                file = item.segment.file
                if file is not None and not file.is_whole():
                    self.rebuild(f"{item.file} was cut short")
                    break
                if file is not None and file.was_written_to():
                    self._verify_at = 0.0
            latest = self._feed.latest_change()
            if latest != self._change:
                self._catch_up(latest)
            if time.monotonic() > self._verify_at:
                self._verify_at = float("inf")
                start("index-check", self._is_whole)
            return self._all()

    def damage(self) -> str:
        """Return in words how the files differ from what was written; reads all of them."""
        with self._mutex:
            files = [item.segment.file for item in self._disk if item.segment.file is not None]
        return next(filter(None, (file.damage() for file in files if file.path.exists())), "")

    def rebuild(self, reason: str = "") -> None:
        """Make everything again from the store; a reason is that something was wrong with it."""
        if reason:
            log.warning("search index is made again: %s", reason)
        with self._mutex:
            self.rebuilt = reason
            self._bad.update(self._files())
            self._discard()
            self._when_held(lambda folder: self._commit(folder, []))

    def doubt(self) -> None:
        """Compare with the store anew before the next answer, from any thread."""
        self._doubted = True

    def count(self) -> int:
        """Count the memories that the index shows."""
        parts = self.segments()
        return sum(len(s) if s.alive is None else int(np.count_nonzero(s.alive)) for s in parts)

    def forget(self, ids: Sequence[int]) -> None:
        """Remove deleted memories from the files on disk, now or as soon as they can be written."""
        with self._mutex:
            self._gone.update(ids)
            self._retry_at = 0.0
            self._when_held(self._clean, wait_s=FORGET_S)

    def join(self) -> None:
        """Write everything as one segment, without what was deleted or changed since."""
        if self._folder is None:
            return
        with self._mutex, self._folder.held(wait_s=JOIN_S) as held:
            if not held:
                raise StoreBusy(
                    f"Another process has been writing {self._folder.path} for {JOIN_S:.0f} s; "
                    "try again."
                )
            self.segments()
            if self._folder.manifest().files != self._files():
                self._discard()
                self._take_files(self._folder)
                self._catch_up(self._feed.latest_change())
            parts = self._all()
            joined = [part for part in ([merge_segments(parts)] if parts else []) if len(part)]
            written = [self._folder.write(part) for part in joined]
            self._wait_s = JOIN_S
            self._commit(self._folder, written)
            self._disk, self._ram = written, []

    def close(self) -> None:
        """Wait for a merge under way and let go of the files."""
        if self._merging is not None:
            self._merging.join()
        with self._mutex:
            if self._gone:
                self._retry_at = 0.0
                self._when_held(self._clean)
            self._discard()
            self._change = -1

    def _all(self) -> list[Segment]:
        return [item.segment for item in self._disk] + self._ram

    def _files(self) -> tuple[str, ...]:
        return tuple(item.file for item in self._disk)

    def _discard(self) -> None:
        self._disk, self._ram, self._change = [], [], 0

    # Reading the files.

    @without_deadline()
    def _load(self) -> None:
        self._discard()
        if self._folder is None or not self._folder.path.is_dir():
            return
        if self._take_files(self._folder):
            return
        # A process may be between writing the stamp and the manifest: wait for it once.
        try:
            with self._folder.held(wait_s=LOAD_S):
                self._take_files(self._folder)
        except OSError as problem:
            log.debug("the folder of the index cannot be held: %s", problem)

    def _take_files(self, folder: IndexFolder) -> bool:
        """Take the files on disk if they are whole and this database's, not another copy's."""
        manifest = folder.manifest()
        if manifest.problem:
            self.rebuilt = manifest.problem
        if manifest.stamp != self._feed.index_stamp() or not self._bad.isdisjoint(manifest.files):
            return False
        files = folder.load(manifest)
        if files is None:
            self.rebuilt = "its files were damaged or cut short"
            return False
        self._disk = files
        self._change = max((item.segment.change for item in self._disk), default=0)
        self._verify_at = time.monotonic() + VERIFY_S
        self._hide_stale()
        return True

    def _is_whole(self) -> bool:
        """Compare the files with their checksums, beside those who ask; rebuild what differs."""
        damage = self.damage()
        if not damage or self._folder is None:
            return True
        try:
            # Another process may have been blanking what was deleted: look again while it cannot.
            with self._folder.held(wait_s=JOIN_S):
                damage = self.damage()
        except OSError:
            return False
        if damage:
            self.rebuild(damage)
        return not damage

    def _hide_stale(self) -> None:
        """Hide in each segment what a newer one holds again or a deletion took."""
        segments = self._all()
        for at, newer in enumerate(segments):
            for older in segments[:at]:
                older.kill(newer.ids[newer.ids <= older.ids[-1]])
        if segments:
            removed = self._feed.removed_after(min(s.change for s in segments))
            self._hide(removed)
            if any(_holds(item.segment, _sorted(removed)) for item in self._disk):
                self._gone.update(removed)  # whoever deleted them could not take them out

    def _hide(self, ids: Sequence[int]) -> None:
        if ids:
            gone = _sorted(ids)
            for segment in self._all():
                segment.kill(gone)

    def _catch_up(self, latest: int) -> None:
        """Take in what changed up to the latest change, and what came since."""
        known = self._change
        try:
            while self._took_rows():
                check_time()
        finally:
            # Read last, so that no deletion among the changes above is missed.
            with without_deadline():
                self._hide(self._feed.removed_after(known))
        self._change = max(self._change, latest)

    @without_deadline()
    def _took_rows(self) -> bool:
        """Index the next rows, for all who search; return whether there may be more.

        What was begun is finished.
        """
        chunk = list(islice(self._feed.rows_after(self._change), BUILD_ROWS))
        if not chunk:
            return False
        self._add(chunk)
        taken = self._change
        self._flush_if_due()
        # Files of another process, or none, may have taken the place of what was known.
        return len(chunk) == BUILD_ROWS or self._change < taken

    def _add(self, chunk: Sequence[IndexRow]) -> None:
        # A memory that changes while we read comes twice; the later row counts.
        fresh = {row.id: row for row in chunk}
        segment = build_segment(sorted(fresh.values()), chunk[-1].change)
        self._hide(list(fresh))
        self._change = segment.change
        self._ram.append(segment)
        if len(self._ram) > RAM_SEGMENTS:
            self._ram = [merge_segments(self._ram)]

    # Writing the files. What is in memory changes only after the files did.

    @without_deadline()
    def _when_held(self, work: Callable[[IndexFolder], None], wait_s: float = 0.0) -> None:
        """Do what needs the folder if it can be had; else answers come from memory meanwhile."""
        if self._folder is None or time.monotonic() < self._retry_at:
            return
        self._wait_s = wait_s
        try:
            with self._folder.held(wait_s=wait_s) as held:
                if held:
                    work(self._folder)
                    self.unwritten = ""
        except StoreBusy:
            self._retry_at = time.monotonic() + RETRY_S  # another process writes to the store
        except (OSError, StoreError) as problem:
            self._retry_at = time.monotonic() + RETRY_S
            self.unwritten = str(problem)
            log.warning("search index stays in memory: %s", problem)
        except IndexDamaged as damage:
            self.rebuild(str(damage))

    def _commit(self, folder: IndexFolder, segments: list[SegmentFile]) -> None:
        """Make these the files that count."""
        stamp = int.from_bytes(os.urandom(7))
        folder.commit(segments, stamp, lambda: self._feed.set_index_stamp(stamp, self._wait_s))

    def _flush_if_due(self) -> None:
        if self._gone or sum(len(s) for s in self._ram) >= FLUSH_ROWS:
            self._when_held(self._flush)

    def _flush(self, folder: IndexFolder) -> None:
        if folder.manifest().files != self._files():
            # Another process wrote the folder: its files take the place of what we remember,
            # and what they do not cover is read again. Files of no use are cleared away.
            self._discard()
            if not self._take_files(folder):
                self._commit(folder, [])
            return
        self._clean(folder)
        if sum(len(s) for s in self._ram) < FLUSH_ROWS:
            return
        # What was deleted since must not reach the disk; later deletions wait for the folder.
        self._hide(self._feed.removed_after(min(s.change for s in self._ram)))
        fresh = merge_segments(self._ram)
        if len(fresh):
            written = [*self._disk, folder.write(fresh)]
            self._commit(folder, written)
            self._disk = written
        self._ram = []
        self._merge_if_due(folder)

    def _merge_if_due(self, folder: IndexFolder) -> None:
        sizes = [len(item.segment) for item in self._disk]
        first = len(sizes) - 1
        while first > 0 and sizes[first - 1] < 3 * sum(sizes[first:]):
            first -= 1
        chosen = self._disk[first:]
        if len(chosen) < 2:
            return
        if sum(sizes[first:]) < BACKGROUND_ROWS:
            self._replace(folder, chosen, _merged(chosen))
        elif self._merging is None or not self._merging.is_alive():
            merge = partial(self._merge_apart, chosen)
            self._merging = start("index-merge", merge, keeps_alive=True)

    def _merge_apart(self, chosen: list[SegmentFile]) -> None:
        if not self._is_whole():
            return
        merged = merge_segments([item.segment for item in chosen])
        with self._mutex:
            self._when_held(lambda folder: self._replace_ours(folder, chosen, merged))

    def _replace_ours(
        self, folder: IndexFolder, chosen: list[SegmentFile], merged: Segment
    ) -> None:
        if folder.manifest().files == self._files():
            self._replace(folder, chosen, merged)

    def _replace(self, folder: IndexFolder, chosen: list[SegmentFile], merged: Segment) -> None:
        names = [item.file for item in chosen]
        at = [i for i, item in enumerate(self._disk) if item.file in names]
        if len(at) == len(names):
            written = [folder.write(merged)] if len(merged) else []
            replaced = [*self._disk[: at[0]], *written, *self._disk[at[-1] + 1 :]]
            self._commit(folder, replaced)
            self._disk = replaced
            self._hide_stale()

    def _clean(self, folder: IndexFolder) -> None:
        """Take what was deleted out of the files."""
        if not self._gone:
            return
        gone = _sorted(self._gone)
        manifest = folder.manifest()
        ours = manifest.files == self._files()
        if not ours and manifest.stamp != self._feed.index_stamp():
            # Another copy's, which must not become this store's by being written: cleared away.
            self._commit(folder, [])
            self._gone.clear()
            return
        files = self._disk if ours else folder.load(manifest) or []
        cleaned = [self._without(folder, item, gone) for item in files]
        left = [item for item in cleaned if item is not None]
        if left != files:
            self._commit(folder, left)
            self._disk = left if ours else self._disk
        self._gone.clear()

    def _without(
        self, folder: IndexFolder, item: SegmentFile, gone: NDArray[np.int64]
    ) -> SegmentFile | None:
        """Return a segment's file without some memories, rewritten where that is quick."""
        item.segment.kill(gone)
        if not _holds(item.segment, gone):
            return item
        if len(item.segment) > BACKGROUND_ROWS:
            item.check()
            blank_rows(folder.path / item.file, gone, folder.key())
            return item
        smaller = _merged([item])
        return folder.write(smaller) if len(smaller) else None


def _merged(files: Sequence[SegmentFile]) -> Segment:
    """Join segments, none of them damaged: in a new file damage would be under a checksum."""
    for item in files:
        item.check()
    return merge_segments([item.segment for item in files])


def _holds(segment: Segment, gone: NDArray[np.int64]) -> bool:
    """Whether something of deleted memories is left in a segment; large ones are only blanked."""
    if len(segment.docs_of(gone)) == 0:
        return False
    return len(segment) <= BACKGROUND_ROWS or not is_blank(segment, gone)


def _sorted(ids: Sequence[int] | set[int]) -> NDArray[np.int64]:
    return np.array(sorted(ids), np.int64)
