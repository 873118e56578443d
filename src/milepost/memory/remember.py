"""Write to the memory: store, update, delete."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from inspect import signature
from typing import Any

from milepost.deadline import check_time, working_until
from milepost.errors import Ambiguous, InvalidInput, NotFound, OutOfTime, StoreError
from milepost.memory import validation
from milepost.memory.branches import note_branch
from milepost.memory.context import (
    HASH_DIGITS,
    Context,
    Service,
    find_record,
    short_hash,
    short_hashes,
)
from milepost.memory.door import approved, lately_us, link_alike, marked, metadata_of, source_of
from milepost.memory.freshness import anchors_of
from milepost.memory.holding import DELETE, STORE, UPDATE, begin_deed, held_until
from milepost.memory.home import home_of, owner_of
from milepost.memory.keeping import refuse_held
from milepost.memory.reserved import RESERVED, move_kept, refuse_reserved, remove_kept
from milepost.memory.search import all_matches, filter_for
from milepost.memory.traces import SessionTraces
from milepost.memory.validation import Intake, Moment
from milepost.memory.values import (
    NOT_ANALYSED,
    QUARANTINED,
    Changes,
    Deleted,
    Draft,
    Filter,
    Indexed,
    Record,
    bin_of,
)
from milepost.once import WITNESS, call_of, settle
from milepost.operation import operation
from milepost.ports import Work
from milepost.upkeep.ledger import Ledger
from milepost.values import remarked

BATCH_MAX = 100_000
# So long what follows a store may take.
_FOLLOWING_S = 1.0
# Memories whose whole texts are read at a time.
_READ_SIZE = 500
# A wish is the user's, whatever branch it was said on, by its kind or as a tag; what the work on a
# branch must be like is the branch's.
_WISHES = frozenset({"preference", "remembered"})
REQUIREMENT = "requirement"


class Remember(Service):
    """The operations that change what is remembered."""

    @operation(
        "memory",
        example='store("We chose PostgreSQL because of JSONB", tags=["db", "decision"])',
        idempotent=True,
        aliases=("remember", "store_memory", "memory_store", "add_memory", "add_memories"),
        renamed={"text": "content", "data": "content", "type": "kind", "run_id": "session"},
    )
    def store(
        self,
        content: str,
        tags: str | Sequence[str] | None = None,
        kind: str = "note",
        metadata: Mapping[str, Any] | None = None,
        session: str | None = None,
        author: str | None = None,
        project: str | None = None,
        created: Moment | None = None,
        valid_from: Moment | None = None,
        supersedes: str | None = None,
        memory_type: str | None = None,
        source: str | None = None,
    ) -> str:
        """Remember a text and return its short hash; stored again it gains tags and holds anew.

        content: the text to remember, one fact or event.
        tags: words to filter by, a list or a string with commas.
        kind: what it is, such as note, decision, error, preference.
        metadata: anything else to keep with it, as JSON.
        session: the conversation or document it belongs to; its neighbours give it context.
        author: who said or wrote it.
        project: the project it belongs to, if not the one worked on; "everywhere" for all.
        created: when it happened, if not now.
        valid_from: since when it holds, if not since created.
        supersedes: hash of the memory it replaces, which is then hidden but kept.
        memory_type: another name for kind.
        source: where it comes from, if that is trusted less than who stores it: "user",
            "assistant", "tool", "document", "import" or "model".
        """
        item = {
            "content": content,
            "tags": tags,
            "kind": kind,
            "metadata": metadata,
            "session": session,
            "author": author,
            "project": project,
            "created": created,
            "valid_from": valid_from,
            "supersedes": supersedes,
            "memory_type": memory_type,
            "source": source,
        }
        return store_items(self._context, [item])[0]

    @operation(
        "memory",
        example='store_batch(["first fact", {"content": "second", "tags": ["db"]}])',
        idempotent=True,
    )
    def store_batch(self, items: Sequence[str | Mapping[str, Any]]) -> list[str]:
        """Remember many texts in one transaction and return their short hashes.

        Beside a hash stands what the memory may take the place of: `hash.may_replace`.

        items: texts, or mappings with the parameters of store.
        """
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput(
                "items must be a list of texts or of mappings with store's parameters."
            )
        return store_items(self._context, [_item(item) for item in items], suggests=True)

    @operation(
        "memory",
        example='update("8f7d497f", content="We moved to MySQL")',
        idempotent=True,
        aliases=("update_memory",),
        renamed={
            "memory_id": "hash",
            "content_hash": "hash",
            "id": "hash",
            "text": "content",
            "data": "content",
            "memory_type": "kind",
        },
    )
    def update(
        self,
        hash: str,
        content: str | None = None,
        tags: str | Sequence[str] | None = None,
        kind: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Change a memory and return its hash; new content makes a new version that replaces it.

        hash: the memory's hash or its beginning.
        content: the new text; the old version is hidden but kept.
        tags: the tags it shall have instead.
        kind: the kind it shall have.
        metadata: the metadata it shall have instead.
        """
        context = self._context
        record = find_record(context, hash)
        if content is not None or kind is not None or metadata is not None:
            refuse_reserved(record.kind)
        intake = context.intake()
        changes = Changes(
            tags=None if tags is None else intake.tags(tags),
            kind=intake.optional_name("kind", kind),
            metadata=(
                None if metadata is None else metadata_of(context.source, intake.metadata(metadata))
            ),
        )
        refuse_reserved(changes.kind)
        text = record.content if content is None else intake.content(content)
        if text != record.content:
            return _new_version(context, intake, record, text, changes)
        changes = approved(context, record, changes)
        if changes != Changes():
            with context.store.writing() as work:
                work.memories.change(record.id, changes, begin_deed(context, work, UPDATE))
                if changes.standing is not None:
                    work.memories.mark(record, ())
                settle(work, intake.told(short_hash(context, record.hash)), "update")
        return intake.told(short_hash(context, record.hash))

    @operation(
        "memory",
        example='delete("8f7d497f")',
        destructive=True,
        aliases=("forget", "delete_memory"),
        renamed={"memory_id": "hash", "content_hash": "hash", "id": "hash"},
    )
    def delete(self, hash: str, erase: bool = False) -> Deleted:
        """Delete a memory: nothing finds it any more, and undo takes it back for 30 days.

        What sessions and programs kept of it goes at once. With erase, or when the days of the
        setting undo_days are over, its text leaves the store, the index and the log too. Copies
        that `milepost backup` or an upgrade made still hold it: `milepost backup list` shows them.

        hash: the memory's hash or its beginning.
        erase: leave nothing that undo could take back, also of what was deleted before.
        """
        return self.delete_batch([hash], erase)

    @operation("memory", example='delete_batch(["8f7d497f", "0b1c2d3e"])', destructive=True)
    def delete_batch(self, hashes: Sequence[str], erase: bool = False) -> Deleted:
        """Delete several memories, all of them or, when one is unknown, none; undo takes it back.

        hashes: their hashes.
        erase: leave nothing that undo could take back.
        """
        if isinstance(hashes, str) or not isinstance(hashes, Iterable):
            raise InvalidInput("hashes must be a list of hashes.")
        context, gone = self._context, validation.flag("erase", erase)
        found = _erasable if gone else _found
        records = [record for name in hashes for record in found(context, name)]
        return delete_records(context, records, erase=gone)

    @operation(
        "memory",
        example='delete_by_tag("scratch", dry_run=True)',
        destructive=True,
        aliases=("delete_by_tags",),
        renamed={"tag": "tags"},
    )
    def delete_by_tag(
        self,
        tags: str | Sequence[str],
        match: str = "any",
        dry_run: bool = False,
        erase: bool = False,
    ) -> Deleted:
        """Delete all memories with a tag, or only say which ones; undo takes it back.

        tags: a tag or several.
        match: "any" of the tags or "all" of them.
        dry_run: only say what would be deleted.
        erase: leave nothing that undo could take back, also of what was deleted before.
        """
        return self.delete_where(
            tags=validation.some_tags(tags), match=match, dry_run=dry_run, erase=erase
        )

    @operation(
        "memory",
        example='delete_where(project="shop", before="2025-01-01", dry_run=True)',
        destructive=True,
        aliases=("delete_all", "delete_all_memories", "delete_by_timeframe", "delete_before_date"),
        renamed={
            "tag": "tags",
            "run_id": "session",
            "memory_type": "kind",
            "start_date": "after",
            "end_date": "before",
            "before_date": "before",
        },
    )
    def delete_where(
        self,
        query: str | None = None,
        tags: str | Sequence[str] | None = None,
        match: str = "any",
        kind: str | None = None,
        project: str | None = None,
        session: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        dry_run: bool = False,
        erase: bool = False,
    ) -> Deleted:
        """Delete all memories that fulfil every condition, or only say which; undo takes it back.

        Of a session that is erased as a whole its episodes and events go too.

        query: all that a search for this finds.
        tags: those with these tags.
        match: "any" of the tags or "all" of them.
        kind: those of this kind.
        project: those of this project; by default a query looks in the one that is worked on.
        session: those of this session.
        after: those created at or after this time.
        before: those created before this time.
        dry_run: only say what would be deleted.
        erase: leave nothing that undo could take back, also of what was deleted before.
        """
        context = self._context
        text = None if query is None else validation.query(query)
        only_say, gone = validation.flag("dry_run", dry_run), validation.flag("erase", erase)
        where = filter_for(
            context, tags, match, kind, after, before, project, include_superseded=True
        )
        named = context.lenient().intake().optional_name("session", session)
        where = where._replace(session=named)
        if text is not None and where.home is not None:
            # What a search only thinks is meant must not reach what other projects remember.
            where = where._replace(project=where.home)
        if text is None and not _narrows(where):
            raise InvalidInput(
                "delete_where needs a condition: a query, tags, kind, project, session or time."
            )
        ids = _chosen(context, where, text)
        if gone and text is None:
            ids += context.store.deeds.held(where)
        parts = [ids[i : i + _READ_SIZE] for i in range(0, len(ids), _READ_SIZE)]
        named_ones = [
            _nameplate(record) for part in parts for record in context.store.memories.records(part)
        ]
        erases = not only_say and (gone or not context.held_us)
        if erases:
            refuse_held(context, [record.id for record in named_ones])
        episodes = () if text is not None else _episodes_of(context, where, erases=erases)
        return delete_records(context, named_ones, dry_run=only_say, erase=gone, episodes=episodes)


