"""Try a model on a store before it is chosen: would it find more than the static one alone?

Nobody's questions are at hand, so the memories ask for each other: a sentence is taken out of a
memory, and what is left of it must be found by that sentence, among the memories that were stored
around it and elsewhere. Neither model has a part in choosing the sentences or the memories.
"""

import re
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple
from zlib import crc32

from milepost.errors import EmbedderError
from milepost.memory.context import Context
from milepost.memory.search import rank_for
from milepost.memory.texts import Texts
from milepost.memory.values import NOT_ANALYSED, Draft, Filter, Indexed, Record
from milepost.text.words import question_terms
from milepost.upkeep.values import Trial

QUESTIONS_MAX = 60
# So many stretches of memories that were stored one after the other, spread over all of them:
# what must be told apart in life is what was said on one occasion.
STRETCHES = 10
STRETCH_LENGTH = 40
# A sentence with fewer words asks for nothing, and a rest with fewer tells nothing.
WORDS_MIN = 4
# What is longer is no sentence.
CHARACTERS_MAX = 400
BATCH = 16

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*")

# Told how many memories were embedded, of how many.
Progress = Callable[[int, int], None]


class Cloze(NamedTuple):
    """A sentence that was taken out of a memory, and the memory without it."""

    question: str
    rest: Record


def tried(context: Context, beside: Context, progress: Progress) -> Trial:
    """Return what a model would gain on a store.

    beside: an empty store, with the model that is tried.
    """
    chosen = beside.texts.chosen
    assert chosen is not None
    records = _sample(context)
    clozes = clozes_of(records)
    asking = {cloze.rest.id: cloze.rest for cloze in clozes}
    began = time.perf_counter()
    _fill(beside, [asking.get(record.id, record) for record in records], progress)
    each_s = (time.perf_counter() - began) / max(len(records), 1)
    alone = _ranks(beside, context.texts, clozes)
    both = _ranks(beside, beside.texts, clozes)
    return _trial(chosen.model, len(records), each_s, alone, both)


def _sample(context: Context) -> list[Record]:
    """Return stretches of memories, oldest first."""
    where = Filter(context.space, context.clock())
    total = context.store.memories.count(where)
    ids = context.store.candidates.page(where, total).ids[::-1]
    return context.store.memories.records(stretches(ids))


def stretches(ids: Sequence[int]) -> list[int]:
    """Return some of a list, in stretches that are spread evenly over it."""
    if len(ids) <= STRETCHES * STRETCH_LENGTH:
        return list(ids)
    step = (len(ids) - STRETCH_LENGTH) / (STRETCHES - 1)
    starts = [round(step * i) for i in range(STRETCHES)]
    return [i for start in starts for i in ids[start : start + STRETCH_LENGTH]]


def clozes_of(records: Sequence[Record]) -> list[Cloze]:
    """Return what can be asked of memories, spread over all of them."""
    contents = [record.content for record in records]
    clozes = [cloze for record in records if (cloze := _cloze(record, contents)) is not None]
    step = max(len(clozes) / QUESTIONS_MAX, 1)
    return [clozes[int(step * i)] for i in range(min(len(clozes), QUESTIONS_MAX))]


def _cloze(record: Record, contents: Sequence[str]) -> Cloze | None:
    """Take a sentence out of a memory, which of them is left to chance; None if there is none."""
    parts = [part for part in _END.split(record.content) if part]
    usable = [i for i, part in enumerate(parts) if _asks(part) and _tells(_without(parts, i))]
    if not usable:
        return None
    place = usable[crc32(record.hash.encode()) % len(usable)]
    question = parts[place]
    if sum(question in content for content in contents) > 1:
        return None  # others say the same
    return Cloze(question, record._replace(content=_without(parts, place)))


def _without(parts: Sequence[str], place: int) -> str:
    return " ".join([*parts[:place], *parts[place + 1 :]])


def _asks(text: str) -> bool:
    return len(text) <= CHARACTERS_MAX and _tells(text)


def _tells(text: str) -> bool:
    return len(question_terms(text)) >= WORDS_MIN


def _fill(beside: Context, records: Sequence[Record], progress: Progress) -> None:
    """Store memories where the model is tried."""
    chosen = beside.texts.chosen
    for start in range(0, len(records), BATCH):
        progress(start, len(records))
        batch = records[start : start + BATCH]
        analyses = beside.texts.analyse(
            [Indexed(0, record.content, record.author, record.created_us) for record in batch]
        )
        if chosen and chosen.model not in analyses[0].vectors:
            raise EmbedderError(f"{chosen.model} does not answer: {chosen.status().note}.")
        drafts = [_draft(beside, record) for record in batch]
        beside.store.memories.add(
            [draft._replace(analysis=a) for draft, a in zip(drafts, analyses, strict=True)]
        )


def _draft(beside: Context, record: Record) -> Draft:
    fields = record._replace(space=beside.space, metadata={})._asdict()
    taken = {name: fields[name] for name in Draft._fields if name in fields}
    return Draft(**taken, supersedes=None, analysis=NOT_ANALYSED)


class _Answer(NamedTuple):
    rank: int
    ms: float


def _ranks(beside: Context, texts: Texts, clozes: Sequence[Cloze]) -> list[_Answer]:
    """Return where what is left of each memory stands, 0 for the first, and how long that took."""
    asked = beside._replace(texts=texts)
    where = Filter(beside.space, beside.clock())
    answers = []
    for question, rest in clozes:
        record = beside.store.memories.record(beside.space, rest.hash)
        began = time.perf_counter()
        ids = rank_for(asked, question, where, 1, 0.0, whole=True).ids
        ms = 1e3 * (time.perf_counter() - began)
        # What is not among the candidates stands behind all of them.
        place = ids.index(record.id) if record and record.id in ids else len(ids)
        answers.append(_Answer(place, ms))
    return answers


def _trial(
    model: str, memories: int, each_s: float, alone: list[_Answer], both: list[_Answer]
) -> Trial:
    first, five = (
        tuple(sum(answer.rank < most for answer in answers) for answers in (alone, both))
        for most in (1, 5)
    )
    pairs = [(a.rank == 0, b.rank == 0) for a, b in zip(alone, both, strict=True)]
    return Trial(
        model=model,
        memories=memories,
        questions=len(pairs),
        first=(first[0], first[1]),
        five=(five[0], five[1]),
        gained=pairs.count((False, True)),
        lost=pairs.count((True, False)),
        ms=(_median_ms(alone), _median_ms(both)),
        ms_a_memory=1e3 * each_s,
    )


def _median_ms(answers: Sequence[_Answer]) -> float:
    times = sorted(answer.ms for answer in answers)
    return times[len(times) // 2] if times else 0.0
