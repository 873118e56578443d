"""Markdown and text, as they are read."""

import pytest

from milepost.errors import Unreadable

_GUIDE = """---
title: Guide
tags: [a, b]
---
Before.

# Install

Run it:

```sh
# not a heading
make

all
```

| a | b |
|---|---|
| 1 | 2 |

Deep `x`
--------

Text below.
"""


def test_sections_stand_under_their_headings_and_code_stays_whole(read):
    document = read("guide.md", _GUIDE)
    assert (document.media, document.title) == ("markdown", "Guide")
    assert document.metadata == {"tags": "a, b"}
    told = [(s.kind, s.heading, s.line, s.text.split("\n")[0]) for s in document.sections]
    assert told == [
        ("text", (), 5, "Before."),
        ("text", ("Install",), 9, "Run it:"),
        ("code", ("Install",), 11, "```sh"),
        ("table", ("Install",), 18, "| a | b |"),
        ("text", ("Install", "Deep x"), 25, "Text below."),
    ]
    assert document.sections[2].text.endswith("make\n\nall\n```")


def test_front_matter_with_aliases_is_text(read):
    document = read("a.md", "---\na: &a [x]\nb: [*a, *a]\n---\nText")
    assert document.metadata == {}


def test_text_in_another_encoding_is_read_and_said_so(read):
    document = read("a.txt", "Grüße".encode("cp1252"))
    assert document.sections[0].text == "Grüße"
    assert document.notes == ("not in UTF-8: read as Windows-1252",)


def test_text_begins_a_page_at_a_form_feed(read):
    document = read("a.txt", "one\ntwo\f\nthree\n")
    assert [(s.text, s.page, s.line) for s in document.sections] == [
        ("one\ntwo", 1, 1),
        ("three", 2, 3),
    ]


def test_what_holds_no_text_is_refused(read):
    with pytest.raises(Unreadable, match=r"empty.txt cannot be read: it holds no text"):
        read("empty.txt", " \n")