def _episodes_of(context: Context, where: Filter, *, erases: bool) -> tuple[str, ...]:
    """Return the episodes of a session that is deleted as a whole; if it is erased, they go."""
    if where.session is None or _narrows(where._replace(session=None, project=None)):
        return ()
    traces = context.part(SessionTraces)
    names = traces.episodes(context, where.session, where.project)
    if erases:
        traces.erase(context, where.session, where.project)
    return tuple(names)


def _item(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        return {"content": value}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"an item must be a text or a mapping, not {type(value).__name__}.")
    unknown = set(value) - set(_PARAMETERS)
    if unknown:
        raise InvalidInput(
            f"an item has no field {sorted(map(str, unknown))[0]!r}; "
            f"the fields are {', '.join(_PARAMETERS)}."
        )
    if "content" not in value:
        raise InvalidInput("an item lacks its content.")
    return value


# The fields of an item are the parameters of store.
_PARAMETERS = tuple(signature(Remember.store).parameters)[1:]


def store_items(
    context: Context,
    items: Sequence[Mapping[str, Any]],
    *,
    reserved: bool = False,
    deed: str = STORE,
    suggests: bool = False,
) -> list[str]:
    """Store memories, of reserved kinds only for who owns them, and return their short hashes.

    deed: what takes the place of others, should that be taken back.
    suggests: remark beside a hash what the memory may take the place of.
    """
    if len(items) > BATCH_MAX:
        raise InvalidInput(f"a batch may have at most {BATCH_MAX:,} items, not {len(items):,}.")
    now = context.clock()
    intakes = [context.intake() for _ in items]
    drafts = [
        _draft(context, *each, now, reserved=reserved) for each in zip(intakes, items, strict=True)
    ]
    drafts = marked(drafts)
    analyses = context.texts.analyse(
        [Indexed(0, draft.content, draft.author, draft.created_us) for draft in drafts]
    )
    anchors = anchors_of(context, drafts)
    if any(draft.branch for draft in drafts):
        note_branch(context, home_of(context))
    ready = [
        draft._replace(analysis=analysis, anchors=held)
        for draft, analysis, held in zip(drafts, analyses, anchors, strict=True)
    ]
    heard = [draft for draft in ready if draft.standing != QUARANTINED]
    learned = [] if reserved else _learned(context, heard)
    name = None if learned else _stored_alone(context, ready)
    if name is not None:
        told = [intakes[0].told(name)]
    else:
        told = _stored(context, ready, intakes, learned, None if reserved else deed)
    noticed = {} if reserved or not heard else _follow(context, heard)
    return [remarked(name, 0, noticed.get(name, "")) for name in told] if suggests else told


