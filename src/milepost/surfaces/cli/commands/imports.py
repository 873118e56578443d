"""`milepost import`: read what another program keeps, show what was found, and remember it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from milepost.app import Operations
from milepost.errors import InvalidInput, NotFound
from milepost.memory.remember import content_hash
from milepost.memory.reserved import RESERVED
from milepost.memory.values import IMPORT, weaker
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, table
from milepost.surfaces.importing.formats import FORMATS, format_of
from milepost.surfaces.importing.source import FileContent, Wanted, hidden, place
from milepost.text.fence import as_data
from milepost.text.lines import counted
from milepost.text.secrets import without_secrets


class Imported(NamedTuple):
    """What one file gave.

    kinds: memories by kind, known ones too.
    known: how many were known already, and stay as they are.
    left_out: what was not brought along, by why.
    """

    file: str
    kinds: dict[str, int]
    known: int
    secrets: int
    problem: str = ""
    relations: int = 0
    left_out: Mapping[str, int] = {}

    def and_also(self, other: "Imported") -> "Imported":
        """Return both parts of a file as one."""
        return self._replace(
            kinds=dict((Counter(self.kinds) + Counter(other.kinds)).most_common()),
            known=self.known + other.known,
            secrets=self.secrets + other.secrets,
            relations=self.relations + other.relations,
            left_out=dict(Counter(self.left_out) + Counter(other.left_out)),
        )


def import_memories(call: Call) -> object:
    """Read an export of Milepost, or what another program keeps."""
    from milepost.documents.markdown.base import is_notes
    from milepost.surfaces.cli.commands.exports import import_export, is_export

    folder = Path(call.values["source"]).expanduser()
    if is_notes(folder):
        from milepost.surfaces.cli.commands.notes import sync_notes

        return sync_notes(call, folder)
    return import_export(call) if is_export(call.values["source"]) else _import_other(call)


def _import_other(call: Call) -> View:
    """Remember what another program keeps; what is known already stays as it is."""
    given = call.values
    name, paths = _source(given["source"], given.get("path") or ())
    form = FORMATS[name]
    wanted = Wanted(given.get("project"), given.get("user"), _columns(given.get("columns")))
    found = form.files(paths)
    if not found:
        told = f"no memory of {name} was found here; name it: milepost import {name} PATH"
        return View({"files": [], "dry_run": call.dry_run}, told)
    bringing = Bringing(call.memory(), dry_run=call.dry_run)
    files: list[Imported] = []
    try:
        with Progress("import") as progress:
            for path in found:
                nothing = Imported(place(path), {}, 0, 0)
                files.append(nothing)
                try:
                    for part in form.read(path, wanted):
                        files[-1] = files[-1].and_also(bringing.bring(part))
                        progress(len(files), len(found))
                except (OSError, InvalidInput) as problem:
                    if len(found) == 1:
                        raise
                    said = getattr(problem, "strerror", None) or str(problem)
                    files[-1] = files[-1]._replace(problem=said)
                progress(len(files), len(found))
    except KeyboardInterrupt:
        done = max(len(files) - 1, 0)
        left = f"{done:,} of {len(found):,} files are done; the same command goes on"
        raise KeyboardInterrupt(left) from None
    except OSError as problem:
        raise InvalidInput(f"Cannot read {found[0]} ({problem.strerror}).") from problem
    data = {"files": files, "dry_run": call.dry_run}
    return View(data, _report(files, dry_run=call.dry_run), ready=not any(f.problem for f in files))


def _source(source: str, paths: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return whose memory is read, and from where: a path by itself tells whose it is."""
    if source in FORMATS:
        return source, paths
    path = Path(source).expanduser().absolute()
    if path.exists():
        return format_of(path), (source, *paths)
    raise InvalidInput(
        f"There is neither a file {source} nor a program of that name that is known; "
        f"known are {', '.join(FORMATS)}."
    )


def _columns(given: str | None) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in (given or "").split(",") if pair.strip()]
    for parameter, sign, column in pairs:
        if not sign or not column.strip():
            raise InvalidInput(f"--columns takes content=NAME,tags=NAME, not {parameter!r}.")
    return {parameter.strip(): column.strip() for parameter, _, column in pairs}


