"""Put into words why a memory stands where it stands in the answer to a question."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from milepost.memory.context import Context, short_hash
from milepost.memory.search import POOL_SIZE
from milepost.memory.values import Filter, Placement, Record

if TYPE_CHECKING:
    from milepost.ranking.explaining import Reasons


def explanation(context: Context, query: str, record: Record, where: Filter) -> Placement:
    """Explain a memory's place by the computation that a search makes."""
    from milepost.ranking.explaining import reasons

    name = short_hash(context, record.hash)
    probe = context.texts.probe(query)
    pool = context.store.candidates.find(probe, where, POOL_SIZE)
    rows = (pool.ids == record.id).nonzero()[0]
    if len(rows) == 0:
        return Placement(name, None, 0.0, shown=False, reasons=(_absent(record, where),))
    found = reasons(pool, probe, int(rows[0]))
    lines = tuple(_lines(context, found))
    return Placement(name, found.place, round(found.chance, 3), found.shown, lines)


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
        (rival,) = context.store.memories.records([found.rival])
        gains = sorted(found.beside.items(), key=lambda pair: -abs(pair[1]))
        told = ", ".join(f"{about} {gain:+.1f}" for about, gain in gains)
        yield f"beside {short_hash(context, rival.hash)}: {told}"