def _stored_alone(context: Context, drafts: Sequence[Draft]) -> str | None:
    """Store a memory of which nothing else is written; None if it is not as simple as that."""
    if len(drafts) != 1 or drafts[0].supersedes or call_of("store", "store_batch"):
        return None
    witness = WITNESS.get()
    # What knows of it is told beforehand, for it is written by the same statement.
    noted = None if witness is None else witness.ahead([drafts[0].hash[:HASH_DIGITS]])
    name = context.store.memories.store_alone(drafts[0], HASH_DIGITS, lately_us(context), noted)
    if name is not None and noted is not None and witness is not None:
        witness.is_noted = True
    return name


def _stored(
    context: Context,
    drafts: Sequence[Draft],
    intakes: Sequence[Intake],
    learned: Sequence[Callable[[Work], None]],
    deed: str | None,
) -> list[str]:
    """Store memories with all that is written of them, and return how they are called."""
    with context.store.writing() as work:
        replaces = deed is not None and any(draft.supersedes for draft in drafts)
        held = begin_deed(context, work, deed) if deed and replaces else None
        stored = work.memories.store(drafts, HASH_DIGITS, lately_us(context), held)
        link_alike(context, work, drafts, stored.again)
        for write in learned:
            write(work)
        told = [intake.told(name) for intake, name in zip(intakes, stored.names, strict=True)]
        settle(work, told[0] if told else None, "store")
        settle(work, told, "store_batch")
    return told


