"""Settings are changed in one place: what else stands in the file stays to the letter."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.surfaces.install import jsonc, toml
from milepost.surfaces.install.settings_file import Edit, Removed, changed

KEY = ("mcpServers", "milepost")
ENTRY = {"command": "python", "args": ["mcp"]}
ADD, TAKE = [Edit(KEY, ENTRY)], [Edit(KEY, Removed)]

keys = st.text(st.characters(codec="utf-8"), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
blanks = st.sampled_from(
    ["", " ", "\n", "\n\t", "\r\n  ", "// it's \"{\n", "/* , } */", "\n // x\n"]
)


@st.composite
def written(draw: Callable[..., Any], value: Any) -> str:
    """Write a value in a way that a person may have chosen, with comments and trailing commas."""

    def blank() -> str:
        return str(draw(blanks))

    if isinstance(value, dict):
        parts = [
            f"{blank()}{json.dumps(k)}{blank()}:{blank()}{draw(written(v))}{blank()}"
            for k, v in value.items()
        ]
    elif isinstance(value, list):
        parts = [f"{blank()}{draw(written(v))}{blank()}" for v in value]
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    open_, close = "{}" if isinstance(value, dict) else "[]"
    comma = "," if parts and draw(st.booleans()) else ""
    return f"{open_}{','.join(parts)}{comma}{blank()}{close}"


settings = st.dictionaries(keys, values, max_size=3) | st.fixed_dictionaries(
    {"mcpServers": st.dictionaries(keys.filter(lambda key: key != "milepost"), values, max_size=2)},
    optional={"theme": values},
)


@given(st.data())
def test_an_entry_is_added_to_any_settings_and_taken_away_again(data: st.DataObject) -> None:
    known = data.draw(settings.filter(lambda found: isinstance(found.get("mcpServers", {}), dict)))
    text = data.draw(blanks) + data.draw(written(known)) + data.draw(blanks)

    with_it = jsonc.apply(text, ADD)
    without = jsonc.apply(with_it, TAKE)

    assert jsonc.read(text) == known
    assert repr(jsonc.read(with_it)) == repr(changed(known, ADD))
    assert jsonc.read(without) == {"mcpServers": {}} | known
    # Everything that was there is there still, in its order: comments, texts as they were written.
    rest = iter(with_it)
    assert all(letter in rest for letter in text if not letter.isspace())
    if known.get("mcpServers"):
        assert without == text


@given(values)
def test_what_json_reads_is_read_alike(value: Any) -> None:
    for indent in (None, 2):
        assert jsonc.read(json.dumps(value, indent=indent)) == value


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1 "b": 2}', "line 1, column 9"),
        ('{\n  "a": ,\n}', "line 2, column 8"),
        ("{a: 1}", "line 1, column 2"),
        ('{"a": 1} x', "line 1, column 10"),
        ('{"a": "b\n"}', "line 1, column 7"),
        ('{"a": /* x', "line 1, column 7"),
        ("[" * 500, "nested too deeply"),
        ('{"a": 01}', "line 1, column 7"),
        ("", "line 1, column 1"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(text: str, where: str) -> None:
    with pytest.raises(ValueError, match=where):
        jsonc.read(text)


COMMENTED = """{
  "theme": "dark", // like the night
  "mcpServers": {
    "other": {}, // mine
  }
}
"""
COMMENTED_AFTER = """{
  "theme": "dark", // like the night
  "mcpServers": {
    "other": {}, // mine
    "milepost": {
      "command": "python",
      "args": [
        "mcp"
      ]
    },
  }
}
"""
ONE_LINE = '{"mcpServers": {"other": {}}}'
ONE_LINE_AFTER = '{"mcpServers": {"other": {}, "milepost": {"command": "python", "args": ["mcp"]}}}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (COMMENTED, COMMENTED_AFTER),
        (COMMENTED.replace("  ", "\t"), COMMENTED_AFTER.replace("  ", "\t")),
        (COMMENTED.replace("\n", "\r\n"), COMMENTED_AFTER.replace("\n", "\r\n")),
        (f"\ufeff{COMMENTED}", f"\ufeff{COMMENTED_AFTER}"),
        (ONE_LINE, ONE_LINE_AFTER),
    ],
    ids=["comments", "tabs", "carriage returns", "byte order mark", "one line"],
)
def test_an_entry_is_written_as_what_is_around_it(before: str, after: str) -> None:
    assert jsonc.apply(before, ADD) == after
    assert jsonc.apply(after, TAKE) == before


# TOML

TABLE = ("mcp_servers", "milepost")
CONFIG = """model = "o5"  # the good one
notify = [
  "[mcp_servers.milepost]",
]
text = '''
[mcp_servers.other]
'''

[mcp_servers.other]
command = "other"

# what follows is for the tui
[tui]
theme = "dark"
"""


@pytest.mark.parametrize("text", ["", CONFIG, CONFIG.replace("\n", "\r\n"), "a = 1\n"])
def test_a_table_is_added_at_the_end_and_taken_away_again(text: str) -> None:
    with_it = toml.apply(text, [Edit(TABLE, ENTRY)])

    assert with_it.startswith(text)
    assert tomllib.loads(with_it)["mcp_servers"]["milepost"] == ENTRY
    assert toml.apply(with_it, [Edit(TABLE, Removed)]) == text


def test_a_table_in_the_middle_goes_with_those_below_it_and_comments_of_others_stay() -> None:
    ours = '\n[mcp_servers.milepost]\ncommand = "x"\n\n[mcp_servers."milepost".env]\nA = "1"\n'
    text = CONFIG.replace("\n# what follows", f"{ours}\n# what follows")

    assert toml.apply(text, [Edit(TABLE, Removed)]) == CONFIG


def test_a_value_of_a_table_is_written_anew_on_its_own_lines() -> None:
    text = (
        f'{CONFIG}\n[mcp_servers.milepost]\ncommand = "old"\nargs = [\n  "x",\n] # two\nkeep = 1\n'
    )

    after = toml.apply(text, [Edit((*TABLE, "args"), ["y"]), Edit((*TABLE, "command"), "new")])

    assert after.startswith(CONFIG)
    assert after.endswith('command = "new"\nargs = ["y"]\nkeep = 1\n')


def test_tables_of_others_stay_where_they_are_around_the_one_that_is_changed() -> None:
    text = (
        "[mcp_servers.a]\nx = 1\n\n[[rules]]\ny = 1\n\n[mcp_servers.milepost]\n"
        'command = "old"\n\n[other] # mine\n\n[[rules]]\ny = 2\n'
    )

    after = toml.apply(text, [Edit((*TABLE, "command"), "new")])

    assert after == text.replace("old", "new")
    assert toml.apply(after, [Edit(TABLE, Removed)]) == text.replace(
        '\n[mcp_servers.milepost]\ncommand = "old"\n', ""
    )


@pytest.mark.parametrize("edit", [Edit(TABLE, Removed), Edit((*TABLE, "command"), "new")])
def test_an_inline_table_is_refused(edit: Edit) -> None:
    with pytest.raises(ValueError, match=r"mcp_servers\.milepost"):
        toml.apply('mcp_servers = { milepost = { command = "x" } }\n', [edit])
