"""Check what callers give; every refusal says what was wrong and what would do.

What is only asked with passes the functions here; whatever operations write comes in through
`Intake`, which also hides secrets in it as the setting says.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from hashlib import sha256
from os.path import commonprefix
from string import ascii_letters, digits
from typing import Any, TypeVar

from milepost.errors import InvalidInput
from milepost.memory.values import SOURCES, trust_of
from milepost.text.disguise import visible
from milepost.text.secrets import redact
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.private import without_disguise, without_private
from milepost.values import remarked

CONTENT_BYTES_MAX = 1_000_000
QUERY_CHARS_MAX = 10_000
METADATA_BYTES_MAX = 64_000
METADATA_DEPTH_MAX = 50
NAME_CHARS_MAX = 200
TAGS_MAX = 100
LIMIT_MAX = 10_000
BUDGET_MIN = 10
YEAR_MIN, YEAR_MAX = 1000, 3000
_EARLIEST_S = datetime(YEAR_MIN, 1, 1, tzinfo=UTC).timestamp()
_LATEST_S = datetime(YEAR_MAX, 12, 31, tzinfo=UTC).timestamp()

REDACT, REFUSE, KEEP = "redact", "refuse", "keep"
_DIGITS = 8
# What secrets are written with, and how long those are that are looked for.
_WORD = f"{ascii_letters}{digits}+/=_.~-"
_WORD_CHARS = 500
# What nobody takes for a secret unless it is named one.
_ANY_SECRET = "swordfish77"  # noqa: S105

T = TypeVar("T")

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
    words = _text(what, value).strip()
    if not words or len(words) > most:
        raise InvalidInput(f"{what} must have 1 to {most:,} characters, not {len(words):,}.")
    return words


def name(what: str, value: object) -> str:
    """Return a short name such as a kind, a project or an author, on one line.

    A name with a line break could make up a memory of its own where memories are listed.
    """
    words = _text(what, value).strip()
    # Of line breaks two characters can become one.
    text = _on_one_line(words) if len(words) <= 2 * NAME_CHARS_MAX else ""
    if not text:
        raise InvalidInput(f"{what} must have 1 to {NAME_CHARS_MAX} characters that can be seen.")
    return text


@lru_cache(4_096)
def _on_one_line(name: str) -> str:
    """Return a name as it is kept; nothing of what is none."""
    text = " ".join(name.splitlines())
    return text if len(text) <= NAME_CHARS_MAX and visible(text).strip() else ""


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
    names = dict.fromkeys(name("a tag", tag) for tag in value)
    if len(names) > TAGS_MAX:
        raise InvalidInput(f"a memory may have at most {TAGS_MAX} tags, these are {len(names)}.")
    return tuple(names)


def some_tags(value: object) -> tuple[str, ...]:
    """Return tags, at least one."""
    names = tags(value)
    if not names:
        raise InvalidInput("tags is empty; name at least one tag.")
    return names


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


def source(value: object, what: str = "source") -> str:
    """Return where a memory comes from, as a caller names it."""
    if value not in SOURCES:
        raise InvalidInput(f"{what} must be one of {', '.join(SOURCES[::-1])}, not {value!r}.")
    return str(value)


def trust(value: object) -> int:
    """Return how far a memory must be trusted that is trusted as much as a source."""
    return 0 if value is None else trust_of(source(value, "min_trust"), ())


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
    fields: Mapping[str, Any] = json.loads(written)
    if depth(fields) > METADATA_DEPTH_MAX:
        raise InvalidInput(f"{what} is nested over {METADATA_DEPTH_MAX} levels deep.")
    return fields


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
        instant = parse_moment(value, local(now))
    except InvalidInput as problem:
        raise InvalidInput(f"{what}: {problem}") from problem
    if not YEAR_MIN <= instant.year <= YEAR_MAX:
        raise InvalidInput(f"{what} must lie between the years {YEAR_MIN} and {YEAR_MAX}.")
    return micros(instant)


def known_moment(seconds: float | None) -> int | None:
    """Return a moment that a file tells in microseconds; None of what no memory may have."""
    if seconds is None or not _EARLIEST_S <= seconds <= _LATEST_S:
        return None
    return int(seconds * 1e6)


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


class Intake:
    """What one call wants written; counts the secrets that were hidden in it."""

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self.hidden = 0

    def content(self, value: object) -> str:
        """Return a memory's text."""
        return self._taken("content", content(value))

    def text(self, what: str, value: object, most: int) -> str:
        """Return a text of some length that is not empty."""
        return self._taken(what, text(what, value, most))

    def ends(self, what: str, text: str, size: int) -> tuple[str, str]:
        """Return the beginning and the end of a long text; what is left out costs nothing.

        Half a secret would not be known for one, so none is cut, nor a private span.
        """
        seen = without_disguise(text)
        if self._rule != KEEP and (public := without_private(seen)) != seen:
            text = self._counted(what, text, public, 1)
        if len(text) <= 2 * size:
            return text, ""
        head, tail = text[:size], text[-size:]
        head = head[:-_WORD_CHARS] + head[-_WORD_CHARS:].rstrip(_WORD)
        return head, tail[:_WORD_CHARS].lstrip(_WORD) + tail[_WORD_CHARS:]

    def name(self, what: str, value: object) -> str:
        """Return a short name such as a kind, a session or an author."""
        text = name(what, value)
        return text if self._rule == KEEP else self._counted(what, text, *_named(text))

    def optional_name(self, what: str, value: object) -> str | None:
        """Return a short name, or None."""
        return None if value is None else self.name(what, value)

    def tags(self, value: object) -> tuple[str, ...]:
        """Return tags from a list, or from a string with commas between them."""
        return tuple(dict.fromkeys(self.name("a tag", tag) for tag in tags(value)))

    def metadata(self, value: object, what: str = "metadata") -> Mapping[str, Any]:
        """Return a mapping that can be kept as JSON."""
        fields: Mapping[str, Any] = self.values(what, metadata(value, what))
        return fields

    def values(self, what: str, value: Any) -> Any:
        """Return JSON values; what stands under a name is judged together with it."""
        if self._rule == KEEP:
            return value
        if isinstance(value, dict):
            return {
                self._counted(what, k, *_named(k)): self._value(what, k, v)
                for k, v in value.items()
            }
        return self._value(what, "", value)

    def _value(self, what: str, key: str, value: Any) -> Any:
        place = f"{what}.{key}" if key.isidentifier() else what
        if isinstance(value, dict):
            return self.values(place, value)
        if isinstance(value, list):
            return [self._value(what, key, item) for item in value]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        if not isinstance(value, str) and not _tells_secret(key):
            return value
        clean, count = _under(key, str(value))
        return self._counted(place, str(value), clean, count) if count else value

    def told(self, result: T) -> T:
        """Return a result that says how many secrets were hidden."""
        return remarked(result, self.hidden)

    def _taken(self, what: str, text: str) -> str:
        return text if self._rule == KEEP else self._counted(what, text, *_redacted(text))

    def _counted(self, what: str, text: str, clean: str, count: int) -> str:
        if count and self._rule == REFUSE:
            is_secret = clean.count(SECRET) > text.count(SECRET)
            reason = "what looks like a secret" if is_secret else "what is marked as private"
            line = commonprefix([text, clean]).count("\n") + 1  # noqa: RUF071 -- no paths
            where = f" in line {line:,}" if "\n" in text else ""
            raise InvalidInput(
                f"{what} holds {reason}{where}; leave it out, for the setting secrets is refuse."
            )
        self.hidden += count
        return clean


def _redacted(text: str, *, chance: bool = True) -> tuple[str, int]:
    clean, count = redact(text, chance=chance)
    if clean in (text, without_disguise(text)):
        return text, 0
    return clean if clean.strip() else SECRET, max(count, 1)


@lru_cache(4_096)
def _named(name: str) -> tuple[str, int]:
    """Return a name without secrets; two that are nothing but a secret stay two.

    A word of chance is no secret here: many a session is named by one.
    """
    clean, count = _redacted(name, chance=False)
    if clean != SECRET or not count:
        return clean, count
    return f"{SECRET}-{sha256(name.encode()).hexdigest()[:_DIGITS]}", count


def _under(key: str, value: str) -> tuple[str, int]:
    """Return a value without secrets: under the name of a password it is one."""
    lead = f"{key}: "
    if _tells_secret(key):
        clean, count = _redacted(lead + value)
        if clean.startswith(lead):
            return clean[len(lead) :], count
    return _redacted(value)


@lru_cache(4_096)
def _tells_secret(key: str) -> bool:
    """Whether a field by its name holds a secret."""
    return _redacted(f"{key}: {_ANY_SECRET}")[1] > 0
