"""One store among several of a person: tells what changed in it, and takes in what others tell.

What changed is found by comparing rows with how they were last seen, so that whatever writes to
the store need know nothing of this. What others tell is joined with what is known (`state`), and
rows are made what comes of it, in one transaction with what is written down of that.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from secrets import token_hex
from typing import Any, NamedTuple

from milepost.documents.syncing.ends import HOLDS, End, Ending, effective
from milepost.documents.syncing.nouns import (
    NOUNS,
    Noun,
    Row,
    end_of,
    end_text,
    fields_of,
    merged,
)
from milepost.documents.syncing.state import (
    NOTHING,
    State,
    buried,
    changed,
    digest,
    from_text,
    gone,
    joined,
    to_text,
)
from milepost.errors import InvalidInput, StoreBusy
from milepost.memory.context import Context
from milepost.memory.keeping import holds_in
from milepost.memory.remember import content_hash
from milepost.ports import LET_GO, Conflict, SyncedRow, SyncedState, Work

# What a store notes of itself and of others begins so, and no thing that is synced does.
_NOTE = " "
_END = "end"
# What is told of a row that is hidden, for what it needs is not there.
_HIDDEN = "-"
# What is told of a row that others deleted and a hold keeps here, and where that is in the bin.
_HELD, _HELD_IN_BIN = "held", "held in bin"
_TRIES = 5


class Told(NamedTuple):
    """What a store tells of one thing: all that it knows, and the row if there is one."""

    key: str
    state: State
    row: Row | None

    @property
    def tells(self) -> bool:
        """Whether there is all of it, or nothing: what was let go is others' to tell."""
        noun = NOUNS.get(self.key.partition(" ")[0])
        return self.row is not None or not self.state.alive or noun is None or noun.is_plain


class Part(NamedTuple):
    """What changed in a store after a number, as far as it was asked for, and up to which number.

    more: whether there is more of it.
    """

    lines: list[str]
    number: int
    more: bool = False


class Heard(NamedTuple):
    """What came of what was heard: how many things changed here.

    held: how many others deleted and a hold keeps.
    """

    stored: int = 0
    changed: int = 0
    deleted: int = 0
    held: int = 0

    def and_then(self, later: "Heard") -> "Heard":
        """Return what came of both, one after the other."""
        counts = [one + other for one, other in zip(self, later, strict=True)]
        return Heard(*counts)._replace(held=later.held)


