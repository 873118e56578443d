"""A log file that is its owner's alone, of a few megabytes at most, shared by processes."""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from milepost.log_file import FILES_KEPT

FILE_BYTES = 1_000_000


class PrivateFile(RotatingFileHandler):
    """Rotates, and follows when another process has rotated."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=FILES_KEPT)

    def _open(self) -> TextIOWrapper:
        fd = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(fd, "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record to the file that has the name now."""
        try:
            if self.stream is not None and self._was_moved(self.stream):
                self.stream.close()
                self.stream = self._open()
        except OSError:
            self.handleError(record)
        else:
            super().emit(record)

    def close(self) -> None:
        """Let go of the file; what a full disk did not take is lost, and no reason to fail."""
        try:
            super().close()
        except OSError:
            self.stream = None

    def _was_moved(self, stream: TextIOWrapper) -> bool:
        try:
            now = Path(self.baseFilename).stat()
        except FileNotFoundError:
            return True
        return now.st_ino != os.fstat(stream.fileno()).st_ino
