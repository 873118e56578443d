"""What a text names, and what it says between names: read without a model, sure before complete."""

from __future__ import annotations

from milepost.text.entities.addresses import find_addresses
from milepost.text.entities.chinese import find_chinese
from milepost.text.entities.page import Page
from milepost.text.entities.quoted import find_quoted
from milepost.text.entities.related import find_related
from milepost.text.entities.relations import links
from milepost.text.entities.values import Extraction, Link, Mention
from milepost.text.entities.words import find_words
from milepost.text.speakers import spoken

__all__ = ["Extraction", "Link", "Mention", "entities_in"]

# What is longer is a file; its beginning says what it is about.
CHARACTERS_MAX = 8_000


def entities_in(text: str, author: str | None = None) -> Extraction:
    """Return what a text names, each once, and what it says between names.

    Who says it, by its own words where no author is given, is among the names where it says
    something of them (at -1 where it does not name them).
    """
    text = text[:CHARACTERS_MAX]
    author = author or spoken(text)[0]
    page = Page(text, author)
    find_addresses(page)
    find_quoted(page)
    if not text.isascii():
        find_chinese(page)
    find_words(page)
    find_related(page)
    page.found.sort(key=_start)
    first: dict[str, Mention] = {}
    for mention in page.found:
        first.setdefault(mention.name.casefold(), mention)
    relations = links(page) if len(first) > 1 or author else ()
    if author and any(link.source == author for link in relations):
        first.setdefault(author.casefold(), Mention(author, "person", -1))
    return Extraction(tuple(first.values()), _spelled(relations, first))


def _spelled(relations: tuple[Link, ...], first: dict[str, Mention]) -> tuple[Link, ...]:
    """Return relations between names as they were first written."""
    return tuple(
        dict.fromkeys(
            link._replace(
                source=first[link.source.casefold()].name,
                target=first[link.target.casefold()].name,
            )
            for link in relations
        )
    )


def _start(mention: Mention) -> int:
    return mention.start
