"""What was asked and then used: kept under the memory that was used, and gone with it."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from milepost.memory.context import HASH_DIGITS, Context
from milepost.ports import Work
from milepost.stored_time import to_us
from milepost.upkeep.model_text import ModelText

TOPIC = "asked"
# What a model was shown lately, and what it then fetched.
_SHOWN, _USED = "shown", "used"
_FETCHING = "get"
# A longer text is no question, and what is fetched is among the first lines of an answer.
_CHARS_MAX, _LINES_MAX = 500, 10
# So long what was shown may be fetched on account of a question.
_SHOWN_US = 3_600 * 1_000_000
# So many lines, and so many questions that were used, are known at a time.
_SHOWN_MAX, _USED_MAX = 200, 500


class UsedQuestion(NamedTuple):
    """A question, the memory that it showed, who asked it and when."""

    memory: str
    asker: str
    at_us: int
    text: str


def note_question(context: Context, given: ModelText) -> None:
    """Note what was asked and shown, and what of it is fetched; where that is off, forget it."""
    if not (given.question or given.operation == _FETCHING):
        return
    with context.store.writing() as work:
        if not context.keeps_questions:
            _write(work, context.space, _SHOWN, ())
            _write(work, context.space, _USED, ())
        elif given.question:
            _note_shown(context, work, given, given.question)
        else:
            _note_used(context, work, given)


def used_questions(context: Context, count: int) -> list[UsedQuestion]:
    """Return what was asked and used last, each question once for a memory, latest first."""
    if not context.keeps_questions:
        return []
    used = {(each.memory, each.text): each for each in _read(context.store, context.space, _USED)}
    return sorted(used.values(), key=lambda each: (-each.at_us, each.memory))[:count]


def forget_questions(work: Work, space: str, before_us: int) -> None:
    """Forget what was asked before a time."""
    for key in (_SHOWN, _USED):
        _write(work, space, key, [e for e in _read(work, space, key) if e.at_us >= before_us])


def _note_shown(context: Context, work: Work, given: ModelText, question: str) -> None:
    intake = context.lenient().intake()
    text = intake.text("question", question, len(question)) if question.strip() else ""
    if not text or intake.hidden or len(text) > _CHARS_MAX:
        return
    at_us, asker = to_us(given.at), _asker(context, given)
    names = [name[:HASH_DIGITS] for name in given.hashes[:_LINES_MAX]]
    shown = [*_shown(work, context.space, at_us)]
    shown += [UsedQuestion(name, asker, at_us, text) for name in names]
    _write(work, context.space, _SHOWN, shown[-_SHOWN_MAX:])


def _note_used(context: Context, work: Work, given: ModelText) -> None:
    asker, names = _asker(context, given), {name[:HASH_DIGITS] for name in given.hashes}
    shown = _shown(work, context.space, to_us(given.at))
    latest = {e.memory: e for e in shown if e.asker == asker and e.memory in names}
    if not latest:
        return
    # What is asked again is asked now.
    again = {(each.memory, each.text) for each in latest.values()}
    before = [e for e in _read(work, context.space, _USED) if (e.memory, e.text) not in again]
    _write(work, context.space, _USED, [*before, *latest.values()][-_USED_MAX:])


def _shown(work: Work, space: str, now_us: int) -> list[UsedQuestion]:
    """Return what was shown lately, in the order of time."""
    return [each for each in _read(work, space, _SHOWN) if each.at_us >= now_us - _SHOWN_US]


def _asker(context: Context, given: ModelText) -> str:
    """Return who asks: a session, by whose name an erasure finds it, else a program."""
    named = context.lenient().intake()
    return named.optional_name("session", given.session or given.client) or ""


def _read(work: Work, space: str, key: str) -> list[UsedQuestion]:
    """Return what is kept, in the order of time; what an erasure blanked is left out."""
    known: dict[str, dict[str, list[list[Any]]]] = json.loads(
        work.values.get(space, TOPIC, key) or "{}"
    )
    rows = [
        UsedQuestion(memory, asker, *entry)
        for memory, askers in known.items()
        for asker, entries in askers.items()
        for entry in entries
        if len(entry) == 2 and entry[1]
    ]
    return sorted(rows, key=lambda each: each.at_us)


def _write(work: Work, space: str, key: str, rows: Iterable[UsedQuestion]) -> None:
    """Keep rows by memory and by who asked: whatever erases one of these takes them with it."""
    known: dict[str, dict[str, list[tuple[int, str]]]] = {}
    for memory, asker, at_us, text in rows:
        known.setdefault(memory, {}).setdefault(asker, []).append((at_us, text))
    if known or work.values.get(space, TOPIC, key) is not None:
        work.values.put(space, TOPIC, key, json.dumps(known) if known else None)
