"""Erase what is of somebody, of a session or project, or has exact words, out of a whole space.

All that lies in the store goes in one transaction, with a note of what is left to do outside of it:
what waits in the inbox, and copies. Whoever opens the store next finishes what was killed there.
"""

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from milepost.access.audit import DONE, AuditLog, Noted
from milepost.access.receipts import Going, salted, signed, write_receipt
from milepost.access.values import CALLER, ErasureReceipt
from milepost.errors import MilepostError, StoreError
from milepost.memory.context import Context
from milepost.memory.hot_reads import HotReads
from milepost.memory.keeping import (
    AUTHOR,
    HOLDS,
    MATCHING,
    RULES,
    SESSION,
    Hold,
    Subject,
    holds_in,
)
from milepost.memory.reserved import remove_kept
from milepost.memory.traces import SessionTraces, Surroundings
from milepost.memory.values import Changes, Record
from milepost.ports import Row, Work
from milepost.text.erasing import Erasure
from milepost.text.phrases import Name, Phrase
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.names import new_name
from milepost.upkeep.recorder import Recorder
from milepost.upkeep.values import Job

log = logging.getLogger(__name__)

# Where what is left to do is kept, and the work that does it where nobody did.
PENDING = TOPIC = "erasing"
_LATER_US = 60 * 1_000_000
# Whoever has so many letters of a memory in a row quotes it.
_QUOTE_CHARS = 24
_READ = 2_000
_AUDIT_READ = 5_000
# By column, JSON of which only what has the words goes.
_DOCUMENTS = frozenset({
    ("kept", "value"), ("answers", "answer"), ("former", "state"), ("graph_deeds", "undo"),
    ("jobs", "payload"), ("entities", "metadata"),
})  # fmt: skip
# What goes by the name of a session or a project, and is not found otherwise.
_NAMED_TABLES = ("kept", "journal", "jobs", "events", "answers")
# What is held is still told by these.
_TOLD_BY = frozenset({
    "entities", "names", "relations", "observations", "mentions", "patterns", "episodes", "steps",
    "former",
})  # fmt: skip
_STANDING = frozenset({RULES, HOLDS, PENDING})


class Gone(NamedTuple):
    """What an erasure took out of a store.

    rows: by table, how many. blanked: rows of which a part went.
    held: how much was not, for a hold. quoting: memories of others that quote it, and stay.
    names: by which what went is known: hashes of memories, ids of episodes.
    audit: entries that name it, and stay.
    """

    rows: dict[str, int]
    blanked: int
    held: int
    quoting: int
    names: tuple[str, ...]
    audit: int


def erase_rows(context: Context, subject: Subject, holds: Sequence[Hold]) -> Gone:
    """Erase all that is meant from the context's space, in one transaction."""
    with context.store.writing() as work:
        return _Erasing(context, work, subject, holds).done()