def _learned(context: Context, drafts: Sequence[Draft]) -> list[Callable[[Work], None]]:
    """Return what is to be written of memories with them by whoever learns from them."""
    found = (learn(context, drafts) for learn in context.learners)
    return [write for write in found if write is not None]


def _follow(context: Context, drafts: Sequence[Draft]) -> dict[str, str]:
    """Tell who follows of memories that are stored; while others write nobody waits for them."""
    noticed: dict[str, str] = {}
    with suppress(StoreError, OutOfTime), working_until(time.monotonic() + _FOLLOWING_S):
        for follow in context.followers:
            noticed |= follow(context, drafts)
    return noticed


def _draft(
    context: Context, intake: Intake, item: Mapping[str, Any], now: int, *, reserved: bool = False
) -> Draft:
    check_time()
    content = intake.content(item["content"])
    owner = owner_of(context, intake, item.get("project"))
    created = validation.moment("created", item.get("created"), now)
    created = now if created is None else created
    valid_from = validation.moment("valid_from", item.get("valid_from"), now)
    kind = intake.name("kind", item.get("memory_type") or item.get("kind") or "note")
    tags, older = intake.tags(item.get("tags")), item.get("supersedes")
    replaced = None if older is None else find_record(context, older)
    if not reserved:
        refuse_reserved(kind)
        refuse_reserved(replaced.kind if replaced else None)
    source = source_of(context, item.get("source"))
    return Draft(
        space=context.space,
        hash=content_hash(content),
        content=content,
        kind=kind,
        tags=tags,
        metadata=metadata_of(source, intake.metadata(item.get("metadata"))),
        session=intake.optional_name("session", item.get("session")),
        author=intake.optional_name("author", item.get("author")),
        projects=() if owner.project is None else (owner.project,),
        recorded_us=now,
        created_us=created,
        valid_from_us=created if valid_from is None else valid_from,
        supersedes=replaced.hash if replaced else None,
        analysis=NOT_ANALYSED,
        branch=None if _is_wish(kind, tags) else owner.branch,
        source=source,
    )


def _is_wish(kind: str, tags: Sequence[str]) -> bool:
    return REQUIREMENT not in tags and not _WISHES.isdisjoint((kind, *tags))


