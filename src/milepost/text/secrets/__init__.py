"""Take secrets and private spans out of a text before anything of it is stored."""

from __future__ import annotations

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.places import without_placed
from milepost.text.secrets.private import without_disguise, without_private
from milepost.text.secrets.signs import Signs
from milepost.text.secrets.vocabulary import USERS, index


def redact(text: str, *, chance: bool = True) -> tuple[str, int]:
    """Return a text with [secret] in the place of each secret, and how many were hidden.

    Private spans are gone without a trace, and are not counted. A name may be a word of chance,
    as those of sessions are: chance=False leaves such words where nothing else tells of a secret.
    """
    told = without_private(without_disguise(text))
    hidden = _without_manifests(told)
    signs = Signs(hidden)
    hidden = _without_named(hidden, signs)
    if chance and signs.has_long:
        from milepost.text.secrets.random_words import without_random_words

        hidden = without_random_words(hidden, _tells_secret, SECRET)
    # One that was hidden may have had an older mark inside.
    return hidden, max(hidden.count(SECRET) - told.count(SECRET), int(hidden != told))


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


def _without_manifests(text: str) -> str:
    if "Secret" not in text or "ata" not in text:
        return text
    from milepost.text.secrets.manifests import without_manifests

    return without_manifests(text, SECRET)


def _without_named(text: str, signs: Signs) -> str:
    """Return a text without the secrets that show by shape, place or name what they are.

    What a text has no sign of is neither looked for nor loaded.
    """
    text = _without_shaped(text, signs)
    if "cookies" in signs.rules:
        from milepost.text.secrets.cookies import without_cookies

        text = without_cookies(text)
    text = without_placed(text, signs)
    if "codes" in signs.rules:
        from milepost.text.secrets.codes import without_codes

        text = without_codes(text, signs)
    if "tables" in signs.rules:
        from milepost.text.secrets.tables import without_columns

        text = without_columns(text)
    return _without_named_by_words(text, signs)


def _without_shaped(text: str, signs: Signs) -> str:
    """Return a text without tokens, and without numbers that are checked by their last digits."""
    if "-----" in text:
        from milepost.text.secrets.token_shapes import without_keys

        text = without_keys(text)
    if signs.has_long or text.count(",") >= 63:
        from milepost.text.secrets.pairs import without_paired
        from milepost.text.secrets.providers import without_provided
        from milepost.text.secrets.token_shapes import without_tokens

        text = without_provided(without_tokens(without_paired(text), signs), signs)
    if signs.has_digit:
        from milepost.text.secrets.numbers import without_numbers

        text = without_numbers(text)
    return text


def _without_named_by_words(text: str, signs: Signs) -> str:
    """Return a text without the secrets that words around them tell of."""
    if "calls" in signs.rules and "(" in text:
        from milepost.text.secrets.calls import without_handed

        text = without_handed(text)
    if "phrases" in signs.rules:
        from milepost.text.secrets.phrases import without_phrases

        text = without_phrases(text, signs, SECRET)
    if signs.has_run(text):
        from milepost.text.secrets.phrases import without_runs

        text = without_runs(text, SECRET)
    known = index().found(signs)
    if known or (signs.has_odd and signs.any(*USERS)):
        from milepost.text.secrets.languages import without_told

        text = without_told(text, known, signs)
    if "sentences" in signs.rules:
        from milepost.text.secrets.sentences import without_pointed

        text = without_pointed(text, signs)
    if "assignments" in signs.rules:
        from milepost.text.secrets.assignments import without_assigned

        text = without_assigned(text)
    return text


def _tells_secret(said: str) -> bool:
    """Whether what was encoded holds a secret, or is a user with a password."""
    user, colon, password = said.partition(":")
    if (
        colon
        and user.isalnum()
        and password
        and not set(" ;:,={") & set(said.strip()[len(user) + 1 :])
    ):
        return True
    return _without_named(said, Signs(said)) != said