class _Erasing:
    """One erasure in one space, while its transaction is under way."""

    def __init__(
        self, context: Context, work: Work, subject: Subject, holds: Sequence[Hold]
    ) -> None:
        self._context, self._work, self._subject = context, work, subject
        self._space = context.space
        self._holds = holds
        self._held, self._blanked, self._quoting = 0, 0, 0
        self._held_episodes: set[str] = set()
        self._names: list[str] = []

    def done(self) -> Gone:
        """Erase, and tell what went."""
        before = self._work.contents.counts(self._space)
        chosen = self._chosen()
        self._forget_episodes(chosen)
        self._remove(chosen)
        self._sweep()
        after = self._work.contents.counts(self._space)
        rows = {name: was - after[name] for name, was in before.items() if was > after[name]}
        names = tuple(dict.fromkeys(self._names))
        return Gone(rows, self._blanked, self._held, self._quoting, names, self._in_audit())

    def _chosen(self) -> list[Record]:
        """Return the memories that go: those that are meant, and what was made of them."""
        ids = self._work.contents.memories(self._space)
        skills = self._skills_with_words()
        chosen, others = list[Record](), list[int]()
        for record in self._records(ids):
            if not (self._subject.has_memory(record) or record.hash in skills):
                others.append(record.id)
            elif any(hold.subject.has_memory(record) for hold in self._holds):
                self._held += 1
            else:
                chosen.append(record)
        return chosen + self._made_of(chosen, others)

    def _made_of(self, chosen: Sequence[Record], others: Sequence[int]) -> list[Record]:
        """Return the memories that something made of what goes, and quote it.

        What somebody else said in the same words is theirs; it is only counted.
        """
        self._quotes = Erasure(r.content for r in chosen if len(r.content) >= _QUOTE_CHARS)
        self._has_quotes = any(len(r.content) >= _QUOTE_CHARS for r in chosen)
        named = Erasure((), [record.hash for record in chosen])
        found = list[Record]()
        for record in self._records(others if chosen else ()):
            if self._has_quotes and self._quotes.quoted_in(record.content):
                if "by" in record.metadata and not self._is_held(record):
                    found.append(record)
                    continue
                self._quoting += 1
            metadata = json.dumps(record.metadata)
            left = named.without(metadata)
            if left != metadata:
                self._work.memories.change(record.id, Changes(metadata=json.loads(left or "{}")))
                self._blanked += 1
        return found

    def _is_held(self, record: Record) -> bool:
        return any(hold.subject.has_memory(record) for hold in self._holds)

    def _skills_with_words(self) -> set[str]:
        """Return the hashes of the memories of skills whose code has the words."""
        if self._subject.by != MATCHING:
            return set()
        rows = self._work.contents.rows(self._space, ("kept",))
        skills = (r for r in rows if r.key["topic"] == "skills")
        found = (r for r in skills if self._subject.has_text(*r.texts.values()))
        return {json.loads(row.texts["value"])["memory"] for row in found}

    def _records(self, ids: Iterable[int]) -> Iterator[Record]:
        numbers = list(ids)
        for first in range(0, len(numbers), _READ):
            yield from self._work.memories.records(numbers[first : first + _READ])

    def _forget_episodes(self, chosen: Sequence[Record]) -> None:
        """Delete the episodes that are meant or quote what goes; patterns are told without them."""
        if self._subject.by == AUTHOR and not chosen:
            return
        traces, going = self._context.part(SessionTraces), list[str]()
        for episode in traces.whole(self._context):
            text = json.dumps(episode, default=str) if self._has_quotes else ""
            if not (self._subject.has_episode(episode) or (text and self._quotes.quoted_in(text))):
                continue
            if any(hold.subject.has_episode(episode) for hold in self._holds):
                self._held += 1
                self._held_episodes.add(episode.id)
            else:
                going.append(episode.id)
        traces.forget(self._context, going)
        self._names += going

    def _remove(self, chosen: Sequence[Record]) -> None:
        remove_kept(self._context, chosen)
        self._work.memories.remove([record.id for record in chosen])
        self._names += [record.hash for record in chosen]

    def _sweep(self) -> None:
        """Take what is left of words, or of a name, out of every table."""
        wanted = matcher_of(self._subject)
        if wanted is None:
            return
        if isinstance(wanted, Phrase):
            self._sweep_entries()
        tables = None if isinstance(wanted, Phrase) else _NAMED_TABLES
        for row in list(self._work.contents.rows(self._space, tables)):
            hit = [name for name, text in row.texts.items() if wanted.quoted_in(text)]
            if hit and not self._stays(row):
                self._take_out(row, hit, wanted)

    def _sweep_entries(self) -> None:
        """Delete what finds episodes and patterns by words that they do not have any more."""
        ids = self._work.contents.memories(self._space, entries=True)
        found = [r for r in self._records(ids) if self._subject.has_memory(r)]
        if self._held_episodes:  # what was learned from them stays too
            found = []
        self._work.memories.remove([record.id for record in found])

    def _stays(self, row: Row) -> bool:
        if row.table == "kept" and row.key["topic"] in _STANDING:
            return True
        return bool(self._held) and (row.table in _TOLD_BY or row.key.get("topic") == "skills")

    def _take_out(self, row: Row, hit: Sequence[str], wanted: Phrase | Name) -> None:
        if row.table == "entities" and "name" not in hit and "key" not in hit:
            plain = {name: "term" for name in hit if name == "type"}
            rest = [name for name in hit if name != "type"]
            self._rewrite(row, rest, wanted, plain)
        elif all((row.table, name) in _DOCUMENTS for name in hit):
            self._rewrite(row, hit, wanted, {})
        elif row.table == "jobs" and set(hit) <= {"payload", "problem"}:
            self._rewrite(row, [n for n in hit if n == "payload"], wanted, {"problem": ""})
        elif row.table == "events" and self._is_held_event(row):
            self._held += 1
        else:
            self._work.contents.remove(row)

    def _rewrite(
        self, row: Row, hit: Sequence[str], wanted: Phrase | Name, plain: dict[str, Any]
    ) -> None:
        new: dict[str, Any] = {name: wanted.without(row.texts[name]) for name in hit} | plain
        if any(new[name] == row.texts[name] for name in hit):  # it stands in no single value
            new = dict.fromkeys(hit) | plain
        empty = {"answers": None, "former": "{}", "graph_deeds": "{}", "entities": "{}"}
        if None in new.values() and row.table not in empty:
            self._work.contents.remove(row)
            return
        new = {name: empty.get(row.table) if v is None else v for name, v in new.items()}
        self._work.contents.rewrite(row, new)
        self._blanked += 1

    def _is_held_event(self, row: Row) -> bool:
        named = {hold.subject.name for hold in self._holds if hold.subject.by != MATCHING}
        words = [hold.subject for hold in self._holds if hold.subject.by == MATCHING]
        is_named = any(hold.subject.by == "space" for hold in self._holds) or bool(
            named & {row.texts.get("session"), row.texts.get("project")}
        )
        return is_named or any(each.has_text(*row.texts.values()) for each in words)

    def _in_audit(self) -> int:
        """Count the entries of the audit that name what was erased: it only grows."""
        subject, last, count = self._subject, 0, 0
        wanted = matcher_of(subject) or Name(subject.name)
        while rows := self._work.audit.rows(self._space, last, _AUDIT_READ):
            count += sum(wanted.quoted_in(row.entry) for row in rows)
            last = rows[-1].number
        return count


