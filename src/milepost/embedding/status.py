"""How an embedder is doing, in words for a person."""

from __future__ import annotations

from typing import NamedTuple


class EmbedderStatus(NamedTuple):
    """Say which model embeds, whether it works now, and what to know about it."""

    model: str
    healthy: bool
    note: str
