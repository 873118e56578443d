"""Let a language model read memories for the graph: within a budget, each once, resumable."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from milepost.deadline import time_is_up, without_deadline
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

# Up to which memory a model has read, by project; "" stands for all of them.
_TOPIC, _ALL = "graph read by", ""
_LIMIT_MAX = 10_000
# What is told at once; more than that of a memory is not read.
_NOTES_MAX, _NOTE_CHARS, _CHARS_MAX = 12, 2_000, 8_000
# What a model may answer to one note.
_NOTE_TOKENS = 250
_NO_END = 1 << 40


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
        model = context.model if only_plan else configured(context)
        reader = model.name if model else ""
        ids = _unread(context, where, reader)
        batches = list(_batches(context.store.memories.records(ids[:most])))
        left = max(0, len(ids) - most)
        if only_plan or model is None:
            return _budget(reader, batches, left)
        return _Run(context, model, where.project or _ALL).through(batches, left)


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
            _remember(work, self._context.space, self._model.name, self._project, batch.records[-1])
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
    until = _read_until(context.store, context.space, reader)
    ids = set(_ids(context, where))
    for kind in RESERVED:
        ids.difference_update(_ids(context, where._replace(kind=kind)))
    for project, last in until.items():
        mine = ids if project == _ALL else _ids(context, where._replace(project=project))
        ids.difference_update([i for i in mine if i <= last])
    return sorted(ids)


def _ids(context: Context, where: Filter) -> list[int]:
    return context.store.candidates.page(where, _NO_END).ids


def _read_until(work: Work, space: str, reader: str) -> dict[str, int]:
    kept = work.values.get(space, _TOPIC, reader)
    return json.loads(kept) if kept else {}


def _remember(work: Work, space: str, reader: str, project: str, last: Record) -> None:
    """Keep up to which memory a model has read."""
    until = _read_until(work, space, reader)
    until[project] = max(until.get(project, 0), last.id)
    everything = until.get(_ALL, 0)
    until = {name: i for name, i in until.items() if name == _ALL or i > everything}
    work.values.put(space, _TOPIC, reader, json.dumps(until))
