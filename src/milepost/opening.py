"""Open what the settings name: the store, the models and what works beside them."""

import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from milepost.access.audit import AuditLog
from milepost.access.keys import KeyRing
from milepost.access.limits import Limits
from milepost.access.values import CALLER, admit
from milepost.config import FLAGGED, Settings, agent_session, inbox_folder, load_settings
from milepost.documents.ingestion import Reader
from milepost.errors import InvalidInput, SandboxUnavailable, SpaceMoved, StoreUnavailable
from milepost.experience.entries import Novelty
from milepost.experience.recording import LEARN, UPKEEP, WrittenSteps
from milepost.knowledge.learning import learn_entities
from milepost.knowledge.supersession import notice_updates
from milepost.log_file import LogFiles, log_file
from milepost.memory import validation
from milepost.memory.context import Context, Parts
from milepost.memory.home import ProjectOwners
from milepost.memory.hot_reads import HotReads, cache_uses
from milepost.memory.texts import Texts
from milepost.memory.traces import SessionTraces, Surroundings
from milepost.memory.values import Analysis, Indexed
from milepost.phases import phase
from milepost.placing import PlacedStores, SpacesFile
from milepost.ports import (
    CodeRunner,
    Embedder,
    FallibleEmbedder,
    LanguageModel,
    Lexicon,
    Reflector,
    Store,
)
from milepost.programs.quotas import Programs
from milepost.reading import open_reader
from milepost.sealing import Lines
from milepost.secret_sources import all_revealed, revealed
from milepost.storage import open_store
from milepost.storage.options import DatabaseOptions
from milepost.surroundings import BesideStore, unfinished_in
from milepost.text.erasing import Erasure
from milepost.transport.tls import Tls
from milepost.unlocking import lines_beside, unlock
from milepost.upkeep.alerts.telling import Teller
from milepost.upkeep.alerts.watching import Watch
from milepost.upkeep.flags import Flags
from milepost.upkeep.jobs import Worker
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.logs import Log
from milepost.upkeep.metrics import Metrics
from milepost.upkeep.recorder import Recorder, Write
from milepost.upkeep.reembedding import Reembedding
from milepost.upkeep.storage import StoreCare
from milepost.upkeep.values import Job
from milepost.workspace.folders import Folders
from milepost.workspace.values import Place

_DAY_US = 86_400 * 1_000_000


class Opened(NamedTuple):
    """What was opened, and the settings that named it."""

    settings: Settings
    context: Context


