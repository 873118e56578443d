"""Texts that models are given: which memories they show, and what those would cost in full."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from milepost.errors import Ambiguous, NotFound
from milepost.memory.context import Context, find_record, full_memory
from milepost.memory.values import CompactMemory, Memory
from milepost.programs.values import CodeResult
from milepost.sessions.values import Briefing
from milepost.text.tokens import estimate
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.values import Expense


class Handout(NamedTuple):
    """A text that a model is given, and the memories it shows.

    instead_of: tokens that were counted on the way; else whole memories are.
    """

    at: float
    operation: str
    text: str
    hashes: tuple[str, ...] = ()
    instead_of: int | None = None
    session: str | None = None
    ms: float | None = None


def handout(
    at: float,
    operation: str,
    text: str,
    result: object = None,
    session: str | None = None,
    ms: float | None = None,
) -> Handout | None:
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
    return Handout(at, operation, text, shown, counted, session, ms)


def hand_out(memory: object, given: Handout | None) -> None:
    """Note in the ledger of a memory what a model is given; a server does so by itself."""
    note = getattr(memory, "hand_out", None)
    if given is not None and note is not None:
        note(given)


def _hashes(result: object) -> Iterator[str]:
    if isinstance(result, CompactMemory | Memory):
        yield result.hash
    elif isinstance(result, tuple | list):
        for item in result:
            yield from _hashes(item)


def keeping(items: Iterator[object], kept: list[object]) -> Iterator[object]:
    """Yield what streams, and keep what was asked for of it."""
    for item in items:
        kept.append(item)
        yield item


def expense_of(context: Context, given: Handout) -> Expense:
    """Count what a text costs; one that shows no memory has nothing to be compared with."""
    tokens, instead_of = estimate(given.text), given.instead_of
    if instead_of is None:
        instead_of = tokens_in_full(context, given.hashes) or tokens
    session = context.lenient().intake().optional_name("session", given.session)
    return Expense(given.at, given.operation, tokens, instead_of, session, given.hashes, given.ms)


def tokens_in_full(context: Context, hashes: Sequence[str]) -> int:
    """Count what memories would cost as whole objects; those deleted meanwhile cost nothing."""
    # Each is counted once: its text never changes, and new tags weigh next to nothing.
    once = context.part(Ledger).once
    return sum(once(context.space, name, partial(_counted, context, name)) for name in hashes)


def tokens_of_object(memory: Memory) -> int:
    """Count a memory as the JSON object that servers of memories commonly answer with."""
    return estimate(json.dumps(memory._asdict(), ensure_ascii=False))


def _counted(context: Context, name: str) -> int:
    try:
        return tokens_of_object(full_memory(context, find_record(context, name), name))
    except (NotFound, Ambiguous):
        return 0
