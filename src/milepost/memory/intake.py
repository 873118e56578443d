"""Take in what is to be written: checked, and without secrets as the setting says.

Whatever operations write comes in through here; what is only asked with needs `validation` alone.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from os.path import commonprefix
from string import ascii_letters, digits
from typing import Any, TypeVar

from milepost.errors import InvalidInput
from milepost.memory import validation
from milepost.text.secrets import redact
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.private import without_disguise, without_private
from milepost.values import hiding

REDACT, REFUSE, KEEP = "redact", "refuse", "keep"
_DIGITS = 8
# What secrets are written with, and how long those are that are looked for.
_WORD = f"{ascii_letters}{digits}+/=_.~-"
_WORD_CHARS = 500
# What nobody takes for a secret unless it is named one.
_ANY_SECRET = "swordfish77"  # noqa: S105

T = TypeVar("T")


class Intake:
    """What one call wants written; counts the secrets that were hidden in it."""

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self.hidden = 0

    def content(self, value: object) -> str:
        """Return a memory's text."""
        return self._taken("content", validation.content(value))

    def text(self, what: str, value: object, most: int) -> str:
        """Return a text of some length that is not empty."""
        return self._taken(what, validation.text(what, value, most))

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
        given = validation.name(what, value)
        return given if self._rule == KEEP else self._counted(what, given, *_named(given))

    def optional_name(self, what: str, value: object) -> str | None:
        """Return a short name, or None."""
        return None if value is None else self.name(what, value)

    def tags(self, value: object) -> tuple[str, ...]:
        """Return tags from a list, or from a string with commas between them."""
        return tuple(dict.fromkeys(self.name("a tag", tag) for tag in validation.tags(value)))

    def metadata(self, value: object, what: str = "metadata") -> Mapping[str, Any]:
        """Return a mapping that can be kept as JSON."""
        kept: Mapping[str, Any] = self.values(what, validation.metadata(value, what))
        return kept

    def values(self, what: str, value: Any) -> Any:
        """Return JSON values; what stands under a name is judged together with it."""
        if self._rule == KEEP:
            return value
        if isinstance(value, dict):
            return {self._key(what, k): self._value(what, k, v) for k, v in value.items()}
        return self._value(what, "", value)

    def _key(self, what: str, key: str) -> str:
        return self._counted(what, key, *_named(key))

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
        return hiding(result, self.hidden)

    def _taken(self, what: str, text: str) -> str:
        return text if self._rule == KEEP else self._counted(what, text, *_redacted(text))

    def _counted(self, what: str, text: str, clean: str, count: int) -> str:
        if count and self._rule == REFUSE:
            is_secret = clean.count(SECRET) > text.count(SECRET)
            found = "what looks like a secret" if is_secret else "what is marked as private"
            line = commonprefix([text, clean]).count("\n") + 1  # noqa: RUF071 -- no paths
            where = f" in line {line:,}" if "\n" in text else ""
            raise InvalidInput(
                f"{what} holds {found}{where}; leave it out, for the setting secrets is refuse."
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
