"""What operations return: tuples whose text is what a model should read."""

from __future__ import annotations

from milepost.text.fence import for_models, harmless
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")


class CompactMemory(NamedTuple):
    """A memory as a search shows it: the passage that answers, not the whole."""

    hash: str
    preview: str
    tags: tuple[str, ...]
    created: float
    score: float

    @for_models
    def __str__(self) -> str:
        tags = f" [{' '.join(self.tags)}]" if self.tags else ""
        return f"{self.hash}{tags} {self.preview}"


class CompactSearchResult(NamedTuple):
    """The best matches, and how many there were in all."""

    memories: tuple[CompactMemory, ...]
    total: int
    query: str

    @for_models
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

    @for_models
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

    @for_models
    def __str__(self) -> str:
        # Cleaned first: what is dropped from a line must not make a receipt of it afterwards.
        said = [own_lines(harmless(text)) for text in (self.output, self.error or "")]
        return "\n".join(part for part in [*said, str(self.receipt)] if part)


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

    plain = unicodedata.normalize("NFKC", line.lstrip()[:200])
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


class _Hiding:
    """What a result of any type says beside what it is: how many secrets were not written."""

    secrets_hidden: int
    plain: Any

    def __str__(self) -> str:
        return str(self.plain)

    def __repr__(self) -> str:
        return f"{self.plain!r}{said_hidden(self)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return hiding, (self.plain, self.secrets_hidden)


# By the type of a result, the same type for results that say so.
_HIDING: dict[type, Any] = {}


def hiding(result: T, count: int) -> T:
    """Return a result that says how many secrets were hidden; without any it stays what it is."""
    if not count:
        return result
    result, count = plain(result), count + secrets_hidden(result)
    kind = type(result)
    if kind not in _HIDING:
        _HIDING[kind] = type(kind.__name__, (_Hiding, kind), {})
    made: Any = _HIDING[kind](*result) if isinstance(result, tuple) else _HIDING[kind](result)
    made.plain, made.secrets_hidden = result, count
    return made  # type: ignore[no-any-return]


def plain(result: Any) -> Any:
    """Return a result, or a list of them, without what it says about secrets."""
    if isinstance(result, list):
        return [plain(item) for item in result]
    return result.plain if isinstance(result, _Hiding) else result


def secrets_hidden(result: Any) -> int:
    """Return how many secrets a result, or the items of a list, say were hidden."""
    if isinstance(result, list):
        return sum(map(secrets_hidden, result))
    return result.secrets_hidden if isinstance(result, _Hiding) else 0


def said_hidden(result: object) -> str:
    """Return what is added to the text of a result that says so."""
    count = secrets_hidden(result)
    return f"; {count:,} {'secret' if count == 1 else 'secrets'} hidden" if count else ""


def day(moment: float) -> str:
    """Return the local date of a moment."""
    from datetime import datetime

    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d")
