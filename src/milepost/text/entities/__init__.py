"""What a text names, and what it says between names: read without a model, sure before complete."""

from __future__ import annotations

from milepost.text.entities.addresses import find_addresses
from milepost.text.entities.chinese import find_chinese
from milepost.text.entities.page import Page
from milepost.text.entities.quoted import find_quoted
from milepost.text.entities.relations import links
from milepost.text.entities.values import Extraction, Link, Mention
from milepost.text.entities.words import find_words

__all__ = ["Extraction", "Link", "Mention", "entities_in"]

# What is longer is a file; its beginning says what it is about.
CHARACTERS_MAX = 8_000


def entities_in(text: str, author: str | None = None) -> Extraction:
    """Return what a text names, each once, and what it says between names.

    Who says it is among the names (at -1) where the text says something of them.
    """
    page = Page(text[:CHARACTERS_MAX], author)
    find_addresses(page)
    find_quoted(page)
    if not text.isascii():
        find_chinese(page)
    find_words(page)
    page.found.sort(key=_start)
    first: dict[str, Mention] = {}
    for mention in page.found:
        first.setdefault(mention.name.casefold(), mention)
    relations = links(page) if len(first) > 1 or author else ()
    if author and any(author in (link.source, link.target) for link in relations):
        first.setdefault(author.casefold(), Mention(author, "person", -1))
    return Extraction(tuple(first.values()), relations)


def _start(mention: Mention) -> int:
    return mention.start
