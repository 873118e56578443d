"""Put the parts together: the object whose methods are all the operations."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, Self, TypeVar

from milepost.access.audit import Audit
from milepost.access.calls import allow, guarded, refuse
from milepost.access.erasure import Erasures
from milepost.access.keys import KeyRing, Keys
from milepost.access.retention import Keeping
from milepost.access.values import CALLER, READ
from milepost.config import Settings, inbox_folder, load_settings
from milepost.documents.ingestion import Ingest
from milepost.documents.syncing.exchange import SyncChanges
from milepost.errors import SpaceMoved, StoreError
from milepost.experience.episodes import RecordEpisodes
from milepost.experience.handover import Handovers
from milepost.experience.past_episodes import FindEpisodes
from milepost.experience.patterns.operations import KnownPatterns
from milepost.experience.recommendation import Recommend
from milepost.experience.statistics.operations import PatternStatistics
from milepost.knowledge.consolidation import Consolidate
from milepost.knowledge.events import Events, feed
from milepost.knowledge.extracting import Extracting
from milepost.knowledge.graph import GraphFacts
from milepost.knowledge.graph_exchange import GraphExchange
from milepost.knowledge.graph_reading import GraphReading
from milepost.knowledge.merging import Merging
from milepost.knowledge.summarizing import Summarize
from milepost.knowledge.values import EventFeed
from milepost.measuring.operations import Recall
from milepost.measuring.questions import note_question
from milepost.memory import validation
from milepost.memory.hot_reads import cache_uses
from milepost.memory.inventory import Inventory
from milepost.memory.remember import Remember
from milepost.memory.search import Search
from milepost.memory.staleness import Staleness
from milepost.memory.undo import Undo
from milepost.once import Call, answer_once
from milepost.opening import Opening, Tenant, handlers_in
from milepost.operation import operation_methods
from milepost.own_writes import EVERYTHING
from milepost.ports import CacheUse
from milepost.programs.execution import Code, skills_for
from milepost.programs.quotas import Programs
from milepost.programs.skills import Skill
from milepost.registry import Operation
from milepost.sessions.briefing import Briefings
from milepost.sessions.digest import enqueue
from milepost.sessions.noticing import Noticing
from milepost.unlocking import lines_beside
from milepost.upkeep.admin import Admin
from milepost.upkeep.alerts.operations import Alarms
from milepost.upkeep.alerts.values import Alerts
from milepost.upkeep.alerts.watching import Watch, status_of_rules
from milepost.upkeep.backups.operations import Backups
from milepost.upkeep.backups.schedules import status_of
from milepost.upkeep.backups.values import BackupStatus
from milepost.upkeep.job_control import JobControl
from milepost.upkeep.jobs import Worker, run_due
from milepost.upkeep.ledger import Ledger, expense_of
from milepost.upkeep.logs import Logs
from milepost.upkeep.measuring import Measuring, admit_to_all, backlog
from milepost.upkeep.metrics import Metrics, add
from milepost.upkeep.model_text import ModelText
from milepost.upkeep.reembedding import Reembedding
from milepost.upkeep.storage import StoreKeeping
from milepost.upkeep.values import Backlog
from milepost.workspace.values import Place

T = TypeVar("T")

# So long a call waits for the map to say where its space was moved to.
FOLLOW_S = 2.0
_LOOK_AGAIN_S = 0.02


class Operations(
    Remember,
    Search,
    Staleness,
    Inventory,
    Undo,
    Briefings,
    Noticing,
    Code,
    RecordEpisodes,
    FindEpisodes,
    Handovers,
    KnownPatterns,
    PatternStatistics,
    Recommend,
    Events,
    Consolidate,
    Summarize,
    GraphFacts,
    GraphReading,
    GraphExchange,
    Extracting,
    Merging,
    Ingest,
    SyncChanges,
    Admin,
    Measuring,
    Recall,
    Logs,
    JobControl,
    StoreKeeping,
    Backups,
    Alarms,
    Keys,
    Audit,
    Erasures,
    Keeping,
):
    """All that can be asked of a memory, wherever it lies."""

    def within(
        self, space: str | None = None, place: Place | None = None, source: str | None = None
    ) -> "Operations":
        """Return the same memory for another tenant, or for who works at another place.

        source: what is stored is trusted no more than this.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what was opened or connected."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


for _, _method in operation_methods(Operations):
    for _alias in _method.operation.aliases:
        setattr(Operations, _alias, _method)


