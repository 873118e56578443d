"""Remember what happened in a session: decisions, errors and what mended them, commits."""

from collections.abc import Mapping, Sequence
from typing import Any

from milepost.errors import InvalidInput
from milepost.memory import validation
from milepost.memory.branches import note_branch
from milepost.memory.context import Context, Service
from milepost.memory.holding import NOTICE, begin_deed
from milepost.memory.home import at_place, home_of
from milepost.memory.remember import content_hash, store_items
from milepost.memory.search import filter_for
from milepost.memory.values import Changes, Record
from milepost.operation import operation
from milepost.sessions.covering import said_once
from milepost.sessions.joining import joined
from milepost.sessions.marks import SETTLED
from milepost.sessions.state import fetched, load_state, note_used, save_state, sound
from milepost.sessions.values import Note, Turn
from milepost.text.secrets import without_secrets
from milepost.text.secrets.mark import SECRET
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.recorder import Recorder
from milepost.values import remarked

TURNS_MAX = 100_000
# A note that is nearer in meaning than this to one of its session is the same in other words.
_SAME = 0.93
# An error that was mended and is nearer than this to an open one is that one.
_SAME_TROUBLE = 0.7
_OPEN = "open"
_AT_ONCE = frozenset(("note", "preference", "fact", "decision"))
_STAGES = ("turn", "interim", "compaction", "end")
_SAVED_LINES = 12
# As many as a briefing shows of a hash at least.
_HASH_DIGITS = 6
_SAVED_CHARS = 260
# A clock that says a later time, in seconds since 1970, is wrong: it is the year 2200.
_LATEST = 7_258_118_400


class Noticing(Service):
    """The operation that reads a session."""

    @operation(
        "session",
        example='notice("s1", [{"role": "user", "text": "From now on always use tabs."}])',
        idempotent=True,
    )
    def notice(
        self,
        session: str,
        turns: Sequence[Mapping[str, Any]],
        project: str | None = None,
        stage: str = "turn",
        folder: str | None = None,
        branch: str | None = None,
        head: str | None = None,
    ) -> list[str]:
        """Remember what matters of a stretch of a session and return the hashes.

        Its tasks become episodes, as far as it is seen how they ended.

        session: the client's session.
        turns: what was said and done: mappings with role, text, tool, input, failed and at.
        project: the project that was worked on.
        stage: "turn", "interim" (one that is read again), "compaction" or "end" of the session.
        folder: the folder on this machine that was worked in.
        branch: the branch that was worked on, if another may be checked out; empty for main.
        head: the commit that the branch stood at.
        """
        from milepost.experience.observed import keep
        from milepost.knowledge.events import adding
        from milepost.sessions.attempts import attempts_of
        from milepost.sessions.habits import habits
        from milepost.sessions.happenings import events_of
        from milepost.sessions.notes import notes_of
        from milepost.sessions.replacing import told_once
        from milepost.sessions.summary import summary_of

        context = self._context.lenient()
        intake = context.intake()
        name = intake.name("session", session)
        named = intake.optional_name("project", project)
        context = at_place(
            context, folder, load_state(context, name).project or named, None, branch, head
        )
        home = home_of(context, claim=True)
        note_branch(context, home)
        owner = home.project
        if stage not in _STAGES:
            raise InvalidInput(f"stage must be one of {', '.join(_STAGES)}, not {stage!r}.")
        read = [_turn(item) for item in _listed(turns)]
        notes = notes_of(read)
        summary = summary_of(read, notes) if stage in ("compaction", "end") else None
        if stage != "compaction":
            where = {"project": owner, "branch": home.branch}
            keep(context, attempts_of(read, name, where, context.now_s))
        happened = events_of(read, name, owner, context.now_s, ended=stage == "end")
        context.part(Recorder).write(context.space, [adding(context, happened)])
        if stage == "compaction":
            _save_from_compaction(context, name, summary, notes)
        if stage == "end":
            # A session in which nothing was decided, changed or broken leaves no summary.
            told = [Note("summary", summary, (), _last_time(read))] if summary and notes else []
            notes = [*notes, *habits(context, owner, name, read), *told]
        notes, changed, _ = joined(said_once([note for note in notes if _is_ripe(note, stage)]))
        replaced = _replaced(context, name, owner, read, notes)
        replaced += _closed(context, name, owner, read, notes) if stage == "end" else []
        if stage == "end":
            _settle(context, owner, read, notes)
        notes, replaced = told_once(notes, replaced)
        known = [(note, content_hash(old)) for note, old in changed]
        replaced += [
            pair for pair in known if context.store.memories.record(context.space, pair[1])
        ]
        hashes = self._keep(context, name, owner, notes, replaced)
        if stage == "end":
            # At last: what comes before may be done twice.
            _judge_use(context, name, owner, read)
        return hashes

    def _keep(
        self,
        context: Context,
        session: str,
        project: str | None,
        notes: Sequence[Note],
        replaced: Sequence[tuple[Note, str]] = (),
    ) -> list[str]:
        """Store notes, each with what it replaces; one that replaces several is stored as often."""
        pairs = [*((note, None) for note in notes), *replaced]
        items = [
            {
                "content": without_secrets(note.text),
                "kind": note.kind,
                "tags": note.tags,
                "session": session,
                "project": project,
                "created": note.at,
                "metadata": {"by": "notice", **dict(note.about)},
                "supersedes": older,
                "source": note.source,
            }
            for note, older in pairs
            if without_secrets(note.text).strip()
        ]
        fresh = [placed for item in items if (placed := _placed(context, session, item))]
        plain = [item for item in fresh if item["supersedes"] is None]
        hashes = store_items(context, plain, deed=NOTICE) if plain else []
        # What is replaced may have been said in the same stretch.
        others = [item for item in fresh if _is_known(context, item["supersedes"])]
        hashes += store_items(context, others, deed=NOTICE) if others else []
        fresh = [*plain, *others]
        # Turns were read without secrets: a mark is all that is left of one.
        counts = [str(item["content"]).count(SECRET) for item in fresh]
        # What replaces several is one memory.
        told = dict(zip(hashes, counts, strict=True))
        return [remarked(full_hash, count) for full_hash, count in told.items()]


