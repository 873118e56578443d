"""The search index of one store: segments on disk, fresh ones in RAM, always up to date.

Everything here is derived from the database. A memory that changes is indexed again in a newer
segment and hidden in the older ones; deleting the folder only costs the time to build it again.
"""

import logging
import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from milepost.storage.index.folder import IndexFolder, Kept
from milepost.storage.index.segment import IndexRow, Segment, build_segment, merge_segments

log = logging.getLogger(__name__)

FLUSH_ROWS = 512  # RAM segments that hold this many together go to disk
RAM_SEGMENTS = 4  # more than these are joined
BUILD_ROWS = 50_000  # rows read from the database at a time
BACKGROUND_ROWS = 50_000  # a merge larger than this does not hold up its caller


class Feed(Protocol):
    """Where the index learns what changed in the store, in the order of the changes."""

    def latest_change(self) -> int: ...
    def rows_after(self, change: int) -> Iterator[IndexRow]: ...
    def removed_after(self, change: int) -> Sequence[int]: ...
    def fingerprint(self, memory_id: int) -> str | None: ...


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

    def segments(self) -> list[Segment]:
        """Return the segments that show the store as it is now."""
        with self._mutex:
            if self._change < 0:
                self._load()
            if self._feed.latest_change() != self._change:
                self._catch_up()
            return self._all()

    def scrub(self, ids: Sequence[int]) -> None:
        """Blank what the files on disk hold of deleted memories."""
        if self._folder is not None:
            with self._mutex:
                self._folder.scrub(np.array(sorted(ids), np.int64))

    def close(self) -> None:
        """Wait for a merge under way and let go of the files."""
        if self._merging is not None:
            self._merging.join()
        with self._mutex:
            self._disk, self._ram, self._change = [], [], -1

    def _all(self) -> list[Segment]:
        return [kept.segment for kept in self._disk] + self._ram

    def _load(self) -> None:
        self._disk = self._folder.load() if self._folder is not None else []
        if not self._is_ours():
            log.warning("search index is rebuilt: it belongs to another state of the store")
            self._disk = []
        self._ram = []
        self._change = max((kept.segment.change for kept in self._disk), default=0)
        self._hide_stale()

    def _is_ours(self) -> bool:
        """Tell whether the files describe this database, not one that was replaced by a copy."""
        latest = self._feed.latest_change()
        return all(
            kept.segment.change <= latest
            and self._feed.fingerprint(kept.last_id) in (None, kept.fingerprint)
            for kept in self._disk
        )

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
        rows = self._feed.rows_after(known)
        while chunk := list(islice(rows, BUILD_ROWS)):
            # A memory that changes while we read comes twice; the later row counts.
            fresh = {row.id: row for row in chunk}
            self._hide(list(fresh))
            self._change = chunk[-1].change
            self._ram.append(build_segment(sorted(fresh.values()), self._change))
            self._flush_if_due()
        # Read last, so that no deletion among the changes above is missed.
        self._hide(self._feed.removed_after(known))
        self._change = max(self._change, latest)

    def _flush_if_due(self) -> None:
        if len(self._ram) > RAM_SEGMENTS:
            self._ram = [merge_segments(self._ram)]
        if self._folder is None or sum(len(s) for s in self._ram) < FLUSH_ROWS:
            return
        try:
            with self._folder.held() as held:
                if held:
                    self._flush(self._folder)
        except OSError as problem:
            log.warning("search index stays in memory: %s", problem)

    def _flush(self, folder: IndexFolder) -> None:
        if folder.names() != [kept.file for kept in self._disk]:
            # Another process wrote the folder: its files take the place of what we remember.
            ram, change = self._ram, self._change
            self._load()
            self._ram, self._change = ram, change
            self._hide_stale()
            if folder.names() and self._disk_change() >= change:
                self._ram = []
                return
        self._disk.append(self._kept(folder, merge_segments(self._ram)))
        self._ram = []
        folder.commit(self._disk)
        self._merge_if_due(folder)

    def _disk_change(self) -> int:
        return max((kept.segment.change for kept in self._disk), default=0)

    def _kept(self, folder: IndexFolder, segment: Segment) -> Kept:
        return folder.write(segment, self._feed.fingerprint(int(segment.ids[-1])) or "")

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
            if held and folder.names() == [kept.file for kept in self._disk]:
                self._replace(folder, chosen, merged)

    def _replace(self, folder: IndexFolder, chosen: list[Kept], merged: Segment) -> None:
        names = [kept.file for kept in chosen]
        at = [i for i, kept in enumerate(self._disk) if kept.file in names]
        if len(at) == len(names):
            fresh = [self._kept(folder, merged)] if len(merged) else []
            self._disk[at[0] : at[-1] + 1] = fresh
            folder.commit(self._disk)
            self._hide_stale()
