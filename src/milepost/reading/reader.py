"""Reads documents."""

from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path

from milepost.documents.values import Document
from milepost.errors import Unreadable
from milepost.reading.formats import BY_ENDING, BY_MEDIA
from milepost.reading.source import Cannot, Source

_TIME_S = 60.0


class Reader:
    """Reads documents of the formats in the table."""

    def read(self, path: Path, media: str | None = None, *, file: int | None = None) -> Document:
        """Return what a document says."""
        try:
            with open(path if file is None else os.dup(file), "rb") as opened:  # noqa: PTH123
                source = Source(path.name, opened, time.monotonic() + _TIME_S)
                known = BY_MEDIA.get(media or "") or BY_ENDING.get(path.suffix.lower())
                if known is None:
                    raise Cannot(f"the format of {path.suffix or path.name} is not read")
                document: Document = import_module(f"milepost.reading.{known.module}").read(source)
        except (OSError, Cannot) as problem:
            raise Unreadable(f"{path.name} cannot be read: {problem}.") from problem
        if not document.sections:
            raise Unreadable(f"{path.name} holds no text.")
        return document._replace(notes=(*document.notes, *source.notes))

    def close(self) -> None:
        """Stop all that reads."""
