"""What a person wrote for agents, in files such as CLAUDE.md, as memories."""

import re
from pathlib import Path
from typing import Any

from milepost.surfaces.importing.markdown import passages
from milepost.surfaces.importing.source import FileContent, hidden, place
from milepost.text.secrets import without_secrets

_RULE = re.compile(
    r"\b(?:always|never|must|should|prefer|avoid|use|do not|don't|ensure|make sure|follow|keep)\b",
    re.IGNORECASE,
)


def read_instructions(path: Path, project: str | None) -> FileContent:
    """Return the memories of a file: rules are preferences, the rest are notes."""
    text = path.read_text("utf-8", errors="replace")
    clean = without_secrets(text)
    about: dict[str, Any] = {
        "session": place(path),
        "project": project,
        "created": path.stat().st_mtime,
        "metadata": {"by": "import", "from": place(path)},
    }
    items = [
        {"content": part.text, "kind": _kind(part.text), "tags": part.tags} | about
        for part in passages(clean)
    ]
    return FileContent(path, tuple(items), hidden(clean) - hidden(text))


def _kind(text: str) -> str:
    return "preference" if _RULE.search(text) else "note"
