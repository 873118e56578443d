"""What installing or uninstalling would change, worked out before anything is written."""

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from milepost.errors import ConfigError
from milepost.surfaces.install.files import backup_of, remove, text_of, write
from milepost.surfaces.install.pieces import Edited, Piece

CREATE, CHANGE, REMOVE = "create", "change", "remove"


class Change(NamedTuple):
    """A file, what it holds and what it shall hold; None stands for no file."""

    path: Path
    before: str | None
    after: str | None
    # Whether what the file holds now shall be kept beside it, and whether what is kept may go.
    keeps: bool = False
    forgets: bool = False
    # What is put into it, or taken out.
    what: str = ""

    @property
    def action(self) -> str:
        """What happens to the file."""
        if self.before is None:
            return CREATE
        return REMOVE if self.after is None else CHANGE


class Plan(NamedTuple):
    """All changes, and what a person should know of what stays as it is."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    def diff(self) -> str:
        """Return the changes as a unified diff."""
        return "\n".join(_diff(change) for change in self.changes)


def installing(pieces: Iterable[Piece]) -> Plan:
    """Return what putting pieces into their files would change."""
    edits = []
    for piece in pieces:
        text = text_of(piece.path)
        edited = piece.put(text)
        backup = _earlier(piece) if text is None or not _is_clean(piece, text) else None
        change = Change(piece.path, text, edited.text, keeps=backup is None, what=piece.what)
        edits.append((change, edited))
    return _plan(edits)


def uninstalling(pieces: Iterable[Piece]) -> Plan:
    """Return what taking pieces out of their files would change."""
    return _plan(_taken(pieces))


def _taken(pieces: Iterable[Piece]) -> Iterator[tuple[Change, Edited]]:
    for piece in pieces:
        text, earlier = text_of(piece.path), _earlier(piece)
        if text is None:
            continue
        if piece.put(earlier).text == text:
            # Nothing else changed since, so the file can be as it was, to the letter.
            had = earlier is not None
            yield Change(piece.path, text, earlier, forgets=had, what=piece.what), Edited(earlier)
            continue
        edited = piece.take(text, earlier)
        yield Change(piece.path, text, edited.text, what=piece.what), edited


def _earlier(piece: Piece) -> str | None:
    """Return what a file held before Milepost came, if that was kept."""
    backup = text_of(backup_of(piece.path))
    return backup if backup is not None and _is_clean(piece, backup) else None


def _is_clean(piece: Piece, text: str) -> bool:
    return piece.take(text, None).text == text


def _plan(edits: Iterable[tuple[Change, Edited]]) -> Plan:
    pairs = list(edits)
    changes = tuple(change for change, _ in pairs if change.before != change.after)
    return Plan(changes, tuple(edited.note for _, edited in pairs if edited.note))


def _diff(change: Change) -> str:
    before = "/dev/null" if change.before is None else str(change.path)
    after = "/dev/null" if change.after is None else str(change.path)
    old, new = (change.before or "").splitlines(), (change.after or "").splitlines()
    return "\n".join(unified_diff(old, new, before, after, lineterm=""))


def carry_out(plan: Plan, *, private: bool) -> None:
    """Write the changes; new files are readable by their owner alone if they shall be private."""
    for change in plan.changes:
        if text_of(change.path) != change.before:
            raise ConfigError(f"{change.path} was changed meanwhile; look at it and try again.")
        if change.keeps and change.before is not None:
            write(backup_of(change.path), change.before, private=True)
        if change.after is None:
            remove(change.path)
        else:
            write(change.path, change.after, private=private)
        if change.forgets:
            remove(backup_of(change.path))
