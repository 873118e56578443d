"""Take back the last deletions and changes."""

from collections.abc import Sequence

from milepost.errors import Ambiguous, InvalidInput, NotFound
from milepost.memory import validation
from milepost.memory.context import Context, Service, short_hashes
from milepost.memory.holding import ASKED_FOR, CONSOLIDATION, DELETE, UNDO
from milepost.memory.reserved import move_kept
from milepost.memory.values import Deed, TakenBack, Undone, bin_of
from milepost.once import settle
from milepost.operation import operation
from milepost.ports import Work
from milepost.text.lines import clip_at_word

COUNT_MAX = 1_000
# Memories that are named of each deed, and how much is shown of the first.
_NAMED = 20
_SHOWN_CHARS = 80


class Undo(Service):
    """The operation that takes back."""

    @operation("memory", example="undo()", renamed={"memory_id": "hash", "content_hash": "hash"})
    def undo(self, count: int = 1, hash: str | None = None, dry_run: bool = False) -> Undone:
        """Take back the last deletions and changes: delete, update, store that replaced something.

        What was erased, or is older than the setting undo_days, stays as it is.

        count: how many, the last first.
        hash: instead, what was last done to this memory; of a deletion of many, only this one.
        dry_run: only say what would be taken back; with a count, a list of the last ones.
        """
        context = self._context
        most = validation.whole("count", count, 1, COUNT_MAX)
        only_say = validation.flag("dry_run", dry_run)
        prefix = None if hash is None else validation.hash_prefix(hash)
        if only_say or not _chosen(context, prefix, most)[0]:
            return _told_all(context, *_chosen(context, prefix, most), only_say)
        with context.store.writing() as work:
            # Somebody else may have taken something back since.
            chosen, one = _chosen(context, prefix, most)
            told = _told_all(context, chosen, one, only_say)
            for deed in chosen:
                _take_back(context, work, deed, one)
            settle(work, told, "undo")
        return told


def _chosen(context: Context, prefix: str | None, most: int) -> tuple[list[Deed], int | None]:
    """Return the deeds to take back, and of a deletion the one memory that is asked for."""
    if prefix is None:
        return context.store.deeds.find(context.space, ASKED_FOR, most), None
    deed, memory_id = _last_about(context, prefix)
    return [deed], memory_id if deed.kind in (DELETE, UNDO) else None


def _take_back(context: Context, work: Work, deed: Deed, memory_id: int | None) -> None:
    restored = work.deeds.take_back(deed.id, context.clock(), memory_id)
    records = work.memories.records(restored)
    move_kept(context._replace(space=bin_of(deed.id)), records, context.space)


def _last_about(context: Context, prefix: str) -> tuple[Deed, int]:
    """Return the last deed about the memory that a hash names, and the memory's id."""
    about = context.store.deeds.about(context.space, prefix)
    hashes = list(dict.fromkeys(full_hash for *_, full_hash in about))
    if not about:
        raise NotFound(f"Nothing that was done to {prefix} can be taken back; see undo(dry_run).")
    if len(hashes) > 1:
        names = ", ".join(short_hashes(context, hashes[:5]))
        raise Ambiguous(f"{len(hashes)} memories start with {prefix}: {names}; add digits.")
    deed, memory_id, _ = about[0]
    if deed.kind == CONSOLIDATION:
        raise InvalidInput(
            f"What was last done to {prefix} is a consolidation, which is taken back as a whole: "
            "undo_consolidation()."
        )
    return deed, memory_id


def _told_all(
    context: Context, deeds: Sequence[Deed], memory_id: int | None, only_say: bool
) -> Undone:
    told = tuple(_told(context, deed, memory_id) for deed in deeds)
    return Undone(len(told), told, only_say)


def _told(context: Context, deed: Deed, memory_id: int | None) -> TakenBack:
    some: Sequence[tuple[str, str]] = context.store.deeds.some(deed.id, _NAMED)
    count = deed.memories
    if memory_id is not None:
        (record,) = context.store.memories.records([memory_id])
        some, count = [(record.hash, record.content)], 1
    shown = " ".join(some[0][1].split()) if some else ""
    return TakenBack(
        deed.kind,
        tuple(short_hashes(context, [full_hash for full_hash, _ in some])),
        count,
        deed.at_us / 1e6,
        clip_at_word(shown, _SHOWN_CHARS),
    )
