"""`milepost export --format markdown` and the way back: a folder of notes that people edit."""

import sys
from collections.abc import Iterator
from pathlib import Path

from milepost.app import Milepost
from milepost.config import Settings
from milepost.documents.markdown import planning
from milepost.documents.markdown.folder import Met, NotesFolder, Remark, Writing, refuse_full
from milepost.documents.markdown.planning import Step
from milepost.memory.values import IMPORT
from milepost.opening import Opening
from milepost.storage.maintenance import key_of_store
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.commands.exports import where_it_lies
from milepost.surfaces.cli.dry_run import Rehearsed, settings_to_rehearse
from milepost.surfaces.cli.printer import View
from milepost.text.fence import as_data
from milepost.text.lines import counted
from milepost.unlocking import unlock

_CLEAR = "milepost: the store is encrypted, but {} is in clear text"
_NOT_FOR_NOTES = {"all_spaces": "--all-spaces", "vectors": "--vectors", "encrypt": "--encrypt"}
_TOLD = {
    planning.WRITE: "write {}",
    planning.REWRITE: "bring {} up to date",
    planning.UPDATE: "update the memory of {}",
    planning.STORE: "store {}",
    planning.REMOVE: "remove {}, whose memory was deleted",
    planning.DELETE: "delete the memory of {}",
    planning.CONFLICT: "leave a conflict: {}: {}",
    planning.PROBLEM: "leave as it is: {}: {}",
    planning.GONE: "leave as it is: {}: {}",
}


def export_notes(call: Call) -> object:
    """Write a file for each memory into a new folder."""
    for name, flag in _NOT_FOR_NOTES.items():
        if call.values[name]:
            raise Misuse(f"{flag} is for --format jsonl")
    if call.values["target"] == "-":
        raise Misuse("--format markdown writes a folder: --to DIR")
    settings, folder = where_it_lies(call), Path(call.values["target"]).expanduser()
    unlock(settings)
    refuse_full(folder)
    if call.dry_run:
        return Rehearsed((f"write the notes of {settings.space} to {folder}",))
    if key_of_store(settings.url) is not None:
        print(_CLEAR.format(folder), file=sys.stderr)
    return _told(_Notes(settings, call).folder(folder).make(call.values["project"]))


def sync_notes(call: Call, folder: Path) -> object:
    """Merge the notes of a folder and the memory."""
    settings, delete = where_it_lies(call), bool(call.values.get("delete"))
    unlock(settings)
    if call.dry_run:
        steps = _Notes(settings_to_rehearse(settings), call).folder(folder).plan(delete=delete)
        return Rehearsed(tuple(_would(steps)) or ("change nothing",))
    return _told(_Notes(settings, call).folder(folder).sync(delete=delete))


class _Notes:
    """Opens the memory that notes are of, until the command ends."""

    def __init__(self, settings: Settings, call: Call) -> None:
        self._opening = Opening(lambda: settings)
        self._memory = Milepost(self._opening)
        call.closing.callback(self._memory.close)

    def folder(self, folder: Path) -> NotesFolder:
        """Return the folder of its notes."""
        # As with all that is imported: a file does not tell who wrote what it says.
        memory = self._memory.within(source=IMPORT)
        writing = Writing(memory.store, memory.update, memory.delete)
        return NotesFolder(self._opening(), writing, folder)


def _would(steps: list[Step]) -> Iterator[str]:
    for step in steps:
        if step.deed in _TOLD:
            yield _TOLD[step.deed].format(as_data(step.path), as_data(step.why))


def _told(met: Met) -> View:
    first = (
        f"{counted(met.stored, 'memory')} stored, {met.updated:,} updated, "
        f"{met.deleted:,} deleted; {counted(met.written, 'file')} written, {met.removed:,} removed"
    )
    hidden = f"{counted(met.secrets, 'secret')} left out" if met.secrets else ""
    lines = ["; ".join(filter(None, (first, hidden)))]
    lines += _listed("conflict", met.conflicts)
    lines += _listed("not taken", met.problems)
    lines += _listed("gone", met.gone)
    return View(met, "\n".join(lines), ready=not met.conflicts and not met.problems)


def _listed(what: str, remarks: tuple[Remark, ...]) -> Iterator[str]:
    return (f"{what}: {as_data(remark.path)}: {as_data(remark.why)}" for remark in remarks)
