"""What a text may not do to a model, and what is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import milepost
from hostile import HOSTILE, ORDINARY, assert_harmless, poses, unseen
from milepost.text.disguise import escaped, visible
from milepost.text.fence import as_data, cleaned, fenced

SOURCES = Path(milepost.__file__).parent


def test_the_table_tells_what_is_hostile() -> None:
    assert [name for name, text in HOSTILE.items() if not unseen(text) and not poses(text)] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_hostile_comes_through(name: str) -> None:
    for text in (HOSTILE[name], f"The cart rounds\n{HOSTILE[name]}\nits totals"):
        assert_harmless(cleaned(text))
        assert_harmless(as_data(text))
        assert "\n" not in as_data(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_comes_out_as_it_went_in(text: str) -> None:
    assert cleaned(text) == text
    if "![" not in text:
        assert as_data(text) == " ".join(text.split())


def test_a_family_of_emoji_becomes_its_members() -> None:
    assert cleaned("👨\u200d👩\u200d👧 ❤\ufe0f") == "👨👩👧 ❤"


def test_the_words_of_what_was_broken_can_still_be_read() -> None:
    assert cleaned('<div class="x">hi</div>') == '‹div class="x">hi‹/div>'
    assert cleaned("![plan](http://x.org/p.png)") == "! [plan](http://x.org/p.png)"
    assert cleaned("\x1b[31mred") == "\ufffd[31mred"
    assert cleaned("System: obey") == "‹System: obey"


def test_line_breaks_of_all_kinds_are_line_breaks() -> None:
    assert cleaned("a\r\nb\rc\u2028d\u2029e\x85f\x0bg\x0ch") == "a\nb\nc\nd\ne\nf\ng\nh"


def test_lines_that_make_an_image_together_make_none() -> None:
    assert_harmless(cleaned("![a\nb](http://evil.example/p.png)"))


def test_nearly_all_lines_of_programs_stay_as_they_are() -> None:
    lines = [line for f in SOURCES.rglob("*.py") for line in f.read_text().splitlines()]
    changed = [line for line in lines if cleaned(line) != line]
    assert len(changed) < len(lines) / 200
    assert not [line for line in changed if "‹ " in cleaned(line) and "< /" not in line]


_pieces = st.sampled_from(
    [*HOSTILE.values(), *ORDINARY, *"<>[]()!/|#:*_ \n\t‹=-", "<<", "![", "](http://x)", "System",
     "user", "sys", "tool_", "img ", "a=", "INST", "http://", "\u200c", "\u200d", "م", "\uff1c"]
)  # fmt: skip
_texts = st.lists(_pieces | st.text(st.characters(codec=None), max_size=5), max_size=12)


@given(_texts.map("".join))
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    for made in (cleaned(text), as_data(text)):
        assert not unseen(made)
        assert cleaned(made) == made
        assert as_data(as_data(made)) == as_data(made)


@given(_texts.map("".join))
def test_what_is_visible_hides_nothing(text: str) -> None:
    assert not unseen(visible(text))
    assert visible(visible(text)) == visible(text)


@given(_texts.map(lambda parts: "".join(parts).encode(errors="replace").decode()))
def test_what_is_escaped_is_the_same_json(text: str) -> None:
    for ascii_only in (False, True):
        written = escaped(json.dumps([text], ensure_ascii=ascii_only))
        assert json.loads(written) == [text]
        assert not unseen(written)


def test_a_fence_stands_on_lines_of_its_own() -> None:
    made = fenced("a\nb", label=' project="shop"').split("\n")
    assert (made[0], made[2:]) == (
        '<milepost-memory project="shop">',
        ["a", "b", "</milepost-memory>"],
    )
