"""Jupyter notebooks: cells in order, what code printed cut short."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from milepost.documents.values import Document
from milepost.reading.markdown import add_markdown, first_heading
from milepost.reading.outline import Outline
from milepost.reading.source import Cannot, Source

_OUTPUT_MAX = 500


def read(source: Source) -> Document:
    """Read a notebook."""
    try:
        value = json.loads(source.text())
    except ValueError as problem:
        raise Cannot(f"it is damaged or truncated JSON ({problem})") from problem
    if not is_notebook(value):
        raise Cannot("it is no notebook")
    return notebook_of(source, value)


def is_notebook(value: Any) -> bool:
    """Whether a value is a notebook of the present format."""
    return isinstance(value, dict) and isinstance(value.get("cells"), list) and "nbformat" in value


def notebook_of(source: Source, value: dict[str, Any]) -> Document:
    """Return the document that a notebook is."""
    outline = Outline()
    cut = 0
    for cell in value["cells"]:
        if not isinstance(cell, dict):
            continue
        text = _joined(cell.get("source"))
        if cell.get("cell_type") == "code":
            printed = "\n".join(_printed(cell)).strip()
            cut += len(printed) > _OUTPUT_MAX
            shown = f"{text}\n\n# Output:\n{printed[:_OUTPUT_MAX]}" if printed else text
            outline.block(shown, kind="code")
        else:
            add_markdown(outline, text.split("\n"))
    sections = tuple(section._replace(line=None) for section in outline.sections)
    if cut:
        source.note(f"{cut} outputs are cut to {_OUTPUT_MAX} characters")
    return Document("notebook", first_heading(outline) or source.stem, sections)


def _joined(told: Any) -> str:
    if isinstance(told, list):
        return "".join(part for part in told if isinstance(part, str))
    return told if isinstance(told, str) else ""


def _printed(cell: dict[str, Any]) -> Iterator[str]:
    """Return the text that a cell printed, or the error it ended with."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            data = output.get("data")
            plain = data.get("text/plain") if isinstance(data, dict) else None
            yield _joined(output.get("text") or plain)
            if output.get("ename"):
                yield f"{output['ename']}: {output.get('evalue', '')}"
