"""What the host and a worker that reads say to each other, and how much of it at most."""

from __future__ import annotations

from typing import Annotated

import msgspec

from milepost.documents.values import Document, Section

# From the host: a document to read, whose descriptor comes before it. From a worker: the answer.
READ, ANSWER = 32, 33
ANSWER_BYTES_MAX = 96 << 20
TEXT_MAX, SECTIONS_MAX = 20_000_000, 200_000
_TITLE_MAX, _HEADINGS_MAX, _NOTES_MAX, _NAMES_MAX = 500, 20, 100, 100

_Short = Annotated[str, msgspec.Meta(max_length=_TITLE_MAX)]


class Request(msgspec.Struct, array_like=True):
    """What to read; `cpu_s` is the time by which to end with what is read by then."""

    name: str
    media: str
    cpu_s: float


class _Section(msgspec.Struct, array_like=True):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=TEXT_MAX)]
    heading: Annotated[tuple[_Short, ...], msgspec.Meta(max_length=_HEADINGS_MAX)]
    page: int | None
    line: int | None
    kind: Annotated[str, msgspec.Meta(pattern=r"^(text|code|table|message)$")]
    symbol: _Short
    author: _Short
    created: float | None


class Answer(msgspec.Struct, array_like=True):
    """What was read, or why nothing could be: then `problem` says it and the rest is empty."""

    problem: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    media: _Short = ""
    title: _Short = ""
    sections: Annotated[list[_Section], msgspec.Meta(max_length=SECTIONS_MAX)] = []
    notes: Annotated[tuple[_Short, ...], msgspec.Meta(max_length=_NOTES_MAX)] = ()
    author: _Short = ""
    created: float | None = None
    metadata: Annotated[dict[_Short, _Short], msgspec.Meta(max_length=_NAMES_MAX)] = {}

    def document(self) -> Document:
        """Return the document that was read."""
        return Document(
            self.media,
            self.title,
            tuple(Section(*msgspec.structs.astuple(section)) for section in self.sections),
            self.notes,
            self.author,
            self.created,
            self.metadata,
        )


def answer_of(document: Document) -> Answer:
    """Return a document as an answer, cut where it is too much, which its notes then say."""
    sections: list[_Section] = []
    left, notes = TEXT_MAX, list(document.notes)
    for section in document.sections:
        text = _clean(section.text[:left]).strip("\n")
        if text:
            sections.append(_bounded(section._replace(text=text)))
        if len(section.text) > left or len(sections) == SECTIONS_MAX:
            notes.insert(0, f"cut after {TEXT_MAX - left + len(text):,} characters")
            break
        left -= len(text)
    return Answer(
        media=document.media,
        title=_short(document.title),
        sections=sections,
        notes=tuple(map(_short, notes[:_NOTES_MAX])),
        author=_short(document.author),
        created=document.created,
        metadata={
            _short(name): _short(value)
            for name, value in list(document.metadata.items())[:_NAMES_MAX]
        },
    )


def _bounded(section: Section) -> _Section:
    return _Section(
        section.text,
        tuple(map(_short, section.heading[:_HEADINGS_MAX])),
        section.page,
        section.line,
        section.kind,
        _short(section.symbol),
        _short(section.author),
        section.created,
    )


def _short(text: str) -> str:
    return _clean(" ".join(text[: 2 * _TITLE_MAX].split())[:_TITLE_MAX])


def _clean(text: str) -> str:
    """Return a text without halves of characters, which cannot be told on."""
    if text.isascii():
        return text
    return text.encode("utf-8", "ignore").decode("utf-8")
