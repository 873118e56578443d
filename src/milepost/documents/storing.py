"""Store what a document says: one transaction, in which what it no longer says ends to hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from typing import NamedTuple

from milepost.documents.chunks import Chunk
from milepost.documents.values import Piece, StoredDocument
from milepost.memory.context import Context
from milepost.memory.door import marked, source_of
from milepost.memory.holding import begin_deed
from milepost.memory.home import owner_of
from milepost.memory.remember import content_hash
from milepost.memory.validation import NAME_CHARS_MAX, Intake, known_moment
from milepost.memory.values import (
    DOCUMENT,
    FOREVER,
    NOT_ANALYSED,
    PIECE,
    QUARANTINED,
    Draft,
    Indexed,
)
from milepost.ports import Work
from milepost.text.disguise import visible
from milepost.text.lines import clip

# What the deed is called by which a document took the place of what it was.
INGEST = "ingest"
_HEADING_CHARS = 60
_DIGITS = 6


class Reading(NamedTuple):
    """A document as it was read now: its file, and the pieces it was cut into."""

    path: str
    name: str
    digest: str
    signature: str
    cut: str
    media: str
    title: str
    chunks: Sequence[Chunk]
    written_us: int


class Labels(NamedTuple):
    """What all memories of one call have."""

    tags: tuple[str, ...]
    projects: tuple[str, ...]


class Written(NamedTuple):
    """What came of a document: how many memories are new, hold no longer, wait for a person."""

    chunks: int
    ended: int
    untrusted: int
    hidden: int


def labels_of(context: Context, intake: Intake, tags: object, project: object) -> Labels:
    """Return what callers want their memories to have."""
    owner = owner_of(context, intake, project)
    return Labels(intake.tags(tags), () if owner.project is None else (owner.project,))


def _session_of(context: Context, reading: Reading) -> str:
    """Return the session of a document's memories: its name, if it is no other document's.

    A copy says nothing of its own.
    """
    documents = context.store.documents
    for same in documents.like(context.space, reading.digest):
        return same.session
    short = reading.name[-NAME_CHARS_MAX + _DIGITS + 2 :]
    if not documents.shares_session(context.space, short, reading.path):
        return short
    return f"{short} #{sha256(os.fsencode(reading.path)).hexdigest()[:_DIGITS]}"


def write(context: Context, reading: Reading, labels: Labels, *, durable: bool = True) -> Written:
    """Store a document in place of what it was, if it was known.

    Nothing is learned of it for the graph, which is of what people and agents say.
    """
    known = context.store.documents.at(context.space, reading.path)
    session = known.session if known else _session_of(context, reading)
    intake = context.intake()
    drafts = _drafts(context, intake, reading, session, labels, is_new=known is None)
    kept = {} if known is None else _holding(context, known)
    fresh = [draft for draft in drafts if draft.hash not in kept or not labels_held(kept, draft)]
    ready = {draft.hash: draft for draft in _analysed(context, fresh)}
    # What is shown of a document is no less free of secrets than what it says.
    shown = context.lenient().intake()
    pieces = [
        Piece(0, draft.hash, number, _place(shown, chunk))
        for number, (draft, chunk) in enumerate(zip(drafts, reading.chunks, strict=True))
    ]
    with context.store.writing(durable=durable) as work:
        # Another process may have read it meanwhile.
        known = work.documents.at(context.space, reading.path)
        before = [] if known is None else work.documents.pieces(context.space, known.id)
        work.memories.add(list(ready.values()))
        document = _document(shown, reading, session, known, context.clock())
        number = work.documents.put(context.space, document, pieces)
        ended = _end_former(context, work, number, before, [draft.hash for draft in drafts])
    new = [draft for draft in ready.values() if draft.hash not in kept]
    waits = sum(draft.standing == QUARANTINED for draft in new)
    return Written(len(new), ended, waits, intake.hidden)


def difference(context: Context, reading: Reading, labels: Labels) -> Written:
    """Return what would come of a document if it was stored."""
    known = context.store.documents.at(context.space, reading.path)
    intake = context.intake()
    session = known.session if known else reading.name
    drafts = _drafts(context, intake, reading, session, labels, is_new=known is None)
    kept = {} if known is None else _holding(context, known)
    new = {draft.hash: draft for draft in drafts if draft.hash not in kept}
    waits = sum(draft.standing == QUARANTINED for draft in new.values())
    left = len(kept.keys() - {draft.hash for draft in drafts})
    return Written(len(new), left, waits, intake.hidden)


def end(context: Context, document: StoredDocument) -> int:
    """Let what a document says hold no longer, for its file is gone; return how much that was."""
    with context.store.writing() as work:
        pieces = work.documents.pieces(context.space, document.id)
        work.documents.end(document.id, context.clock())
        return _end_former(context, work, document.id, pieces, [])


def _document(
    shown: Intake, reading: Reading, session: str, known: StoredDocument | None, now_us: int
) -> StoredDocument:
    title = clip(reading.title, NAME_CHARS_MAX)
    return StoredDocument(
        known.id if known else 0,
        reading.path,
        shown.name("the name of the file", clip(reading.name, NAME_CHARS_MAX)),
        session,
        reading.digest,
        reading.signature,
        reading.cut,
        reading.media,
        shown.name("the title", title) if visible(title).strip() else "",
        now_us,
    )


def _drafts(
    context: Context,
    intake: Intake,
    reading: Reading,
    session: str,
    labels: Labels,
    *,
    is_new: bool,
) -> list[Draft]:
    now, source = context.clock(), source_of(context, DOCUMENT)
    session = intake.name("the name of the document", session)
    drafts = []
    for chunk in reading.chunks:
        content = intake.content(chunk.text)
        written = known_moment(chunk.created)
        written = reading.written_us if written is None else written
        author = clip(chunk.author, NAME_CHARS_MAX) or None
        drafts.append(
            Draft(
                space=context.space,
                hash=content_hash(content),
                content=content,
                kind=PIECE,
                tags=labels.tags,
                metadata={},
                session=session,
                author=intake.optional_name("author", author),
                projects=labels.projects,
                recorded_us=now,
                created_us=written,
                # What took the place of something else holds since that was seen.
                valid_from_us=written if is_new else now,
                supersedes=None,
                analysis=NOT_ANALYSED,
                source=source,
            )
        )
    return marked(drafts, are_said=False)


def _holding(context: Context, known: StoredDocument) -> dict[str, tuple[set[str], set[str]]]:
    """Return by hash the tags and projects of the memories that a document is."""
    pieces = context.store.documents.pieces(context.space, known.id)
    current = [piece.id for piece in pieces if piece.number >= 0]
    return {
        record.hash: (set(record.tags), set(record.projects))
        for record in context.store.memories.records(current)
        if record.valid_to_us == FOREVER
    }


def labels_held(kept: dict[str, tuple[set[str], set[str]]], draft: Draft) -> bool:
    """Whether a memory that is kept has the labels of a draft of the same text already."""
    tags, projects = kept[draft.hash]
    return tags.issuperset(draft.tags) and projects.issuperset(draft.projects)


def _analysed(context: Context, drafts: Sequence[Draft]) -> list[Draft]:
    drafts = list({draft.hash: draft for draft in drafts}.values())
    analyses = context.texts.analyse(
        [Indexed(0, draft.content, draft.author, draft.created_us) for draft in drafts]
    )
    pairs = zip(drafts, analyses, strict=True)
    return [draft._replace(analysis=analysis) for draft, analysis in pairs]


def _end_former(
    context: Context, work: Work, document: int, before: Sequence[Piece], now: Sequence[str]
) -> int:
    """Let what a document no longer says end, or be replaced by what stands there instead."""
    old = [piece for piece in before if piece.number >= 0]
    said = set(now)
    left = [piece for piece in old if piece.hash not in said]
    elsewhere = work.documents.said_elsewhere(document, [piece.id for piece in left])
    records = {record.id: record for record in work.memories.records([p.id for p in left])}
    # What somebody else said as well is theirs.
    gone = {
        memory_id
        for memory_id, record in records.items()
        if memory_id not in elsewhere
        and record.source == DOCUMENT
        and record.valid_to_us == FOREVER
    }
    if not gone:
        return 0
    deed, at = begin_deed(context, work, INGEST), context.clock()
    heirs = _heirs([piece.hash for piece in old], now)
    ids = {piece.hash: piece.id for piece in work.documents.pieces(context.space, document)}
    ending = []
    for place, piece in enumerate(old):
        heir = ids.get(heirs.get(place, ""))
        if piece.id in gone and heir is not None:
            work.memories.supersede(piece.id, heir, at, deed)
        elif piece.id in gone:
            ending.append(piece.id)
    work.memories.end(ending, at, deed)
    return len(gone)


def _heirs(old: Sequence[str], new: Sequence[str]) -> dict[int, str]:
    """Return by the place of what went what stands there instead, if anything does."""
    heirs = {}
    for kind, begin, end, first, after in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "replace":
            for place in range(begin, end):
                heirs[place] = new[min(first + place - begin, after - 1)]
    return heirs


def _place(shown: Intake, chunk: Chunk) -> str:
    """Return where a piece stands, after the name of its document: page or line, and heading."""
    heading = clip(chunk.symbol or (chunk.heading[-1] if chunk.heading else ""), _HEADING_CHARS)
    heading = shown.name("the heading", heading) if visible(heading).strip() else ""
    if chunk.page is not None:
        return f" p. {chunk.page}" + (f", {heading}" if heading else "")
    if chunk.line is not None:
        return f":{chunk.line}" + (f" {heading}" if heading else "")
    return f", {heading}" if heading else ""