def _is_ripe(note: Note, stage: str) -> bool:
    """Whether a note can be kept: what a user states at once, what came of work at the end.

    Until then what is open may be settled, and what an agent claims may be denied. What was edited
    is told by the summary.
    """
    if stage == "turn":
        return True
    return note.kind != "change" if stage == "end" else note.kind in _AT_ONCE


def _replaced(
    context: Context, session: str, project: str | None, turns: Sequence[Turn], notes: list[Note]
) -> list[tuple[Note, str]]:
    """Return what the notes take the place of; an error that came again is told as such."""
    from milepost.sessions.replacing import overturned, recurred, redecided, rehearsed

    replaced = [*overturned(context, project, notes), *rehearsed(context, project, notes)]
    replaced += redecided(context, project, turns, notes)
    for note, again, older in recurred(context, project, session, notes):
        notes[notes.index(note)] = again
        replaced.append((again, older))
    return replaced


def _closed(
    context: Context,
    session: str,
    project: str | None,
    turns: Sequence[Turn],
    notes: Sequence[Note],
) -> list[tuple[Note, str]]:
    """Return what a session that ends settles of earlier ones, or takes back of its own."""
    from milepost.sessions.replacing import settled, withdrawn

    return [
        *settled(context, project, session, turns, notes),
        *withdrawn(context, project, session, turns, notes),
    ]


def _settle(
    context: Context, project: str | None, turns: Sequence[Turn], notes: Sequence[Note]
) -> None:
    """Mark what ended red and goes well now; what else it tells stays as it is."""
    from milepost.sessions.replacing import turned_green

    for record, command in list(turned_green(context, project, turns, notes)):
        about = {**record.metadata, SETTLED: f"{command} passed later"}
        tags = tuple(tag for tag in record.tags if tag != _OPEN)
        with context.store.writing() as work:
            deed = begin_deed(context, work, NOTICE)
            work.memories.change(record.id, Changes(tags=tags, metadata=about), deed)


