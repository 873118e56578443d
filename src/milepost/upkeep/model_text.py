"""What a model is given, on its way to the ledger; whoever hands it out loads nothing for that."""

from __future__ import annotations

from milepost.memory.values import CompactMemory, CompactSearchResult, Memory
from milepost.programs.values import CodeResult
from milepost.sessions.values import Briefing
from milepost.upkeep.values import CLIENT
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SEARCH = "search"


class ModelText(NamedTuple):
    """A text that a model is given, and the memories it shows.

    instead_of: tokens that were counted on the way; else whole memories are.
    question: what was asked, if it is what a search answers.
    """

    at: float
    operation: str
    text: str
    hashes: tuple[str, ...] = ()
    instead_of: int | None = None
    session: str | None = None
    ms: float | None = None
    client: str | None = None
    question: str | None = None


def model_text(
    at: float,
    operation: str,
    text: str,
    result: object = None,
    session: str | None = None,
    ms: float | None = None,
) -> ModelText | None:
    """Return a text together with what can be told from the result that it was made of.

    None for a briefing: it is in the ledger from the moment that it was made.
    """
    if isinstance(result, Briefing):
        return None
    counted = None
    if isinstance(result, CodeResult) and result.receipt.calls:
        counted = result.receipt.instead_of
    # A budget may have left some of them out.
    shown = tuple(dict.fromkeys(name for name in _hashes(result) if name in text))
    # A time in what is recalled would mean another one when it is asked again.
    asked = result if operation == _SEARCH and isinstance(result, CompactSearchResult) else None
    question = asked.query if asked is not None else None
    return ModelText(at, operation, text, shown, counted, session, ms, CLIENT.get(), question)


def note_model_text(memory: object, text: ModelText | None) -> None:
    """Note in the ledger of a memory what a model is given; a server does so by itself."""
    note = getattr(memory, "note_model_text", None)
    if text is not None and note is not None:
        note(text)


def _hashes(result: object) -> Iterator[str]:
    if isinstance(result, CompactMemory | Memory):
        yield result.hash
    elif isinstance(result, tuple | list):
        for item in result:
            yield from _hashes(item)


def keeping(items: Iterator[object], items_seen: list[object]) -> Iterator[object]:
    """Yield what streams, and keep what was asked for of it."""
    for item in items:
        items_seen.append(item)
        yield item
