"""Read the JSON that other programs write."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from milepost.errors import InvalidInput


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a file holds; a list stands under no name."""
    found = _parsed(path)
    if isinstance(found, list):
        return {"": found}
    if not isinstance(found, dict):
        raise InvalidInput(f"{path} holds neither an object nor a list.")
    return found


def _parsed(path: Path) -> object:
    try:
        found: object = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(f"{path} is not JSON ({problem}).") from problem
    return found


def dicts(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list, and nothing of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def json_lines(path: Path) -> Iterator[tuple[int, object]]:
    """Yield what stands on each line, with its number; a line that is not JSON yields itself."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                yield number, line


def texts_of(value: object) -> list[str]:
    """Return tags, which may be a list, a list as JSON, or a text with commas."""
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            try:
                return texts_of(json.loads(value))
            except ValueError:
                pass
        return [tag.strip() for tag in value.split(",") if tag.strip()]
    found = value if isinstance(value, list | tuple) else ()
    return [str(tag).strip() for tag in found if str(tag).strip()]
