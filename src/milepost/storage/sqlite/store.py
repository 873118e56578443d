"""The embedded store: one SQLite database, a file or in memory, and the search index beside it."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from milepost.ports import Analyser
from milepost.storage.index.index import SearchIndex
from milepost.storage.sqlite.anchors import SqliteAnchors
from milepost.storage.sqlite.answers import SqliteAnswers
from milepost.storage.sqlite.branches import SqliteBranches
from milepost.storage.sqlite.candidates import SqliteCandidates, SqliteFeed
from milepost.storage.sqlite.connection import size_of
from milepost.storage.sqlite.copies import remove_leftovers
from milepost.storage.sqlite.counts import SqliteCounts
from milepost.storage.sqlite.deeds import SqliteDeeds
from milepost.storage.sqlite.entities import SqliteEntities
from milepost.storage.sqlite.episodes import SqliteEpisodes
from milepost.storage.sqlite.events import SqliteEvents
from milepost.storage.sqlite.file import SqliteFile, SqliteInMemory, index_of
from milepost.storage.sqlite.jobs import SqliteJobs
from milepost.storage.sqlite.links import SqliteLinks
from milepost.storage.sqlite.memories import Erase, SqliteMemories
from milepost.storage.sqlite.named_values import SqliteValues
from milepost.storage.sqlite.observations import SqliteObservations
from milepost.storage.sqlite.patterns import SqlitePatterns
from milepost.storage.sqlite.relations import SqliteRelations
from milepost.storage.sqlite.versions import SqliteVersions


class SqliteStore:
    """Keeps every noun in one database, which many threads and processes share if it is a file."""

    def __init__(
        self,
        path: Path | None,
        analyse: Analyser,
        scripts: Sequence[str] | None = None,
        erase_beside: Erase = lambda _: None,
    ) -> None:
        if path is not None:
            remove_leftovers(path)
        self.backend = "memory" if path is None else "sqlite"
        self.file = SqliteInMemory(scripts) if path is None else SqliteFile(path, scripts)
        self.feed = SqliteFeed(self.file)
        self.index = SearchIndex(self.feed, None if path is None else index_of(path))
        self._versions = SqliteVersions(self.file)
        self.file.reopened, self.file.forked = self._doubt, self.index.begin_anew
        self.answers = SqliteAnswers(self.file)
        self.values = SqliteValues(self.file)
        self.jobs = SqliteJobs(self.file)
        self.events = SqliteEvents(self.file)
        self.relations = SqliteRelations(self.file)
        self.observations = SqliteObservations(self.file)
        self.entities = SqliteEntities(self.file)
        graph = (self.observations, self.relations, self.entities)
        quoting = (self.values, self.jobs, self.events, self.answers, *graph)
        self.anchors = SqliteAnchors(self.file)
        self.memories = SqliteMemories(
            self.file, self.index, self.anchors, self.values, quoting, erase_beside
        )
        self.branches = SqliteBranches(self.file)
        self.counts = SqliteCounts(self.file)
        self.candidates = SqliteCandidates(self.file, self.index)
        self.links = SqliteLinks(self.file)
        self.episodes = SqliteEpisodes(self.file, self.values)
        self.patterns = SqlitePatterns(self.file)
        self.deeds = SqliteDeeds(self.file, self.memories, self.values)
        if not self.file.unwritable:
            self.feed.analyse_anew(analyse)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator["SqliteStore"]:
        with self.file.writing(durable=durable):
            yield self

    def rehearsing(self) -> AbstractContextManager[list[str]]:
        return self.file.rehearsing()

    def version(self, space: str, now_us: int) -> Hashable | None:
        return self._versions.of(space, now_us)

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
