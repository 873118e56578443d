"""A folder of Markdown files, one a memory, that people edit and that is merged with the memory."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from milepost.documents.markdown import planning
from milepost.documents.markdown.base import Base, Entry, is_notes, load, save
from milepost.documents.markdown.files import File, digest_of, files_in, remove, write_whole
from milepost.documents.markdown.names import conflict_name, folded
from milepost.documents.markdown.note import Note, Page, note_of, written
from milepost.documents.markdown.planning import Holding, Planning, Step, stem
from milepost.documents.syncing.replica import Replica
from milepost.errors import ConfigError, InvalidInput
from milepost.memory.context import Context, find_record
from milepost.memory.reserved import RESERVED
from milepost.memory.search import filter_for
from milepost.memory.values import FADED, PIECE, Record
from milepost.values import secrets_hidden

_READ_SIZE = 500


class Writing(NamedTuple):
    """The operations by which a memory is written."""

    store: Callable[..., str]
    update: Callable[..., str]
    delete: Callable[..., object]


class Remark(NamedTuple):
    """A file of which there is something to say."""

    path: str
    why: str


class Met(NamedTuple):
    """What came of it: how much was done, and the files that somebody must look at.

    gone: files that were deleted, and whose memories are still there.
    """

    stored: int = 0
    updated: int = 0
    deleted: int = 0
    written: int = 0
    removed: int = 0
    secrets: int = 0
    conflicts: tuple[Remark, ...] = ()
    problems: tuple[Remark, ...] = ()
    gone: tuple[Remark, ...] = ()


class _Agreed(NamedTuple):
    """A memory whose file shall say what the memory says, but for the text."""

    entry: Entry
    note: Note
    file: File | None = None
    page: Page | None = None
    content: str | None = None
    rewrite: bool = True


class NotesFolder:
    """The folder of notes of a memory."""

    def __init__(self, context: Context, memory: Writing, folder: Path) -> None:
        self._context, self._memory, self._folder = context, memory, folder
        self._base = Base("", "")
        self._agreed: list[_Agreed] = []
        self._kept: list[Entry] = []
        self._remarks: dict[str, list[Remark]] = defaultdict(list)
        self._count: Counter[str] = Counter()
        self._names: set[str] = set()

    def make(self, project: str | None) -> Met:
        """Write a file for each memory into a folder that is new or empty."""
        refuse_full(self._folder)
        self._base = Base(Replica(self._context).name, self._context.space, project)
        self._do(self._planned(()))
        return self._met()

    def sync(self, *, delete: bool) -> Met:
        """Merge the files and the memory."""
        self._open()
        self._do(self._planned(self._files(), delete=delete))
        return self._met()

    def plan(self, *, delete: bool) -> list[Step]:
        """Return what `sync` would do."""
        self._open()
        return self._planned(self._files(), delete=delete)

    def _open(self) -> None:
        self._base = load(self._folder)
        known = Replica(self._context).noted("name")
        if (self._base.store, self._base.space) != (known, self._context.space):
            raise ConfigError(
                f"{self._folder} has the notes of another memory: space {self._base.space!r} of "
                "another store, or what it was before; export to a new folder."
            )

    def _files(self) -> list[File]:
        files = list(files_in(self._folder))
        self._names = {folded(file.path) for file in files}
        return files

    def _planned(self, files: Sequence[File], *, delete: bool = False) -> list[Step]:
        held = self._held({entry.hash for entry in self._base.entries})
        return list(Planning(self._base, files, held, delete=delete).steps())

    def _held(self, known: set[str]) -> Holding:
        """Read what the memory holds of what belongs into the folder."""
        context = self._context
        where = filter_for(context, project=self._base.project, include_superseded=True)
        where = where._replace(home=None, without_kinds=(PIECE, *RESERVED))
        ids = sorted(context.store.candidates.newest(where, limit=1 << 40))
        notes, later = dict[str, Note](), dict[str, str]()
        links: dict[str, set[str]] = defaultdict(set)
        for first in range(0, len(ids), _READ_SIZE):
            part = ids[first : first + _READ_SIZE]
            for record in context.store.memories.records(part):
                _sort_in(record, known, notes, later)
            for link in context.store.links.of(context.space, part):
                links[link.memory].add(link.other)
                links[link.other].add(link.memory)
        self._chase(known, notes, later)
        supersedes: dict[str, list[str]] = defaultdict(list)
        for name, by in later.items():
            supersedes[by].append(name)
        return Holding(notes, later, {n: sorted(o) for n, o in links.items()}, supersedes)

    def _chase(self, known: set[str], notes: dict[str, Note], later: dict[str, str]) -> None:
        """Add what has a file and would not get one now, and what replaced it."""
        pending, seen = list(known), set[str]()
        while pending:
            name = pending.pop()
            if name in notes or name in seen:
                continue
            seen.add(name)
            if name not in later:
                record = self._context.store.memories.record(self._context.space, name)
                if record is not None:
                    _sort_in(record, {name}, notes, later)
            if name in later:
                pending.append(later[name])

    def _do(self, steps: Sequence[Step]) -> None:
        """Do what changes the memory, then write files as the memory is after that."""
        pending = deque(steps)
        deeds = self._deeds()
        try:
            while pending:
                step = pending[0]
                try:
                    deeds[step.deed](step)
                except InvalidInput as problem:
                    self._tell(planning.PROBLEM, step, str(problem))
                pending.popleft()
            self._write()
        finally:
            # What was not come to is as it was.
            rest = [one.entry for one in self._agreed if one.entry.note is not None]
            rest += [step.entry for step in pending if step.entry is not None]
            entries = {entry.hash: entry for entry in (*rest, *self._kept)}
            save(self._folder, self._base._replace(entries=tuple(entries.values())))

    def _deeds(self) -> Mapping[str, Callable[[Step], None]]:
        return {
            planning.WRITE: self._new_file,
            planning.REWRITE: self._agree,
            planning.AGREE: self._agree,
            planning.UPDATE: self._update,
            planning.STORE: self._store,
            planning.REMOVE: self._remove,
            planning.DELETE: self._delete,
            planning.FORGET: lambda _: None,
            planning.KEEP: self._keep,
            planning.CONFLICT: self._conflict,
            planning.PROBLEM: lambda step: self._tell(planning.PROBLEM, step),
            planning.GONE: lambda step: self._tell(planning.GONE, step),
        }

    def _keep(self, step: Step) -> None:
        if step.entry is not None:
            self._kept.append(step.entry)

    def _tell(self, what: str, step: Step, why: str = "") -> None:
        self._remarks[what].append(Remark(step.path, why or step.why))
        self._keep(step)

    def _agree(self, step: Step) -> None:
        assert step.entry is not None
        assert step.note is not None
        assert step.merge is not None
        rewrite = step.deed != planning.AGREE
        self._agreed.append(
            _Agreed(step.entry, step.note, step.file, step.page, step.merge.content, rewrite)
        )

    def _new_file(self, step: Step) -> None:
        assert step.note is not None
        self._agreed.append(_Agreed(Entry(step.note.hash, step.path, "", None), step.note))

    def _update(self, step: Step) -> None:
        assert step.entry is not None
        assert step.note is not None
        assert step.merge is not None
        merge, changes = step.merge, dict[str, Any]()
        if merge.content != step.note.content:
            changes["content"] = merge.content
        if merge.tags != step.note.tags:
            changes["tags"] = list(merge.tags)
        if merge.kind != step.note.kind:
            changes["kind"] = merge.kind
        name = self._memory.update(step.note.hash, **changes)
        self._taken_in("updated", name, step, merge.content)

    def _store(self, step: Step) -> None:
        assert step.page is not None
        said = {name: value for name, value in step.page.fields.items() if value}
        said.pop("projects", None)
        said["tags"] = list(said.get("tags", ()))
        name = self._memory.store(step.page.content, project=step.project, **said)
        self._taken_in("stored", name, step, step.page.content)

    def _taken_in(self, what: str, name: str, step: Step, content: str) -> None:
        """Note that the memory has what a file says; the file keeps its secrets for itself."""
        self._count[what] += 1
        self._count["secrets"] += secrets_hidden(name)
        record = find_record(self._context, str(name))
        entry = step.entry or Entry(record.hash, step.path, "", None)
        self._agreed.append(_Agreed(entry, note_of(record), step.file, step.page, content))

    def _remove(self, step: Step) -> None:
        assert step.file is not None
        if remove(self._folder, step.path, step.file.digest):
            self._count["removed"] += 1
        else:
            self._tell(planning.PROBLEM, step, "it was changed just now; sync again")

    def _delete(self, step: Step) -> None:
        assert step.note is not None
        self._memory.delete(step.note.hash)
        self._count["deleted"] += 1

    def _conflict(self, step: Step) -> None:
        if step.note is None or step.entry is None:
            self._tell(planning.CONFLICT, step)
            return
        if step.file is None:
            self._remarks[planning.CONFLICT].append(Remark(step.path, step.why))
            self._agreed.append(_Agreed(step.entry, step.note))
            return
        beside = conflict_name(step.path, self._names)
        self._names.add(folded(beside))
        data = written(step.note, Page(""), step.note.content)
        if not write_whole(self._folder, beside, data, ""):
            raise InvalidInput(f"{beside} came to be just now; sync again")
        self._remarks[planning.CONFLICT].append(
            Remark(step.path, f"{step.why}; the memory's version is {beside}, delete it when done")
        )
        self._kept.append(step.entry._replace(beside=beside, beside_note=step.note))

    def _write(self) -> None:
        """Write what was agreed, where the file does not say it yet."""
        here = {one.note.hash: stem(one.entry.path) for one in self._agreed}
        here |= {entry.hash: stem(entry.path) for entry in self._kept}
        held = self._held(set(here))
        while self._agreed:
            one = self._agreed.pop()
            try:
                self._kept.append(self._written(one, held, here))
            except InvalidInput as problem:
                self._remarks[planning.PROBLEM].append(Remark(one.entry.path, str(problem)))
                if one.entry.note is not None:
                    self._kept.append(one.entry)

    def _written(self, one: _Agreed, held: Holding, here: Mapping[str, str]) -> Entry:
        note = held.notes.get(one.note.hash, one.note)
        others = held.links.get(note.hash, ())
        links = tuple(sorted(here[name] for name in others if name in here))
        replaced = held.supersedes.get(note.hash, ())
        supersedes = tuple(sorted(name[:8] for name in replaced))
        entry = one.entry._replace(hash=note.hash, note=note, links=links, supersedes=supersedes)
        entry = entry._replace(beside="", beside_note=None)
        page, file = one.page or Page(""), one.file
        same = (links, supersedes) == (one.entry.links, one.entry.supersedes)
        if file is not None and same and not one.rewrite:
            return entry._replace(digest=file.digest)
        page = page._replace(
            links=_also(links, page.links, one.entry.links),
            supersedes=_also(supersedes, page.supersedes, one.entry.supersedes),
        )
        data = written(note, page, note.content if one.content is None else one.content)
        digest = "" if file is None else file.digest
        if digest != digest_of(data):
            if not write_whole(self._folder, entry.path, data, digest):
                raise InvalidInput("it was changed just now; sync again")
            self._count["written"] += 1
        return entry._replace(digest=digest_of(data))

    def _met(self) -> Met:
        told = (
            tuple(self._remarks[w]) for w in (planning.CONFLICT, planning.PROBLEM, planning.GONE)
        )
        conflicts, problems, gone = told
        counts = {name: self._count[name] for name in Met._fields[:6]}
        return Met(**counts, conflicts=conflicts, problems=problems, gone=gone)


def refuse_full(folder: Path) -> None:
    """Refuse to export into a folder where there is something."""
    if is_notes(folder):
        raise InvalidInput(
            f"{folder} has notes already; bring it up to date: milepost sync {folder}"
        )
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InvalidInput(f"{folder} is no folder; name a new or an empty one.")
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty; name a new folder, or an empty one in it.")


def _also(now: Sequence[str], said: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """Return the names that Milepost writes, and those that somebody wrote beside them."""
    return tuple(dict.fromkeys((*now, *(name for name in said if name not in before))))


def _sort_in(
    record: Record, known: set[str], notes: dict[str, Note], later: dict[str, str]
) -> None:
    if record.superseded_by is not None:
        later[record.hash] = record.superseded_by
    elif record.standing <= FADED or record.hash in known:
        notes[record.hash] = note_of(record)
