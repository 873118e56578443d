"""Remember documents, and keep what is remembered of them as their files are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from milepost.deadline import check_time
from milepost.documents.files import Files, Meant, files_of, is_gone, meant_by
from milepost.documents.looking import Cut, Job, Looked, look
from milepost.documents.permission import is_trusted, refuse_outside
from milepost.documents.storing import Labels, Reading, difference, end, labels_of, write
from milepost.documents.values import (
    DocumentEntry,
    DocumentList,
    Ingested,
    StoredDocument,
    Unread,
)
from milepost.errors import InvalidInput, NotFound, Overloaded
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.places import document_named, name_of, named_so
from milepost.memory.remember import delete_records
from milepost.memory.values import Deleted
from milepost.once import settle
from milepost.operation import operation
from milepost.ports import DocumentReader
from milepost.values import remarked
from milepost.waiting import Waiting
from milepost.workspace.values import EVERYWHERE

AUTO, WHOLE = "auto", "none"
CHUNK_MIN, CHUNK_MAX = 20, 20_000
# Files that are looked at side by side, and how far ahead of what is stored.
_READERS, _AHEAD = 2, 6
# Every so many documents what was stored is on disk: a power cut costs reading those again.
_DURABLE_EVERY = 25
# Files that a result names, of which its text tells the first.
_NAMED_MAX = 100
_COUNTED = (
    "documents", "chunks", "changed", "unchanged", "moved", "gone", "ended", "untrusted", "left",
)  # fmt: skip
_NAME_CHARS = 60


class Reader:
    """What reads documents beside a store; nothing of it starts before the first one."""

    def __init__(self, reader: DocumentReader) -> None:
        self.reader = reader

    def close(self) -> None:
        """Stop all that reads."""
        self.reader.close()


class Ingest(Service):
    """The operations on documents."""

    @operation(
        "document",
        example='ingest("docs", tags=["guide"])',
        begins=True,
        aliases=("ingest_document", "ingest_directory"),
        renamed={
            "path": "path_or_glob",
            "file_path": "path_or_glob",
            "directory_path": "path_or_glob",
        },
    )
    def ingest(
        self,
        path_or_glob: str,
        tags: str | Sequence[str] | None = None,
        chunk: str | int = AUTO,
        project: str | None = None,
        dry_run: bool = False,
    ) -> Ingested:
        """Remember documents in pieces that searches name the place of; again, what has changed.

        What a file no longer says, and what files say that are gone, holds no longer.

        path_or_glob: a file, a folder (what .gitignore names is passed by) or a pattern.
        tags: words to filter by, a list or a string with commas.
        chunk: "auto", tokens of a piece, or "none" for whole sections.
        project: the project they belong to, if not the one worked on; "everywhere" for all.
        dry_run: only say what would be stored.
        """
        context = self._context
        only_say, size = validation.flag("dry_run", dry_run), _size(chunk)
        meant, intake = _meant(context, path_or_glob), context.intake()
        named = intake.optional_name("project", project)
        asked = Labels(intake.tags(tags), () if named in (None, EVERYWHERE) else (named,))
        labels = asked if only_say else labels_of(context, intake, tags, project)
        call = _Call(context, Cut(size, labels, asked), dry_run=only_say)
        call.run(meant)
        told = remarked(call.told(), call.hidden)
        if not only_say:
            with context.store.writing() as work:
                settle(work, told, "ingest")
        return told

    @operation("document", example="list_documents(limit=10)", read_only=True)
    def list_documents(self, document: str | None = None, limit: int = 50) -> DocumentList:
        """List the documents that are remembered, by name, with how many pieces each is.

        document: only those of this name, path or folder.
        limit: how many to show at most.
        """
        context, count = self._context, validation.limit(limit)
        found = context.store.documents.every(context.space)
        if document is not None:
            found = named_so(found, name_of(document), folders=True)
        shown = tuple(_entry(one) for one in found[:count])
        return DocumentList(shown, len(found))

    @operation("document", example='forget_document("guide.md")', destructive=True)
    def forget_document(self, document: str, erase: bool = False) -> Deleted:
        """Delete what is remembered of a document: nothing finds it, and undo takes it back.

        Its file stays as it is; ingested again, it is remembered again.

        document: its name or path, as list_documents shows it.
        erase: leave nothing that undo could take back.
        """
        context, gone = self._context, validation.flag("erase", erase)
        one = document_named(context, document)
        pieces = context.store.documents.pieces(context.space, one.id)
        ids = [piece.id for piece in pieces]
        elsewhere = context.store.documents.said_elsewhere(one.id, ids)
        records = context.store.memories.records([i for i in ids if i not in elsewhere])
        with context.store.writing() as work:
            work.documents.end(one.id, context.clock())
            return delete_records(context, records, erase=gone)


def _entry(one: StoredDocument) -> DocumentEntry:
    gone = one.ended_us / 1e6 if one.ended_us else None
    return DocumentEntry(
        one.name, one.path, one.media, one.title, one.pieces, one.session, one.read_us / 1e6, gone
    )


def _size(chunk: object) -> int | None:
    """Return tokens of a piece, 0 for whole sections, None for what suits each."""
    if chunk in (AUTO, WHOLE):
        return None if chunk == AUTO else 0
    if isinstance(chunk, str) and chunk.isdecimal():
        chunk = int(chunk)
    if isinstance(chunk, bool) or not isinstance(chunk, int) or not CHUNK_MIN <= chunk <= CHUNK_MAX:
        raise InvalidInput(
            f'chunk must be "auto", "none" or tokens from {CHUNK_MIN} to {CHUNK_MAX:,}, '
            f"not {chunk!r}."
        )
    return chunk


def _meant(context: Context, path_or_glob: object) -> Meant:
    """Return what a path means to who may have it read."""
    trusted = is_trusted()
    if trusted:
        return meant_by(path_or_glob, context.place.folder or os.getcwd())
    if isinstance(path_or_glob, str) and not os.path.isabs(path_or_glob):
        refuse_outside("", context.ingest_folders)
    meant = meant_by(path_or_glob, os.sep, is_near=False)
    refuse_outside(meant.root, context.ingest_folders)
    return meant


class _Call:
    """One call: looks at files side by side, and stores what they say in their order."""

    def __init__(self, context: Context, cut: Cut, *, dry_run: bool) -> None:
        self._context, self._cut, self._dry_run = context, cut, dry_run
        self._reader = context.part(Reader).reader
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._files = Files([], [], [])
        # Documents whose files are gone, unless they turn up under other names.
        self._lost: dict[int, StoredDocument] = {}
        self._in_part: list[Unread] = []
        self.hidden = 0

    def told(self) -> Ingested:
        """Return what came of it."""
        files = self._files
        return Ingested(
            **self._counts,
            failed=tuple(files.failed[:_NAMED_MAX]),
            failures=len(files.failed),
            skipped=tuple(files.skipped[:_NAMED_MAX]),
            skips=len(files.skipped),
            in_part=tuple(self._in_part[:_NAMED_MAX]),
            parts=len(self._in_part),
            dry_run=self._dry_run,
        )

    def run(self, meant: Meant) -> None:
        """Look at what is meant, and end what was said by files that are gone."""
        self._files = files_of(meant)
        known = {document.path: document for document in self._known(meant)}
        there = set(self._files.paths)
        self._lost = {
            one.id: one
            for one in known.values()
            if one.path not in there and not one.ended_us and meant.means(one.path)
            if is_gone(one.path)
        }
        if not there and not self._lost and not self._files.failed:
            raise _nothing(meant, self._files)
        base = _base(self._context, meant)
        jobs = [Job(path, _name(path, base), known.get(path)) for path in self._files.paths]
        if self._done(jobs):
            for document in self._lost.values():
                self._end(document)

    def _known(self, meant: Meant) -> list[StoredDocument]:
        documents, space = self._context.store.documents, self._context.space
        if meant.is_folder:
            return documents.below(space, meant.root)
        one = documents.at(space, meant.root)
        # What was a folder may be gone as a whole.
        return (
            [one]
            if one
            else []
            if os.path.lexists(meant.root)
            else documents.below(space, meant.root)
        )

    def _done(self, jobs: Sequence[Job]) -> bool:
        """Look at files and store what they say; return whether there was time for all."""
        progress, done = Waiting("reading documents"), 0
        try:
            for looked in self._looked(jobs):
                check_time()
                done += 1
                self._take(looked, durable=done % _DURABLE_EVERY == 0)
                progress(done, len(jobs))
        except Overloaded:
            # Whoever asked from afar waits no longer; what is stored stays, the rest is for later.
            self._counts["left"] = len(jobs) - done
        return not self._counts["left"]

    def _looked(self, jobs: Sequence[Job]) -> Iterator[Looked]:
        waiting: deque[Future[Looked]] = deque()
        with ThreadPoolExecutor(_READERS, "ingest") as readers:
            try:
                for job in jobs:
                    waiting.append(
                        readers.submit(look, self._context, self._reader, job, self._cut)
                    )
                    if len(waiting) >= _AHEAD:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _take(self, looked: Looked, *, durable: bool) -> None:
        job, same, reading = looked.job, looked.same, looked.reading
        if same is not None and same.path != job.path:
            self._move(job, same)
        elif same is not None:
            self._counts["unchanged"] += 1
            if job.known is not None and same.signature != job.known.signature:
                self._put(same)
        elif reading is not None:
            self._store(job, reading, durable=durable)
            if looked.left_out:
                self._in_part.append(Unread(job.path, looked.left_out))
        else:
            self._files.failed.append(Unread(job.path, looked.problem))

    def _move(self, job: Job, same: StoredDocument) -> None:
        self._counts["moved"] += 1
        self._lost.pop(same.id, None)
        self._put(same._replace(path=job.path, name=job.name))

    def _put(self, document: StoredDocument) -> None:
        if not self._dry_run:
            with self._context.store.writing(durable=False) as work:
                work.documents.put(self._context.space, document, None)

    def _store(self, job: Job, reading: Reading, *, durable: bool) -> None:
        try:
            if self._dry_run:
                written = difference(self._context, reading, self._cut.labels)
            else:
                written = write(self._context, reading, self._cut.labels, durable=durable)
        except InvalidInput as problem:
            self._files.failed.append(Unread(job.path, str(problem)))
            return
        self.hidden += written.hidden
        changed = job.known is not None and not job.known.ended_us
        more = {"documents": 1, "changed": int(changed)}
        more |= {"chunks": written.chunks, "ended": written.ended, "untrusted": written.untrusted}
        for name, count in more.items():
            self._counts[name] += count

    def _end(self, document: StoredDocument) -> None:
        self._counts["gone"] += 1
        self._counts["ended"] += document.pieces if self._dry_run else end(self._context, document)


def _nothing(meant: Meant, files: Files) -> InvalidInput | NotFound:
    if not meant.is_folder:
        return NotFound(f"There is no file {meant.root}.")
    what = "matches" if meant.pattern is not None else "can be read as a document"
    passed = f" {len(files.skipped)} links lead out of it." if files.skipped else ""
    return NotFound(f"Nothing below {meant.root} {what}.{passed}")


def _base(context: Context, meant: Meant) -> str:
    """Return the folder from which on documents are named: the project's, else what lies above."""
    folder = meant.root if meant.is_folder else os.path.dirname(meant.root)
    if context.workspaces is not None and is_trusted():
        project = context.workspaces.at(folder).project
        root = project.root if project.git else ""
        if root and f"{folder}/".startswith(f"{os.path.realpath(root)}/"):
            return os.path.realpath(root)
    return os.path.dirname(folder) if meant.is_folder else folder


def _name(path: str, base: str) -> str:
    """Return what a document is called: its path from a folder on, the end of a long one."""
    name = os.path.relpath(path, base)
    parts = name.split(os.sep)
    while len(name) > _NAME_CHARS and len(parts) > 2:
        parts = parts[1:]
        name = "/".join(("…", *parts))
    return name
