"""Say how things hang together: entities, relations between them, what is known of each."""

import json
from collections.abc import Mapping
from typing import Any

from milepost.errors import InvalidInput, NotFound
from milepost.knowledge.entity_names import entity_named
from milepost.knowledge.values import (
    STATED,
    TERM,
    Entity,
    GraphDeletion,
    Observation,
    Relation,
    Span,
    When,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.keeping import refuse_held
from milepost.memory.validation import Moment
from milepost.memory.values import FOREVER
from milepost.operation import operation

TEXT_CHARS = 20_000
_WEIGHT_MAX = 1e6


class GraphFacts(Service):
    """The operations that change what is known of entities."""

    @operation(
        "graph",
        example='create_entity("billing-service", "service")',
        idempotent=True,
        renamed={"type": "entity_type"},
    )
    def create_entity(
        self, name: str, entity_type: str = TERM, metadata: Mapping[str, Any] | None = None
    ) -> Entity:
        """State that there is a thing to speak of; a name, whatever its case, is one entity.

        name: what it is called.
        entity_type: what it is, such as service, package, file, person, decision.
        metadata: anything else to keep with it, as JSON.
        """
        context, intake = self._context, self._context.intake()
        called, kind = intake.name("name", name), intake.name("entity_type", entity_type)
        fields, now_us = intake.metadata(metadata), context.clock()
        entity, _ = context.store.entities.put(context.space, called, kind, fields, now_us)
        return intake.told(described(context, entity))

    @operation(
        "graph",
        example='create_relation("billing-service", "uses", "PostgreSQL")',
        idempotent=True,
        renamed={"from": "source", "to": "target", "relation_type": "relation"},
    )
    def create_relation(
        self,
        source: str,
        relation: str,
        target: str,
        weight: float = 1.0,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
    ) -> Relation:
        """State how one entity stands to another; those that are not known yet are made.

        Said again with other times or another weight, it takes the place of what was said before.

        source: the name of the entity it goes out from.
        relation: how it stands to the other, in active voice, such as uses, works_at.
        target: the name of the other entity.
        weight: how much it counts when only some relations are shown.
        valid_from: since when it holds, if not since now.
        valid_to: until when it holds, if that is known.
        """
        context, intake = self._context, self._context.intake()
        names = intake.name("source", source), intake.name("target", target)
        said, heavy, now_us = intake.name("relation", relation), _weight(weight), context.clock()
        given = _span(valid_from, valid_to, now_us)
        with context.store.writing() as work:
            first, second = work.entities.ensure(context.space, names, now_us)
            span = _whole_span(context, (first, second), said, given, now_us)
            ends = first, second
            work.relations.put(context.space, ends, said, heavy, span, now_us)
        whence, whither = (described(context, entity) for entity in (first, second))
        until = None if span.to_us == FOREVER else span.to_us / 1e6
        return intake.told(
            Relation(
                *(whence.name, whence.entity_type, said, whither.name, whither.entity_type),
                *(heavy, span.from_us / 1e6, until, now_us / 1e6, STATED),
            )
        )

    @operation(
        "graph",
        example='add_observation("billing-service", "retries three times")',
        idempotent=True,
    )
    def add_observation(
        self, entity: str, text: str, valid_from: Moment | None = None
    ) -> Observation:
        """Say something of an entity, which is made if it is not known yet.

        entity: its name.
        text: what there is to say of it.
        valid_from: since when it holds, if not since now.
        """
        context, intake = self._context, self._context.intake()
        name, said = intake.name("entity", entity), intake.text("text", text, TEXT_CHARS)
        now_us = context.clock()
        from_us = validation.moment("valid_from", valid_from, now_us)
        span = Span(now_us if from_us is None else from_us, FOREVER)
        with context.store.writing() as work:
            (known,) = work.entities.ensure(context.space, [name], now_us)
            work.observations.put(context.space, known, said, span, now_us)
        told = described(context, known).name, said, span.from_us / 1e6, None, now_us / 1e6, STATED
        return intake.told(Observation(*told))

    @operation("graph", example='delete_entity("JSONB")', destructive=True, idempotent=True)
    def delete_entity(self, entity: str) -> GraphDeletion:
        """Delete an entity with its relations and all that was said of it, for good.

        entity: its name.
        """
        context = self._context
        known = entity_named(context, "entity", entity)
        found = described(context, known)
        about = json.dumps(found.metadata, ensure_ascii=False)
        texts = (found.name, *found.aliases, *found.observations, about)
        refuse_held(context, statements=texts)
        gone = context.store.entities.remove(known)
        return GraphDeletion(int(gone), found.name)

    @operation(
        "graph",
        example='delete_relation("billing-service", "uses", "PostgreSQL")',
        destructive=True,
        idempotent=True,
    )
    def delete_relation(self, source: str, relation: str, target: str) -> GraphDeletion:
        """Delete all that says that one entity stands so to another, for good.

        To say that it holds no more, give create_relation a valid_to.

        source: the name of the entity it goes out from.
        relation: how it stands to the other.
        target: the name of the other entity.
        """
        context = self._context
        ends = entity_named(context, "source", source), entity_named(context, "target", target)
        said = context.lenient().intake().name("relation", relation)
        refuse_held(context, statements=(f"{source} {said} {target}",))
        gone = context.store.relations.remove(context.space, ends, said)
        if not gone:
            raise NotFound(f"Nothing says {source} {said} {target}; see neighbours({source!r}).")
        return GraphDeletion(gone, f"{source} {said} {target}")

    @operation(
        "graph",
        example='delete_observation("billing-service", "retries three times")',
        destructive=True,
        idempotent=True,
    )
    def delete_observation(self, entity: str, text: str) -> GraphDeletion:
        """Delete something that was said of an entity, for good.

        entity: its name.
        text: what was said, word for word.
        """
        context = self._context
        known = entity_named(context, "entity", entity)
        said = context.lenient().intake().text("text", text, TEXT_CHARS)
        refuse_held(context, statements=(f"{entity} {said}",))
        gone = context.store.observations.remove(context.space, known, said)
        if not gone:
            raise NotFound(f"Nobody said so of {entity}; see neighbours({entity!r}).")
        return GraphDeletion(gone, f"{entity}: {said}")


def now_seen(context: Context) -> When:
    """Return what is seen of the graph by default: what holds now, as far as it is known now."""
    return When(context.clock(), FOREVER)


def described(context: Context, entity: int) -> Entity:
    """Return an entity as callers see it."""
    return context.store.entities.described(context.space, [entity], now_seen(context))[0]


def _weight(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= _WEIGHT_MAX:  # type: ignore[operator]
        raise InvalidInput(f"weight must be a number above 0, not {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _span(
    valid_from: Moment | None, valid_to: Moment | None, now_us: int
) -> tuple[int | None, int | None]:
    from_us = validation.moment("valid_from", valid_from, now_us)
    to_us = validation.moment("valid_to", valid_to, now_us)
    if from_us is not None and to_us is not None and to_us <= from_us:
        raise InvalidInput("valid_to must come after valid_from.")
    return from_us, to_us


def _whole_span(
    context: Context,
    ends: tuple[int, int],
    relation: str,
    given: tuple[int | None, int | None],
    now_us: int,
) -> Span:
    """Return from when until when a relation holds; what is not said stays as it was said."""
    from_us, to_us = given
    end = FOREVER if to_us is None else to_us
    begin = min(now_us, end - 1) if from_us is None else from_us
    relations = context.store.relations
    known = relations.span(context.space, ends, relation, Span(begin, end))
    if known is None:
        return Span(begin, end)
    return Span(
        known.from_us if from_us is None else from_us, known.to_us if to_us is None else to_us
    )
