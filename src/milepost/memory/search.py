"""Read the memory: search, recall, get, and what lies around a memory."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from milepost.deadline import check_time
from milepost.knowledge.values import ALIKE
from milepost.memory import alike, validation
from milepost.memory.branches import held_here
from milepost.memory.context import (
    Context,
    Service,
    find_record,
    full_memory,
    short_hash,
    short_hashes,
)
from milepost.memory.freshness import FRESH, Freshness, freshness_of
from milepost.memory.home import Home, home_of, tree_of
from milepost.memory.hot_reads import given_again
from milepost.memory.places import document_named, places_of, without_lead
from milepost.memory.previews import PREVIEW_CHARS, fit, fit_memory, passage
from milepost.memory.suggestions import suggestions_for
from milepost.memory.texts import day_keys
from milepost.memory.validation import Moment
from milepost.memory.values import (
    INSTRUCTS,
    UNTRUSTED,
    CompactMemory,
    CompactSearchResult,
    Filter,
    Memory,
    Placement,
    Record,
)
from milepost.operation import operation
from milepost.phases import phase
from milepost.ranking.passages import Sought, worth_of
from milepost.text.instructing import names_instruct
from milepost.text.lines import moment
from milepost.workspace.values import EVERYWHERE

if TYPE_CHECKING:
    from milepost.ranking.candidates import CandidateSet, Probe
    from milepost.ranking.score import Judgement, Verdict

# How many lines a search shows where nothing else is said.
LINES = 5
# Candidates whose features are computed; more costs time and finds next to nothing more.
POOL_SIZE = 200
WINDOW_SIZE = 1_000
# Memories whose whole texts are in memory at a time; only their previews are kept.
READ_SIZE = 50


class Ranked(NamedTuple):
    """Memories by falling score, how many matched, and what their passages are chosen by.

    A mark is what the text of a memory says before its passage.
    """

    ids: list[int]
    scores: list[float]
    total: int
    sought: Sought | None = None
    marks: Mapping[int, str] = {}


class Search(Service):
    """The operations that find and show memories."""

    @operation(
        "memory",
        example='search("which database did we choose?", limit=3)',
        read_only=True,
        aliases=("retrieve_memory", "search_memory", "search_memories", "memory_search"),
        renamed={"k": "limit", "n_results": "limit", "top_k": "limit", "memory_type": "kind"},
    )
    def search(
        self,
        query: str,
        limit: int = LINES,
        tags: str | Sequence[str] | None = None,
        match: str = "any",
        kind: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        project: str | None = None,
        min_score: float | None = None,
        budget: int | None = None,
        include_superseded: bool = False,
        as_of: Moment | None = None,
        min_trust: str | None = None,
        document: str | None = None,
    ) -> CompactSearchResult:
        """Find the memories that answer a question, best first; nothing when none is relevant.

        query: what to look for, in words.
        limit: how many to show at most.
        tags: only memories with these tags.
        match: "any" of the tags or "all" of them.
        kind: only this kind.
        after: only memories created at or after this time.
        before: only memories created before this time.
        project: only this project; "everywhere" for all alike, by default all, yours first.
        min_score: least probability of being relevant, from 0 to 1; by default a calibrated one.
        budget: ceiling in tokens for the text of the result.
        include_superseded: also show memories that were replaced.
        as_of: what held at this time.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        document: only what this document says, by its name or path.
        """
        context = self._context
        text, count = validation.query(query), validation.limit(limit)
        ceiling, least = validation.budget(budget), validation.score(min_score)
        where = filter_for(
            context, tags, match, kind, after, before, project, include_superseded, as_of, min_trust
        )
        if document is not None:
            where = where._replace(session=document_named(context, document).session)

        def answer() -> CompactSearchResult:
            ranked = _lines_for(context, text, where, count, least)
            return result_of(context, text, ranked, count, ceiling, where.home)

        return _again(context, where, ("search", text, count, least, ceiling), answer)

    @operation(
        "memory",
        example='recall("what did we decide about auth last week")',
        read_only=True,
        aliases=("recall_memory",),
        renamed={"query": "text", "k": "limit", "n_results": "limit"},
    )
    def recall(
        self,
        text: str,
        limit: int = LINES,
        project: str | None = None,
        budget: int | None = None,
        min_trust: str | None = None,
    ) -> CompactSearchResult:
        """Search in plain language with a time in it: "what broke yesterday", "since March".

        text: the question; a time that is not understood is searched as words.
        limit: how many to show at most.
        project: only this project; "everywhere" for all alike, by default all, yours first.
        budget: ceiling in tokens for the text of the result.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        """
        from milepost.text.asking import the_part_that_asks
        from milepost.text.dates.time_intent import parse_time_intent

        context = self._context
        question, count = validation.query(text), validation.limit(limit)
        ceiling = validation.budget(budget)
        # A time in the talk around a question is not the time that is asked for.
        asked = the_part_that_asks(question)
        intent = parse_time_intent(asked, validation.local(context.clock()))
        where = filter_for(context, project=project, min_trust=min_trust)._replace(
            after_us=None if intent.after is None else validation.micros(intent.after),
            before_us=None if intent.before is None else validation.micros(intent.before),
        )
        if not intent.rest:
            newest = newest_for(context, where, count)
            return result_of(context, question, newest, count, ceiling)

        def answer() -> CompactSearchResult:
            ranked = _lines_for(context, intent.rest, where, count)
            return result_of(context, question, ranked, count, ceiling, where.home)

        asked_for = ("recall", question, intent.rest, count, ceiling)
        return _again(context, where, asked_for, answer)

    @operation("memory", example='search_by_tag(["db", "decision"], match="all")', read_only=True)
    def search_by_tag(
        self,
        tags: str | Sequence[str],
        limit: int = 10,
        match: str = "any",
        project: str | None = None,
        budget: int | None = None,
        min_trust: str | None = None,
    ) -> CompactSearchResult:
        """List the newest memories with a tag.

        tags: a tag or several.
        limit: how many to show at most.
        match: "any" of the tags or "all" of them.
        project: only this project; "everywhere" for all alike, by default all, yours first.
        budget: ceiling in tokens for the text of the result.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        """
        context = self._context
        names, count = validation.some_tags(tags), validation.limit(limit)
        where = filter_for(context, names, match, project=project, min_trust=min_trust)
        ranked = newest_for(context, where, count)
        return result_of(context, ", ".join(names), ranked, count, validation.budget(budget))

    @operation("memory", example='list(search_iter("deploy", batch_size=100))', read_only=True)
    def search_iter(
        self,
        query: str,
        batch_size: int = 50,
        tags: str | Sequence[str] | None = None,
        match: str = "any",
        kind: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        project: str | None = None,
        min_score: float | None = None,
        include_superseded: bool = False,
        as_of: Moment | None = None,
        min_trust: str | None = None,
    ) -> Iterator[CompactMemory]:
        """Go through all matches of a question, best first, however many there are.

        query: what to look for, in words.
        batch_size: how many are read from the store at a time.
        tags: only memories with these tags.
        match: "any" of the tags or "all" of them.
        kind: only this kind.
        after: only memories created at or after this time.
        before: only memories created before this time.
        project: only this project; "everywhere" for all alike, by default all, yours first.
        min_score: least probability of being relevant, from 0 to 1; by default a calibrated one.
        include_superseded: also memories that were replaced.
        as_of: what held at this time.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        """
        context = self._context
        text = validation.query(query)
        size = validation.whole("batch_size", batch_size, 1, validation.LIMIT_MAX)
        least = validation.score(min_score)
        where = filter_for(
            context, tags, match, kind, after, before, project, include_superseded, as_of, min_trust
        )
        return all_matches(context, text, where, least, size)

    @operation(
        "memory",
        example='get("8f7d497f")',
        read_only=True,
        aliases=("get_by_hash", "get_memory"),
        renamed={"memory_id": "hash", "content_hash": "hash", "id": "hash"},
    )
    def get(self, hash: str, budget: int | None = None) -> Memory:
        """Show a whole memory.

        hash: its hash or an unambiguous beginning of it.
        budget: ceiling in tokens for its text, of which the beginning is then shown.
        """
        context = self._context
        ceiling = validation.budget(budget)
        record = find_record(context, hash)
        found = full_memory(context, record)._replace(
            suggestions=suggestions_for(context, record), alike=_alike(context, record)
        )
        found = found._replace(place=places_of(context, [record]).get(record.id, ""))
        stale = freshness_of(context, home_of(context), [record]).get(record.id)
        if stale is not None:
            found = found._replace(marks=(*found.marks, stale.mark))
        return found if ceiling is None else fit_memory(found, ceiling)

    @operation("memory", example='versions("8f7d497f")', read_only=True)
    def versions(self, hash: str) -> list[Memory]:
        """Show all versions of a memory, oldest first: what it replaced, and what replaced it.

        hash: the hash of any of them, or its beginning.
        """
        from milepost.memory.versions import versions_of

        context = self._context
        return [full_memory(context, each) for each in versions_of(context, hash)]

    @operation("memory", example='similar("8f7d497f", limit=3)', read_only=True)
    def similar(
        self,
        hash: str,
        limit: int = LINES,
        budget: int | None = None,
        min_trust: str | None = None,
    ) -> CompactSearchResult:
        """Find the memories nearest in meaning to one.

        hash: the memory's hash or its beginning.
        limit: how many to show at most.
        budget: ceiling in tokens for the text of the result.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        """
        context = self._context
        count, ceiling = validation.limit(limit), validation.budget(budget)
        record = find_record(context, hash)
        ranked = nearest_to(context, record, filter_for(context, min_trust=min_trust), count)
        return result_of(context, short_hash(context, record.hash), ranked, count, ceiling)

    @operation(
        "memory", example='explain("which database did we choose?", "8f7d497f")', read_only=True
    )
    def explain(
        self,
        query: str,
        hash: str,
        project: str | None = None,
        tags: str | Sequence[str] | None = None,
        match: str = "any",
        kind: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        include_superseded: bool = False,
        as_of: Moment | None = None,
        min_trust: str | None = None,
    ) -> Placement:
        """Say why a memory stands where it stands in the answer to a question, or does not.

        query: the question, as it was searched.
        hash: the memory's hash or its beginning.
        project: the project, if the search named one.
        tags: the tags that it named.
        match: "any" of the tags or "all" of them.
        kind: the kind that it named.
        after: the time that it named, from which on memories were created.
        before: the time that it named, before which they were created.
        include_superseded: whether it also showed what was replaced.
        as_of: the time that it named, of which it told what held.
        min_trust: the source that it named, as which memories had to be trusted.
        """
        from milepost.memory.explanation import explanation

        context = self._context
        text = validation.query(query)
        record = find_record(context, hash)
        where = filter_for(
            context, tags, match, kind, after, before, project, include_superseded, as_of, min_trust
        )
        return explanation(context, text, record, where)

    @operation("memory", example='timeline("8f7d497f", before=2, after=2)', read_only=True)
    def timeline(
        self,
        hash: str,
        before: int = 3,
        after: int = 3,
        budget: int | None = None,
        events: bool = False,
        min_trust: str | None = None,
    ) -> CompactSearchResult:
        """Show what was remembered just before and after a memory, oldest first.

        hash: the memory's hash or its beginning.
        before: how many earlier ones.
        after: how many later ones.
        budget: ceiling in tokens for the text of the result.
        events: also what happened meanwhile, as it was recorded.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        """
        context, joining = self._context, validation.flag("events", events)
        earlier = validation.whole("before", before, 0, validation.LIMIT_MAX)
        later = validation.whole("after", after, 0, validation.LIMIT_MAX)
        ceiling = validation.budget(budget)
        record = find_record(context, hash)
        project = record.projects[0] if record.projects else None
        where = filter_for(context, project=project, min_trust=min_trust)
        ids = context.store.candidates.around(record, where, earlier, later)
        ranked = Ranked(ids, [1.0] * len(ids), len(ids))
        name = short_hash(context, record.hash)
        if not joining:
            return result_of(context, name, ranked, len(ids), ceiling)
        from milepost.memory.event_rows import with_events

        result = with_events(context, result_of(context, name, ranked, len(ids), None))
        return result if ceiling is None else fit(result, ceiling, ranked.sought)


def _again(
    context: Context,
    where: Filter,
    asked_for: tuple[Hashable, ...],
    answer: Callable[[], CompactSearchResult],
) -> CompactSearchResult:
    """Return the answer to a question, as it was given before where nothing has changed since."""
    home = home_of(context)
    # Of the time an answer depends on nothing else than what holds then.
    told_to = (home.project, home.branch, home.place.git, tree_of(context) is None)
    about = (*asked_for, where._replace(now_us=0), *told_to)
    result = given_again(context, where.now_us, about, answer)
    return result.read_by(Search(context.anew).get)


def filter_for(
    context: Context,
    tags: object = None,
    match: object = "any",
    kind: object = None,
    after: Moment | None = None,
    before: Moment | None = None,
    project: object = None,
    include_superseded: bool = False,
    as_of: Moment | None = None,
    min_trust: object = None,
) -> Filter:
    """Return the filter that a caller's arguments mean."""
    now, named = context.clock(), context.lenient().intake()
    only = named.optional_name("project", project)
    return Filter(
        space=context.space,
        now_us=now,
        tags=named.tags(tags),
        match_all=validation.match(match),
        kind=named.optional_name("kind", kind),
        project=None if only == EVERYWHERE else only,
        home=None if only else home_of(context).project,
        after_us=validation.moment("after", after, now),
        before_us=validation.moment("before", before, now),
        as_of_us=validation.moment("as_of", as_of, now),
        include_superseded=validation.flag("include_superseded", include_superseded),
        trust_min=validation.trust(min_trust),
    )