class Milepost(Operations):
    """A memory of this process: the operations over one store and space, and what works beside."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._opening = opening

    @property
    def _space_worked_in(self) -> str:
        return self._opening.space

    def open(self) -> None:
        """Open the store now, and fail now if it cannot be opened."""
        with suppress(SpaceMoved):  # the store is open; who asks for this space is told
            self._opening()

    def share(self) -> None:
        """Serve several callers from now on: answers are kept for whoever asks the same."""
        self._opening.share()

    def measure(self) -> None:
        """Write down now and then what is counted, as a process that lives long does."""
        self._opening.measure()

    @property
    def backlogs(self) -> Sequence[Backlog]:
        """How much work is put off in the stores that are open, by topic."""
        admit_to_all(CALLER.get())
        opened = self._opening.stores()[1].opened()
        return [each for context in opened for each in backlog(context, None)]

    @property
    def figures(self) -> Mapping[str, Mapping[str, float]]:
        """What all processes ever counted of the stores that are open, by space."""
        admit_to_all(CALLER.get())
        told: dict[str, dict[str, float]] = {}
        for context in self._opening.stores()[1].opened():
            add(told, context.part(Metrics).ever())
        return told

    @property
    def watched(self) -> Sequence[tuple[Alerts, BackupStatus]]:
        """How alerts and backups of the stores that are open stand."""
        admit_to_all(CALLER.get())
        opened = self._opening.stores()[1].opened()
        return [(status_of_rules(context), status_of(context)) for context in opened]

    @property
    def program_endings(self) -> Mapping[str, int]:
        """How many programs ended in which way since the memory was opened."""
        return self._opening().part(Programs).endings

    @property
    def cache_uses(self) -> Mapping[str, CacheUse]:
        """How much is given again that was made before, by what it is."""
        return cache_uses(self._opening())

    @property
    def written_up_to(self) -> int:
        """How far a copy of the store must be to show what is written by now; 0 without copies."""
        try:
            return self._context.store.written_up_to()
        except StoreError:  # away by now; what it answered is so all the same
            return EVERYTHING

    @property
    def reembedding(self) -> Reembedding:
        """The work in the background that follows a change of the embedder."""
        return self._opening().part(Reembedding)

    @property
    def worker(self) -> Worker:
        """The thread that does work which was put off in the store of this space."""
        return self._opening().part(Worker)

    def work_for_all(self) -> None:
        """Do from now on what is put off in any store, as a process that lives long does."""
        _, stores = self._opening.stores()
        stores.each(lambda context: context.part(Worker).wake())
        stores.each(lambda context: context.part(Watch).begin())
        stores.keep_open()

    def run_jobs(self, limit: int | None = None) -> int:
        """Do work that was put off and is due, of all spaces; return how many jobs were run."""
        settings, stores = self._opening.stores()
        enqueue(self._context, inbox_folder(settings), lines_beside(settings))
        stores.open_all()
        done = 0
        for context in stores.opened():
            left = None if limit is None else limit - done
            seen_of = context.part(Metrics).done
            done += run_due(handlers_in(context), context.store, context.clock, left, seen=seen_of)
        return done

    def once(self, operation: Operation, key: str, arguments: Mapping[str, Any]) -> Any:
        """Answer a call that goes by a key: sent again, it is not done again."""
        allow(self, CALLER.get(), operation.name, operation.spec)

        def answer() -> Any:
            context = self._context
            call = Call(operation.name, context.space, key, arguments, context.clock())
            return answer_once(
                context.store, operation, call, lambda: operation.answer(self, arguments)
            )

        return following_moves(answer)

    def note_model_text(self, given: ModelText) -> bool:
        """Note in the ledger what a model is given; a memory that was never opened has none."""
        context = self._opening.current
        if context is not None:
            context.part(Ledger).record(
                context.space,
                lambda: expense_of(context, given),
                lambda: note_question(context, given),
            )
        return context is not None

    def feed(self, after: int | None, limit: int) -> EventFeed:
        """Return what follow_events does, to tell it to those who were let in before."""
        return feed(self._opening(), after, limit)

    def find_skills(self, need: str, limit: int = 3) -> list[Skill]:
        """Return the skills that serve a need best, which is told in words."""
        refuse(CALLER.get(), "find_skills", READ, self._space_worked_in)
        return skills_for(self._context, need, limit)

    @property
    def keys(self) -> KeyRing:
        """The keys with which others may come in."""
        return KeyRing(self._opening())

    def within(
        self, space: str | None = None, place: Place | None = None, source: str | None = None
    ) -> "Milepost":
        """Return the same for another tenant or another place; closing it closes nothing."""
        named = None if space is None else validation.name("space", space)
        return type(self)(Tenant(self._opening, named, place, source))

    def close(self) -> None:
        """Finish what is under way and let go of the store."""
        self._opening.close()


def following_moves(run: Callable[[], T]) -> T:
    """Do again what was refused because its space is elsewhere by now."""
    until = None
    while True:
        try:
            return run()
        except SpaceMoved:
            now = time.monotonic()
            # Until it was refused it may have waited for the move itself.
            until = now + FOLLOW_S if until is None else until
            if now > until:
                raise
            time.sleep(_LOOK_AGAIN_S)


def _following(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Milepost, *args: Any, **kwargs: Any) -> Any:
        return following_moves(lambda: method(self, *args, **kwargs))

    return call


# What may be done twice is done where its space is; the others tell their callers, who may know.
for _name, _method in operation_methods(Operations):
    _spec, _allowed = _method.operation, guarded(_name, _method)
    _done = _following(_allowed) if _spec.idempotent else _allowed
    for _called in (_name, *_spec.aliases):
        setattr(Milepost, _called, _done)


def local_memory(settings: Settings) -> Milepost:
    """Return the operations over the store itself, which the first of them opens."""
    return Milepost(Opening(lambda: settings))


def open_memory(settings: Settings) -> Milepost:
    """Return the operations over the store that the settings name, opened."""
    memory = local_memory(settings)
    memory.open()
    return memory


default: Milepost = Milepost(Opening(load_settings))
