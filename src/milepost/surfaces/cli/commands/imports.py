"""`milepost import`: read what was exported, or what a coding agent has, and remember it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from milepost.app import Operations
from milepost.errors import NotFound
from milepost.memory.remember import content_hash
from milepost.memory.values import IMPORT
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, table
from milepost.surfaces.importing.instructions import read_instructions
from milepost.surfaces.importing.source import TRANSCRIPT, FileContent, place, sources
from milepost.surfaces.importing.transcripts import folder_of_project, read_session
from milepost.text.fence import as_data
from milepost.text.lines import counted
from milepost.workspace.project import detect


class Imported(NamedTuple):
    """What one file gave: memories by kind, those that were known already, secrets left out."""

    file: str
    kinds: dict[str, int]
    known: int
    secrets: int
    problem: str = ""


# The sources that go by a name; any other is a file.
_CLIENT = "claude-code"


def import_memories(call: Call) -> object:
    """Read a source: what an export has, or what a client's files say."""
    if call.values["source"] != _CLIENT:
        from milepost.surfaces.cli.commands.exports import import_export

        return import_export(call)
    return _import_client(call)


def _import_client(call: Call) -> View:
    """Remember what the instructions and transcripts of a client say; storing it again merges."""
    paths = sources(call.values.get("path"))
    memory = call.memory()
    files: list[Imported] = []
    seen: set[str] = set()
    try:
        with Progress("import") as progress:
            for file in _read(paths, call.values.get("project")):
                files.append(_stored(file, memory, seen, dry_run=call.dry_run))
                progress(len(files), len(paths))
    except KeyboardInterrupt:
        left = f"{len(files):,} of {len(paths):,} files are done; the same command goes on"
        raise KeyboardInterrupt(left) from None
    data = {"files": files, "dry_run": call.dry_run}
    return View(data, _report(files, dry_run=call.dry_run), ready=not any(f.problem for f in files))


def _read(paths: Iterable[Path], project: str | None) -> Iterator[FileContent | Imported]:
    for path in paths:
        try:
            yield _found(path, project)
        except OSError as problem:
            yield Imported(place(path), {}, 0, 0, problem.strerror or str(problem))


def _found(path: Path, project: str | None) -> FileContent:
    if path.suffix == TRANSCRIPT:
        return read_session(path, project)
    return read_instructions(path, project or _project_of(path))


def _project_of(path: Path) -> str | None:
    """Return the project that instructions are for; those in the user's own folder are for all."""
    folder = path.parent
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        worked_in = folder_of_project(folder.parent)
        return detect(worked_in).name if worked_in else None
    if folder.name == ".claude":
        folder = folder.parent
    return None if folder == Path.home() else detect(str(folder)).name


def _stored(
    file: FileContent | Imported, memory: Operations, seen: set[str], *, dry_run: bool
) -> Imported:
    if isinstance(file, Imported):
        return file
    known = sum(_is_known(memory, str(item["content"]), seen) for item in file.items)
    if file.items and not dry_run:
        memory.store_batch([{**item, "source": IMPORT} for item in file.items])
    return Imported(place(file.path), file.kinds, known, file.secrets)


def _is_known(memory: Operations, content: str, seen: set[str]) -> bool:
    """Whether a text is in the memory or was in an earlier file."""
    name = content_hash(content)
    if name in seen:
        return True
    seen.add(name)
    try:
        return bool(memory.get(name))
    except NotFound:
        return False


def _report(files: list[Imported], *, dry_run: bool) -> str:
    telling = [file for file in files if file.kinds or file.problem]
    rows = [
        (_kinds(file.kinds) or file.problem, file.known, file.secrets, as_data(file.file))
        for file in telling
    ]
    lines = [table(rows, ("memories", "known", "secrets", "file"))] if rows else []
    total = sum((Counter(file.kinds) for file in files), Counter[str]())
    known, secrets = sum(file.known for file in files), sum(file.secrets for file in files)
    fresh = total.total() - known
    verb = "would be stored" if dry_run else "was stored" if fresh == 1 else "were stored"
    nothing = len(files) - len(telling)
    lines += [
        f"{counted(fresh, 'memory')} {verb}, {known:,} were known already, "
        f"{counted(secrets, 'secret')} left out"
        + (f"; {counted(nothing, 'file')} had nothing to remember" if nothing else "")
    ]
    return "\n".join(lines)


def _kinds(kinds: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
