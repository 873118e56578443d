"""Take secrets and private spans out of a text before anything of it is stored."""

from __future__ import annotations

from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.private import without_disguise, without_private
from milepost.text.secrets.signs import Signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The rules by which a secret shows what it is: its shape, its place, its name, what is said of it.
# Each is a module, and does not see any more what the ones before it hid.
_RULES = (
    "token_shapes", "numbers", "cookies", "places", "codes", "tables", "calls", "phrases",
    "languages", "english", "assignments",
)  # fmt: skip


def redact(text: str, *, chance: bool = True) -> tuple[str, int]:
    """Return a text with [secret] in the place of each secret, and how many were hidden.

    Private spans are gone without a trace, and are not counted. A name may be a word of chance,
    as those of sessions are: chance=False leaves such words where nothing else tells of a secret.
    """
    signs = Signs(text)
    if not signs.rules:
        return text, 0
    public = without_private(without_disguise(text)) if "private" in signs.rules else text
    signs = signs if public == text else Signs(public)
    hidden = _without("manifests", public, signs)
    signs = signs if hidden == public else Signs(hidden)
    hidden = _without_named(hidden, signs)
    if chance and "random_words" in signs.rules:
        from milepost.text.secrets.random_words import without_random_words

        hidden = without_random_words(hidden, _tells_secret)
    # One that was hidden may have had an older mark inside.
    return hidden, max(hidden.count(SECRET) - public.count(SECRET), int(hidden != public))


def without_secrets(text: str) -> str:
    """Return a text without private spans, and with [secret] in the place of each secret."""
    return redact(text)[0]


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


def _without_named(text: str, signs: Signs) -> str:
    for rule in _RULES:
        text = _without(rule, text, signs)
    return text


def _without(rule: str, text: str, signs: Signs) -> str:
    """Return a text without what one rule finds; one without a sign is not even loaded."""
    return _hide(rule)(text, signs) if rule in signs.rules else text


@cache
def _hide(rule: str) -> Callable[[str, Signs], str]:
    # Importing importlib takes longer than what most rules do.
    hide: Callable[[str, Signs], str] = __import__(f"{__name__}.{rule}", fromlist=["hide"]).hide
    return hide


def _tells_secret(said: str) -> bool:
    """Whether what was encoded holds a secret, or is a user with a password."""
    user, colon, password = said.partition(":")
    plain = set(" ;:,={").isdisjoint(said.strip()[len(user) + 1 :])
    if colon and user.isalnum() and password and plain:
        return True
    return _without_named(said, Signs(said)) != said