class Replica:
    """A space of a store, as one of several that shall hold the same."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._space = context.space

    @property
    def name(self) -> str:
        """Return how this space of this store is called among the others."""
        known = self.noted("name")
        if not known:
            known = token_hex(8)
            self.note({"name": known})
        return known

    def noted(self, name: str) -> str:
        """Return what was noted under a name; nothing for one that is not."""
        key = f"{_NOTE}{name}"
        return self._context.store.synced.states(self._space, [key]).get(key, "")

    def note(self, notes: Mapping[str, str]) -> None:
        """Note something by name; it stays when all memories are gone."""
        _note(self._context.store, self._space, notes)

    def observe(self) -> int:
        """Write down what changed since this was last called; return how many things did."""
        for _ in range(_TRIES):
            found = _Observed(self._context, self.name)
            try:
                return found.write()
            except Conflict:
                continue
        raise StoreBusy("Others write so much to this space that it is never still; try again.")

    def since(self, number: int) -> tuple[list[Told], int]:
        """Return what changed after a number, and the number to ask with next time."""
        states = self._since(number)
        known = [self._told(each.key, from_text(each.state)) for each in states]
        told = [each for each in known if each.tells]
        return told, states[-1].number if states else number

    def _since(self, number: int) -> list[SyncedState]:
        """Return what is known of things that changed after a number, in the order of theirs."""
        synced = self._context.store.synced
        states = synced.since(self._space, number)
        if states or not number:
            return states
        everything = synced.since(self._space, 0)
        # A store that was put back from a copy counts from where it was then.
        return everything if everything and everything[-1].number < number else []

    def part_since(self, number: int, chars_max: int) -> Part:
        """Return as lines what changed after a number, in the order of the numbers."""
        lines, chars = list[str](), 0
        for each in self._since(number):
            told = self._told(each.key, from_text(each.state))
            line = line_of(told) if told.tells else ""
            if lines and chars + len(line) > chars_max:
                return Part(lines, number, more=True)
            lines += [line] if line else []
            chars, number = chars + len(line), each.number
        return Part(lines, number)

    def _told(self, key: str, state: State) -> Told:
        prefix, _, name = key.partition(" ")
        noun = NOUNS.get(prefix)
        row = noun.read(self._context, name) if noun is not None and state.alive else None
        return Told(key, state, row)

    def keeps_any(self) -> bool:
        """Whether a hold kept here what others deleted."""
        rows = self._context.store.synced.rows(self._space)
        return any(row.seen in (_HELD, _HELD_IN_BIN) for row in rows)

    def hear(self, told: Iterable[Told], then: Mapping[str, str] = {}) -> Heard:
        """Join what others tell with what is here, and make rows what comes of it.

        then: what is noted in the same transaction.
        """
        listed = list(told)
        for _ in range(_TRIES):
            self.observe()
            try:
                return _Hearing(self._context, listed).write(then)
            except Conflict:
                continue
        raise StoreBusy("Others write so much to this space that it is never still; try again.")


class _Observed:
    """What is different from how it was last seen."""

    def __init__(self, context: Context, store: str) -> None:
        self._context, self._store = context, store
        self._at_us = context.clock()
        self._known = {row.key: row for row in context.store.synced.rows(context.space)}
        self._fields = dict[str, dict[str, Any]]()  # of what looks different
        self._ends = dict[str, End]()
        present = set[str]()
        for prefix, noun in NOUNS.items():
            for name, row, end in noun.rows(context):
                key = f"{prefix} {name}"
                present.add(key)
                self._compare(key, fields_of(noun, row), end)
        self._gone = [
            row.key
            for row in self._known.values()
            if row.alive and row.key not in present and row.seen not in (_HIDDEN, LET_GO)
        ]
        self._binned = [
            row.key for row in self._known.values() if row.seen == _HELD and row.key not in present
        ]
        ended = [row.key for row in self._known.values() if row.ended is not None]
        wanted = [*self._fields, *self._gone, *self._binned, *ended]
        texts = context.store.synced.states(context.space, list(dict.fromkeys(wanted)))
        self._before = {key: from_text(text) for key, text in texts.items()}
        self._now = dict(self._before)

    def _compare(self, key: str, fields: dict[str, Any], end: End) -> None:
        known = self._known.get(key)
        if known is not None and known.seen == _HELD:
            return  # whatever becomes of it here, others deleted it
        if end != HOLDS:
            self._ends[key] = end
        seen_end = HOLDS if known is None or known.ended is None else _end_in(known.ended)
        if known is None or not known.alive or known.seen != digest(fields) or seen_end != end:
            self._fields[key] = fields
            self._ends[key] = end

    def write(self) -> int:
        """Write down what is different."""
        for key, fields in self._fields.items():
            self._now[key] = self._changed(key, fields)
        hidden = list[str]()
        for key in self._gone:
            prefix, _, name = key.partition(" ")
            noun = NOUNS.get(prefix)
            if noun is not None and noun.is_hidden(name, self._is_alive):
                hidden.append(key)
            elif noun is not None:
                erased = noun.is_erased(self._context, name)
                self._now[key] = gone(self._now[key], self._at_us, self._store, erased=erased)
        self._keep_ends()
        different = [
            key
            for key, state in self._now.items()
            if key in hidden
            or key in self._fields
            or key in self._binned
            or state != self._before.get(key)
        ]
        if different:
            with self._context.store.writing() as work:
                _unless_moved(work, self._context.space, self._known)
                number = max((row.number for row in self._known.values()), default=0)
                marks = dict.fromkeys(hidden, _HIDDEN) | dict.fromkeys(self._binned, _HELD_IN_BIN)
                rows = [
                    self._row(key, number + at, marks.get(key))
                    for at, key in enumerate(different, 1)
                ]
                work.synced.put(self._context.space, rows)
        return len(different)

    def _changed(self, key: str, fields: dict[str, Any]) -> State:
        state = self._before.get(key, NOTHING)
        if not state.alive:
            return changed(state, fields, self._at_us, self._store)
        lost = [name for name, (_, value) in state.fields.items() if value == 1 and " " in name]
        values = {name: 0 for name in lost if name not in fields} | {
            name: value for name, value in fields.items() if state.value(name) != value
        }
        return changed(state, values, self._at_us, self._store) if values else state

    def _is_alive(self, key: str) -> bool:
        state = self._now.get(key)
        if state is not None:
            return state.alive
        known = self._known.get(key)
        return known is not None and known.alive

    def _keep_ends(self) -> None:
        """Say again how rows end, wherever what was said comes to something else."""
        for _ in range(len(self._now) + 1):
            real = effective(_said(self._now), self._is_alive)
            wrong = [
                key
                for key, state in self._now.items()
                if state.alive and real.get(key, HOLDS) != self._ends.get(key, HOLDS)
            ]
            if not wrong:
                return
            for key in wrong:
                end = {_END: list(self._ends.get(key, HOLDS))}
                self._now[key] = changed(self._now[key], end, self._at_us, self._store)

    def _row(self, key: str, number: int, mark: str | None) -> tuple[SyncedRow, str]:
        state = self._now[key]
        seen = digest(self._fields[key]) if key in self._fields else ""
        if key not in self._fields and key in self._known:
            seen = self._known[key].seen
        ended = end_text(self._ends.get(key, HOLDS)) if _END in state.fields else None
        row = SyncedRow(key, number, state.alive, ended, mark or seen)
        return row, to_text(state)


class _Hearing:
    """What is told by others, joined with what is known here."""

    def __init__(self, context: Context, told: Sequence[Told]) -> None:
        self._context = context
        space, synced = context.space, context.store.synced
        self._known = {row.key: row for row in synced.rows(space)}
        self._rows = dict[str, list[Row]]()
        ended = [row.key for row in self._known.values() if row.ended is not None]
        marks = (_HIDDEN, _HELD, _HELD_IN_BIN)
        marked = [row.key for row in self._known.values() if row.seen in marks]
        wanted = dict.fromkeys([*(each.key for each in told), *ended, *marked])
        texts = synced.states(space, list(wanted))
        self._before = {key: from_text(text) for key, text in texts.items()}
        self._now = dict(self._before)
        for each in told:
            self._join(each)
        self._real = effective(_said(self._now), self._is_alive)

    def _join(self, told: Told) -> None:
        prefix = told.key.partition(" ")[0]
        if prefix not in NOUNS or not told.key.isprintable():
            return  # of a later version
        if told.state.alive and told.row is None and not NOUNS[prefix].is_plain:
            return  # it was deleted while it was told; that will be told, too
        state = joined(self._now.get(told.key, NOTHING), told.state)
        self._now[told.key] = buried(state)
        if told.row is not None:
            self._rows.setdefault(told.key, []).append(told.row)

    def _is_alive(self, key: str) -> bool:
        state = self._now.get(key)
        if state is not None:
            return state.alive
        known = self._known.get(key)
        return known is not None and known.alive

    def write(self, then: Mapping[str, str]) -> Heard:
        """Make rows what they are to be, and write down how they were seen."""
        space = self._context.space
        with self._context.store.writing() as work:
            _unless_moved(work, space, self._known)
            self._find_held(work)
            different = [key for key in self._now if self._differs(key)]
            counts = self._write_rows(work, different)
            number = max((row.number for row in self._known.values()), default=0)
            rows = [self._row(key, number + at) for at, key in enumerate(different, 1)]
            work.synced.put(space, rows)
            _note(work, space, then)
        return counts

    def _find_held(self, work: Work) -> None:
        """Find what is to go from here and is held."""
        holds = holds_in(work, self._context.space)
        self._held = set[str]()
        for key, state in self._now.items():
            if state.alive or not holds:
                continue
            noun, name = _noun(key)
            if noun.is_held(self._context, work, name, holds, erased=state.erased):
                self._held.add(key)

    def _differs(self, key: str) -> bool:
        state, known = self._now[key], self._known.get(key)
        if known is None or state != self._before.get(key):
            return True
        if (known.seen in (_HELD, _HELD_IN_BIN)) != (key in self._held):
            return True
        ended = HOLDS if known.ended is None else _end_in(known.ended)
        return ended != self._end(key) or (known.seen == _HIDDEN) != self._is_hidden(key)

    def _end(self, key: str) -> End:
        return self._real.get(key, HOLDS)

    def _is_hidden(self, key: str) -> bool:
        noun, name = _noun(key)
        return self._now[key].alive and noun.is_hidden(name, self._is_alive)

    def _write_rows(self, work: Work, different: Sequence[str]) -> Heard:
        self._seen = dict[str, str]()
        plans = [self._planned(prefix, different) for prefix in NOUNS]
        stored = altered = deleted = 0
        for plan in plans:
            plan.noun.remove(self._context, work, plan.away)
            plan.noun.put(self._context, work, plan.coming)
            stored, altered = stored + plan.stored, altered + len(plan.coming) - plan.stored
            deleted += plan.deleted
        return Heard(stored, altered, deleted, len(self._held))

    def _planned(self, prefix: str, different: Sequence[str]) -> "_Plan":
        """Return what is to be written of a noun; what another does to it is not seen yet."""
        plan = _Plan(NOUNS[prefix])
        for key in different:
            of, _, name = key.partition(" ")
            if of != prefix:
                continue
            here, state = plan.noun.read(self._context, name), self._now[key]
            self._refuse_changed(plan.noun, key, here)
            if key in self._held:
                self._seen[key] = _HELD_IN_BIN if here is None else _HELD
            elif not state.alive:
                plan.deleted += here is not None
                if here is not None or state.erased:
                    plan.away.append((name, state.erased))
            elif self._is_hidden(key):
                self._seen[key] = _HIDDEN
                if here is not None:
                    plan.away.append((name, False))
            elif self._is_let_go(key):
                self._seen[key] = LET_GO
            else:
                row = self._merged(plan.noun, key, here)
                plan.coming.append((name, row, self._end(key)))
                plan.stored += here is None
                self._seen[key] = digest(fields_of(plan.noun, row))
        return plan

    def _is_let_go(self, key: str) -> bool:
        """Whether a rule let go here what nobody stored again since."""
        known, before = self._known.get(key), self._before.get(key)
        let_go = known is not None and before is not None and known.seen == LET_GO
        return let_go and before is not None and before.born == self._now[key].born

    def _merged(self, noun: Noun, key: str, here: Row | None) -> Row:
        rows = [*self._rows.get(key, ()), *([] if here is None else [here])]
        if not rows and not noun.is_plain:
            raise InvalidInput(f"What was told of {key:.80} is not whole; sync again.")
        return merged(noun, self._now[key], rows)

    def _refuse_changed(self, noun: Noun, key: str, here: Row | None) -> None:
        """Try again where somebody wrote since it was looked at."""
        known = self._known.get(key)
        kept = known is not None and known.seen == _HELD
        there = known is not None and known.alive and known.seen not in (_HIDDEN, LET_GO)
        if (there or kept) != (here is not None):
            raise Conflict
        if (
            known is not None
            and not kept
            and here is not None
            and known.seen != digest(fields_of(noun, here))
        ):
            raise Conflict

    def _row(self, key: str, number: int) -> tuple[SyncedRow, str]:
        state = self._now[key]
        ended = end_text(self._end(key)) if _END in state.fields else None
        return SyncedRow(key, number, state.alive, ended, self._seen.get(key, "")), to_text(state)


class _Plan:
    """What is to be written of a noun."""

    def __init__(self, noun: Noun) -> None:
        self.noun = noun
        self.away: list[tuple[str, bool]] = []
        self.coming: list[tuple[str, Row, End]] = []
        self.stored = self.deleted = 0


def _note(work: Work, space: str, notes: Mapping[str, str]) -> None:
    rows = [
        (SyncedRow(f"{_NOTE}{name}", 0, False, None, ""), value) for name, value in notes.items()
    ]
    work.synced.put(space, rows)


def _noun(key: str) -> tuple[Noun, str]:
    prefix, _, name = key.partition(" ")
    return NOUNS[prefix], name


def _said(states: Mapping[str, State]) -> dict[str, Ending]:
    """Return what was last said of the ends of what is there."""
    return {
        key: Ending(state.fields[_END][0], end_of(state.fields[_END][1]))
        for key, state in states.items()
        if state.alive and _END in state.fields
    }


def _end_in(text: str) -> End:
    return end_of(json.loads(text))


def _unless_moved(work: Work, space: str, known: Mapping[str, SyncedRow]) -> None:
    """Try again where another process synced this space since it was looked at."""
    if {row.key: row for row in work.synced.rows(space)} != known:
        raise Conflict


def line_of(told: Told) -> str:
    """Return what is told as a line of JSON."""
    state = json.loads(to_text(told.state))
    return json.dumps({"key": told.key, "state": state, "row": told.row})


def told_in(line: str | bytes) -> Told:
    """Return what a line tells; raise ValueError for one that tells nothing."""
    parsed = json.loads(line)
    key, row = str(parsed["key"]), parsed["row"]
    prefix, _, name = key.partition(" ")
    if row is not None and prefix in NOUNS:
        noun = NOUNS[prefix]
        if not isinstance(row, dict) or not {*noun.slots, *noun.labels} <= row.keys():
            raise ValueError("a row is not whole")
        if prefix == "m" and content_hash(row["content"]) != name:
            raise ValueError("a text goes by another's name")
    return Told(key, from_text(json.dumps(parsed["state"])), row)