def rank_for(
    context: Context,
    text: str,
    where: Filter,
    count: int,
    min_score: float | None = None,
    pool_size: int = POOL_SIZE,
    *,
    whole: bool = False,
) -> Ranked:
    """Return the memories that pass a filter and answer a question, or are like a whole text."""
    from milepost.ranking.score import rank

    probe = context.texts.probe(text, whole=whole)
    pool = _pool(context, probe, where, max(pool_size, 2 * count))
    with phase("ranking"):
        return _ranked(probe, pool, rank(pool, probe, min_score))


def _lines_for(
    context: Context, text: str, where: Filter, count: int, min_score: float | None = None
) -> Ranked:
    """Return what answers a question, as lines: what says the same is one."""
    probe = context.texts.probe(text)
    pool = _pool(context, probe, where, max(POOL_SIZE, 2 * count))
    return lines_among(context, probe, pool, where, count, min_score)


def lines_among(
    context: Context,
    probe: "Probe",
    pool: "CandidateSet",
    where: Filter,
    count: int,
    min_score: float | None = None,
) -> Ranked:
    """Return which of some candidates answer a question, as lines."""
    from milepost.memory.lines import lines_of

    with phase("ranking"):
        verdict = _verdict(context, probe, pool, min_score)
        ranked = _ranked(probe, pool, verdict)
    if not ranked.ids:
        return ranked
    with phase("making lines"):
        lines = lines_of(context, probe, where, pool, verdict, count)
    # What stands for another and what was put before its older self change how many there are.
    total = max(ranked.total - len(lines.said_by), len(lines.ids))
    return ranked._replace(ids=lines.ids, scores=lines.scores, total=total, marks=lines.marks)


