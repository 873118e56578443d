"""Ask a store what it must find, and look at what it shows: nothing is written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from milepost.measuring.clozes import clozes_of, without_words
from milepost.measuring.figures import FOUND, RECIPROCAL, Outcome
from milepost.measuring.questions import used_questions
from milepost.measuring.values import ASKED, OTHER_WORDS, WORD_FOR_WORD
from milepost.memory.context import Context
from milepost.memory.search import LINES, POOL_SIZE, lines_among, result_of
from milepost.memory.values import Filter, Indexed, Record
from milepost.text.tokens import estimate
from milepost.text.words import question_terms
from milepost.workspace.values import Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.candidates import CandidateSet, Probe

    Vectors = Mapping[str, NDArray[np.float32]]

# Of so many words of its question a memory keeps one.
_ONE_OF = 3
# Not every memory has a sentence that can be cut.
_TRIED = 3
_BATCH = 16

# Told how many questions were asked, of how many.
Progress = Callable[[int, int], None]


PROGRESS: ContextVar[Progress | None] = ContextVar("progress", default=None)


class Question(NamedTuple):
    """A question, and the memory that answers it.

    lacks: words of the question that the memory is taken without.
    """

    text: str
    source: str
    record: Record
    lacks: tuple[tuple[str, tuple[str, ...]], ...] = ()


def questions_for(context: Context, count: int) -> list[Question]:
    """Return what a store is asked: so much by its own sentences, and what people asked lately."""
    return [*_own(context, count), *_asked(context, count)]


def _own(context: Context, count: int) -> list[Question]:
    where = Filter(context.space, context.clock())
    total = context.store.memories.count(where)
    # Which memories are asked for stays the same while others come and go.
    ids = sorted(context.store.candidates.newest(where, total), key=lambda i: crc32(b"%d" % i))
    records = context.store.memories.records(ids[: _TRIED * count])
    by_id = {record.id: record for record in records}
    questions = []
    for text, rest in clozes_of(records)[:count]:
        record = by_id[rest.id]
        questions.append(Question(text, OTHER_WORDS, record, _lacking(context, text)))
        questions.append(Question(text, WORD_FOR_WORD, record))
    return questions


def _lacking(context: Context, question: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words that a memory is taken without: the rarest, which tell most."""
    words = question_terms(question)
    rank = {word.text: word.rank for word in context.texts.probe(question, whole=True).words}
    rarest = sorted(words, key=lambda word: -rank.get(word[0], 0))
    return tuple(rarest[: len(words) - max(len(words) // _ONE_OF, 1)])


def _asked(context: Context, count: int) -> list[Question]:
    asked = []
    for used in used_questions(context, count):
        record = _holding(context, used.memory)
        if record is not None:
            asked.append(Question(used.text, ASKED, record))
    return asked


def _holding(context: Context, name: str) -> Record | None:
    """Return the memory of a name, or what replaced it."""
    full = context.store.memories.hashes(context.space, name, limit=2)
    record = context.store.memories.record(context.space, full[0]) if len(full) == 1 else None
    seen = set[str]()
    while record is not None and record.superseded_by is not None and record.hash not in seen:
        seen.add(record.hash)
        record = context.store.memories.record(context.space, record.superseded_by)
    return record


def outcomes_of(context: Context, questions: Sequence[Question]) -> list[Outcome]:
    """Return what came of each question, as a search shows it to who works nowhere."""
    context = context.at(Place())
    outcomes, progress = list[Outcome](), PROGRESS.get()
    for first in range(0, len(questions), _BATCH):
        if progress is not None:
            progress(first, len(questions))
        batch = questions[first : first + _BATCH]
        outcomes += _outcomes(context, batch)
    return outcomes


def _outcomes(context: Context, batch: Sequence[Question]) -> Iterator[Outcome]:
    lacking = [question for question in batch if question.lacks]
    rests = iter(context.texts.analyse([_without(question) for question in lacking]))
    for question in batch:
        yield _outcome(context, question, next(rests).vectors if question.lacks else {})


def _without(question: Question) -> Indexed:
    record = question.record
    content = without_words(record.content, [word for word, _ in question.lacks])
    return Indexed(record.id, content, record.author, record.created_us)


def _outcome(context: Context, question: Question, vectors: "Vectors") -> Outcome:
    from milepost.ranking.lacking import by_words

    where = Filter(context.space, context.clock())
    probe = context.texts.probe(question.text)
    pool = _candidates(context, probe, where, question, vectors)
    ranked = lines_among(context, probe, pool, where, LINES)
    shown = result_of(context, question.text, ranked, LINES, None)
    return Outcome(
        question.record.hash,
        question.source,
        question.record.kind,
        question.record.created_us,
        _place(context, question, ranked.ids),
        _place(context, question, by_words(pool, probe)),
        not shown.memories,
        estimate(str(shown)),
    )


def _candidates(
    context: Context, probe: "Probe", where: Filter, question: Question, vectors: "Vectors"
) -> "CandidateSet":
    """Return what a search would choose from, where the memory lacks what it is to lack."""
    import numpy as np

    from milepost.ranking.keys import term_key
    from milepost.ranking.lacking import lacking

    pool = context.store.candidates.find(probe, where, POOL_SIZE)
    if not question.lacks:
        return pool
    terms = np.array([term_key(term) for _, alike in question.lacks for term in alike], np.uint32)
    return lacking(pool, probe, question.record.id, terms, vectors)


def _place(context: Context, question: Question, ids: Sequence[int]) -> int | None:
    """Return where the memory stands, or one that says the same: of several one line is shown."""
    if question.record.id in ids[:FOUND]:
        return ids.index(question.record.id)
    records = context.store.memories.records(list(ids[:RECIPROCAL]))
    same = (place for place, record in enumerate(records) if _answers(question, record))
    return next(same, None)


def _answers(question: Question, record: Record) -> bool:
    return record.id == question.record.id or (
        question.source != ASKED and question.text in record.content
    )
