"""Three versions of a text become one, unless changes touch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.documents.markdown.merging import merged_text
from milepost.documents.markdown.names import folder_name, stem_of
from milepost.documents.markdown.note import Note, Page, read, written

WORDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])
LINES = st.lists(WORDS, max_size=8).map("\n".join)
# Of two lines that say the same each side may take another one away.
UNIQUE = st.lists(WORDS, unique=True).map("\n".join)


@given(base=UNIQUE, ours=LINES, theirs=LINES)
def test_a_merged_text_has_every_line_that_somebody_added_or_nobody_took_away(
    base: str, ours: str, theirs: str
) -> None:
    merged = merged_text(base, ours, theirs)
    if merged is None:
        return
    was, mine, said, lines = (set(text.split()) for text in (base, ours, theirs, merged))
    assert lines >= (mine - was) | (said - was) | (was & mine & said)
    assert lines <= was | mine | said


@given(base=LINES, other=LINES)
def test_what_one_alone_changed_is_what_comes_of_it(base: str, other: str) -> None:
    for merged in (merged_text(base, base, other), merged_text(base, other, base)):
        assert merged is not None
        assert merged.strip("\n") == other.strip("\n")


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        ("A\nb\nc", "a\nb\nC", "A\nb\nC"),
        ("A\nb\nc", "A\nb\nC", "A\nb\nC"),
        ("A\nb\nc", "a\nB\nc", None),
        ("a\nb\nc\nd", "a\nb\nc\ne", None),
        ("a\nc", "a\nB\nc", None),
        ("a\nb\nc", "a\r\nb\r\nc\r\n", "a\nb\nc"),
    ],
)
def test_changes_that_touch_are_left_to_a_person(ours: str, theirs: str, merged: str) -> None:
    assert merged_text("a\nb\nc", ours, theirs) == merged


NAMES = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))


@given(
    content=st.text(max_size=200).map(lambda text: text.replace("\r", "")),
    tags=st.lists(NAMES.map(str.strip), unique=True, max_size=4),
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
)
def test_a_file_says_what_was_written_into_it(
    content: str, tags: list[str], newline: str, bom: bool
) -> None:
    note = Note("0" * 64, content, "note", tuple(tags), ("a: b #c",), "Ines", "1", "2024-01-01")
    page = read(written(note, Page("", newline=newline, bom=bom), content))
    assert page.content == content.strip("\n").rstrip()
    assert page.fields["tags"] == tuple(tags)
    assert (page.fields["projects"], page.fields["author"]) == (("a: b #c",), "Ines")
    assert (page.newline, page.bom) == (newline, bom)


@given(st.text())
def test_any_text_gives_a_name_that_stays_in_its_folder(text: str) -> None:
    for name in (folder_name(text), stem_of(text)):
        assert name
        assert name == name.strip(" .")
        assert not set(name) & set('/\\:*?"<>|\0\n[]#^')
        assert len(name.encode()) <= 200


def test_names_of_projects_that_would_meet_are_kept_apart() -> None:
    names = ["../..", "/etc", "etc", "CON", "con.x", "a/b", "a b", "", ".", ".milepost"]
    folders = [folder_name(name) for name in names]
    assert len(set(folders)) == len(names)
    assert not [folder for folder in folders if folder.startswith(".")]
