"""Compare the embedder in use with another on a store: does that one understand its texts better?

The memories are asked for by halves of their own sentences, and keep the other half only. It tells
what is gained where the words of a question are not those of the memory, not how often that is so
(`bench/README.md`).
"""

import time
from collections.abc import Callable, Sequence
from math import exp, log
from typing import NamedTuple

from milepost.errors import EmbedderError
from milepost.measuring.clozes import Cloze, clozes_of
from milepost.measuring.figures import difference, is_found
from milepost.measuring.values import HELPS, HURTS, NO_DIFFERENCE, Trial
from milepost.memory.context import Context
from milepost.memory.search import rank_for
from milepost.memory.texts import Texts
from milepost.memory.values import NOT_ANALYSED, Analysis, Draft, Filter, Indexed, Record
from milepost.text.tokens import estimate

QUESTIONS_MAX = 120
# So many stretches of memories that were stored one after the other, spread over all of them:
# what must be told apart in life is what was said on one occasion.
STRETCHES = 10
STRETCH_LENGTH = 40
BATCH = 16
_VERDICTS = (HELPS, NO_DIFFERENCE, HURTS)

# Told how many memories were embedded, of how many.
Progress = Callable[[int, int], None]


def tried(context: Context, beside: Context, progress: Progress) -> Trial:
    """Return what an embedder would gain on a store, beside or in place of the one it has.

    beside: an empty store, with the embedder that is tried.
    """
    records = _sample(context)
    clozes = spread(clozes_of(records), QUESTIONS_MAX)
    asking = {cloze.rest.id: cloze.rest for cloze in clozes}
    took_s = _fill(beside, context.texts, [asking.get(r.id, r) for r in records], progress)
    before = _answers(beside, context.texts, clozes)
    after = _answers(beside, beside.texts, clozes)
    pairs = [(was.place, now.place) for was, now in zip(before, after, strict=True)]
    told = difference([(log(now + 1), log(was + 1)) for was, now in pairs], _VERDICTS)
    return Trial(
        model=_model(beside.texts),
        instead_of=_model(context.texts),
        memories=len(records),
        questions=len(pairs),
        place=(_typical(before), _typical(after)),
        first=(_firsts(before), _firsts(after)),
        found=(_found(before), _found(after)),
        nearer=sum(now < was for was, now in pairs),
        farther=sum(now > was for was, now in pairs),
        gain=told.mean,
        low=told.low,
        high=told.high,
        verdict=told.verdict,
        ms=(_median_ms(before), _median_ms(after)),
        ms_a_memory=1e3 * took_s / max(len(records), 1),
        tokens_a_memory=sum(estimate(r.content) for r in records) / max(len(records), 1),
        dimensions=_dimensions(beside.texts),
    )


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


def spread(clozes: Sequence[Cloze], most: int) -> list[Cloze]:
    """Return so many of them, from everywhere."""
    step = max(len(clozes) / most, 1)
    return [clozes[int(step * i)] for i in range(min(len(clozes), most))]


def _model(texts: Texts) -> str:
    return texts.asked[-1]


def _fill(beside: Context, in_use: Texts, records: Sequence[Record], progress: Progress) -> float:
    """Store memories where both are asked; return how long the one that is tried took."""
    took_s = 0.0
    for start in range(0, len(records), BATCH):
        progress(start, len(records))
        batch = records[start : start + BATCH]
        memories = [Indexed(r.id, r.content, r.author, r.created_us) for r in batch]
        began = time.perf_counter()
        analyses = _analysed(beside.texts, memories)
        took_s += time.perf_counter() - began
        if in_use.chosen is not None:
            known = _analysed(in_use, memories)
            analyses = [
                mine._replace(vectors={**theirs.vectors, **mine.vectors})
                for mine, theirs in zip(analyses, known, strict=True)
            ]
        drafts = [_draft(beside, record) for record in batch]
        beside.store.memories.add(
            [draft._replace(analysis=a) for draft, a in zip(drafts, analyses, strict=True)]
        )
    return took_s


def _analysed(texts: Texts, memories: Sequence[Indexed]) -> list[Analysis]:
    analyses = texts.analyse(memories)
    if texts.chosen is not None and texts.chosen.model not in analyses[0].vectors:
        told = texts.chosen.status()
        raise EmbedderError(f"{told.model} does not answer: {told.note}.")
    return analyses


def _draft(beside: Context, record: Record) -> Draft:
    fields = record._replace(space=beside.space, metadata={})._asdict()
    taken = {name: fields[name] for name in Draft._fields if name in fields}
    return Draft(**taken, supersedes=None, analysis=NOT_ANALYSED)


class _Answer(NamedTuple):
    place: int
    ms: float


def _answers(beside: Context, texts: Texts, clozes: Sequence[Cloze]) -> list[_Answer]:
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


def _typical(answers: Sequence[_Answer]) -> float:
    """Return the geometric mean of the places: from 2 to 1 is as much as from 20 to 10."""
    return exp(sum(log(answer.place + 1) for answer in answers) / max(len(answers), 1))


def _firsts(answers: Sequence[_Answer]) -> int:
    return sum(answer.place == 0 for answer in answers)


def _found(answers: Sequence[_Answer]) -> int:
    return sum(is_found(answer.place) for answer in answers)


def _median_ms(answers: Sequence[_Answer]) -> float:
    times = sorted(answer.ms for answer in answers)
    return times[len(times) // 2] if times else 0.0


def _dimensions(texts: Texts) -> int:
    vectors = texts.analyse([Indexed(0, "how long is it?", None, 0)])[0].vectors
    return len(vectors[_model(texts)])