def _pool(context: Context, probe: "Probe", where: Filter, size: int) -> "CandidateSet":
    with phase("finding candidates"):
        return context.store.candidates.find(probe, where, size)


def judgement_of(context: Context, probe: "Probe", pool: "CandidateSet") -> "Judgement":
    """Judge candidates, of which there is at least one, by the question and by the best of them."""
    from milepost.ranking.score import judged

    judgement = judged(pool, probe)
    if judgement.silent or not probe.words:
        return judgement
    return led_on(context, probe, pool, judgement)


def led_on(
    context: Context, probe: "Probe", pool: "CandidateSet", judgement: "Judgement"
) -> "Judgement":
    """Let the best candidate lead on to those that speak of the same rare things."""
    from milepost.ranking.bridges import HOLDERS_MAX
    from milepost.ranking.score import bridged

    best = judgement.best
    # Neither a word of the question leads on, nor the day on which something was said.
    asked = probe.terms[(probe.kinship >= 1).any(axis=1)].tolist()
    without = [*asked, *day_keys(int(pool.created[best]))]
    rare = context.store.candidates.rare_words(int(pool.ids[best]), without, HOLDERS_MAX)
    return bridged(judgement, pool, rare)


def _verdict(
    context: Context, probe: "Probe", pool: "CandidateSet", min_score: float | None
) -> "Verdict":
    from milepost.ranking.score import rank, verdict_of

    if pool.size == 0:
        return rank(pool, probe, min_score)
    return verdict_of(judgement_of(context, probe, pool), min_score)


