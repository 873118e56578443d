"""The search index of one store: segments on disk, fresh ones in RAM, always up to date.

Everything here is derived from the database. A memory that changes is indexed again in a newer
segment and hidden in the older ones; deleting the folder only costs the time to build it again.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time, held_in_time, without_deadline
from milepost.storage.index.folder import IndexFolder, Kept
from milepost.storage.index.segment import (
    IndexRow,
    Segment,
    blank_rows,
    build_segment,
    merge_segments,
)

log = logging.getLogger(__name__)

FLUSH_ROWS = 512  # RAM segments that hold this many together go to disk
RAM_SEGMENTS = 4  # more than these are joined
BUILD_ROWS = 50_000  # rows read from the database at a time
BACKGROUND_ROWS = 50_000  # a merge larger than this does not hold up its caller

T = TypeVar("T")


class Feed(Protocol):
    """Where the index learns what changed in the store, in the order of the changes."""

    def latest_change(self) -> int: ...
    def rows_after(self, change: int) -> Iterator[IndexRow]: ...
    def removed_after(self, change: int) -> Sequence[int]: ...
    def index_stamp(self) -> int: ...
    def set_index_stamp(self, stamp: int) -> None: ...


class SearchIndex:
    """Keeps segments in step with a feed; safe for many threads and processes."""

    def __init__(self, feed: Feed, folder: Path | None) -> None:
        self._feed = feed
        self._folder = IndexFolder(folder) if folder is not None else None
        self._mutex = threading.RLock()
        self._disk: list[Kept] = []
        self._ram: list[Segment] = []
        self._change = -1
        self._merging: threading.Thread | None = None

    def ask(self, question: Callable[[list[Segment]], T]) -> T:
        """Put a question to the segments; an index that cannot answer is built again, once."""
        try:
            return question(self.segments())
        except (ValueError, IndexError) as problem:
            log.warning("search index is rebuilt, it is damaged: %s", problem)
            self._throw_away()
            return question(self.segments())

    def segments(self) -> list[Segment]:
        """Return the segments that show the store as it is now."""
        check_time()
        with held_in_time(self._mutex):
            if self._change < 0:
                self._load()
            if self._feed.latest_change() != self._change:
                self._catch_up()
            return self._all()

    def forget(self, ids: Sequence[int]) -> None:
        """Remove deleted memories from the files on disk."""
        if self._folder is None or not self._folder.path.is_dir():
            return
        gone = np.array(sorted(ids), np.int64)
        with self._mutex, self._folder.held(wait=True):
            manifest = self._folder.manifest()
            ours = manifest.files == self._files()
            kept = self._disk if ours else self._folder.load(manifest)
            cleaned = [self._without(self._folder, item, gone) for item in kept or []]
            left = [item for item in cleaned if item is not None]
            if left != kept:
                self._commit(self._folder, left)
                self._disk = left if ours else self._disk

    def join(self) -> None:
        """Write everything as one segment, without what was deleted or changed since."""
        with self._mutex:
            self.segments()
            if self._folder is None:
                return
            with self._folder.held(wait=True):
                if self._folder.manifest().files != self._files():
                    self._discard()
                    self._take_files(self._folder)
                self._catch_up()
                parts = self._all()
                joined = [merge_segments(parts)] if parts else []
                self._ram = []
                self._disk = [self._folder.write(part) for part in joined if len(part)]
                self._commit(self._folder, self._disk)

    def close(self) -> None:
        """Wait for a merge under way and let go of the files."""
        if self._merging is not None:
            self._merging.join()
        with self._mutex:
            self._discard()
            self._change = -1

    def _all(self) -> list[Segment]:
        return [kept.segment for kept in self._disk] + self._ram

    def _files(self) -> tuple[str, ...]:
        return tuple(kept.file for kept in self._disk)

    def _discard(self) -> None:
        self._disk, self._ram, self._change = [], [], 0

    def _throw_away(self) -> None:
        with self._mutex:
            self._discard()
            if self._folder is not None:
                with self._folder.held(wait=True):
                    self._commit(self._folder, [])

    @without_deadline()
    def _load(self) -> None:
        self._discard()
        if self._folder is None or not self._folder.path.is_dir():
            return
        if not self._take_files(self._folder):
            # A process may be between writing the stamp and the manifest: wait for it once.
            with self._folder.held(wait=True):
                self._take_files(self._folder)

    def _take_files(self, folder: IndexFolder) -> bool:
        """Take the files on disk if they are whole and this database's, not another copy's."""
        manifest = folder.manifest()
        if manifest.stamp != self._feed.index_stamp():
            return False
        found = folder.load(manifest)
        if found is None:
            return False
        self._disk = found
        self._change = max((kept.segment.change for kept in self._disk), default=0)
        self._hide_stale()
        return True

    def _hide_stale(self) -> None:
        """Hide in each segment what a newer one holds again or a deletion took."""
        segments = self._all()
        for at, newer in enumerate(segments):
            for older in segments[:at]:
                older.kill(newer.ids[newer.ids <= older.ids[-1]])
        if segments:
            self._hide(self._feed.removed_after(min(s.change for s in segments)))

    def _hide(self, ids: Sequence[int]) -> None:
        if ids:
            gone = np.array(sorted(ids), np.int64)
            for segment in self._all():
                segment.kill(gone)

    def _catch_up(self) -> None:
        known, latest = self._change, self._feed.latest_change()
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
        """Index the next rows, for all who search: what was begun is finished."""
        chunk = list(islice(self._feed.rows_after(self._change), BUILD_ROWS))
        if chunk:
            self._add(chunk)
            self._flush_if_due()
        return bool(chunk)

    def _add(self, chunk: Sequence[IndexRow]) -> None:
        # A memory that changes while we read comes twice; the later row counts.
        fresh = {row.id: row for row in chunk}
        self._hide(list(fresh))
        self._change = chunk[-1].change
        self._ram.append(build_segment(sorted(fresh.values()), self._change))
        if len(self._ram) > RAM_SEGMENTS:
            self._ram = [merge_segments(self._ram)]

    def _flush_if_due(self) -> None:
        if self._folder is None or sum(len(s) for s in self._ram) < FLUSH_ROWS:
            return
        try:
            with self._folder.held() as held:
                if held:
                    self._flush(self._folder)
        except OSError as problem:
            log.warning("search index stays in memory: %s", problem)

    def _flush(self, folder: IndexFolder) -> None:
        if folder.manifest().files != self._files():
            # Another process wrote the folder: its files take the place of what we remember,
            # and what they do not cover is read again. Files of no use are cleared away.
            self._discard()
            if not self._take_files(folder):
                self._commit(folder, [])
            return
        # What was deleted since must not reach the disk; later deletions wait for the folder.
        self._hide(self._feed.removed_after(min(s.change for s in self._ram)))
        fresh = merge_segments(self._ram)
        self._ram = []
        if len(fresh):
            self._disk.append(folder.write(fresh))
            self._commit(folder, self._disk)
            self._merge_if_due(folder)

    def _commit(self, folder: IndexFolder, segments: list[Kept]) -> None:
        stamp = int.from_bytes(os.urandom(7))
        self._feed.set_index_stamp(stamp)
        folder.commit(segments, stamp)

    def _merge_if_due(self, folder: IndexFolder) -> None:
        sizes = [len(kept.segment) for kept in self._disk]
        first = len(sizes) - 1
        while first > 0 and sizes[first - 1] < 3 * sum(sizes[first:]):
            first -= 1
        chosen = self._disk[first:]
        if len(chosen) < 2:
            return
        if sum(sizes[first:]) < BACKGROUND_ROWS:
            self._replace(folder, chosen, merge_segments([kept.segment for kept in chosen]))
        elif self._merging is None or not self._merging.is_alive():
            self._merging = threading.Thread(target=self._merge_apart, args=(folder, chosen))
            self._merging.start()

    def _merge_apart(self, folder: IndexFolder, chosen: list[Kept]) -> None:
        merged = merge_segments([kept.segment for kept in chosen])
        with self._mutex, folder.held() as held:
            if held and folder.manifest().files == self._files():
                self._replace(folder, chosen, merged)

    def _replace(self, folder: IndexFolder, chosen: list[Kept], merged: Segment) -> None:
        names = [kept.file for kept in chosen]
        at = [i for i, kept in enumerate(self._disk) if kept.file in names]
        if len(at) == len(names):
            self._disk[at[0] : at[-1] + 1] = [folder.write(merged)] if len(merged) else []
            self._commit(folder, self._disk)
            self._hide_stale()

    def _without(self, folder: IndexFolder, kept: Kept, gone: NDArray[np.int64]) -> Kept | None:
        """Return a segment's file without some memories, rewritten where that is quick."""
        kept.segment.kill(gone)
        if not np.isin(gone, kept.segment.ids).any():
            return kept
        if len(kept.segment) > BACKGROUND_ROWS:
            blank_rows(folder.path / kept.file, gone)
            return kept
        smaller = merge_segments([kept.segment])
        return folder.write(smaller) if len(smaller) else None
