"""Read the named statements and the migrations that lie beside this file."""

import re
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def statements(folder: Path = _HERE) -> dict[str, str]:
    """Return the statements of all files in a folder by name."""
    text = "\n".join(file.read_text("utf-8") for file in sorted(folder.glob("*.sql")))
    parts = _NAME.split(text)
    return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))


@cache
def migrations() -> tuple[str, ...]:
    """Return the scripts that lead from an empty file to the newest schema, in order."""
    scripts = sorted((_HERE / "migrations").glob("*.sql"))
    return tuple(script.read_text("utf-8") for script in scripts)