def matcher_of(subject: Subject) -> Phrase | Name | None:
    """Return what finds a subject in whatever text; None where a name alone says too little."""
    if subject.by == MATCHING:
        return Phrase(subject.name)
    return None if subject.by == AUTHOR else Name(subject.name)


def planned(context: Context, subject: Subject) -> Gone:
    """Return what an erasure would take, by doing it in a transaction that is undone."""
    _settle_down(context)
    with context.store.rehearsing():
        return erase_rows(context, subject, holds_in(context.store, context.space))


def erase(context: Context, subject: Subject, reference: str) -> ErasureReceipt:
    """Erase for good, inside the store and beside it; return the receipt."""
    _settle_down(context)
    resume_all(context)
    beside, caller = context.part(Surroundings), CALLER.get()
    name = new_name("er", context.clock())
    beside.begun(context.space, name)
    with context.store.writing() as work:
        gone = erase_rows(context, subject, holds_in(work, context.space))
        salt, digests = salted(gone.names)
        going = Going(
            name, "erasure", context.clock(), (caller.name, caller.key, caller.surface), subject.by,
            reference, gone.rows, gone.blanked, gone.held, gone.quoting, gone.audit, digests,
        )  # fmt: skip
        pending = {"going": going._asdict(), "subject": list(subject), "salt": salt}
        work.values.put(context.space, PENDING, name, json.dumps(pending))
        due = context.clock() + _LATER_US
        work.jobs.enqueue(context.space, TOPIC, name, "{}", due)
    receipt = _finished(context, name)
    assert receipt is not None, "nobody else finishes what was begun a moment ago"
    return receipt


def _settle_down(context: Context) -> None:
    """Have all that waits to be written written: what comes later would stay."""
    context.part(Recorder).flush()
    context.part(Ledger).flush()
    context.part(AuditLog).catch_up()


def resume_all(context: Context) -> int:
    """Finish the erasures of a space that were killed; return how many there were."""
    rows = context.store.contents.rows(context.space, ("kept",))
    names = [str(row.key["key"]) for row in rows if row.key["topic"] == PENDING]
    return sum(_finished(context, name) is not None for name in names)


def resume(context: Context, name: str) -> None:
    """Finish one erasure when its store is opened; what cannot be done now is done later."""
    try:
        _finished(context, name, only_free=True)
    except (StoreError, OSError) as problem:
        log.warning("the erasure %s is finished later: %s", name, problem)


def resume_job(context: Context, job: Job) -> None:
    """Finish an erasure that whoever began it did not; a job."""
    _finished(context, job.key, only_free=True)


def _finished(context: Context, name: str, *, only_free: bool = False) -> ErasureReceipt | None:
    """Do what is left of an erasure outside the store, and write its receipt."""
    beside, space = context.part(Surroundings), context.space
    with beside.alone() as is_mine:
        if not is_mine and only_free:
            return None
        kept = context.store.values.get(space, PENDING, name)
        if kept is None:
            beside.finished(name)
            return None
        pending = json.loads(kept)
        subject, going = Subject(*pending["subject"]), Going(**pending["going"])
        _erase_beside(context, subject)
        rewritten, unreached = _erase_copies(context, subject)
        context.part(HotReads).close()  # answers that quote it
        receipt = signed(going, rewritten, (*unreached, *_named(going, beside.out_of_reach())))
        with context.store.writing() as work:
            work.values.put(space, PENDING, name, None)
            write_receipt(work, space, receipt, context.clock())
            who, key, surface = going.by
            named = (receipt.id, receipt.digest)
            Noted(space, "erase", who, key, surface, named, DONE).write(work, context.clock())
        context.store.contents.scrub()
        beside.scrub()
        beside.finished(name)
    return receipt._replace(salt=pending["salt"])


def _erase_beside(context: Context, subject: Subject) -> None:
    wanted = matcher_of(subject)
    session = subject.name if subject.by == SESSION else None
    if wanted is not None:
        context.part(Surroundings).erase(wanted, session)


def _erase_copies(context: Context, subject: Subject) -> tuple[list[str], list[str]]:
    """Erase the same from all copies; return those that were written anew, and those that not."""
    beside, space = context.part(Surroundings), context.space
    holds, rewritten, unreached = holds_in(context.store, space), list[str](), list[str]()

    def act(copy: Context) -> None:
        erase_rows(copy, subject, holds)

    for copy in beside.copies():
        try:
            beside.rewrite(copy, space, act)
        except (MilepostError, OSError) as problem:
            unreached.append(f"{copy}: {problem}")
        else:
            rewritten.append(copy)
    return rewritten, unreached


def _named(going: Going, usual: Sequence[str]) -> Iterator[str]:
    if going.audit:
        yield f"{going.audit:,} entries of the audit, which only grows, name it"
    if going.held:
        yield f"{going.held:,} memories, episodes or events are held"
    if going.quoting:
        yield f"{going.quoting:,} memories of others say the same in the same words"
    if going.rows.get("pieces"):
        yield "the files it was read from, which `milepost ingest` reads again"
    yield from usual
