"""Look at a file: is it as it was, was it moved, or what does it say now?"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from milepost.documents.chunks import CHUNKING, chunked
from milepost.documents.files import is_gone, opened, signature_of
from milepost.documents.storing import Labels, Reading
from milepost.documents.values import StoredDocument
from milepost.errors import MilepostError, OutOfTime, StoreError
from milepost.memory.context import Context
from milepost.memory.validation import known_moment
from milepost.ports import DocumentReader
from milepost.text.secrets import redact

# A file that was written so shortly before it was read may be written again in the same tick.
_RACY_NS = 2_000_000_000
_HASHED_BYTES = 1 << 20


class Cut(NamedTuple):
    """How documents are cut and labelled: tokens of a chunk as `chunked` takes them, and labels.

    asked: the labels that were asked for; those that are only usual are not compared.
    """

    size: int | None
    labels: Labels
    asked: Labels

    def told(self, before: str = "") -> str:
        """Return it as a document keeps it, with the labels that it had before."""
        had = json.loads(before) if before else {}
        labels = {
            name: sorted({*had.get(name, ()), *values})
            for name, values in self.labels._asdict().items()
        }
        return json.dumps({"size": self.size, "chunking": CHUNKING} | labels)

    def is_as(self, told: str) -> bool:
        """Whether a document that keeps this was cut the same, and has the labels asked for."""
        had = json.loads(told)
        return (had["size"], had["chunking"]) == (self.size, CHUNKING) and all(
            set(had[name]).issuperset(values) for name, values in self.asked._asdict().items()
        )


class Job(NamedTuple):
    """A file to look at, what it is called, and the document that was read from it, if any."""

    path: str
    name: str
    known: StoredDocument | None


class Looked(NamedTuple):
    """What was seen of a file: the same as a document was, or what it says, or why neither.

    left_out: what the reader passed by of it, and why.
    """

    job: Job
    same: StoredDocument | None = None
    reading: Reading | None = None
    problem: str = ""
    left_out: str = ""


def look(context: Context, reader: DocumentReader, job: Job, cut: Cut) -> Looked:
    """Look at a file; any thread may."""
    try:
        return _seen(context, reader, job, cut)
    except OSError as problem:
        return Looked(job, problem=problem.strerror or str(problem))
    except (StoreError, OutOfTime):
        raise
    except MilepostError as problem:
        name = os.path.basename(job.path)
        return Looked(job, problem=str(problem).removeprefix(f"{name} cannot be read: "))


def _seen(context: Context, reader: DocumentReader, job: Job, cut: Cut) -> Looked:
    if redact(job.path, chance=False)[1]:
        return Looked(job, problem="its path holds what looks like a secret; rename it")
    known = job.known if job.known and _suits(job.known, cut) else None
    if known is not None and known.signature == signature_of(os.lstat(job.path)):
        return Looked(job, same=known)
    fd = opened(job.path)
    try:
        about = os.fstat(fd)
        reader.check(os.path.basename(job.path), about)
        digest = _digest(fd)
        signature = _settled(about, context.clock())
        same = known if known is not None and known.digest == digest else None
        if job.known is None:
            same = _moved(context, digest, cut)
        if same is not None:
            return Looked(job, same=same._replace(signature=signature))
        document = reader.read(Path(job.path), file=fd)
    finally:
        os.close(fd)
    chunks = chunked(document, cut.size)
    if not chunks:
        return Looked(job, problem="holds no text")
    told = (known_moment(document.created), known_moment(about.st_mtime), context.clock())
    reading = Reading(
        job.path,
        job.name,
        digest,
        signature,
        cut.told(job.known.cut if job.known else ""),
        document.media,
        document.title,
        chunks,
        next(moment for moment in told if moment is not None),
    )
    return Looked(job, reading=reading, left_out="; ".join(document.notes))


def _suits(known: StoredDocument, cut: Cut) -> bool:
    """Whether a document need not be read again: it is there, and was cut and labelled alike."""
    return bool(known.digest) and not known.ended_us and known.pieces > 0 and cut.is_as(known.cut)


def _moved(context: Context, digest: str, cut: Cut) -> StoredDocument | None:
    """Return the document that a file was before it got another name."""
    for document in context.store.documents.like(context.space, digest):
        if _suits(document, cut) and is_gone(document.path):
            return document
    return None


def _digest(fd: int) -> str:
    digest = sha256()
    while data := os.read(fd, _HASHED_BYTES):
        digest.update(data)
    os.lseek(fd, 0, os.SEEK_SET)
    return digest.hexdigest()


def _settled(about: os.stat_result, now_us: int) -> str:
    """Return the signature of a file, none while it may still change without another one."""
    return "" if now_us * 1_000 - about.st_mtime_ns < _RACY_NS else signature_of(about)
