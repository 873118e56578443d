"""Three versions of a note become one, or it is said where they do not."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from milepost.documents.markdown.note import EDITABLE, FIXED, Note, Page, plain


class Merge(NamedTuple):
    """What comes of a note that was changed in its file, in the memory, or in both.

    conflicts: what was changed in both, differently.
    refused: what the file changed that only the memory sets.
    """

    kind: str
    tags: tuple[str, ...]
    content: str
    conflicts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class _Hunk(NamedTuple):
    """Lines of the base, from one to another, and what stands in their place."""

    first: int
    end: int
    lines: list[str]


def merge(base: Note | None, ours: Note, theirs: Page, earlier: Note | None = None) -> Merge:
    """Merge what the memory and a file say; without a base whatever differs is a conflict.

    earlier: what both said before there was a conflict, which the file may still say of what only
        the memory sets.
    """
    conflicts = list[str]()
    known = (base or ours, earlier or ours, ours)
    refused = tuple(
        name.removesuffix("s") if name == "projects" else name
        for name in FIXED
        if name in theirs.fields
        and theirs.fields[name] not in [getattr(note, name) for note in known]
        and (theirs.fields[name] or getattr(ours, name))
    )
    fields: dict[str, Any] = {}
    for name in EDITABLE:
        # A page without front matter says nothing of fields.
        said = theirs.fields.get(name, () if name == "tags" and theirs.has_front else None)
        mine, was = getattr(ours, name), None if base is None else getattr(base, name)
        if said is None:
            fields[name] = mine
        elif name == "tags" and was is not None:
            fields[name] = _tags(was, mine, said)
        else:
            fields[name] = _one(name, was, mine, said, conflicts)
    text = merged_text(None if base is None else base.content, ours.content, theirs.content)
    if text is None:
        conflicts.append("text")
    content = theirs.content if text is None else text
    return Merge(fields["kind"], fields["tags"], content, tuple(conflicts), refused)


def _one(name: str, was: Any, mine: Any, said: Any, conflicts: list[str]) -> Any:
    if said in (was, mine) or (set(said) == set(mine) and name == "tags"):
        return mine
    if mine != was:
        conflicts.append(name)
    return said


def _tags(was: Sequence[str], mine: Sequence[str], said: Sequence[str]) -> tuple[str, ...]:
    """Return all tags that were added, and none that was taken away on either side."""
    gone = (set(was) - set(mine)) | (set(was) - set(said))
    every = (*mine, *(tag for tag in said if tag not in mine))
    return tuple(tag for tag in every if tag not in gone)


def merged_text(base: str | None, ours: str, theirs: str) -> str | None:
    """Return a text with the changes of both, or None where these touch."""
    mine, said = plain(ours), plain(theirs)
    if mine == said:
        return ours
    if base is None:
        return None
    was = plain(base)
    if said == was:
        return ours
    if mine == was:
        return theirs
    lines = was.split("\n")
    merged = _merged(lines, mine.split("\n"), said.split("\n"))
    return None if merged is None else "\n".join(merged)


def _merged(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    hunks = sorted([*_hunks(base, ours), *_hunks(base, theirs)])
    merged, at, last = list[str](), 0, None
    for hunk in hunks:
        if hunk == last:
            continue  # both made the same change
        # Changes that touch may be two versions of one change: a person decides.
        if last is not None and hunk.first <= last.end:
            return None
        merged += [*base[at : hunk.first], *hunk.lines]
        at, last = hunk.end, hunk
    return [*merged, *base[at:]]


def _hunks(base: list[str], other: list[str]) -> Iterator[_Hunk]:
    matcher = SequenceMatcher(None, base, other, autojunk=False)
    for what, first, end, start, stop in matcher.get_opcodes():
        if what != "equal":
            yield _Hunk(first, end, other[start:stop])
