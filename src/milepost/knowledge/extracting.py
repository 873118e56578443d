"""Let a language model read memories for the graph: within a budget, each once, resumable."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from milepost.deadline import time_is_up, without_deadline
from milepost.errors import StoreBusy
from milepost.knowledge.model_answers import as_told, configured, data_line
from milepost.knowledge.read_graph import TASK, read
from milepost.knowledge.values import GraphExtraction, Learned
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.reserved import RESERVED
from milepost.memory.search import filter_for
from milepost.memory.values import Filter, Record
from milepost.operation import operation
from milepost.ports import LanguageModel, Unanswered, Work
from milepost.text.tokens import at_most, estimate
from milepost.waiting import Waiting

_TOPIC = "graph read by"
# What stands for all projects.
_ALL = ""
# A run that says nothing for so long was killed: a model is waited for a minute.
_BUSY_US = 90 * 1_000_000
_LIMIT_MAX = 10_000
# What is told at once; more than that of a memory is not read.
_NOTES_MAX, _NOTE_CHARS, _CHARS_MAX = 12, 2_000, 8_000
# What a model may answer to one note.
_NOTE_TOKENS = 250
_NO_END = 1 << 40


class State(NamedTuple):
    """Up to which memory a model has read, by project, and until when a run may be under way."""

    until: dict[str, int]
    busy_us: int

    def read(self, project: str, last: int) -> "State":
        """Return this when one project, or all of them, was read up to a memory."""
        until = self.until | {project: max(self.until.get(project, 0), last)}
        everything = until.get(_ALL, 0)
        kept = {name: i for name, i in until.items() if name == _ALL or i > everything}
        return State(kept, self.busy_us)


class Batch(NamedTuple):
    """Memories that are told at once, and the lines that tell them."""

    records: tuple[Record, ...]
    notes: tuple[str, ...]

    @property
    def told(self) -> str:
        """What the model is given."""
        return as_told([f"{number}. {note}" for number, note in enumerate(self.notes, 1)])

    @property
    def tokens_in(self) -> int:
        """What asking costs at most."""
        return at_most(TASK) + at_most(self.told)

    @property
    def tokens_out(self) -> int:
        """What the answer may cost."""
        return _NOTE_TOKENS * len(self.notes)


class Extracting(Service):
    """The operation that lets a model read."""

    @operation("graph", example="extract_graph(limit=100, dry_run=True)")
    def extract_graph(
        self, limit: int = 100, project: str | None = None, dry_run: bool = False
    ) -> GraphExtraction:
        """Let the configured language model read memories for the graph that it has not read yet.

        Names must stand in the memory, relations say that they come from a model, and what does not
        fit is counted and left out. Stopped, it goes on where it was when called again.

        limit: how many memories at most.
        project: only those of this project.
        dry_run: only tell the budget: calls, tokens in, and at most how many out.
        """
        context = self._context
        most = validation.whole("limit", limit, 1, _LIMIT_MAX)
        only_plan = validation.flag("dry_run", dry_run)
        where = filter_for(context, project=project)._replace(home=None, branches=None)
        if only_plan:
            reader = context.model.name if context.model else ""
            return _budget(reader, *_planned(context, where, reader, most))
        model = configured(context)
        with _alone(context, model.name):
            batches, left = _planned(context, where, model.name, most)
            return _Run(context, model, where.project or _ALL).through(batches, left)


@contextmanager
def _alone(context: Context, reader: str) -> Iterator[None]:
    """Let one run be under way at a time: two would pay twice for the same memories."""
    with context.store.writing() as work:
        if _state(work, context.space, reader).busy_us > context.clock():
            raise StoreBusy(f"{reader} is reading for the graph already; try again in a minute.")
        _keep_busy(context, work, reader, _BUSY_US)
    try:
        yield
    finally:
        with without_deadline(), context.store.writing() as work:
            _keep_busy(context, work, reader, 0)


def _keep_busy(context: Context, work: Work, reader: str, time_us: int) -> None:
    state = _state(work, context.space, reader)
    _put(work, context.space, reader, state._replace(busy_us=context.clock() + time_us))


def _planned(
    context: Context, where: Filter, reader: str, most: int
) -> tuple[Sequence["Batch"], int]:
    """Return what is to be read, and how many memories are left then."""
    ids = _unread(context, where, reader)
    records = context.store.memories.records(ids[:most])
    return list(_batches(records)), max(0, len(ids) - most)


class _Run:
    """One run over batches, each of which is read and written down before the next is told."""

    def __init__(self, context: Context, model: LanguageModel, project: str) -> None:
        self._context = context
        self._model = model
        self._project = project

    def through(self, batches: Sequence[Batch], left: int) -> GraphExtraction:
        """Return what came of it, of all batches or of those before something stopped it."""
        progress, total = Waiting("reading memories for the graph"), len(batches)
        run = GraphExtraction(self._model.name, "done")
        for number, batch in enumerate(batches):
            progress(number, total)
            try:
                if time_is_up():
                    raise Unanswered("the time is up")
                run = run.plus(self._read(batch))
            except Unanswered as problem:
                rest = sum(len(each.records) for each in batches[number:])
                return run._replace(state="stopped", why=str(problem), left=left + rest)
        return run._replace(left=left)

    def _read(self, batch: Batch) -> GraphExtraction:
        answer = self._model.ask(TASK, batch.told, batch.tokens_out)
        extractions, refused = read(answer, batch.notes)
        learned = {
            batch.records[number - 1].id: Learned(batch.records[number - 1].hash, extraction)
            for number, extraction in extractions.items()
        }
        # It was paid for: written down even when the time is up by now.
        with without_deadline(), self._context.store.writing() as work:
            self._write(work, learned)
            state = _state(work, self._context.space, self._model.name)
            further = state.read(self._project, batch.records[-1].id)
            _put(work, self._context.space, self._model.name, further)
            _keep_busy(self._context, work, self._model.name, _BUSY_US)
        spent = batch.tokens_in, estimate(answer)
        names = sum(len(each.extraction.entities) for each in learned.values())
        links = sum(len(each.extraction.relations) for each in learned.values())
        counts = names, links, refused
        return GraphExtraction(self._model.name, "done", len(batch.records), 1, *spent, *counts)

    def _write(self, work: Work, learned: dict[int, Learned]) -> None:
        """Write down what is said by memories that were not deleted or changed meanwhile."""
        still = {record.hash for record in work.memories.records(list(learned))}
        told = [each for each in learned.values() if each.hash in still]
        if told:
            work.entities.learn(self._context.space, told, self._context.clock())


def _budget(reader: str, batches: Sequence[Batch], left: int) -> GraphExtraction:
    return GraphExtraction(
        reader,
        "planned",
        sum(len(batch.records) for batch in batches),
        len(batches),
        sum(batch.tokens_in for batch in batches),
        sum(batch.tokens_out for batch in batches),
        left=left,
    )


def _batches(records: Sequence[Record]) -> Iterator[Batch]:
    """Yield records with the lines that tell them, as many at once as may be."""
    held: list[tuple[Record, str]] = []
    size = 0
    for record in records:
        note = data_line(record.content, _NOTE_CHARS)
        if held and (len(held) == _NOTES_MAX or size + len(note) > _CHARS_MAX):
            yield Batch(*zip(*held, strict=True))
            held, size = [], 0
        held.append((record, note))
        size += len(note)
    if held:
        yield Batch(*zip(*held, strict=True))


def _unread(context: Context, where: Filter, reader: str) -> list[int]:
    """Return the memories that pass a filter and that a model has not read, by id."""
    ids = set(_ids(context, where))
    for kind in RESERVED:
        ids.difference_update(_ids(context, where._replace(kind=kind)))
    for project, last in _state(context.store, context.space, reader).until.items():
        mine = ids if project == _ALL else _ids(context, where._replace(project=project))
        ids.difference_update([i for i in mine if i <= last])
    return sorted(ids)


def _ids(context: Context, where: Filter) -> list[int]:
    return context.store.candidates.newest(where, _NO_END)


def _state(work: Work, space: str, reader: str) -> State:
    kept = work.values.get(space, _TOPIC, reader)
    return State(*json.loads(kept)) if kept else State({}, 0)


def _put(work: Work, space: str, reader: str, state: State) -> None:
    work.values.put(space, _TOPIC, reader, json.dumps(list(state)))
