"""Ask how things hang together: now, at another time, and what changed between."""

from collections.abc import Iterable, Mapping, Sequence

from milepost.errors import InvalidInput
from milepost.knowledge.entity_names import entities_named, entity_named, question_words, ranked
from milepost.knowledge.graph import now_seen
from milepost.knowledge.relation_words import backwards
from milepost.knowledge.values import (
    EntityList,
    Graph,
    GraphDiff,
    GraphPath,
    Observation,
    Relation,
    Walk,
    When,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service, short_hashes
from milepost.memory.door import warnings
from milepost.memory.validation import Moment
from milepost.memory.values import FOREVER
from milepost.operation import operation
from milepost.text.naming import word_key

DEPTH_MAX = 5
# Of each entity that a walk comes by, so many relations are followed, the heaviest first.
FAN_OUT, FAN_OUT_MAX = 50, 1_000
_OUT, _IN, _BOTH = DIRECTIONS = ("out", "in", "both")
_ENTITIES_MAX = 100


class GraphReading(Service):
    """The operations that show the graph."""

    @operation(
        "graph",
        example='search_graph("billing")',
        read_only=True,
        renamed={"limit": "max_results"},
    )
    def search_graph(self, query: str, max_results: int = 10) -> EntityList:
        """Find entities by words of their names, aliases, and of what was said of them.

        query: what to look for.
        max_results: how many to show at most.
        """
        context = self._context
        asked = validation.query(query)
        most = validation.whole("max_results", max_results, 1, validation.LIMIT_MAX)
        entities = context.store.entities
        found = entities.visible(
            ranked(asked, *entities.matching(context.space, question_words(asked)))
        )
        shown = entities.described(context.space, found[:most], now_seen(context))
        told = (each._replace(marks=warnings(*each.observations)) for each in shown)
        return EntityList(tuple(told), len(found))

    @operation(
        "graph",
        example='neighbours("billing-service", depth=2)',
        read_only=True,
        aliases=("neighbors",),
    )
    def neighbours(
        self,
        entity: str,
        depth: int = 1,
        relation: str | None = None,
        direction: str = _BOTH,
        as_of: Moment | None = None,
        limit: int = 20,
        fan_out: int = FAN_OUT,
    ) -> Graph:
        """Show an entity and the relations around it, the nearest first.

        What depends on it: neighbours(entity, relation="depends_on", direction="in").

        entity: its name, or another way it is called.
        depth: how many steps away, 1 to 5.
        relation: only along this one; uses backwards is the same as used_by.
        direction: "out" along relations, "in" against them, or "both".
        as_of: as it was at this time.
        limit: how many relations to show at most.
        fan_out: how many relations of each entity are followed at most, the heaviest first.
        """
        context = self._context
        known = entity_named(context, "entity", entity)
        walk = _walk(context, depth, relation, direction, fan_out)
        return _around(context, [known], walk, _when(context, as_of), validation.limit(limit))

    @operation("graph", example='subgraph(["billing-service", "PostgreSQL"])', read_only=True)
    def subgraph(self, entities: Sequence[str], depth: int = 1, limit: int = 50) -> Graph:
        """Show several entities and the relations around them, the nearest first.

        entities: their names.
        depth: how many steps away, 1 to 5.
        limit: how many relations to show at most.
        """
        context = self._context
        known = entities_named(context, "an entity", _names(entities))
        walk = _walk(context, depth, None, _BOTH, FAN_OUT)
        return _around(context, known, walk, now_seen(context), validation.limit(limit))

    @operation("graph", example='find_path("billing-service", "JSONB")', read_only=True)
    def find_path(self, a: str, b: str, max_depth: int = 4) -> GraphPath:
        """Show how one entity is connected to another by the fewest relations, in any direction.

        a: the name of the one.
        b: the name of the other.
        max_depth: how many relations there may be between them, 1 to 5.
        """
        context = self._context
        ends = entity_named(context, "a", a), entity_named(context, "b", b)
        steps = validation.whole("max_depth", max_depth, 1, DEPTH_MAX)
        rows = context.store.entities.described(context.space, ends, now_seen(context))
        path = _path(context, *ends, steps)
        return GraphPath(rows[0].name, rows[1].name, tuple(_shown(context, path)))

    @operation("graph", example='graph_as_of("2026-03-01")', read_only=True)
    def graph_as_of(
        self,
        date: Moment,
        entity: str | None = None,
        known_at: Moment | None = None,
        limit: int = 20,
    ) -> Graph:
        """Show the relations that held at a time, the heaviest first.

        date: the time.
        entity: only those of this one.
        known_at: only what was known at this time, which may be another.
        limit: how many relations to show at most.
        """
        context = self._context
        when, most = _when(context, date, known_at), validation.limit(limit)
        if entity is not None:
            known = entity_named(context, "entity", entity)
            return _around(context, [known], Walk(1, FAN_OUT_MAX), when, most)
        rows, total = context.store.relations.holding(context.space, when, most)
        return Graph((), tuple(_shown(context, rows)), total)

    @operation("graph", example='graph_diff("2026-03-01", "2026-04-01")', read_only=True)
    def graph_diff(
        self, a: Moment, b: Moment, entity: str | None = None, limit: int = 20
    ) -> GraphDiff:
        """Show what began (+) and what ended (-) between two times.

        a: the earlier time.
        b: the later one, such as now.
        entity: only what concerns this one.
        limit: how many of each kind to show at most.
        """
        context, most = self._context, validation.limit(limit)
        after, until = _when(context, a).at_us, _when(context, b).at_us
        if until <= after:
            raise InvalidInput("b must come after a.")
        known = None if entity is None else entity_named(context, "entity", entity)
        # One more than is shown tells that there are more.
        asked = context.space, known, after, until, most + 1
        began, ended = context.store.relations.changed(*asked)
        said, unsaid = context.store.observations.changed(*asked)
        fresh = context.store.entities.since(context.space, after, until, most + 1)
        names = [name for number, name in fresh if known in (None, number)]
        total = len(names) + len(began) + len(ended) + len(said) + len(unsaid)
        return GraphDiff(
            tuple(names[:most]),
            tuple(_shown(context, began[:most])),
            tuple(_shown(context, ended[:most])),
            tuple(_shown_said(context, said[:most])),
            tuple(_shown_said(context, unsaid[:most])),
            total,
        )


def _names(value: object) -> list[object]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput("entities must be a list of names.")
    names = list(value)
    if not 1 <= len(names) <= _ENTITIES_MAX:
        raise InvalidInput(f"there must be 1 to {_ENTITIES_MAX} entities, not {len(names):,}.")
    return names


def _walk(
    context: Context, depth: object, relation: object, direction: object, fan_out: object
) -> Walk:
    steps = validation.whole("depth", depth, 1, DEPTH_MAX)
    fan = validation.whole("fan_out", fan_out, 1, FAN_OUT_MAX)
    if direction not in DIRECTIONS:
        raise InvalidInput(f'direction must be "out", "in" or "both", not {direction!r}.')
    word = context.lenient().intake().optional_name("relation", relation)
    if word is None:
        return Walk(steps, fan, *(None if direction in (way, _BOTH) else () for way in (_OUT, _IN)))
    along, back = (word_key(word),), backwards(word)
    forwards = (along if direction != _IN else ()) + (back if direction != _OUT else ())
    against = (along if direction != _OUT else ()) + (back if direction != _IN else ())
    return Walk(steps, fan, forwards, against)


def _when(context: Context, date: Moment | None, known_at: Moment | None = None) -> When:
    now_us = context.clock()
    at_us = validation.moment("date", date, now_us)
    known_us = validation.moment("known_at", known_at, now_us)
    return When(now_us if at_us is None else at_us, FOREVER if known_us is None else known_us)


def _around(context: Context, starts: Sequence[int], walk: Walk, when: When, limit: int) -> Graph:
    relations = context.store.relations
    reached = dict.fromkeys(starts, 0)
    if walk.depth > 1:
        reached = relations.reach(context.space, starts, walk._replace(depth=walk.depth - 1), when)
    rows, total = relations.around(context.space, reached, walk, when, limit)
    entities = context.store.entities.described(context.space, starts, when)
    return Graph(tuple(entities), tuple(_shown(context, rows)), total)


def _path(context: Context, a: int, b: int, max_depth: int) -> list[Relation]:
    """Return the relations between two entities, found by walking from both until they meet."""
    store, space, when = context.store, context.space, now_seen(context)
    steps = max_depth - max_depth // 2, max_depth // 2
    walks = [Walk(depth, FAN_OUT) for depth in steps]
    sides = [
        store.relations.reach(space, [end], walk, when)
        for end, walk in zip((a, b), walks, strict=True)
    ]
    shared = sides[0].keys() & sides[1].keys()
    if not shared:
        return []
    middle = min(shared, key=lambda entity: (sides[0][entity] + sides[1][entity], entity))
    there, back = (_way_to(context, middle, side, when) for side in sides)
    return [*there[::-1], *back]


def _way_to(
    context: Context, entity: int, reached: Mapping[int, int], when: When
) -> list[Relation]:
    """Return the relations from an entity to the one that a walk began at."""
    way: list[Relation] = []
    for depth in range(reached[entity] - 1, -1, -1):
        nearer = [other for other, away in reached.items() if away == depth]
        step = context.store.relations.step(context.space, entity, nearer, when.at_us)
        if step is None:
            break
        relation, entity = step
        way.append(relation)
    return way


def shown_memories(context: Context, hashes: Iterable[str | None]) -> dict[str, str]:
    """Return by hash what callers call memories."""
    known = list(dict.fromkeys(name for name in hashes if name))
    return dict(zip(known, short_hashes(context, known), strict=True)) if known else {}


def _shown(context: Context, rows: Sequence[Relation]) -> list[Relation]:
    names = shown_memories(context, (row.memory for row in rows))
    return [row._replace(memory=names[row.memory]) if row.memory else row for row in rows]


def _shown_said(context: Context, rows: Sequence[Observation]) -> list[Observation]:
    names = shown_memories(context, (row.memory for row in rows))
    return [row._replace(memory=names[row.memory]) if row.memory else row for row in rows]