def _ranked(probe: "Probe", pool: "CandidateSet", verdict: "Verdict") -> Ranked:
    total = len(verdict.rows)
    if verdict.all_matches:
        # Every candidate that matches by its words is relevant: so are those beyond the pool.
        total = max(total, pool.matched + verdict.wordless)
    wanted = Sought(partial(worth_of, probe, pool.corpus))
    return Ranked(pool.ids[verdict.rows].tolist(), verdict.chances.tolist(), total, wanted)


def newest_for(context: Context, where: Filter, count: int) -> Ranked:
    """Return the newest memories that pass a filter."""
    page = context.store.candidates.page(where, count)
    return Ranked(page.ids, [1.0] * len(page.ids), page.total)


def nearest_to(context: Context, record: Record, where: Filter, count: int) -> Ranked:
    """Return the memories that are nearest in meaning to one."""
    from milepost.ranking.candidates import wordless_probe
    from milepost.ranking.score import nearest

    probe = wordless_probe(record.content, context.store.candidates.vectors(record.id))
    pool = context.store.candidates.find(probe, where, max(POOL_SIZE, 2 * count))
    ids, scores = nearest(pool, probe)
    found = [(i, s) for i, s in zip(ids, scores, strict=True) if i != record.id][:count]
    return Ranked([i for i, _ in found], [s for _, s in found], len(found))


