"""Cut a text to what a model can read."""

from __future__ import annotations


def clip(text: str, characters_max: int) -> str:
    """Return the start of a text as valid Unicode; models and servers refuse half a surrogate."""
    return text[:characters_max].encode("utf-8", "replace").decode("utf-8")
