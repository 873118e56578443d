"""A deleted text is taken out of what quotes it, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from milepost.text.erasing import Erasure

TEXT = 'The harbour\'s "code word" is zanzibar,\nand nobody at the café may know it: C:\\new\\table'
NAME = "8f7d497f0c" + "ab" * 27


def erased(value: Any, *texts: str) -> Any:
    found = Erasure(texts or [TEXT], [NAME]).without(json.dumps(value))
    return None if found is None else json.loads(found)


@pytest.mark.parametrize(
    "quote",
    [
        TEXT,
        f"we said: {TEXT}!",
        TEXT.upper(),
        " ".join(TEXT.split()),
        f"store({TEXT!r})",
        f"store({TEXT!a})",
        json.dumps({"content": TEXT}),
        "note: and nobody at the café may know it",
        'x = "nobody at the caf\\u00e9 may know it"',
    ],
)
def test_a_quote_is_blanked_however_it_is_written(quote: str) -> None:
    assert erased({"a": ["keep", quote], "b": 1}) == {"a": ["keep", ""], "b": 1}
    assert erased({quote: 1, "b": 2}) == {"b": 2}


@pytest.mark.parametrize("other", ["the harbour", "nobody may know", "code word", "", "zanzibar"])
def test_what_only_shares_words_is_left(other: str) -> None:
    assert erased({"a": other}) == {"a": other}


def test_a_short_text_is_taken_out_as_a_whole_only() -> None:
    assert erased(["Use tabs.", "reuse tabs", "use tables", "we use tabs"], "use tabs") == [
        "", "reuse tabs", "use tables", "",
    ]  # fmt: skip
    assert erased(["🔥🔥", "🔥"], "🔥🔥") == ["", "🔥"]


def test_names_are_left_out_of_lists_and_keys() -> None:
    value = {"shown": [NAME, "1" * 64], NAME[:8]: [1, 2, 3], "last": NAME[:8], "8f7d": 1}
    assert erased(value) == {"shown": ["1" * 64], "last": "", "8f7d": 1}


def test_what_is_no_json_is_kept_unless_it_quotes() -> None:
    erasure = Erasure([TEXT], [NAME])
    assert erasure.without("git@example.org:a/b") == "git@example.org:a/b"
    assert erasure.without(f"said: {TEXT}") is None


def test_many_texts_are_found_as_one_is() -> None:
    texts = [f"{i} is the number of a ship that left the harbour at night" for i in range(300)]
    assert erased([texts[77], "a ship"], *texts) == ["", "a ship"]
    assert erased(["a ship in the harbour"], *texts) == ["a ship in the harbour"]


def test_a_document_without_any_of_it_comes_back_as_it_is() -> None:
    document = '{"b":1,  "a": "x"}'
    assert Erasure([TEXT], [NAME]).without(document) is document