def all_matches(
    context: Context, text: str, where: Filter, min_score: float | None, size: int
) -> Iterator[CompactMemory]:
    """Yield all that answers a question, so many read at a time."""
    from milepost.ranking.score import rank

    probe, read = context.texts.probe(text), Search(context.anew).get
    seen: set[int] = set()
    home, offset = home_of(context), 0
    while True:
        pool = context.store.candidates.find(probe, where, WINDOW_SIZE, offset)
        # The best of all stands in the first window: what leads on from it does too.
        verdict = (
            rank(pool, probe, min_score) if offset else _verdict(context, probe, pool, min_score)
        )
        ranked = _ranked(probe, pool, verdict)
        fresh = [(i, s) for i, s in zip(ranked.ids, ranked.scores, strict=True) if i not in seen]
        for start in range(0, len(fresh), size):
            batch = fresh[start : start + size]
            rows = ranked._replace(ids=[i for i, _ in batch], scores=[s for _, s in batch])
            shown = _compact(context, rows, home)
            for memory in shown:
                memory.read_by(read)
                yield memory
        if offset == 0:
            # Only the first window has matches by meaning, which may come again by their words.
            seen.update(ranked.ids)
        offset = pool.next_offset
        if not fresh or offset >= pool.matched:
            return


def _compact(context: Context, ranked: Ranked, home: Home) -> list[CompactMemory]:
    parts = [slice(i, i + READ_SIZE) for i in range(0, len(ranked.ids), READ_SIZE)]
    return [memory for part in parts for memory in _shown(context, ranked, part, home)]


