"""What has to be done so that a folder of notes and the memory say the same; does none of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from milepost.documents.markdown.base import Base, Entry
from milepost.documents.markdown.files import File
from milepost.documents.markdown.merging import Merge, merge
from milepost.documents.markdown.names import SUFFIX, folded, folder_name, free_name, stem_of
from milepost.documents.markdown.note import DIGITS, Note, Page, plain, read
from milepost.errors import InvalidInput
from milepost.memory.remember import content_hash
from milepost.text.secrets import without_secrets
from milepost.workspace.values import EVERYWHERE

WRITE, REWRITE, UPDATE, STORE, REMOVE, DELETE, FORGET, AGREE = (
    "write", "rewrite", "update", "store", "remove", "delete", "forget", "agree"
)  # fmt: skip
CONFLICT, PROBLEM, GONE, KEEP = "conflict", "problem", "gone", "keep"


class Holding(NamedTuple):
    """What the memory holds.

    notes: by full hash, those that have a file or are to have one.
    later: by full hash of what was replaced, what holds in its place.
    links, supersedes: by full hash, full hashes.
    """

    notes: Mapping[str, Note]
    later: Mapping[str, str]
    links: Mapping[str, Sequence[str]]
    supersedes: Mapping[str, Sequence[str]]


class Step(NamedTuple):
    """One thing to do, or to tell."""

    deed: str
    path: str
    why: str = ""
    entry: Entry | None = None
    note: Note | None = None
    file: File | None = None
    page: Page | None = None
    merge: Merge | None = None
    project: str | None = None


class Planning:
    """Compares the files, the memory, and what both said last."""

    def __init__(self, base: Base, files: Sequence[File], held: Holding, *, delete: bool) -> None:
        self._held, self._delete = held, delete
        self._entries = {entry.hash: entry for entry in base.entries}
        beside = {entry.beside for entry in base.entries if entry.beside}
        self._beside = {file.path: file for file in files if file.path in beside}
        self._files = {file.path: file for file in files if file.path not in beside}
        self._pages: dict[str, Page] = {}
        # Files that cannot be read, or not told whose they are, and why; of the others, whose.
        self._unclear: dict[str, str] = {}
        self._of: dict[str, str] = {}
        self._taken = {folded(stem(file.path)) for file in files}
        self._taken |= {folded(stem(entry.path)) for entry in base.entries}
        self._owners = {
            folded(entry.path.partition("/")[0]): entry.note.projects[0]
            for entry in base.entries
            if "/" in entry.path and entry.note is not None and entry.note.projects
        }
        # What will have a file when all is done, by the texts' hashes.
        self._told: dict[str, str] = {}

    def steps(self) -> Iterator[Step]:
        """Yield what to do, in the order in which it can be done."""
        self._read_all()
        self._assign()
        for path, why in self._unclear.items():
            yield Step(PROBLEM, path, why)
        now = {name: self._now_of(entry) for name, entry in self._entries.items()}
        for name, entry in self._entries.items():
            yield from self._known(entry, now[name])
        for path in self._pages:
            if path not in self._unclear and path not in self._of.values():
                yield self._new_file(path)
        yield from self._new_memories()

    def _known(self, entry: Entry, note: Note | None) -> Iterator[Step]:
        path = self._of.get(entry.hash)
        if path is not None:
            yield from self._with_file(entry, path, note)
        elif entry.path in self._unclear or entry.hash[:DIGITS] in self._claimed:
            yield Step(KEEP, entry.path, entry=entry)
        else:
            yield from self._without_file(entry, note)

    @property
    def _claimed(self) -> set[str]:
        """The hashes that files name of which it is not clear whose they are."""
        pages = (self._pages.get(path) for path in self._unclear)
        return {page.hash[:DIGITS] for page in pages if page is not None}

    def _read_all(self) -> None:
        """Read the pages of the files that are not as they were."""
        for path, file in self._files.items():
            try:
                if file.problem:
                    raise InvalidInput(file.problem)
                self._pages[path] = read(file.data)
            except InvalidInput as problem:
                self._unclear[path] = str(problem)

    def _assign(self) -> None:
        """Find which file is whose, and which files only say that they are."""
        short = {name[:DIGITS]: name for name in self._entries}
        for entry in self._entries.values():
            if entry.beside_note is not None:  # the version beside may have taken its place
                short.setdefault(entry.beside_note.hash[:DIGITS], entry.hash)
        claims: dict[str, list[str]] = defaultdict(list)
        for path, page in self._pages.items():
            named = short.get(page.hash[:DIGITS]) if len(page.hash) >= DIGITS else None
            if named is not None:
                claims[named].append(path)
        for name, entry in self._entries.items():
            own_page = self._pages.get(entry.path)
            if name not in claims and own_page is not None and not own_page.has_front:
                claims[name].append(entry.path)  # who took the front matter away meant the text
        for name, paths in claims.items():
            own = self._entries[name].path
            if len(paths) == 1 and own not in self._unclear:
                self._of[name] = paths[0]
                continue
            if own in paths:
                self._of[name] = own
            why = f"it has the hash of {own} too; take the line `hash` out to store it"
            self._unclear |= {path: why for path in paths if path != self._of.get(name)}

    def _now_of(self, entry: Entry) -> Note | None:
        """Return what a memory is now, or what replaced it; None if another file says that."""
        name = entry.hash
        while name not in self._held.notes and name in self._held.later:
            name = self._held.later[name]
        if name not in self._held.notes or name in self._told:
            return None
        if name != entry.hash and name in self._entries:
            return None
        self._told[name] = self._of.get(entry.hash, entry.path)
        return self._held.notes[name]

    def _without_file(self, entry: Entry, note: Note | None) -> Iterator[Step]:
        """Yield what becomes of a memory whose file was deleted."""
        if entry.beside and entry.beside in self._beside:
            yield Step(CONFLICT, entry.path, f"see {entry.beside}", entry)
        elif note is None:
            yield Step(FORGET, entry.path, entry=entry)
        elif not self._delete:
            yield Step(GONE, entry.path, "its file is gone; --delete deletes the memory", entry)
        elif note == (entry.beside_note or entry.note):
            yield Step(DELETE, entry.path, entry=entry, note=note)
        else:
            why = "its file was deleted and it was changed here; it is written again"
            yield Step(CONFLICT, entry.path, why, entry, note)

    def _with_file(self, entry: Entry, path: str, note: Note | None) -> Iterator[Step]:
        file, page = self._files[path], self._pages[path]
        if entry.beside and entry.beside in self._beside:
            why = f"both were changed; the memory's version is {entry.beside}, delete it when done"
            yield Step(CONFLICT, path, why, entry._replace(path=path), file=file)
            return
        settled = entry._replace(path=path)
        if entry.beside:
            settled = settled._replace(note=entry.beside_note, digest="", beside="")
            settled = settled._replace(beside_note=None)
        if note is None:
            yield self._deleted_here(settled, file)
        else:
            yield self._both_there(settled, entry, file, page, note)

    def _deleted_here(self, entry: Entry, file: File) -> Step:
        if file.digest == entry.digest:
            return Step(REMOVE, file.path, entry=entry, file=file)
        why = (
            "its memory was deleted here, and the file was changed; delete the file too, or take "
            "its line `hash` out to store it"
        )
        return Step(CONFLICT, file.path, why, entry, file=file)

    def _both_there(self, entry: Entry, was: Entry, file: File, page: Page, note: Note) -> Step:
        done = merge(entry.note, note, page, was.note)
        if file.digest == was.digest and note == entry.note and not was.beside:
            # Nothing was changed; the names of files that it links to may have been.
            return Step(AGREE, file.path, "", entry, note, file, page, done)
        if done.refused:
            names = ", ".join(done.refused)
            why = f"{names} cannot be changed in a file; write it as it was"
            return Step(PROBLEM, file.path, why, entry, file=file)
        if done.conflicts:
            why = f"{' and '.join(done.conflicts)} changed in the file and in the memory"
            return Step(CONFLICT, file.path, why, entry, note, file, page, done)
        changed = (done.kind, done.tags) != (note.kind, note.tags)
        if plain(done.content) == plain(note.content) and not changed:
            deed = AGREE if note == entry.note else REWRITE
            return Step(deed, file.path, "", entry, note, file, page, done)
        if not plain(done.content):
            why = "it has no text; delete the file instead"
            return Step(PROBLEM, file.path, why, entry, file=file)
        twin = self._twin(done.content, entry.path)
        if twin and plain(done.content) != plain(note.content):
            return Step(PROBLEM, file.path, f"it says the same as {twin}", entry, file=file)
        self._told[_hash_here(done.content)] = file.path
        return Step(UPDATE, file.path, "", entry, note, file, page, done)

    def _new_file(self, path: str) -> Step:
        file, page = self._files[path], self._pages[path]
        if not page.content.strip():
            return Step(PROBLEM, path, "it has no text", file=file)
        named = page.hash if len(page.hash) >= DIGITS else "-"
        if any(name.startswith(named) for name in self._held.later):
            why = "it is of an older version of a memory; take its line `hash` out to store it"
            return Step(PROBLEM, path, why, file=file)
        stands = [name for name in self._held.notes if name.startswith(named)]
        if stands and stands[0] not in self._told:
            self._told[stands[0]] = path
            return self._unknown_base(stands[0], file, page)
        twin = self._twin(page.content, "")
        if twin:
            return Step(PROBLEM, path, f"it says the same as {twin}", file=file)
        if len(page.fields.get("projects", ())) > 1 or page.fields.get("valid_to"):
            why = "a new memory has one project and no end; write it without the others"
            return Step(PROBLEM, path, why, file=file)
        self._told[_hash_here(page.content)] = path
        return Step(STORE, path, file=file, page=page, project=self._project_of(path, page))

    def _project_of(self, path: str, page: Page) -> str:
        """Return whose a new file is: as it says, or as its folder does."""
        first, slash, _ = path.partition("/")
        if page.fields.get("projects"):
            return str(page.fields["projects"][0])
        return self._owners.get(folded(first), first) if slash else EVERYWHERE

    def _unknown_base(self, name: str, file: File, page: Page) -> Step:
        """Return what to do with the file of a memory when it is not known what both said last."""
        note = self._held.notes[name]
        entry = Entry(name, file.path, "", None)
        return self._both_there(entry, entry, file, page, note)

    def _twin(self, content: str, own: str) -> str:
        """Return the file of the memory that says a text already."""
        path = self._told.get(_hash_here(content), "")
        return "" if path == own else path

    def _new_memories(self) -> Iterator[Step]:
        """Yield a file for each memory that has none."""
        for name, note in self._held.notes.items():
            if name in self._told:
                continue
            named = free_name(stem_of(note.content), name, self._taken)
            self._taken.add(folded(named))
            yield Step(WRITE, f"{self._folder_of(note)}{named}{SUFFIX}", note=note)

    def _folder_of(self, note: Note) -> str:
        if not note.projects:
            return ""
        project = note.projects[0]
        for folder in (folder_name(project), folder_name(project, marked=True)):
            if self._owners.setdefault(folded(folder), project) == project:
                return f"{folder}/"
        return ""


def stem(path: str) -> str:
    """Return how double brackets name a file."""
    return path.rpartition("/")[2].removesuffix(SUFFIX)


def _hash_here(content: str) -> str:
    return content_hash(without_secrets(content))