class Bringing:
    """Stores what files hold, each text once and each version after the one before it."""

    def __init__(self, memory: Operations, *, dry_run: bool) -> None:
        self._memory, self._dry_run = memory, dry_run
        self._seen: set[str] = set()
        # What the memory refused of the part that is being stored, and why the first of all was.
        self._refused = Counter[str]()
        self._why = ""

    def bring(self, part: FileContent) -> Imported:
        """Store a part of a file, and say what it was."""
        items, secrets, known = list[dict[str, Any]](), part.secrets, Counter[str]()
        left_out = Counter(part.left_out)
        for item in part.items:
            text = without_secrets(_storable(str(item["content"]))).strip()
            secrets += max(hidden(text) - hidden(str(item["content"])), 0)
            if not text:
                left_out["without a text"] += 1
            elif self._is_known(content_hash(text)):
                known[str(item.get("kind") or "note")] += 1
            else:
                items.append(_parameters(item, text))
        relations = len(part.relations)
        if not self._dry_run:
            items = [item for some in _one_after_the_other(items) for item in self._store(some)]
            relations = sum(map(self._relate, part.relations))
        left_out += self._refused
        self._refused = Counter()
        left_out["relations that cannot be read"] += len(part.relations) - relations
        kinds = Counter(str(item.get("kind") or "note") for item in items) + known
        return Imported(
            place(part.path),
            dict(kinds.most_common()),
            known.total(),
            secrets,
            relations=relations,
            left_out=dict(+left_out),
        )

    def _store(self, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Store items but those that the memory refuses; return what was stored."""
        try:
            self._memory.store_batch(items)
        except (InvalidInput, NotFound) as problem:
            if len(items) > 1:
                half = len(items) // 2
                return self._store(items[:half]) + self._store(items[half:])
            self._why = self._why or str(problem)
            self._refused[f"refused, such as: {self._why}"] += 1
            return []
        return items

    def _is_known(self, name: str) -> bool:
        """Whether a text is in the memory, replaced or not, or was in an earlier file."""
        if name in self._seen:
            return True
        self._seen.add(name)
        try:
            return bool(self._memory.get(name))
        except NotFound:
            return False

    def _relate(self, relation: Mapping[str, Any]) -> bool:
        try:
            self._memory.create_relation(**relation)
        except (InvalidInput, TypeError):
            return False
        return True


def _storable(text: str) -> str:
    """Return a text without what no memory may hold: NUL, and halves of characters."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8")


def _parameters(item: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return what `store` takes: it comes from elsewhere, and is trusted no more than that."""
    given = {name: value for name, value in item.items() if value not in (None, "")}
    given |= {"content": text, "source": weaker(IMPORT, str(item.get("source") or IMPORT))}
    if given.get("kind") in RESERVED:
        del given["kind"]
    before = given.pop("replaces", None)
    if before is not None:
        given["supersedes"] = content_hash(without_secrets(_storable(str(before))).strip())
    return given


def _one_after_the_other(items: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield items so that what is replaced is stored before what replaces it."""
    batch: list[dict[str, Any]] = []
    names: set[str] = set()
    for item in items:
        if item.get("supersedes") in names:
            yield batch
            batch, names = [], set()
        batch.append(item)
        names.add(content_hash(item["content"]))
    if batch:
        yield batch


def _report(files: list[Imported], *, dry_run: bool) -> str:
    telling = [file for file in files if file.kinds or file.problem or file.relations]
    rows = [
        (_kinds(file.kinds) or file.problem, file.known, file.secrets, as_data(file.file))
        for file in telling
    ]
    lines = [table(rows, ("memories", "known", "secrets", "file"))] if rows else []
    total = sum((Counter(file.kinds) for file in files), Counter[str]())
    known, secrets = sum(file.known for file in files), sum(file.secrets for file in files)
    relations = sum(file.relations for file in files)
    fresh = total.total() - known
    verb = "would be stored" if dry_run else "was stored" if fresh == 1 else "were stored"
    nothing, were = len(files) - len(telling), "was" if known == 1 else "were"
    lines += [
        f"{counted(fresh, 'memory')} {verb}, {known:,} {were} known already, "
        f"{counted(secrets, 'secret')} left out"
        + (f"; {counted(relations, 'relation')}" if relations else "")
        + (f"; {counted(nothing, 'file')} had nothing to remember" if nothing else "")
    ]
    left_out = sum((Counter(file.left_out) for file in files), Counter[str]())
    lines += [f"not brought along: {count:,} {why}" for why, count in left_out.items()]
    return "\n".join(lines)


def _kinds(kinds: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