def _listed(turns: object) -> Sequence[object]:
    if isinstance(turns, str | bytes | Mapping) or not isinstance(turns, Sequence):
        raise InvalidInput("turns must be a list of mappings with a role and a text.")
    if len(turns) > TURNS_MAX:
        raise InvalidInput(f"there may be at most {TURNS_MAX:,} turns, not {len(turns):,}.")
    return turns


def _turn(value: object) -> Turn:
    if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
        raise InvalidInput("a turn must be a mapping with a role and a text.")
    unknown = set(value) - set(Turn._fields)
    if unknown:
        raise InvalidInput(
            f"a turn has no field {sorted(map(str, unknown))[0]!r}; "
            f"the fields are {', '.join(Turn._fields)}."
        )
    at = value.get("at")
    return Turn(
        str(value.get("role") or "user"),
        sound(value["text"]),
        sound(str(value.get("tool") or "")),
        sound(str(value.get("input") or "")),
        bool(value.get("failed")),
        float(at) if isinstance(at, int | float) and 0 < at < _LATEST else None,
    )


def _last_time(turns: Sequence[Turn]) -> float | None:
    return next((turn.at for turn in reversed(turns) if turn.at is not None), None)


def _placed(context: Context, session: str, item: dict[str, Any]) -> dict[str, Any] | None:
    """Return a note with what it replaces; None if the session said the same in other words."""
    if item["supersedes"] is not None:
        return item
    known = context.store.memories.record(context.space, content_hash(item["content"]))
    if known is not None and known.session == session and known.superseded_by is not None:
        return None  # it was overturned meanwhile
    near = _near(context, session, item)
    if any(likeness > _SAME for _, likeness in near):
        return None
    mended = item["kind"] == "error" and _OPEN not in item["tags"]
    open_ones = [record for record, likeness in near if mended and _OPEN in record.tags]
    return item | {"supersedes": open_ones[0].hash} if open_ones else item


def _is_known(context: Context, full_hash: str | None) -> bool:
    if full_hash is None:
        return False
    return context.store.memories.record(context.space, full_hash) is not None


def _near(context: Context, session: str, item: dict[str, Any]) -> list[tuple[Record, float]]:
    """Return what the session noted of the same kind and nearly the same meaning, nearest first."""
    from milepost.ranking.score import nearest

    probe = context.texts.probe(item["content"][: validation.QUERY_CHARS_MAX], whole=True)
    where = filter_for(context, kind=item["kind"], project=item["project"])
    ids, likeness = nearest(context.store.candidates.find(probe, where, 8), probe)
    near = {i: value for i, value in zip(ids, likeness, strict=True) if value > _SAME_TROUBLE}
    return [
        (record, near[record.id])
        for record in context.store.memories.records(list(near))
        if record.session == session and record.content != item["content"]
    ]


def _save_from_compaction(
    context: Context, session: str, summary: str | None, notes: Sequence[Note]
) -> None:
    """Keep what the session would lose, for the briefing that follows."""
    lines = [f"before the context was cut: {summary}"] if summary else []
    lines += [f"{note.kind}: {without_secrets(note.text)}"[:_SAVED_CHARS] for note in notes]
    saved = "\n".join(" ".join(line.split()) for line in lines[:1] + lines[1:][-_SAVED_LINES:])
    save_state(context, session, load_state(context, session)._replace(saved=saved))


def _judge_use(context: Context, session: str, project: str | None, turns: Sequence[Turn]) -> None:
    """Note which of the memories that the session was told it made use of."""
    from milepost.sessions.quotations import quoted

    shown = load_state(context, session).shown
    records = [context.store.memories.record(context.space, full) for full in shown]
    texts = {record.hash: record.content for record in records if record is not None}
    names = {full[:_HASH_DIGITS]: full for full in texts}
    used = quoted({name: texts[full] for name, full in names.items()}, turns)
    first = next((turn.at for turn in turns if turn.at is not None), context.clock() / 1e6)
    expenses = context.part(Ledger).expenses(context.space, first)
    note_used(context, project, [*(names[name] for name in used), *fetched(expenses)])
