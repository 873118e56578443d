"""Check what callers give; every refusal says what was wrong and what would do."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from milepost.errors import InvalidInput

CONTENT_BYTES_MAX = 1_000_000
QUERY_CHARS_MAX = 10_000
METADATA_BYTES_MAX = 64_000
METADATA_DEPTH_MAX = 50
NAME_CHARS_MAX = 200
TAGS_MAX = 100
LIMIT_MAX = 10_000
BUDGET_MIN = 10
YEAR_MIN, YEAR_MAX = 1000, 3000

Moment = str | int | float | date | datetime


def content(value: object) -> str:
    """Return a memory's text."""
    text = _text("content", value)
    if not text.strip():
        raise InvalidInput("content is empty; give the text to remember.")
    size = len(text.encode())
    if size > CONTENT_BYTES_MAX:
        raise InvalidInput(
            f"content has {size:,} bytes, more than the {CONTENT_BYTES_MAX:,} of one memory; "
            "store it in parts under one session, or store a summary and where the file lies."
        )
    return text


def query(value: object) -> str:
    """Return a question."""
    text = _text("query", value).strip()
    if not text:
        raise InvalidInput("query is empty; say what to look for, or use search_by_tag.")
    if len(text) > QUERY_CHARS_MAX:
        raise InvalidInput(
            f"query has {len(text):,} characters; ask with at most {QUERY_CHARS_MAX:,}."
        )
    return text


def text(what: str, value: object, most: int) -> str:
    """Return a text of some length that is not empty."""
    given = _text(what, value).strip()
    if not given or len(given) > most:
        raise InvalidInput(f"{what} must have 1 to {most:,} characters, not {len(given):,}.")
    return given


def name(what: str, value: object) -> str:
    """Return a short name such as a kind, a project or an author."""
    text = _text(what, value).strip()
    if not text or len(text) > NAME_CHARS_MAX:
        raise InvalidInput(f"{what} must have 1 to {NAME_CHARS_MAX} characters.")
    return text


def optional_name(what: str, value: object) -> str | None:
    """Return a short name, or None."""
    return None if value is None else name(what, value)


def tags(value: object) -> tuple[str, ...]:
    """Return tags from a list, or from a string with commas between them."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, Mapping | bytes) or not isinstance(value, Iterable):
        raise InvalidInput("tags must be a string or a list of strings.")
    found = dict.fromkeys(name("a tag", tag) for tag in value)
    if len(found) > TAGS_MAX:
        raise InvalidInput(f"a memory may have at most {TAGS_MAX} tags, these are {len(found)}.")
    return tuple(found)


def some_tags(value: object) -> tuple[str, ...]:
    """Return tags, at least one."""
    found = tags(value)
    if not found:
        raise InvalidInput("tags is empty; name at least one tag.")
    return found


def match(value: object) -> bool:
    """Return whether all tags must match."""
    if value not in ("any", "all"):
        raise InvalidInput(f'match must be "any" or "all", not {value!r}.')
    return value == "all"


def whole(what: str, value: object, least: int, most: int) -> int:
    """Return a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{what} must be a whole number from {least} to {most:,}, not {value!r}."
        )
    return value


def flag(what: str, value: object) -> bool:
    """Return a yes or no."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be true or false, not {value!r}.")
    return value


def limit(value: object) -> int:
    """Return how many results to show."""
    return whole("limit", value, 1, LIMIT_MAX)


def budget(value: object) -> int | None:
    """Return a ceiling in tokens, or None."""
    return None if value is None else whole("budget", value, BUDGET_MIN, 1_000_000)


def score(value: object) -> float | None:
    """Return a probability, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"min_score must be a number from 0 to 1, not {value!r}.")
    return float(value)


def metadata(value: object, what: str = "metadata") -> Mapping[str, Any]:
    """Return a mapping that can be kept as JSON."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{what} must be a mapping, not {type(value).__name__}.")
    try:
        written = json.dumps(dict(value), allow_nan=False, ensure_ascii=False)
        size = len(written.encode())
    except (TypeError, ValueError, RecursionError) as problem:
        raise InvalidInput(f"{what} cannot be kept as JSON ({problem}).") from problem
    if size > METADATA_BYTES_MAX:
        raise InvalidInput(
            f"{what} has {size:,} bytes as JSON; keep it under {METADATA_BYTES_MAX:,}."
        )
    kept: Mapping[str, Any] = json.loads(written)
    if depth(kept) > METADATA_DEPTH_MAX:
        raise InvalidInput(f"{what} is nested over {METADATA_DEPTH_MAX} levels deep.")
    return kept


def depth(value: object) -> int:
    """Return how deeply values are nested, without recursing into them."""
    levels, level = 0, [value]
    while level:
        levels += 1
        inside = [v for v in level if isinstance(v, dict | list)]
        level = [item for v in inside for item in (v.values() if isinstance(v, dict) else v)]
    return levels


def hash_prefix(value: object) -> str:
    """Return a hash or the beginning of one."""
    text = _text("hash", value).strip().lower()
    if not 4 <= len(text) <= 64 or any(c not in "0123456789abcdef" for c in text):
        raise InvalidInput(
            f"{text[:70]!r} is not a hash; give at least 4 of the hexadecimal digits that store "
            "and search show."
        )
    return text


def moment(what: str, value: Moment | None, now: int) -> int | None:
    """Return a moment in microseconds, or None."""
    if value is None:
        return None
    from milepost.text.dates.moments import parse_moment

    try:
        found = parse_moment(value, local(now))
    except InvalidInput as problem:
        raise InvalidInput(f"{what}: {problem}") from problem
    if not YEAR_MIN <= found.year <= YEAR_MAX:
        raise InvalidInput(f"{what} must lie between the years {YEAR_MIN} and {YEAR_MAX}.")
    return micros(found)


def local(micros_since_epoch: int) -> datetime:
    """Return a moment as a local time with its zone."""
    return datetime.fromtimestamp(micros_since_epoch / 1e6, UTC).astimezone()


def micros(value: datetime) -> int:
    """Return a time with a zone in microseconds since the epoch."""
    delta = value - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be a string, not {type(value).__name__}.")
    if "\0" in value:
        raise InvalidInput(f"{what} contains a NUL byte; remove it.")
    try:
        value.encode()
    except UnicodeEncodeError as problem:
        raise InvalidInput(
            f"{what} contains half of a surrogate pair at position {problem.start}; "
            "decode the text properly before storing it."
        ) from problem
    return value
