"""The operations that erase, hold, and show receipts."""

from milepost.access.audit import DONE, Noted
from milepost.access.erasing import erase, planned
from milepost.access.receipts import receipts_in
from milepost.access.values import ADMIN, CALLER, Erased, ErasureReceipt, LegalHold
from milepost.errors import InvalidInput, NotFound
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.keeping import (
    AUTHOR,
    MATCHING,
    PROJECT,
    SESSION,
    SPACE,
    Hold,
    Subject,
    holds_in,
    put_holds,
)
from milepost.memory.traces import Surroundings
from milepost.memory.validation import Moment
from milepost.once import WITNESS
from milepost.operation import operation
from milepost.ports import Work
from milepost.stored_time import to_seconds
from milepost.text.phrases import Phrase

_REASON_CHARS = 500


class Erasures(Service):
    """The operations about what is erased and what must not be."""

    @operation(
        "admin",
        example='erase(author="Ines", dry_run=True)',
        destructive=True,
        idempotent=True,
        scope=ADMIN,
        is_secret=True,
    )
    def erase(
        self,
        author: str | None = None,
        session: str | None = None,
        project: str | None = None,
        matching: str | None = None,
        reference: str | None = None,
        dry_run: bool = False,
    ) -> Erased:
        """Erase for good all of an author, a session or a project, or all with exact words.

        Memories, also those in bins, episodes, events, the graph, what sessions keep and left,
        and all of it in copies beside the store; nothing takes it back. A receipt tells what went.

        author: all memories of this author.
        session: all that was said, done and noted in this session.
        project: all that belongs to this project.
        matching: all that has these words in this order, in whatever case; a part of a word is not
            the word.
        reference: what the receipt is filed under, such as the number of a request.
        dry_run: only say how much it would be.
        """
        context = self._context
        subject = _subject(context, author=author, session=session, project=project,
                           matching=matching)  # fmt: skip
        filed = context.lenient().intake().optional_name("reference", reference) or ""
        if validation.flag("dry_run", dry_run):
            gone = planned(context, subject)
            copies = len(context.part(Surroundings).copies())
            stays = (gone.held, gone.quoting, gone.audit)
            return Erased(gone.rows, gone.blanked, *stays, copies, dry_run=True)
        receipt = erase(context, subject, filed)
        witness = WITNESS.get()
        if witness is not None:
            witness.is_noted = True  # with the receipt
        went, copies = (receipt.rows, receipt.blanked, receipt.held), len(receipt.copies)
        return Erased(*went, 0, 0, copies, dry_run=False, receipt=receipt)

    @operation("erasure", example='erasure_receipts(since="30d")', read_only=True, scope=ADMIN)
    def erasure_receipts(
        self, since: Moment | None = None, limit: int = 20
    ) -> list[ErasureReceipt]:
        """Show what was erased and what went by rules of retention, the latest last.

        since: only what went at or after this time.
        limit: the latest ones, so many.
        """
        context = self._context
        since_us = validation.moment("since", since, context.clock()) or 0
        most = validation.limit(limit)
        return list(receipts_in(context.store, context.space, since_us, most))

    @operation(
        "hold",
        example='set_hold("2026-17", "a dispute", project="shop")',
        idempotent=True,
        scope=ADMIN,
    )
    def set_hold(
        self,
        hold: str,
        reason: str,
        project: str | None = None,
        author: str | None = None,
        matching: str | None = None,
    ) -> LegalHold:
        """Let nothing be deleted for good of a project, an author or with exact words, or at all.

        Neither rules of retention nor an erasure, an emptied bin or the end of undo delete it.

        hold: what it is called, such as the number of the case.
        reason: why; it is noted in the audit too.
        project: what belongs to this project; without any of these all of the space is held.
        author: the memories of this author.
        matching: what has these words in this order, in whatever case.
        """
        context = self._context
        given = {PROJECT: project, AUTHOR: author, MATCHING: matching}
        named = {by: name for by, name in given.items() if name is not None}
        subject = _subject(context, **named) if named else Subject(SPACE)
        intake = context.intake()
        called, why = intake.name("hold", hold), intake.text("reason", reason, _REASON_CHARS)
        made = Hold(called, subject, why, CALLER.get().name, context.clock())
        told = intake.told(_shown(made))
        with context.store.writing() as work:
            holds = holds_in(work, context.space)
            if any(each.id == called and each.subject != subject for each in holds):
                raise InvalidInput(
                    f"There is a hold {called} on something else; give this one another name, or "
                    "release that one first."
                )
            others = [each for each in holds if each.id != called]
            put_holds(work, context.space, [*others, made])
            _note(context, work, "set_hold", (called, subject.by, why))
        return told

    @operation("hold", example="list_holds()", read_only=True, scope=ADMIN)
    def list_holds(self) -> list[LegalHold]:
        """Show what must not be deleted for good in this space, why, and who said so."""
        context = self._context
        return [_shown(hold) for hold in holds_in(context.store, context.space)]

    @operation("hold", example='release_hold("2026-17")', idempotent=True, scope=ADMIN)
    def release_hold(self, hold: str) -> LegalHold:
        """End a legal hold; what it kept may go from then on.

        hold: what it is called.
        """
        context = self._context
        with context.store.writing() as work:
            holds = holds_in(work, context.space)
            found = next((each for each in holds if each.id == hold), None)
            if found is None:
                raise NotFound(
                    f"There is no hold {str(hold)[:40]!r}; list_holds shows those there are."
                )
            put_holds(work, context.space, [each for each in holds if each is not found])
            _note(context, work, "release_hold", (found.id, found.subject.by, found.reason))
        return _shown(found)


def _note(context: Context, work: Work, operation: str, targets: tuple[str, ...]) -> None:
    """Note in the audit what was done about a hold, and why."""
    caller = CALLER.get()
    who = (caller.name, caller.key, caller.surface)
    Noted(context.space, operation, *who, targets, DONE).write(work, context.clock())
    witness = WITNESS.get()
    if witness is not None:
        witness.is_noted = True


def _shown(hold: Hold) -> LegalHold:
    by, name = hold.subject
    return LegalHold(hold.id, by, name, hold.reason, hold.who, to_seconds(hold.at_us))


def _subject(context: Context, **given: str | None) -> Subject:
    """Return whose, or what with which words, is meant: exactly one of these must be given."""
    named = {by: name for by, name in given.items() if name is not None}
    if len(named) != 1:
        raise InvalidInput(f"Name one of {', '.join(given)}.")
    ((by, name),) = named.items()
    if by == MATCHING:
        words = validation.query(name)
        if not Phrase(words):
            raise InvalidInput("matching names no word; give one that has letters or digits.")
        return Subject(by, words)
    intake = context.lenient().intake()
    assert by in (AUTHOR, SESSION, PROJECT)
    return Subject(by, str(intake.optional_name(by, name)))
