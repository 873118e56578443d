"""What a program prints, handed to the host piece by piece so that nothing dies with the guest."""

from __future__ import annotations

import io
from collections.abc import Callable
from time import monotonic

# Handing over costs some 50 microseconds: the first pieces go at once, later ones together.
AT_ONCE = 32
TOGETHER_CHARS = 4_096
TOGETHER_S = 0.02


class OutputLimit(RuntimeError):
    """More was printed than a run may print."""


class Output(io.TextIOBase):
    """Standard output and standard error."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, write: Callable[[str], None], bytes_max: int) -> None:
        self._write, self._left, self._bytes_max = write, bytes_max, bytes_max
        self._pieces: list[str] = []
        self._chars = self._handed = 0
        self._last_s = monotonic()

    def write(self, text: str) -> int:
        """Take a piece of text."""
        if not isinstance(text, str):
            raise TypeError(f"write() takes text, not {type(text).__name__}")
        # Printed in small pieces by print(): the text, then the end of the line.
        self._pieces.append(text)
        self._chars += len(text)
        due = self._handed < AT_ONCE or monotonic() - self._last_s > TOGETHER_S
        if self._chars >= TOGETHER_CHARS or (due and text.endswith("\n")):
            self.hand_over()
        return len(text)

    def hand_over(self) -> None:
        """Give the host what was written since the last time."""
        piece = "".join(self._pieces).encode("utf-8", "backslashreplace")
        self._pieces.clear()
        self._chars = 0
        self._handed += 1
        self._last_s = monotonic()
        shown = piece[: self._left]
        self._left -= len(shown)
        if shown:
            self._write(shown.decode("utf-8", "ignore"))
        if len(piece) > len(shown):
            raise OutputLimit(
                f"A run may print {self._bytes_max:,} bytes; print less: count, group or slice."
            )

    @property
    def buffer(self) -> _Bytes:
        """The stream of bytes below, for those who write bytes."""
        return _Bytes(self)

    def flush(self) -> None:
        """Do nothing: a program that flushes often would pay for it."""

    def close(self) -> None:
        """Stay open: who closes standard output still wants to be heard."""

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True


class _Bytes(io.RawIOBase):
    def __init__(self, text: Output) -> None:
        self._text = text

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._text.write(bytes(data).decode("utf-8", "backslashreplace"))
        return len(data)
