"""Put the parts together: the object whose methods are all the operations."""

import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from milepost.config import Settings, load_settings
from milepost.errors import InvalidInput, NotFound, SandboxUnavailable, StoreUnavailable
from milepost.model.memory import Analysis, Indexed
from milepost.ports import CodeRunner, Embedder, FallibleEmbedder, Lexicon
from milepost.services import validation
from milepost.services.admin import Admin
from milepost.services.code import Code
from milepost.services.context import Context
from milepost.services.programs import Programs
from milepost.services.reembed import Reembedding
from milepost.services.remember import Remember
from milepost.services.search import Search
from milepost.services.texts import Texts
from milepost.storage import open_store


class Milepost(Remember, Search, Code, Admin):
    """A memory: all operations over one store and space."""

    def __init__(self, opening: "Opening") -> None:
        super().__init__(opening)
        self._opening = opening

    @property
    def program_endings(self) -> Mapping[str, int]:
        """How many programs ended in which way since the memory was opened."""
        return self._opening().programs.endings

    @property
    def reembedding(self) -> Reembedding:
        """The work in the background that follows a change of the embedder."""
        return self._opening.open().reembedding

    def __getattr__(self, name: str) -> Any:
        """Answer to the names that operations have elsewhere, such as remember and forget."""
        from milepost.registry import find, operations_of

        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return getattr(self, find(operations_of(Milepost), name).name)
        except NotFound as problem:
            raise AttributeError(str(problem)) from None

    def within(self, space: str) -> "Milepost":
        """Return the same memory for another tenant; closing it closes nothing."""
        return Milepost(Tenant(self._opening, validation.name("space", space)))

    def close(self) -> None:
        """Finish what is under way and let go of the store."""
        self._opening.close()

    def __enter__(self) -> "Milepost":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Opened(NamedTuple):
    """What was opened, and the settings that named it."""

    settings: Settings
    context: Context
    reembedding: Reembedding


class Opening:
    """Opens a context when it is first needed, again when the settings became others."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._closed = False

    def __call__(self) -> Context:
        return self.open().context

    def open(self) -> Opened:
        """Return what the settings name, opened."""
        settings = self._settings()
        opened = self._opened
        if opened is None or opened.settings != settings:
            with self._lock:
                opened = self._open(settings)
        return opened

    def _open(self, settings: Settings) -> Opened:
        if self._closed:
            raise StoreUnavailable("This memory was closed; connect again.")
        if self._opened is None or self._opened.settings != settings:
            self._release()
            context = open_context(settings)
            reembedding = Reembedding(context.store, context.texts)
            self._opened = Opened(settings, context, reembedding)
        return self._opened

    def close(self) -> None:
        """Let go of what was opened, for good."""
        with self._lock:
            self._release()
            self._closed = True

    def _release(self) -> None:
        if self._opened is not None:
            self._opened.reembedding.stop()
            self._opened.context.programs.close()
            self._opened.context.store.close()
            self._opened = None


class Tenant(Opening):
    """What another opening opens, in another space."""

    def __init__(self, opening: Opening, space: str) -> None:
        self._opening = opening
        self._space = space

    def open(self) -> Opened:
        """Return what the other opens, but for the space."""
        opened = self._opening.open()
        return opened._replace(context=opened.context._replace(space=self._space))

    def close(self) -> None:
        """Leave it open for the others."""


def open_context(settings: Settings) -> Context:
    """Open the store and the embedders that the settings name."""
    with _LOADING:
        static, lexicon = _shipped_model()
    chosen = None if settings.embedder == "static" else _open_chosen(settings)
    texts = Texts(static, lexicon, chosen)

    def analyse(memory: Indexed) -> Analysis:
        return texts.analyse([memory])[0]

    programs = Programs(lambda: open_runner(settings), settings.programs_per_minute)
    return Context(open_store(settings.url, analyse), texts, programs, now, settings.space)


# Reading arrays from two threads at once fails now and then in some versions of Python.
_LOADING = threading.Lock()


@cache
def _shipped_model() -> tuple[Embedder, Lexicon]:
    """Load the static model once, for all memories of this process."""
    from milepost.embedding.lexicon import StaticLexicon
    from milepost.embedding.static import StaticEmbedder

    static = StaticEmbedder()
    return static, StaticLexicon(static)


def open_runner(settings: Settings) -> CodeRunner:
    """Return the sandbox that the settings ask for; nothing of it runs yet."""
    from milepost.sandbox import open_sandbox

    if settings.sandbox == "off":
        raise SandboxUnavailable("Programs are switched off by the setting sandbox.")
    folder = Path(settings.cache_folder) / "sandbox"
    return open_sandbox(folder, strict=settings.sandbox == "strict")


def _open_chosen(settings: Settings) -> FallibleEmbedder:
    from milepost.embedding import open_embedder
    from milepost.embedding.cache import CachingEmbedder
    from milepost.embedding.fallback import ResilientEmbedder

    embedder = open_embedder(
        settings.embedder, keys=settings.embedder_keys, models_folder=Path(settings.models_folder)
    )
    return ResilientEmbedder(CachingEmbedder(embedder))


def now() -> int:
    """Return the time in microseconds since the epoch."""
    return time.time_ns() // 1_000


def settings_for(path_or_url: str | PathLike[str], space: str | None = None) -> Settings:
    """Return the settings in force, but for another store or space."""
    given = load_settings()
    if not isinstance(path_or_url, str | PathLike) or not isinstance(fspath(path_or_url), str):
        raise InvalidInput("connect takes a path or a URL, such as connect('notes.db').")
    chosen = given.space if space is None else validation.name("space", space)
    return given._replace(url=fspath(path_or_url), space=chosen)


def open_memory(settings: Settings) -> Milepost:
    """Return the operations over the store that the settings name, opened."""
    opening = Opening(lambda: settings)
    opening()
    return Milepost(opening)


default = Milepost(Opening(load_settings))
