"""SQL in files: statements by name, those of one database beside those that all share."""

import re
from pathlib import Path

_SHARED = Path(__file__).parent / "tables"
_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


def read_statements(folder: Path) -> dict[str, str]:
    """Return by name the statements of a folder, and the shared ones that it has no own of."""
    files = [*sorted(_SHARED.glob("*.sql")), *sorted(folder.glob("*.sql"))]
    found: dict[str, str] = {}
    for file in files:
        parts = _NAME.split(file.read_text("utf-8"))
        found.update(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))
    return found
