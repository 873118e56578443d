"""What operations return: tuples whose text is what a model should read."""

from __future__ import annotations

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class CompactMemory(NamedTuple):
    """A memory as a search shows it: the passage that answers, not the whole."""

    hash: str
    preview: str
    tags: tuple[str, ...]
    created: float
    score: float

    def __str__(self) -> str:
        tags = f" [{' '.join(self.tags)}]" if self.tags else ""
        return f"{self.hash}{tags} {self.preview}"


class CompactSearchResult(NamedTuple):
    """The best matches, and how many there were in all."""

    memories: tuple[CompactMemory, ...]
    total: int
    query: str

    def __str__(self) -> str:
        if not self.memories:
            return "no matching memory" if self.total == 0 else left_out(self.total)
        lines = [str(memory) for memory in self.memories]
        if self.total > len(self.memories):
            lines.append(left_out(self.total - len(self.memories)))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def left_out(count: int) -> str:
    """Return the line that says what a result does not show."""
    return f"({count} more not shown)"


class Memory(NamedTuple):
    """A whole memory."""

    hash: str
    content: str
    tags: tuple[str, ...]
    kind: str
    metadata: Mapping[str, Any]
    session: str | None
    author: str | None
    project: str | None
    created: float
    recorded: float
    valid_from: float
    valid_to: float | None
    superseded_by: str | None
    full_hash: str

    def __str__(self) -> str:
        about = [self.hash, day(self.created), self.kind]
        about += [f"[{' '.join(self.tags)}]"] if self.tags else []
        about += [f"{name}: {value}" for name, value in self._named() if value is not None]
        return f"{' '.join(about)}\n{self.content}"

    def _named(self) -> list[tuple[str, object]]:
        ended = None if self.valid_to is None else day(self.valid_to)
        return [
            ("project", self.project),
            ("session", self.session),
            ("author", self.author),
            ("held until", ended),
            ("superseded by", self.superseded_by),
            ("metadata", dict(self.metadata) or None),
        ]


class Deleted(NamedTuple):
    """What a deletion removed, or would remove."""

    deleted: int
    hashes: tuple[str, ...]
    dry_run: bool = False

    def __str__(self) -> str:
        verb = "would delete" if self.dry_run else "deleted"
        shown = " ".join(self.hashes[:20]) + (" …" if len(self.hashes) > 20 else "")
        return f"{verb} {self.deleted}: {shown}" if self.deleted else f"{verb} nothing"


class Receipt(NamedTuple):
    """What a program did, and what of it reached the model."""

    calls: int
    rows: int
    kept_bytes: int
    tokens: int
    instead_of: int
    ms: float

    def __str__(self) -> str:
        return (
            f"[{self.calls} calls, {self.rows} rows, {self.kept_bytes / 1e3:.0f} kB stayed; "
            f"{self.tokens} tokens for {self.instead_of}; {self.ms:.0f} ms]"
        )


class CodeResult(NamedTuple):
    """What a program printed and its last expression, or why it failed."""

    output: str
    error: str | None
    receipt: Receipt

    def __str__(self) -> str:
        parts = [own_lines(self.output), own_lines(self.error or ""), str(self.receipt)]
        return "\n".join(part for part in parts if part)


def own_lines(text: str) -> str:
    """Return what a program said, with its mark before lines that could pass for a receipt."""
    if text.isascii() and "[" not in text:
        return text
    return "".join(
        f"program: {line}" if _looks_like_receipt(line) else line
        for line in text.splitlines(keepends=True)
    )


def _looks_like_receipt(line: str) -> bool:
    """Whether a line begins with a number and a word in brackets, in whatever characters."""
    import re
    import unicodedata

    plain = unicodedata.normalize("NFKC", line[:200])
    return re.match(r"[^\w\[]*\[\W*?\d+[^\w,;.:\]]*[^\W\d_]", plain) is not None


class _Health(NamedTuple):
    status: str
    count: int  # type: ignore[assignment]  # the published name hides tuple.count
    backend: str


class CompactHealthInfo(_Health):
    """Whether the memory works, in three fields; notes say what does not."""

    notes: tuple[str, ...] = ()

    def noted(self, notes: Sequence[str]) -> CompactHealthInfo:
        """Return the same with notes."""
        noted = CompactHealthInfo(*self)
        noted.notes = tuple(notes)
        return noted

    @property
    def ready(self) -> bool:
        """Whether memories can be stored and found."""
        return self.status != "error"

    def __repr__(self) -> str:
        return super().__repr__() + self._noted()

    def __str__(self) -> str:
        noun = "memory" if self.count == 1 else "memories"
        return f"{self.status}, {self.count} {noun}, {self.backend}{self._noted()}"

    def _noted(self) -> str:
        return "".join(f"; {note}" for note in self.notes)


def day(moment: float) -> str:
    """Return the local date of a moment."""
    from datetime import datetime

    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d")
