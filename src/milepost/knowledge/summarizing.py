"""Say what many memories say together, in their own sentences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from milepost.knowledge.model_answers import configured
from milepost.knowledge.rewording import reworded
from milepost.knowledge.summaries import Said, central, in_order
from milepost.knowledge.values import Quote, Subject, Summary
from milepost.memory import validation
from milepost.memory.context import Context, Service, short_hashes
from milepost.memory.reserved import RESERVED
from milepost.memory.search import all_matches, filter_for
from milepost.memory.values import BOILERPLATE, INSTRUCTS, Filter, Record
from milepost.operation import operation
from milepost.text.fit import fits

# So many memories are read, and so many subjects told.
_READ, _SUBJECTS, _SENTENCES = 300, 12, 6
_DAYS_MAX = 36_500
_BUDGET = 300
# What wants to instruct whoever reads it, and what says nothing, is not summed up.
_UNTOLD = frozenset((INSTRUCTS, BOILERPLATE))


class Summarize(Service):
    """The operation that sums up."""

    @operation("consolidation", example='summarize(query="login", budget=300)', read_only=True)
    def summarize(
        self,
        query: str | None = None,
        session: str | None = None,
        project: str | None = None,
        days: int | None = None,
        budget: int = _BUDGET,
        model: bool = False,
        min_trust: str | None = None,
    ) -> Summary:
        """Say what many memories say together: their sentences by subject and time, with hashes.

        query: only what a search for this finds.
        session: only what was remembered in this session.
        project: only what belongs to this project.
        days: only what is at most so many days old.
        budget: ceiling in tokens for the text of the result.
        model: let the configured language model word a paragraph for each subject; `by` says
            whether its answer was good enough.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        """
        context = self._context
        ceiling = validation.budget(budget) or _BUDGET
        writer = configured(context) if validation.flag("model", model) else None
        age = None if days is None else validation.whole("days", days, 1, _DAYS_MAX)
        after = age and f"{age} days ago"
        where = filter_for(context, project=project, after=after, min_trust=min_trust)
        records = _records(context, query, session, where)
        subjects = list(_subjects(context, records))
        summary = _fitted(subjects, len(records), ceiling)
        if writer is None or not summary.subjects:
            return summary
        whole = [each.told(_SENTENCES) for each in subjects[: len(summary.subjects)]]
        return reworded(writer, summary, whole, ceiling) or summary


def _records(context: Context, query: str | None, session: object, where: Filter) -> list[Record]:
    """Return the memories that are meant, oldest first."""
    named = context.lenient().intake().optional_name("session", session)
    where = where._replace(session=named)
    if query is None:
        ids = context.store.candidates.newest(where, _READ)
        found = context.store.memories.records(ids)
    else:
        text = validation.query(query)
        rows = list(all_matches(context, text, where, None, _READ))[:_READ]
        hashes = [context.store.memories.hashes(context.space, row.hash, 1)[0] for row in rows]
        records = (context.store.memories.record(context.space, name) for name in hashes)
        found = [record for record in records if record is not None]
    return sorted(
        (r for r in found if r.kind not in RESERVED and not _UNTOLD.intersection(r.marks)),
        key=lambda record: (record.created_us, record.id),
    )


def _subjects(context: Context, records: Sequence[Record]) -> Iterator["_Found"]:
    """Yield what the memories say, the subject of most of them first."""
    import numpy as np

    from milepost.knowledge.material import vectors
    from milepost.knowledge.subjects import ALIKE, label_of, subjects, words_held

    if not records:
        return
    ids = [record.id for record in records]
    rows = vectors(context, ids, context.texts.model).astype(np.float32)
    likeness = rows @ rows.T
    pairs = np.stack(np.nonzero(np.triu(likeness >= ALIKE, 1)), axis=1)
    found = subjects(pairs, likeness[pairs[:, 0], pairs[:, 1]])
    alone = sorted(set(range(len(records))) - {place for places in found for place in places})
    parts = [*sorted(found, key=len, reverse=True)[: _SUBJECTS - 1], *([alone] if alone else [])]
    names = short_hashes(context, [record.hash for record in records])
    usual = words_held(record.content for record in records)
    for places in parts:
        written = [records[place].content for place in places]
        label = label_of(written, usual) if places is not alone else ["other"]
        said = central([(names[place], records[place].content) for place in places], _SENTENCES)
        when = {names[place]: records[place].created_us / 1e6 for place in places}
        yield _Found(" ".join(label), said, when)


def _fitted(found: Sequence["_Found"], memories: int, budget: int) -> Summary:
    """Return as much as fits: fewer sentences of each subject, then fewer subjects."""
    sizes = [(len(found), count) for count in range(_SENTENCES, 0, -1)]
    sizes += [(count, 1) for count in range(len(found) - 1, -1, -1)]
    summaries = (
        Summary(tuple(each.told(count) for each in found[:subjects]), memories)
        for subjects, count in sizes
    )
    return next((each for each in summaries if fits(each, budget)), Summary((), memories))


class _Found(NamedTuple):
    """A subject, its sentences, best first, and when each memory was made."""

    label: str
    said: list[Said]
    when: dict[str, float]

    def told(self, count: int) -> Subject:
        quotes = [Quote(s.name, s.text, self.when[s.name]) for s in in_order(self.said[:count])]
        return Subject(self.label, tuple(quotes))
