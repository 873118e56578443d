"""What a text says between the names in it, by the words that stand there."""

from __future__ import annotations

from milepost.text.entities.values import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page


def links(page: Page) -> tuple[Link, ...]:
    """Return what is said between the names of a text."""
    return ()
