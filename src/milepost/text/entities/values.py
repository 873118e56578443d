"""What a text names and what it says between names: the words in which extraction speaks."""

from __future__ import annotations

from milepost.values import NamedTuple


class Mention(NamedTuple):
    """A name, what it is the name of, and where it first stands; -1: who says the text."""

    name: str
    type: str = "term"
    start: int = 0


class Link(NamedTuple):
    """What a text states between two of its names, and how that was told."""

    source: str
    relation: str
    target: str
    origin: str = "pattern"
    weight: float = 1.0


class Extraction(NamedTuple):
    """What was read out of a text."""

    entities: tuple[Mention, ...] = ()
    relations: tuple[Link, ...] = ()
