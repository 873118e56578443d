"""The embedded store: one SQLite database, a file or in memory, and the search index beside it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from milepost.ports import Analyser
from milepost.storage.index.index import SearchIndex
from milepost.storage.sqlite.candidates import SqliteCandidates, SqliteFeed
from milepost.storage.sqlite.connection import size_of
from milepost.storage.sqlite.copies import remove_leftovers
from milepost.storage.sqlite.file import SqliteFile, SqliteInMemory, index_of
from milepost.storage.sqlite.keys import key_of
from milepost.storage.sqlite.versions import SqliteVersions
from milepost.storage.tables.anchors import AnchorTable
from milepost.storage.tables.answers import AnswerTable
from milepost.storage.tables.audit import AuditTable
from milepost.storage.tables.branches import BranchTable
from milepost.storage.tables.contents import ContentTable
from milepost.storage.tables.counts import CountTable
from milepost.storage.tables.deeds import DeedTable
from milepost.storage.tables.documents import DocumentTable
from milepost.storage.tables.entities import EntityTable
from milepost.storage.tables.episodes import EpisodeTable
from milepost.storage.tables.events import EventTable
from milepost.storage.tables.jobs import JobTable
from milepost.storage.tables.links import LinkTable
from milepost.storage.tables.memories import Erase, MemoryTable
from milepost.storage.tables.named_values import ValueTable
from milepost.storage.tables.observations import ObservationTable
from milepost.storage.tables.patterns import PatternTable
from milepost.storage.tables.relations import RelationTable
from milepost.storage.tables.synced import SyncedTable


class SqliteStore:
    """Keeps every noun in one database, which many threads and processes share if it is a file."""

    def __init__(
        self,
        path: Path | None,
        analyse: Analyser,
        scripts: Sequence[str] | None = None,
        erase_beside: Erase = lambda _: None,
        *,
        read_only: bool = False,
    ) -> None:
        if path is not None and not read_only:
            key_of(path)  # without its key nothing of it is touched
            remove_leftovers(path)
        self.backend = "memory" if path is None else "sqlite"
        self.file = (
            SqliteInMemory(scripts)
            if path is None
            else SqliteFile(path, scripts, read_only=read_only)
        )
        self.write_times = self.file.write_times
        self.feed = SqliteFeed(self.file)
        self.index = SearchIndex(
            self.feed, index_of(path) if path and not read_only else None, lambda: self.file.key
        )
        self._versions = SqliteVersions(self.file)
        self.file.reopened, self.file.forked = self._doubt, self.index.begin_anew
        self.answers = AnswerTable(self.file)
        self.audit = AuditTable(self.file)
        self.values = ValueTable(self.file)
        self.jobs = JobTable(self.file)
        self.events = EventTable(self.file)
        self.relations = RelationTable(self.file)
        self.observations = ObservationTable(self.file)
        self.entities = EntityTable(self.file)
        graph = (self.observations, self.relations, self.entities)
        quoting = (self.values, self.jobs, self.events, self.answers, *graph)
        self.anchors = AnchorTable(self.file)
        self.memories = MemoryTable(
            self.file, self.index, self.anchors, self.values, quoting, erase_beside
        )
        self.branches = BranchTable(self.file)
        self.documents = DocumentTable(self.file)
        self.counts = CountTable(self.file)
        self.candidates = SqliteCandidates(self.file, self.index)
        self.links = LinkTable(self.file)
        self.synced = SyncedTable(self.file)
        self.episodes = EpisodeTable(self.file, self.values)
        self.patterns = PatternTable(self.file)
        self.deeds = DeedTable(self.file, self.memories, self.values)
        self.contents = ContentTable(self.file)
        if not self.file.unwritable:
            self.feed.analyse_anew(analyse)

    def within(self, space: str) -> "SqliteStore":
        del space
        return self

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator["SqliteStore"]:
        with self.file.writing(durable=durable):
            yield self

    def rehearsing(self) -> AbstractContextManager[list[str]]:
        return self.file.rehearsing()

    def version(self, space: str, now_us: int) -> Hashable | None:
        return self._versions.of(space, now_us)

    def moved_to(self, space: str) -> str | None:
        found = self.file.committed("moved_to", space)
        return str(found[0][0]) if found else None

    def written_up_to(self) -> int:
        return 0

    def _doubt(self) -> None:
        self._versions.doubt()
        self.index.doubt()

    def size_bytes(self) -> int:
        if self.backend == "memory":
            return 0
        path = self.file.path
        files = (path, Path(f"{path}-wal"), *index_of(path).glob("*.segment"))
        return sum(map(size_of, files))

    def problems(self) -> tuple[str, ...]:
        problems = [self.file.unwritable] if self.file.unwritable else []
        if self.index.unwritten:
            problems.append(f"the search index is kept in memory: {self.index.unwritten}")
        known = self.feed.latest_change()
        shown, stored = self.index.count(), self.feed.count()
        if shown != stored and self.feed.latest_change() == known:
            self.index.rebuild(f"it showed {shown:,} of {stored:,} memories")
        if self.index.rebuilt:
            problems.append(f"the search index was made again: {self.index.rebuilt}")
        return tuple(problems)

    def tend(self) -> None:
        """Do nothing: the index looks after itself."""

    def when_work_comes(self, wake: Callable[[], None]) -> None:
        """Do nothing: other processes are not heard here."""

    def forget_removals(self) -> None:
        """Forget the deletions that no segment of the index needs to know of any more."""
        segments = self.index.segments()
        if segments:
            self.feed.forget_removals(min(segment.change for segment in segments))

    def share(self) -> bool:
        """Count one more user; False when it is closed, or another file is in its place."""
        return self.file.share()

    def close(self) -> None:
        if self.file.leave():
            self.index.close()
            self.file.close()