def _nameplate(record: Record) -> Record:
    """Return what a deletion needs of a memory, of which there may be very many."""
    return record._replace(content="", metadata=record.metadata if record.kind in RESERVED else {})


def content_hash(content: str) -> str:
    """Return the hash that names a text."""
    return sha256(content.encode()).hexdigest()


def _new_version(
    context: Context, intake: Intake, record: Record, content: str, changes: Changes
) -> str:
    item = {
        "content": content,
        "tags": record.tags if changes.tags is None else changes.tags,
        "kind": changes.kind or record.kind,
        "metadata": record.metadata if changes.metadata is None else changes.metadata,
        "session": record.session,
        "author": record.author,
        "supersedes": record.hash,
    }
    now = context.clock()
    draft = _draft(context, intake, item, now)
    (draft,) = marked([draft._replace(projects=record.projects, branch=record.branch)])
    known = context.store.memories.record(context.space, draft.hash)
    refuse_reserved(known.kind if known else None)
    analyses = context.texts.analyse([Indexed(0, content, draft.author, draft.created_us)])
    (anchors,) = anchors_of(context, [draft])
    learned = _learned(context, [draft] if draft.standing != QUARANTINED else [])
    with context.store.writing() as work:
        deed = begin_deed(context, work, UPDATE)
        work.memories.add([draft._replace(analysis=analyses[0], anchors=anchors)], deed)
        for write in learned:
            write(work)
        stored = work.memories.record(context.space, draft.hash)
        if stored is not None and changes != Changes():
            # The text may have been known already, with another kind or other metadata.
            work.memories.change(stored.id, changes, deed)
        name = intake.told(short_hash(context, draft.hash))
        settle(work, name, "update")
    return name


def _found(context: Context, name: object) -> list[Record]:
    return [find_record(context, name)]


def _erasable(context: Context, name: object) -> list[Record]:
    """Return the memory that a hash names, and what is held of it; or of a deleted one alone."""
    held = context.store.deeds.binned(context.space, validation.hash_prefix(name))
    try:
        record = find_record(context, name)
    except NotFound:
        hashes = list(dict.fromkeys(record.hash for record in held))
        if not hashes:
            raise
        if len(hashes) > 1:
            names = ", ".join(short_hashes(context, hashes[:5]))
            raise Ambiguous(f"{len(hashes)} deleted memories start so: {names}.") from None
        return held
    return [record, *(other for other in held if other.hash == record.hash)]


def _narrows(where: Filter) -> bool:
    """Whether a filter lets only some memories pass."""
    names = (where.kind, where.project, where.session, where.after_us, where.before_us)
    return bool(where.tags) or any(name is not None for name in names)


def _chosen(context: Context, where: Filter, query: str | None) -> list[int]:
    """Return the memories that pass a filter, and are found by a question if there is one."""
    if query is None:
        return context.store.candidates.newest(where, limit=1 << 40)
    matches = all_matches(context, query, where, None, _READ_SIZE)
    return [find_record(context, memory.hash).id for memory in matches]


_DELETING = ("delete", "delete_batch", "delete_by_tag", "delete_where", "forget_document")


def delete_records(
    context: Context,
    records: Sequence[Record],
    *,
    dry_run: bool = False,
    erase: bool = False,
    episodes: tuple[str, ...] = (),
) -> Deleted:
    """Delete memories for the operation that is called; without erase, undo takes it back."""
    records = list({record.id: record for record in records}.values())
    hashes = list(dict.fromkeys(record.hash for record in records))
    names = tuple(short_hashes(context, hashes))
    until = None if erase else held_until(context)
    deleted = Deleted(len(names), names, dry_run, until, episodes)
    if not dry_run and records:
        # What is written down of them later would stay.
        context.part(Ledger).flush()
        ids = [record.id for record in records]
        if until is None:
            refuse_held(context, ids)
        with context.store.writing() as work:
            deed = None if erase else begin_deed(context, work, DELETE)
            if deed is None:
                remove_kept(context, records)
                work.memories.remove(ids)
            else:
                move_kept(context, records, bin_of(deed))
                work.memories.discard(ids, deed)
            settle(work, deleted, *_DELETING)
    return deleted
