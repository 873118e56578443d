"""The store of a team: one PostgreSQL, which any number of servers share."""

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

from milepost.ports import Analyser
from milepost.storage.options import USUAL, DatabaseOptions
from milepost.storage.postgres.analysing import analyse_anew
from milepost.storage.postgres.candidates import PostgresCandidates
from milepost.storage.postgres.connections import Connections
from milepost.storage.postgres.database import PostgresDatabase
from milepost.storage.postgres.homes import Homes
from milepost.storage.postgres.keys import key_of
from milepost.storage.postgres.listening import Listener
from milepost.storage.postgres.memories import PostgresMemories
from milepost.storage.postgres.migrate import migrate
from milepost.storage.postgres.presence import Presence
from milepost.storage.postgres.replica import WAIT_S, Replica
from milepost.storage.postgres.sealed import Seals
from milepost.storage.postgres.sql import migrations
from milepost.storage.postgres.upkeep import tend_grown
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
from milepost.storage.tables.memories import Erase
from milepost.storage.tables.named_values import ValueTable
from milepost.storage.tables.observations import ObservationTable
from milepost.storage.tables.patterns import PatternTable
from milepost.storage.tables.relations import RelationTable
from milepost.storage.tables.synced import SyncedTable


class PostgresWork:
    """The nouns over one database."""

    def __init__(self, database: PostgresDatabase, erase_beside: Erase) -> None:
        self._database = database
        self.answers = AnswerTable(database)
        self.audit = AuditTable(database)
        self.values = ValueTable(database)
        self.jobs = JobTable(database)
        self.events = EventTable(database)
        self.relations = RelationTable(database)
        self.observations = ObservationTable(database)
        self.entities = EntityTable(database)
        graph = (self.observations, self.relations, self.entities)
        quoting = (self.values, self.jobs, self.events, self.answers, *graph)
        self.anchors = AnchorTable(database)
        self.memories = PostgresMemories(database, self.anchors, self.values, quoting, erase_beside)
        self.branches = BranchTable(database)
        self.documents = DocumentTable(database)
        self.counts = CountTable(database)
        self.candidates = PostgresCandidates(database)
        self.links = LinkTable(database)
        self.synced = SyncedTable(database)
        self.episodes = EpisodeTable(database, self.values)
        self.patterns = PatternTable(database)
        self.deeds = DeedTable(database, self.memories, self.values)
        self.contents = ContentTable(database)

    def version(self, space: str, now_us: int) -> Hashable | None:
        """Return what is another whenever anything of a space was written, by whichever server."""
        return self._database.version(space, now_us)


class PostgresStore(PostgresWork):
    """Keeps every noun in one database."""

    backend = "postgres"

    def __init__(
        self,
        url: str,
        analyse: Analyser,
        scripts: Sequence[str] | None = None,
        erase_beside: Erase = lambda _: None,
        options: DatabaseOptions = USUAL,
    ) -> None:
        self._connections = Connections(url, options)
        self._replica = _replica(self._connections, options)
        self._listeners: list[Listener] = []
        known = migrations() if scripts is None else scripts
        try:
            migrate(self._connections, known)
            key = key_of(self._connections)
        except BaseException:
            self._connections.close()
            raise
        self.presence = Presence(self._connections, len(known))
        seals = None if key is None else Seals(key)
        self._homes = Homes(self._connections)
        self._erase_beside = erase_beside
        self.database = PostgresDatabase(self._connections, self._homes, self._replica, seals)
        self.write_times = self.database.write_times
        super().__init__(self.database, erase_beside)
        for noun in list(vars(self)):
            if not noun.startswith("_") and noun not in ("database", "presence", "write_times"):
                setattr(self, noun, _Homed(getattr(self, noun), self.database, self._homes))
        self._analyse = analyse

    def within(self, space: str) -> "BoundStore":
        """Return the same for one space, of which alone anything is seen and written."""
        return BoundStore(self, self.database.within(self._homes.of_space(space) or space))

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator["PostgresStore"]:
        with self.database.writing(durable=durable):
            yield self

    def rehearsing(self) -> AbstractContextManager[list[str]]:
        return self.database.rehearsing()

    def moved_to(self, space: str) -> str | None:
        if self.database.is_writing:
            return None  # who is in a transaction has asked, and must not wait for a connection
        with self.database.at_home(self._homes.of_space(space)):
            found = self.database.committed("moved_to")
        return str(found[0][0]) if found else None

    def written_up_to(self) -> int:
        return self.database.written_up_to()

    def size_bytes(self) -> int:
        return int(self.database.value("size"))

    def problems(self) -> tuple[str, ...]:
        return ()

    def tend(self) -> None:
        analyse_anew(self.database, self._analyse)
        tend_grown(self._connections)

    def when_work_comes(self, wake: Callable[[], None]) -> None:
        self._listeners.append(Listener(self._connections.url, wake))

    def close(self) -> None:
        self.presence.close()
        for listener in self._listeners:
            listener.close()
        if self._replica is not None:
            self._replica.connections.close()
        self._connections.close()


def _replica(primary: Connections, options: DatabaseOptions) -> Replica | None:
    if not options.replica:
        return None
    return Replica(primary, Connections(options.replica, options, WAIT_S), options.replica_lag_s)


class BoundStore(PostgresWork):
    """What a store keeps of one space."""

    backend = PostgresStore.backend

    def __init__(self, whole: PostgresStore, database: PostgresDatabase) -> None:
        super().__init__(database, whole._erase_beside)  # noqa: SLF001
        self._whole = whole
        self.database = database
        self.write_times = database.write_times
        self.jobs = whole.jobs  # whoever is free does the work of all spaces
        self.within = whole.within
        self.rehearsing = database.rehearsing
        self.size_bytes, self.problems, self.close = whole.size_bytes, whole.problems, whole.close
        self.tend, self.when_work_comes = whole.tend, whole.when_work_comes
        self.moved_to, self.written_up_to = whole.moved_to, whole.written_up_to

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator["BoundStore"]:
        with self.database.writing(durable=durable):
            yield self


# By the name of a parameter, what tells whose memories a call is about.
_TELLING: Mapping[str, Callable[[Homes, Any], str | None]] = {
    "space": lambda homes, space: homes.of_space(space),
    "where": lambda homes, where: homes.of_space(where.space),
    "record": lambda homes, record: homes.of_space(record.space),
    "draft": lambda homes, draft: homes.of_space(draft.space),
    "drafts": lambda homes, drafts: homes.of_space(drafts[0].space) if drafts else None,
    "memory_id": lambda homes, number: homes.of_id(number),
    "deed": lambda homes, number: homes.of_id(number),
    "entity": lambda homes, number: homes.of_id(number),
    "ids": lambda homes, ids: homes.of_id(ids[0]) if ids else None,
    "vectors": lambda homes, vectors: homes.of_id(next(iter(vectors))) if vectors else None,
    "number": lambda homes, number: homes.of_id(number),
}


class _Homed:
    """A noun whose calls work for the home that they name themselves."""

    def __init__(self, noun: object, database: PostgresDatabase, homes: Homes) -> None:
        self._noun, self._database, self._homes = noun, database, homes

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._noun, name)
        names = list(inspect.signature(method).parameters)
        telling = next((each for each in names if each in _TELLING), None)
        if telling is None:
            setattr(self, name, method)
            return method
        place, told = names.index(telling), _TELLING[telling]

        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = kwargs[telling] if telling in kwargs else args[place]
            with self._database.at_home(told(self._homes, given)):
                return method(*args, **kwargs)

        setattr(self, name, call)
        return call