def _shown(context: Context, ranked: Ranked, part: slice, home: Home) -> list[CompactMemory]:
    ids = ranked.ids[part]
    by_id = dict(zip(ids, ranked.scores[part], strict=True))
    records = context.store.memories.records(ids)
    names = short_hashes(context, [record.hash for record in records])
    stale, places = freshness_of(context, home, records), places_of(context, records)
    ours = (r.branch for r in records if r.branch and home.project in r.projects)
    here = frozenset((home.branch, *held_here(context, home, ours)))
    rows = [
        (stale.get(record.id, FRESH), name, record)
        for name, record in zip(names, records, strict=True)
    ]
    if ranked.sought is not None:
        # What may no longer hold sinks below what is nearly as likely.
        rows.sort(key=lambda row: -by_id[row[2].id] * row[0].trust)
    return [
        _one(name, record, by_id[record.id], ranked, home, here, fresh, places.get(record.id, ""))
        for fresh, name, record in rows
    ]


def _one(
    name: str,
    record: Record,
    score: float,
    ranked: Ranked,
    home: Home,
    here: Collection[str | None],
    fresh: Freshness,
    place: str,
) -> CompactMemory:
    check_time()
    created = record.created_us / 1e6
    others = alike.count(record.metadata)
    standing = f"{others} alike" if others else ""
    # Who says again what is known may have given it tags.
    instructs = INSTRUCTS in record.marks or names_instruct((*record.tags, record.kind))
    untrusted = UNTRUSTED if instructs else ""
    theirs = ranked.marks.get(record.id, "")
    marks = (place, untrusted, _whose(record, home, here), theirs, standing, fresh.mark)
    mark = ", ".join(filter(None, marks))
    # Where it stands says under which headings, and costs nothing of the passage.
    content = without_lead(record.content) if place else record.content
    shown = passage(content, ranked.sought, PREVIEW_CHARS, mark.removeprefix(place))
    return CompactMemory(name, shown, record.tags, created, round(score, 3)).told(
        kind=record.kind,
        project=_of_projects(record, home.project),
        when=moment(created),
        mark=mark,
    )


def _alike(context: Context, record: Record) -> tuple[str, ...]:
    """Return those that said the same as a memory within a day."""
    links = context.store.links.of(context.space, [record.id])
    ends = (name for link in links if link.kind == ALIKE for name in (link.memory, link.other))
    others = dict.fromkeys(name for name in ends if name != record.hash)
    return tuple(short_hashes(context, list(others)))


def _of_projects(record: Record, home: str | None) -> str | None:
    """Return the project that a memory belongs to; of several the one that is worked on."""
    return home if home in record.projects else next(iter(record.projects), None)


def _whose(record: Record, home: Home, here: Collection[str | None]) -> str:
    """Return what is said of a memory that does not hold where the caller works.

    here: the branches that hold there.
    """
    named = home.project is not None and bool(record.projects)
    elsewhere = named and home.project not in record.projects
    whose = [f"in {record.projects[0]}"] if elsewhere else []
    other_branch = record.branch and (elsewhere or record.branch not in here)
    whose += [f"branch {record.branch}"] if other_branch else []
    return ", ".join(whose)


def result_of(
    context: Context,
    query: str,
    ranked: Ranked,
    limit: int,
    budget: int | None,
    first: str | None = None,
) -> CompactSearchResult:
    """Return the first of what was ranked as lines; those of a project may stand before others."""
    home = home_of(context)
    shown = ranked._replace(ids=ranked.ids[:limit], scores=ranked.scores[:limit])
    with phase("choosing passages"):
        memories = _own_first(_compact(context, shown, home), first, query)
        result = CompactSearchResult(tuple(memories), ranked.total, query)
        result = result if budget is None else fit(result, budget, ranked.sought)
    return result.read_by(Search(context.anew).get)


def _own_first(
    memories: Sequence[CompactMemory], home: str | None, query: str
) -> Sequence[CompactMemory]:
    """Put what belongs to other projects last, but for those that the question names."""
    if home is None:
        return memories
    asked = query.lower()
    return sorted(
        memories,
        key=lambda memory: (
            memory.project not in (None, home) and str(memory.project).lower() not in asked
        ),
    )
