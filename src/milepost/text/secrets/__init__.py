"""Take secrets and private spans out of a text before anything of it is stored."""

from __future__ import annotations

from milepost.text.secrets.assignments import without_assigned
from milepost.text.secrets.manifests import without_manifests
from milepost.text.secrets.phrases import without_phrases
from milepost.text.secrets.places import without_placed
from milepost.text.secrets.private import without_disguise, without_private
from milepost.text.secrets.random_words import without_random_words
from milepost.text.secrets.token_shapes import SECRET, without_tokens


def without_secrets(text: str) -> str:
    """Return a text without private spans, and with [secret] in the place of each secret."""
    text = without_private(without_disguise(text))
    text = without_manifests(text, SECRET)
    text = _without_named(text)
    return without_random_words(text, _tells_secret, SECRET)


def ends_without_secrets(text: str, size: int) -> str:
    """Return the beginning and the end of a text without secrets; so a log costs no more than them.

    A private span is taken out of the whole, for its beginning may be in what is left out.
    """
    if len(text) > 2 * size:
        text = without_private(without_disguise(text))
        # Half a secret would not be known for one.
        head = text[: size + 1].rpartition("\n")[0] or text[:size].rpartition(" ")[0]
        tail = text[-size - 1 :].partition("\n")[2] or text[-size:].partition(" ")[2]
        text = f"{head}\n…\n{tail}"
    return without_secrets(text)


def _without_named(text: str) -> str:
    """Return a text without the secrets that show by shape, place or name what they are."""
    return without_assigned(without_phrases(without_placed(without_tokens(text)), SECRET))


def _tells_secret(said: str) -> bool:
    """Whether what was encoded holds a secret, or is a user with a password."""
    user, colon, password = said.partition(":")
    if colon and user.isalnum() and password and " " not in said.strip():
        return True
    return _without_named(said) != said


def redact(text: str) -> tuple[str, int]:
    """Return a text without secrets, and how many were hidden."""
    clean = without_secrets(text)
    return clean, max(clean.count(SECRET) - text.count(SECRET), int(clean != text))
