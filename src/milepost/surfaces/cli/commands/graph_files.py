"""`milepost graph import` and `export`: the file of the MCP reference memory server."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from milepost.errors import InvalidInput
from milepost.knowledge.values import GraphImport
from milepost.surfaces.cli.command import SHOWN, Call
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress
from milepost.text.lines import counted

# Lines that are written in one transaction.
_LINES = 10_000


def import_file(call: Call) -> GraphImport | View:
    """Write what a file holds; what is known already stays as it is."""
    lines = _lines(call.values["file"])
    new, done = GraphImport(0, 0, 0), 0
    if call.dry_run:
        count = sum(1 for line in lines if line.strip())
        return View({"lines": count}, f"would write {counted(count, 'line')}")
    with Progress("graph import") as progress:
        while part := list(islice(lines, _LINES)):
            try:
                new += call.ask("import_graph", {"items": part})
            except InvalidInput as problem:
                written = f"The first {counted(done, 'line')} are written; of those after them "
                raise InvalidInput(f"{written if done else ''}{problem}") from problem
            done += len(part)
            progress(done)
    return new


def _lines(file: str) -> Iterator[str]:
    try:
        with sys.stdin if file == "-" else Path(file).open(encoding="utf-8-sig") as source:
            yield from source
    except UnicodeDecodeError as problem:
        raise InvalidInput(f"{file} is not UTF-8 text ({problem}).") from problem
    except OSError as problem:
        raise InvalidInput(f"Cannot read {file} ({problem.strerror}).") from problem


def export_file(call: Call) -> object:
    """Write the whole graph, each entity and each relation on a line."""
    lines = call.ask("export_graph", {}, only_reads=True)
    text = "".join(f"{line}\n" for line in lines)
    if call.values["file"] == "-":
        sys.stdout.write(text)
        return SHOWN
    try:
        Path(call.values["file"]).write_text(text, "utf-8")
    except OSError as problem:
        name = call.values["file"]
        raise InvalidInput(f"Cannot write {name} ({problem.strerror}).") from problem
    return View({"lines": len(lines)}, f"wrote {counted(len(lines), 'line')}")
