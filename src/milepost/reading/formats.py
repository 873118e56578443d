"""The table of formats: what each is called, and who reads it."""

from __future__ import annotations

from milepost.values import NamedTuple


class Format(NamedTuple):
    """A format that is read, by the `read` of a module in this package.

    endings: those of the names of such files, in lower case.
    """

    media: str
    module: str
    endings: tuple[str, ...]


FORMATS = (
    Format("markdown", "markdown", (".md", ".markdown", ".mdx")),
    Format("text", "text", (".txt", ".text", ".log")),
)
BY_MEDIA = {known.media: known for known in FORMATS}
BY_ENDING = {ending: known for known in FORMATS for ending in known.endings}
