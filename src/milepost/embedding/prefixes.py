"""What is known of models by their names: the words they want before a text, their languages."""

from __future__ import annotations

from typing import Literal, NamedTuple

Purpose = Literal["document", "query"]


class Prefixes(NamedTuple):
    """What goes before a text of each purpose; a model trained with it recalls worse without."""

    query: str = ""
    document: str = ""


_REPRESENT = Prefixes(query="Represent this sentence for searching relevant passages: ")

# The first fragment that occurs in a model's name decides.
_KNOWN = (
    ("arctic-embed2", Prefixes(query="query: ")),
    ("arctic-embed-l-v2", Prefixes(query="query: ")),
    ("arctic-embed-m-v2", Prefixes(query="query: ")),
    ("arctic-embed", _REPRESENT),
    ("mxbai-embed-large", _REPRESENT),
    ("nomic-embed-text", Prefixes(query="search_query: ", document="search_document: ")),
)


# Models that were made for English: what they say of other languages misleads.
_ENGLISH = (
    "arctic-embed-xs", "arctic-embed-s", "arctic-embed-m-long", "mxbai-embed-large", "all-minilm",
    "all-mpnet", "nomic-embed-text-v1", "-en-", "-en@", "-english",
)  # fmt: skip


def knows_english_alone(model: str) -> bool:
    """Whether a model we know by name knows no other language."""
    name = model.lower()
    return any(fragment in name for fragment in _ENGLISH) or name.endswith("-en")


def known_prefixes(model: str) -> Prefixes:
    """Return the prefixes of a model we know by name, else none."""
    name = model.lower()
    return next((prefixes for fragment, prefixes in _KNOWN if fragment in name), Prefixes())