class Opening:
    """Opens stores when they are first needed, again when the settings became others."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._opened: tuple[Settings, PlacedStores] | None = None
        self._closed = self._is_shared = self._is_measured = False
        # What was opened last: that of the call which has just ended.
        self.latest: Context | None = None

    def __call__(self) -> Context:
        return self.open().context

    def open(self) -> Opened:
        """Return what the settings name, opened, with what is in force in its space now.

        Who may not enter the space is refused here, before its store is looked for: nothing that
        goes by a context is done for them, whether it is an operation or not.
        """
        settings, stores = self.stores()
        space = self.space_in(settings)
        admit(CALLER.get(), space)
        self.latest = context = self.seen(stores.context(space))
        return Opened(settings, context)

    def stores(self) -> tuple[Settings, PlacedStores]:
        """Return the stores of all spaces; each is opened when a space of it is asked for."""
        settings = self._settings()
        opened = self._opened
        if opened is None or opened[0] != settings:
            with self._lock:
                opened = self._open(settings)
        return opened

    def space_in(self, settings: Settings) -> str:
        """Return the space that is worked for."""
        return settings.space

    @property
    def space(self) -> str:
        """The space that is worked for; its store is not looked up."""
        return self.space_in(self.stores()[0])

    def seen(self, context: Context) -> Context:
        """Return a context as it is from here."""
        return context

    def _open(self, settings: Settings) -> tuple[Settings, PlacedStores]:
        if self._closed:
            raise StoreUnavailable("This memory was closed; connect again.")
        if self._opened is None or self._opened[0] != settings:
            self._release()
            if settings.traces:
                from milepost import telemetry

                telemetry.start(settings.traces)
            with phase("opening"):
                self._opened = settings, open_stores(settings)
            self._keep_answers()
            self._write_figures()
        return self._opened

    def share(self) -> None:
        """Serve several callers from now on, who may ask the same."""
        self._is_shared = True
        self._keep_answers()
        self.measure()

    def measure(self) -> None:
        """Write down now and then what is counted."""
        self._is_measured = True
        self._write_figures()

    def _write_figures(self) -> None:
        if self._is_measured and self._opened is not None:
            self._opened[1].each(lambda context: context.part(Metrics).write_later(at_end=True))

    def _keep_answers(self) -> None:
        if self._is_shared and self._opened is not None:
            settings, stores = self._opened
            stores.each(lambda context: context.part(HotReads).allow(settings.cache_mb << 20))

    @property
    def is_open(self) -> bool:
        """Whether the store of its own space is open already."""
        return self._opened is not None and self._opened[1].is_open(self._opened[0].space)

    @property
    def current(self) -> Context | None:
        """What is open already."""
        if self._opened is None:
            return None
        settings, stores = self._opened
        admit(CALLER.get(), settings.space)
        return stores.context(settings.space) if stores.is_open(settings.space) else None

    def close(self) -> None:
        """Let go of what was opened, for good."""
        with self._lock:
            self._release()
            self._closed = True

    def _release(self) -> None:
        if self._opened is not None:
            self._opened[1].close()
            self._opened = None


class Tenant(Opening):
    """What another opening opens, for another space or for who works at another place."""

    def __init__(
        self,
        opening: Opening,
        space: str | None,
        place: Place | None,
        source: str | None = None,
    ) -> None:
        self._opening, self.latest = opening, None
        self._space, self._place, self._source = space, place, source

    def stores(self) -> tuple[Settings, PlacedStores]:
        """Return those of the other."""
        return self._opening.stores()

    def space_in(self, settings: Settings) -> str:
        """Return the space that is worked for."""
        return self._opening.space_in(settings) if self._space is None else self._space

    def seen(self, context: Context) -> Context:
        """Return a context as it is from here."""
        context = self._opening.seen(context)
        context = context if self._place is None else context.at(self._place)
        return context.by(self._source)

    @property
    def is_open(self) -> bool:
        """Whether that is open already."""
        return self._opening.is_open

    @property
    def current(self) -> Context | None:
        """What is open already, but for the space and the place."""
        return self() if self._opening.is_open else None

    def close(self) -> None:
        """Leave it open for the others."""


class Models(NamedTuple):
    """What analyses texts, for all stores: with the chosen embedder, and where that is off."""

    texts: Texts
    plain: Texts
    language: LanguageModel | None


class Beside(NamedTuple):
    """What all stores share: models, the sandbox, what sessions left, and the stores themselves."""

    models: Models
    programs: Callable[[], Programs]
    inbox: str
    lines: Callable[[], Lines]
    stores: PlacedStores


def open_context(settings: Settings, *, read_only: bool = False) -> Context:
    """Open the store of the settings' space and the embedders that they name.

    read_only: nothing of a file is changed, nor made beside it.
    """
    return open_stores(settings, read_only=read_only).context(settings.space)


def open_stores(settings: Settings, *, read_only: bool = False) -> PlacedStores:
    """Open the models; stores are opened when a space of them is asked for."""
    with _LOADING:
        static, lexicon = _shipped_model()
    chosen = None if settings.embedder == "static" else open_chosen(settings)
    plain = Texts(static, lexicon, chosen, asks_chosen=False)
    models = Models(Texts(static, lexicon, chosen), plain, _open_model(settings))
    programs = cache(lambda: Programs(lambda: open_runner(settings), settings.programs_per_minute))

    def lines() -> Lines:
        return lines_beside(settings)

    def open_at(url: str) -> Context:
        # A replica is of the one database that the settings name.
        here = settings if url == settings.url else settings._replace(url=url, replica="")
        beside = Beside(models, programs, inbox_folder(settings), lines, stores)
        return _open_one(here, beside, read_only=read_only)

    stores = PlacedStores(SpacesFile(settings.spaces_file, settings.url), open_at)
    return stores


def _care(settings: Settings, stores: PlacedStores, opened: Callable[[], Store]) -> StoreCare:
    """Return what looks after a store as a whole; few processes ever load that."""
    from milepost.caretaking import CareOfStore

    return CareOfStore(settings, stores.file.current, opened, open_context)


def _open_one(settings: Settings, beside: Beside, *, read_only: bool) -> Context:
    """Open one store, with what works beside it."""
    models, programs, inbox, lines, stores = beside
    texts = models.texts

    def analyse(memory: Indexed) -> Analysis:
        return texts.analyse([memory])[0]

    unlock(settings)

    def opened() -> Store:
        erase, options = _erase_beside(inbox, lines), _options(settings)
        return open_store(settings.url, analyse, erase, options, read_only=read_only)

    store = opened()
    metrics = Metrics(store, now, writes=not read_only)
    parts = Parts(
        {
            Worker: lambda: Worker(lambda: handlers_in(context), store, now, collect, metrics.done),
            Recorder: lambda: Recorder(store, hand_on),
            WrittenSteps: lambda: WrittenSteps(store),
            Novelty: lambda: Novelty(store),
            Reembedding: lambda: Reembedding(store, texts),
            Programs: programs,
            Ledger: lambda: Ledger(store, now, metrics.count),
            HotReads: HotReads,
            SessionTraces: _session_episodes,
            ProjectOwners: ProjectOwners,
            Limits: Limits,
            KeyRing: lambda: KeyRing(context),
            Reader: lambda: Reader(open_reader()),
            AuditLog: lambda: AuditLog(store, now, moved_log),
            StoreCare: lambda: _care(settings, stores, opened),
            Surroundings: lambda: BesideStore(settings.url, inbox, lines, open_copy),
            Metrics: lambda: metrics,
            Teller: lambda: teller_of(settings),
            # It counts what is in all spaces.
            Watch: lambda: Watch(context._replace(store=store), settings.alert_every),
            Log: lambda: LogFiles(log_file(settings)),
        },
        metrics,
    )
    metrics.cache_uses = lambda: cache_uses(context)

    def collect() -> None:
        from milepost.sessions.digest import enqueue

        enqueue(context, inbox, lines())

    def open_copy(path: str) -> Context:
        return open_context(settings.alone_at(path)._replace(embedder="static"))

    def moved_log(space: str) -> AuditLog | None:
        """Return the log of where a space is by now."""
        log = stores.home(space).part(AuditLog)
        return None if log is parts.get(AuditLog) else log

    def hand_on(space: str, write: Write) -> bool:
        """Give what is to be written to a space that was moved to where it is now."""
        try:
            recorder = stores.home(space).part(Recorder)
        except SpaceMoved:  # the map does not say so yet
            return False
        if recorder is parts.get(Recorder):
            return False
        recorder.put(space, write)
        return True

    context = Context(
        store.within(settings.space),
        texts,
        now,
        settings.space,
        parts,
        place=Place(settings.project, session=agent_session()),
        workspaces=Folders(),
        learners=(learn_entities,),
        followers=(notice_updates,),
        ingest_folders=settings.ingest_folders,
        keeps_questions=settings.questions == "keep",
        settings_in=_settings_by_space(
            Flags(store),
            _fields(settings, texts, models.language),
            _fields(Settings(settings.url), models.plain),
        ),
        placed=stores,
    )
    context.part(Reembedding)  # it begins by itself
    for space, name in () if read_only else unfinished_in(settings.url):
        from milepost.access.erasing import resume

        resume(context.moved_to(context, space), name)
    return context


def _fields(
    settings: Settings, texts: Texts, model: LanguageModel | None = None
) -> dict[str, dict[str, Any]]:
    """Return what each setting that can be flagged comes to in a context."""
    return {
        "audit_reads": {"notes_reads": settings.audit_reads == "on"},
        "embedder": {"texts": texts},
        "event_days": {"event_days": settings.event_days},
        "reflector": {"model": model, "reflector": _reflecting(model)},
        "secrets": {"secrets": settings.secrets},
        "undo_days": {"held_us": settings.undo_days * _DAY_US},
    }


def _settings_by_space(
    flags: Flags, configured: dict[str, dict[str, Any]], usual: dict[str, dict[str, Any]]
) -> Callable[[str], Mapping[str, Any]]:
    """Return what the settings come to in a space: as configured, as usual where they are off."""

    @cache
    def fields_without(off: frozenset[str]) -> dict[str, Any]:
        parts = [(usual if name in off else configured)[name] for name in FLAGGED]
        return {field: value for part in parts for field, value in part.items()}

    return lambda space: fields_without(flags.off_in(space))


def _options(settings: Settings) -> DatabaseOptions:
    return DatabaseOptions(
        connections=settings.database_connections,
        statement_s=settings.database_timeout,
        prepare=settings.database_prepare == "on",
        replica=settings.replica,
        replica_lag_s=settings.replica_lag / 1e3,
    )


def teller_of(settings: Settings) -> Teller:
    """Return who is told of alerts."""
    return Teller(
        settings.alert_command,
        settings.alert_webhook,
        lambda: revealed("alert_secret", settings.alert_secret),
        Tls(settings.ca),
        settings.shown_url,
    )


def _session_episodes() -> SessionTraces:
    from milepost.experience.observed import SessionEpisodes

    return SessionEpisodes()


def _erase_beside(inbox_place: str, lines: Callable[[], Lines]) -> Callable[[Erasure], None]:
    """Return what takes deleted texts out of what sessions left beside the store."""

    def erase(erasure: Erasure) -> None:
        from milepost.sessions import inbox

        inbox.erase(inbox_place, erasure.without, lines())

    return erase


def handlers_in(context: Context) -> dict[str, Callable[[Job], None]]:
    """Return what does the work of each topic, every job in its own space."""
    from milepost.access import erasing, retention
    from milepost.experience.learning import learn, look_after
    from milepost.knowledge import consolidation, events, learning
    from milepost.memory import door, holding
    from milepost.sessions.digest import TOPIC, digest
    from milepost.upkeep.alerts import telling
    from milepost.upkeep.backups import operations as backups
    from milepost.upkeep.backups import schedules

    jobs = {
        TOPIC: digest,
        LEARN: learn,
        UPKEEP: look_after,
        holding.TOPIC: holding.expire,
        events.TOPIC: retention.expire_events,
        retention.TOPIC: retention.by_schedule,
        erasing.TOPIC: erasing.resume_job,
        consolidation.TOPIC: consolidation.by_schedule,
        learning.TOPIC: learning.learn_stored,
        door.TOPIC: door.mark_stored,
    }

    def in_its_space(handle: Callable[[Context, Job], None]) -> Callable[[Job], None]:
        return lambda job: handle(context.within(job.space), job)

    # What is of the store itself, wherever the map places spaces.
    own = {
        schedules.TOPIC: lambda job: backups.by_schedule(context, job),
        telling.TOPIC: lambda job: telling.tell(context, job),
    }
    return {topic: in_its_space(handle) for topic, handle in jobs.items()} | own


# Reading arrays from two threads at once fails now and then in some versions of Python.
_LOADING = threading.Lock()


@cache
def _shipped_model() -> tuple[Embedder, Lexicon]:
    """Load the static model once, for all memories of this process."""
    from milepost.embedding.static import StaticEmbedder, StaticLexicon

    static = StaticEmbedder()
    return static, StaticLexicon(static)


def open_runner(settings: Settings) -> CodeRunner:
    """Return the sandbox that the settings ask for; nothing of it runs yet."""
    from milepost.sandbox import open_sandbox

    if settings.sandbox == "off":
        raise SandboxUnavailable("Programs are switched off by the setting sandbox.")
    return open_sandbox(sandbox_folder(settings), strict=settings.sandbox == "strict")


def sandbox_folder(settings: Settings) -> Path:
    """Return where the compiled sandbox is kept."""
    return Path(settings.cache_folder) / "sandbox"


def open_chosen(settings: Settings) -> FallibleEmbedder:
    """Return the embedder that the settings name beside the static one."""
    from milepost.embedding import open_embedder
    from milepost.embedding.fallback import ResilientEmbedder
    from milepost.embedding.vector_cache import CachingEmbedder

    keys = all_revealed("embedder_keys", settings.embedder_keys)
    embedder = open_embedder(
        settings.embedder, keys=keys, models_folder=Path(settings.models_folder)
    )
    return ResilientEmbedder(CachingEmbedder(embedder))


def _open_model(settings: Settings) -> LanguageModel | None:
    if not settings.reflector:
        return None
    from milepost.language_model.chat import RemoteModel

    return RemoteModel(settings.reflector, revealed("reflector_key", settings.reflector_key))


def _reflecting(model: LanguageModel | None) -> Reflector | None:
    if model is None:
        return None
    from milepost.language_model.reflector import RemoteReflector

    return RemoteReflector(model)


def now() -> int:
    """Return the time in microseconds since the epoch."""
    return time.time_ns() // 1_000


def settings_for(
    path_or_url: str | PathLike[str], space: str | None = None, project: str | None = None
) -> Settings:
    """Return the settings in force, but for another store, space or project."""
    settings = load_settings()
    if not isinstance(path_or_url, str | PathLike) or not isinstance(fspath(path_or_url), str):
        raise InvalidInput("connect takes a path or a URL, such as connect('notes.db').")
    chosen = settings.space if space is None else validation.name("space", space)
    named = settings.project if project is None else validation.name("project", project)
    url = fspath(path_or_url)
    # A store that is asked for by name is used alone.
    spaces_file = settings.spaces_file if url == settings.url else ""
    return settings._replace(url=url, space=chosen, project=named, spaces_file=spaces_file)
