"""Put into words why a memory stands where it stands in the answer to a question."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from milepost.memory.context import Context, short_hash
from milepost.memory.freshness import FRESH, freshness_of
from milepost.memory.home import home_of
from milepost.memory.lines import Lines, lines_of
from milepost.memory.search import LINES, POOL_SIZE, judgement_of
from milepost.memory.values import SOURCES, Filter, Placement, Record, trust_of

if TYPE_CHECKING:
    from milepost.ranking.explaining import Reasons


def explanation(context: Context, query: str, record: Record, where: Filter) -> Placement:
    """Explain a memory's place by the computation that a search makes."""
    from milepost.ranking.explaining import reasons
    from milepost.ranking.score import verdict_of

    name = short_hash(context, record.hash)
    probe = context.texts.probe(query)
    pool = context.store.candidates.find(probe, where, POOL_SIZE)
    rows = (pool.ids == record.id).nonzero()[0]
    if len(rows) == 0:
        return Placement(name, None, 0.0, shown=False, reasons=(_absent(record, where),))
    judgement = judgement_of(context, probe, pool)
    found = reasons(pool, probe, judgement, int(rows[0]))
    lines = lines_of(context, probe, where, pool, verdict_of(judgement, None), LINES)
    found = found._replace(shown=found.shown and record.id not in lines.said_by)
    told = (*_lines(context, found), *_beside_others(context, record.id, lines))
    stale = freshness_of(context, home_of(context), [record]).get(record.id, FRESH)
    return Placement(
        name,
        found.place,
        round(found.chance, 3),
        found.shown,
        told,
        gains={about: round(gain, 3) for about, gain in found.gains.items()},
        similarity=round(found.similarity, 3),
        met=found.met,
        akin=found.akin,
        missed=found.missed,
        source=record.source,
        trust=round(trust_of(record.source, record.marks) / len(SOURCES), 2),
        freshness=stale.trust,
    )


def _absent(record: Record, where: Filter) -> str:
    if record.superseded_by is not None:
        return "not looked at: a newer version replaced it"
    if where.project is not None and where.project not in record.projects:
        return f"not looked at: it does not belong to {where.project}"
    return "not among the candidates: it shares no telling word, and others are nearer in meaning"


def _lines(context: Context, found: "Reasons") -> Iterator[str]:
    state = "shown" if found.shown else "not shown"
    where = f"place {found.place} of {found.candidates} candidates"
    yield f"{where}, likely {found.chance:.2f}, {state}"
    if found.silent:
        yield f"silence: the question is answered with a likelihood of {found.answered:.2f} only"
    words = [("meets", found.met), ("nearly", found.akin), ("misses", found.missed)]
    said = "; ".join(f"{what} {', '.join(those)}" for what, those in words if those)
    yield f"words: {said or 'the question has none that tell'}"
    yield f"meaning: {found.similarity:.2f}, the nearest candidate {found.best_similarity:.2f}"
    if found.outdated:
        yield "age: a newer memory says much the same"
    if found.rival is not None and found.beside:
        gains = sorted(found.beside.items(), key=lambda pair: -abs(pair[1]))
        told = ", ".join(f"{about} {gain:+.1f}" for about, gain in gains)
        yield f"beside {_name(context, found.rival)}: {told}"


def _beside_others(context: Context, memory: int, lines: Lines) -> Iterator[str]:
    """Say which line a memory stands in, and which newer one speaks of the same."""
    if memory in lines.said_by:
        yield f"line: {_name(context, lines.said_by[memory])} says the same and stands for it"
    elif memory in lines.said_by.values():
        count = 1 + sum(by == memory for by in lines.said_by.values())
        yield f"line: it stands for {count} memories that say the same"
    if memory in lines.replaced_by:
        newer = _name(context, lines.replaced_by[memory])
        yield f"age: marked as older, {newer} speaks of the same"


def _name(context: Context, memory: int) -> str:
    (record,) = context.store.memories.records([memory])
    return short_hash(context, record.hash)
