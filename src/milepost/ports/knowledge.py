"""What happened, and how things hang together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from milepost.knowledge.values import (
    Clash,
    Entity,
    Event,
    EventDay,
    EventFilter,
    Learned,
    Match,
    Merged,
    Observation,
    Relation,
    Span,
    Walk,
    When,
)


class Events(Protocol):
    """What happened, in order; it is added to and forgotten, never changed."""

    def add(self, space: str, events: Sequence[Event]) -> int:
        """Write down events and return how many of them were new: each id is there once."""

    def find(self, where: EventFilter, limit: int) -> list[Event]:
        """Return the latest events that pass a filter, latest first."""

    def days(self, space: str, project: str | None, after_us: int) -> list[EventDay]:
        """Return what happened since a time by local day, latest first."""

    def remove(self, where: EventFilter) -> int:
        """Forget the events that pass a filter; return how many there were."""

    def count(self, where: EventFilter) -> int:
        """Count the events that pass a filter."""

    def oldest_us(self, space: str) -> int | None:
        """Return when the oldest event was."""

    def since(self, space: str, number: int, limit: int) -> list[tuple[int, Event]]:
        """Return the events that were written down after one, by its number, in that order.

        One that is written down by another at the same time may come with a number before.
        """

    def last(self, space: str) -> int:
        """Return the number of the event that was written down last; 0 where there is none."""


class Entities(Protocol):
    """What memories and callers speak of, by all its names; each name is one entity's."""

    def put(
        self, space: str, name: str, kind: str, metadata: Mapping[str, Any], now_us: int
    ) -> tuple[int, bool]:
        """State that there is an entity; return its number, and whether it was new.

        A known one gains the metadata, and the type unless that is the general one.
        """

    def ensure(self, space: str, names: Sequence[str], now_us: int) -> list[int]:
        """Return the entities that go by these names; who is new goes with what rests on it."""

    def learn(self, space: str, learned: Sequence[Learned], now_us: int) -> None:
        """Write down what memories of the space say; what was learned from one is not again."""

    def ids(self, space: str, names: Sequence[str]) -> list[int | None]:
        """Return the entities that go by these names, None for each that is unknown."""

    def described(
        self, space: str, ids: Sequence[int], when: When, observations: int = 20
    ) -> list[Entity]:
        """Return entities in the order of the ids, with some of what was said of them."""

    def matching(self, space: str, words: Sequence[str]) -> tuple[list[Match], list[Match]]:
        """Return the names, and the sayings about entities, that have most of some words."""

    def visible(self, ids: Sequence[int]) -> list[int]:
        """Return those of some entities that are found, in their order."""

    def mentions(self, space: str, most: int) -> list[tuple[int, int]]:
        """Return which entity each memory names, of those that several name and at most so many."""

    def like(self, space: str, name: str) -> list[str]:
        """Return names that begin alike or hold each other."""

    def page(self, space: str, query: str | None, limit: int) -> list[int]:
        """Return entities in the order they came, those with a text in name, type or sayings."""

    def since(self, space: str, after_us: int, until_us: int, limit: int) -> list[tuple[int, str]]:
        """Return the entities that came between two moments, with their names."""

    def remove(self, entity: int) -> bool:
        """Delete an entity with all that is said of it; False when there is none."""

    def merge(self, space: str, keep: int, other: int, now_us: int) -> Merged:
        """Let all that is said of one entity be said of another, which gains its names."""

    def part(self, undo: Mapping[str, Any]) -> bool:
        """Take a merge back, whatever was merged since; False when what was merged is gone."""

    def deed(self, space: str, number: int) -> tuple[str, dict[str, Any]] | None:
        """Return the kind of a merge or a settled conflict, and what was before."""

    def forget_deed(self, space: str, number: int) -> None:
        """Forget what was before a merge or a settled conflict."""


class Relations(Protocol):
    """How entities stand to each other: assertions, which readers see grouped."""

    def put(
        self,
        space: str,
        ends: tuple[int, int],
        relation: str,
        weight: float,
        span: Span,
        now_us: int,
    ) -> bool:
        """State a relation; said otherwise of the same time it replaces what was said before.

        Return whether it was new.
        """

    def span(self, space: str, ends: tuple[int, int], relation: str, within: Span) -> Span | None:
        """Return from when until when a stated relation holds that holds at some time within."""

    def reach(self, space: str, starts: Sequence[int], walk: Walk, when: When) -> dict[int, int]:
        """Return the entities that a walk reaches, with how many steps it takes."""

    def around(
        self, space: str, reached: Mapping[int, int], walk: Walk, when: When, limit: int
    ) -> tuple[list[Relation], int]:
        """Return the nearest relations of entities that were reached, and how many there are."""

    def holding(self, space: str, when: When, limit: int) -> tuple[list[Relation], int]:
        """Return the heaviest relations that hold, and how many there are."""

    def step(
        self, space: str, entity: int, others: Sequence[int], at_us: int
    ) -> tuple[Relation, int] | None:
        """Return the heaviest relation between an entity and one of others, and which that is."""

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Relation], list[Relation]]:
        """Return what holds at the later moment alone, and what at the earlier."""

    def clashing(self, space: str, words: Sequence[str], source: int | None = None) -> list[Clash]:
        """Return assertions of these words whose times meet and whose targets differ, by source."""

    def end(self, space: str, ends: Mapping[int, int | None], now_us: int) -> int:
        """Let assertions hold until a moment, or None for never; return the number of the deed."""

    def put_back(self, undo: Mapping[str, Any]) -> None:
        """Let assertions hold again as they did."""

    def remove(self, space: str, ends: tuple[int, int], relation: str) -> int:
        """Delete all that says a relation; return how many assertions there were."""

    def lines(
        self, space: str, at_us: int, entities: Sequence[int] | None
    ) -> list[tuple[str, str, str]]:
        """Return source, target and relation of what holds, of some entities or of all."""


class Observations(Protocol):
    """What is said of single entities."""

    def put(self, space: str, entity: int, text: str, span: Span, now_us: int) -> bool:
        """Say something of an entity; False when that is said already."""

    def remove(self, space: str, entity: int, text: str) -> int:
        """Delete what is said of an entity; return how often it was."""

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Observation], list[Observation]]:
        """Return what holds at the later moment alone, and what at the earlier."""
