"""Write and read many entities at once, in the lines of the reference MCP memory server."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from milepost.deadline import check_time
from milepost.errors import InvalidInput
from milepost.knowledge.entity_names import entities_named
from milepost.knowledge.graph import TEXT_CHARS, now_seen
from milepost.knowledge.values import TERM, GraphImport, Span
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.validation import Intake
from milepost.memory.values import FOREVER
from milepost.operation import operation
from milepost.ports import Work

ITEMS_MAX = 100_000
ENTITY, RELATION = "entity", "relation"
# Entities that are read at a time, and what is read of one at most.
_READ_SIZE, _SAID_MAX = 1_000, 100_000
_ENTITIES_MAX = 10_000_000


class GraphExchange(Service):
    """The operations that take the graph in and give it out as a whole."""

    @operation(
        "graph",
        example='import_graph([{"type": "relation", "from": "Ann", "to": "Acme", '
        '"relationType": "works_at"}])',
        idempotent=True,
    )
    def import_graph(self, items: Sequence[str | Mapping[str, Any]]) -> GraphImport:
        """Write entities and relations in one transaction and return how many were new.

        items: {"type": "entity", "name", "entityType", "observations"} or {"type": "relation",
        "from", "to", "relationType"}, as mappings or as lines of JSON; empty lines are none.
        """
        context, intake = self._context, self._context.intake()
        given, counts = _listed(items), [0, 0, 0]
        with context.store.writing() as work:
            for number, value in enumerate(given, 1):
                check_time()
                if isinstance(value, str) and not value.strip():
                    continue
                try:
                    line = _item(value)
                    write = _write_entity if line["type"] == ENTITY else _write_relation
                    new = write(context, work, intake, line)
                except InvalidInput as problem:
                    raise InvalidInput(f"item {number:,}: {problem}") from problem
                counts = [a + b for a, b in zip(counts, new, strict=True)]
        return intake.told(GraphImport(*counts))

    @operation("graph", example='export_graph(["billing-service"])', read_only=True)
    def export_graph(
        self, entities: Sequence[str] | None = None, query: str | None = None
    ) -> list[str]:
        """Return entities and the relations that hold now, each as a line of JSON.

        entities: only these and their relations.
        query: only those that have this in a name, the type or what was said of them.
        """
        context = self._context
        chosen = _chosen(context, entities, query)
        everything = entities is None and query is None
        when, store = now_seen(context), context.store
        lines: list[dict[str, Any]] = []
        for first in range(0, len(chosen), _READ_SIZE):
            part = chosen[first : first + _READ_SIZE]
            for row in store.entities.described(context.space, part, when, _SAID_MAX):
                named = {"type": ENTITY, "name": row.name, "entityType": row.entity_type}
                lines.append(named | {"observations": list(row.observations)})
        around = None if everything else chosen
        for source, target, relation in store.relations.lines(context.space, when.at_us, around):
            ends = {"type": RELATION, "from": source, "to": target}
            lines.append(ends | {"relationType": relation})
        return [json.dumps(line, ensure_ascii=False) for line in lines]


def _listed(items: object) -> list[object]:
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InvalidInput("items must be a list of mappings, or of lines of JSON.")
    given = list(items)
    if len(given) > ITEMS_MAX:
        raise InvalidInput(f"there may be at most {ITEMS_MAX:,} items, not {len(given):,}.")
    return given


def _item(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as problem:
            raise InvalidInput(f"a line is not JSON: {problem}.") from problem
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind not in (ENTITY, RELATION):
        raise InvalidInput(f'an item must have the type "entity" or "relation", not {kind!r}.')
    return value  # type: ignore[return-value]


def _write_entity(
    context: Context, work: Work, intake: Intake, line: Mapping[str, Any]
) -> tuple[int, int, int]:
    now_us = context.clock()
    kind = intake.name("entityType", line.get("entityType") or TERM)
    said = line.get("observations") or []
    if isinstance(said, str | Mapping) or not isinstance(said, Iterable):
        raise InvalidInput("observations must be a list of texts.")
    name = intake.name("name", line.get("name"))
    entity, new = work.entities.put(context.space, name, kind, {}, now_us)
    texts = [intake.text("an observation", text, TEXT_CHARS) for text in said]
    span = Span(now_us, FOREVER)
    put = work.observations.put
    return new, sum(put(context.space, entity, text, span, now_us) for text in texts), 0


def _write_relation(
    context: Context, work: Work, intake: Intake, line: Mapping[str, Any]
) -> tuple[int, int, int]:
    now_us = context.clock()
    names = [intake.name(end, line.get(end)) for end in ("from", "to")]
    relation = intake.name("relationType", line.get("relationType"))
    source, target = work.entities.ensure(context.space, names, now_us)
    within = Span(now_us, FOREVER)
    if work.relations.span(context.space, (source, target), relation, within):
        return 0, 0, 0
    return 0, 0, work.relations.put(context.space, (source, target), relation, 1.0, within, now_us)


def _chosen(context: Context, entities: object, query: str | None) -> list[int]:
    if entities is not None:
        return sorted(set(entities_named(context, "an entity", _listed(entities))))
    text = None if query is None else validation.query(query)
    return context.store.entities.page(context.space, text, _ENTITIES_MAX)
