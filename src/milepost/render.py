"""Turn results into text or into JSON values."""

from collections.abc import Iterable, Mapping
from typing import Any


def to_text(result: object) -> str:
    """Return the compact text of a result, which a person or a model reads."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(to_text(item) for item in result)
    return str(result)


def to_data(result: object) -> Any:
    """Return a result as dictionaries, lists and plain values."""
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        named = {name: to_data(value) for name, value in result._asdict().items()}
        notes = getattr(result, "notes", None)
        return named | {"notes": list(notes)} if notes else named
    if isinstance(result, Mapping):
        return {str(key): to_data(value) for key, value in result.items()}
    if isinstance(result, str | int | float | bool | None):
        return result
    if isinstance(result, Iterable):
        return [to_data(item) for item in result]
    return str(result)
