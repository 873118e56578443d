"""What a text has no sign of is neither looked for nor loaded, and nothing is missed for that."""

import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_secrets import ASSIGNED, PRIVATE, SHAPES, TOOLS
from test_secrets import UNHARMED as LINES
from test_secrets_anywhere import ALONE, MANIFESTS, OTHERS, PLACED
from test_secrets_kinds import KINDS, TOLD
from test_secrets_told import CODES, KEYS, PHRASES, POINTED

from milepost.text import secrets
from milepost.text.secrets import redact, signs
from milepost.text.secrets.private import without_disguise, without_private
from support import RunPython

ORDINARY = [
    "note 3 about the deploy of part 3",
    "The build took twelve minutes on the small machine",
    "We agreed to look at the index again on Friday; see src/app/main.py for the change.",
    "Überarbeite die Notiz 3 – sie ist „zu lang“…",
    "",
]
# Rules that would not find anything either if they looked.
LOOKING = (
    "private manifests token_shapes numbers cookies places codes tables phrases languages "
    "random_words"
).split()


def strings(table: object) -> list[str]:
    if isinstance(table, str):
        return table.splitlines()
    return [text for row in table for text in ([row] if isinstance(row, str) else strings(row))]


ROWS = strings(
    [ASSIGNED, PRIVATE, SHAPES, TOOLS, LINES, ALONE, MANIFESTS, OTHERS, PLACED, KINDS, TOLD, CODES]
)
# A key of which no word is long.
SHORT_KEY = "-----BEGIN PRIVATE KEY-----\nQ==\n-----END PRIVATE KEY-----"
ROWS += [*strings([KEYS, PHRASES, POINTED]), SHORT_KEY]
FRAGMENTS = sorted({*ROWS, *(word for row in ROWS for word in row.split())})
TEXTS = st.builds(
    lambda pieces, by: by.join(pieces),
    st.lists(st.sampled_from(FRAGMENTS), max_size=8),
    st.sampled_from([" ", "", "\n", ", "]),
)


class Suspicion(signs.Signs):
    """Signs of a text that tell every rule to look for itself."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.rules |= frozenset(LOOKING)


def looked_through(text: str) -> tuple[str, int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "Signs", Suspicion)
        return redact(text)


def files_of(text: str) -> set[str]:
    """Return the files that are gone through for a text."""
    redact(text)  # what is loaded once
    seen = set()

    def follow(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and "milepost" in path.parts:
            seen.add(path.name)

    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        redact(text)
    finally:
        sys.setprofile(before)
    return seen


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_sentence_is_decided_by_its_signs(text: str) -> None:
    assert files_of(text) == {"__init__.py", "signs.py"}
    assert redact(text) == (text, 0)


@given(TEXTS)
def test_rules_without_a_sign_would_not_find_anything(text: str) -> None:
    assert redact(text) == looked_through(text)


def test_no_known_text_is_missed_for_lack_of_a_sign() -> None:
    for text in FRAGMENTS:
        assert redact(text) == looked_through(text)


@given(st.text("\u00c0\u00ff\u0130\u0131\u017f–—‘’“”„…<>/ private", max_size=30))
def test_plain_letters_of_europe_disguise_no_tag(text: str) -> None:
    if "private" not in signs.Signs(text).rules:
        assert without_private(without_disguise(text)) == text


def test_no_letter_that_counts_as_plain_looks_like_one_of_a_tag() -> None:
    plain = [chr(point) for point in range(0x80, 0x10000) if signs._PLAIN.fullmatch(chr(point))]
    for letter in plain:
        for place in range(len("private")):
            tag = f"<{'private'[:place]}{letter}{'private'[place + 1 :]}>"
            assert without_private(without_disguise(tag)) == tag


def test_no_expression_is_compiled_before_it_is_used(run_python: RunPython) -> None:
    script = (
        "import functools, re; made = []; compile = re.compile;"
        "re.compile = lambda *a: made.append(a) or compile(*a);"
        "import milepost.text.secrets as secrets; print(len(made))"
    )
    assert run_python(script).stdout.strip() == "0"
