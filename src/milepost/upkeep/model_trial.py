"""Try a model on a store before it is chosen: does it understand these texts better?

Nobody's questions are at hand, so the memories are asked for by their own words: a sentence is cut
in two, and its first half must find the memory, which keeps the other half only. Neither model has
a part in choosing the sentences or the memories. It tells what is gained where the words of a
question are not those of the memory, not how often that is so (`bench/README.md`).
"""

import re
import time
from collections.abc import Callable, Sequence
from math import exp, log, sqrt
from statistics import stdev
from typing import NamedTuple
from zlib import crc32

from milepost.errors import EmbedderError
from milepost.memory.context import Context
from milepost.memory.search import rank_for
from milepost.memory.texts import Texts
from milepost.memory.values import NOT_ANALYSED, Draft, Filter, Indexed, Record
from milepost.text.words import question_terms
from milepost.upkeep.values import Trial

QUESTIONS_MAX = 120
# So many stretches of memories that were stored one after the other, spread over all of them:
# what must be told apart in life is what was said on one occasion.
STRETCHES = 10
STRETCH_LENGTH = 40
# A sentence with fewer words that tell something is not worth cutting, a half asks for nothing.
WORDS_MIN, HALF_WORDS_MIN = 8, 3
# What is longer is no sentence, and of a long memory the beginning is enough.
CHARACTERS_MAX = 400
READ_MAX = 10_000
# With fewer spaces in it than this, a sentence is of a script that writes none.
SPACES_MIN = 5
BATCH = 16

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*")

# Told how many memories were embedded, of how many.
Progress = Callable[[int, int], None]


class Cloze(NamedTuple):
    """The first half of a sentence, and the memory without it."""

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
    ids = context.store.candidates.newest(where, total)[::-1]
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
    contents = [record.content[:READ_MAX] for record in records]
    clozes = [cloze for record in records if (cloze := _cloze(record, contents)) is not None]
    step = max(len(clozes) / QUESTIONS_MAX, 1)
    return [clozes[int(step * i)] for i in range(min(len(clozes), QUESTIONS_MAX))]


def _cloze(record: Record, contents: Sequence[str]) -> Cloze | None:
    """Cut a sentence of a memory, which of them is left to chance; None where there is none."""
    parts = _END.split(record.content[:READ_MAX])
    usable = [part for part in parts if _is_sentence(part)]
    if not usable:
        return None
    sentence = usable[crc32(record.hash.encode()) % len(usable)]
    question, rest = _halves(sentence)
    if _words(question) < HALF_WORDS_MIN or sum(question in text for text in contents) > 1:
        return None  # it says nothing, or others say the same
    return Cloze(question, record._replace(content=record.content.replace(sentence, rest, 1)))


def _is_sentence(text: str) -> bool:
    return len(text) <= CHARACTERS_MAX and _words(text) >= WORDS_MIN


def _words(text: str) -> int:
    return len(question_terms(text))


def _halves(sentence: str) -> tuple[str, str]:
    words, space = sentence.split(), " "
    if len(words) <= SPACES_MIN:
        words, space = list(sentence), ""
    middle = len(words) // 2
    return space.join(words[:middle]), space.join(words[middle:])


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
    """Return where each memory stands, 0 for the first, and how long that took."""
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
    pairs = [(a.rank, b.rank) for a, b in zip(alone, both, strict=True)]
    return Trial(
        model=model,
        memories=memories,
        questions=len(pairs),
        place=(_typical(alone), _typical(both)),
        first=(_firsts(alone), _firsts(both)),
        nearer=sum(b < a for a, b in pairs),
        farther=sum(b > a for a, b in pairs),
        error=_error([log((a + 1) / (b + 1)) for a, b in pairs]),
        ms=(_median_ms(alone), _median_ms(both)),
        ms_a_memory=1e3 * each_s,
    )


def _typical(answers: Sequence[_Answer]) -> float:
    """Return the geometric mean of the places: from 2 to 1 is as much as from 20 to 10."""
    return exp(sum(log(answer.rank + 1) for answer in answers) / max(len(answers), 1))


def _error(gains: Sequence[float]) -> float:
    return stdev(gains) / sqrt(len(gains)) if len(gains) > 1 else 0.0


def _firsts(answers: Sequence[_Answer]) -> int:
    return sum(answer.rank == 0 for answer in answers)


def _median_ms(answers: Sequence[_Answer]) -> float:
    times = sorted(answer.ms for answer in answers)
    return times[len(times) // 2] if times else 0.0
