"""Put the parts together: the object whose methods are all the operations."""

from collections.abc import Mapping
from typing import Any

from milepost.config import Settings, inbox_folder, load_settings
from milepost.errors import NotFound
from milepost.experience.episodes import Episodes
from milepost.experience.patterns.operations import Patterns
from milepost.experience.recommendation import Experience
from milepost.memory import validation
from milepost.memory.remember import Remember
from milepost.memory.search import Search
from milepost.opening import Opening, Tenant, handlers_in
from milepost.programs.execution import Code
from milepost.sessions.briefing import Briefings
from milepost.sessions.digest import enqueue
from milepost.sessions.noticing import Noticing
from milepost.upkeep.admin import Admin
from milepost.upkeep.expenses import Handout, expense_of
from milepost.upkeep.jobs import Worker, run_due
from milepost.upkeep.reembedding import Reembedding


class Milepost(Remember, Search, Briefings, Noticing, Code, Episodes, Patterns, Experience, Admin):
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

    @property
    def worker(self) -> Worker:
        """The thread that does work which was put off; a process that lives long wakes it."""
        return self._opening().worker

    def run_jobs(self, limit: int | None = None) -> int:
        """Do work that was put off and is due, of all spaces; return how many jobs were run."""
        opened = self._opening.open()
        context = opened.context
        enqueue(context, inbox_folder(opened.settings))
        return run_due(handlers_in(context), context.store, context.clock, limit)

    def hand_out(self, given: Handout) -> None:
        """Note in the ledger what a model is given; a memory that was never opened has none."""
        context = self._opening.current
        if context is not None:
            context.ledger.record(lambda: expense_of(context, given))

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


def open_memory(settings: Settings) -> Milepost:
    """Return the operations over the store that the settings name, opened."""
    opening = Opening(lambda: settings)
    opening()
    return Milepost(opening)


default: Milepost = Milepost(Opening(load_settings))
