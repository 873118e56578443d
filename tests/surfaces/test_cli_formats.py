"""What commands print: text for people, JSON and YAML for programs, colour for terminals."""

from __future__ import annotations

import json
import math

import pytest
import yaml
from command_line import done, milepost, on_terminal, run
from hypothesis import given, settings
from hypothesis import strategies as st

import milepost as memory
from milepost.surfaces.cli.yaml import to_yaml

pytestmark = pytest.mark.usefixtures("default_memory")

HOSTILE = [
    "", " ", "a", "yes", "No", "null", "~", "true", "on", "y", "nan", ".inf", "1", "1.5", "0x1f",
    "1e3", "012", "12:30:45", "2026-01-01", "-", "- a", "--- a", "...", "a: b", "a:", "a #b",
    "#a", "&a", "*a", "!a", "%a", "@a", "`a", "|", ">", "'", '"', "{}", "[]", "{a: b}", "a, b",
    "?", "? a", "=", "<<", "a\tb", "\ta", "a\n", "\na", "a\nb", "a\nb\n", "a\nb\n\n", " a\nb",
    "a\n b", "a\n  \nb", "a\n\nb", "a \nb ", "a\r\nb", "a\rb", "a\x85b", "a\u2028b", "\ufeffa",
    "a\x00b", "\x1b[31m", "\x7f", "港", "港\n— b", "😀", "\ud800", "\uffff", "\\", "\\n", "a\\\nb",
    "é", "a" * 5_000, "---\na", "a\n---", "key: |\n  x\n", "\t\n", "a\n\tb", "x\n#y\n",
    "x\n\u3000", "trailing ", "a : b", "a:b", "http://x/y",
]  # fmt: skip


def printed(text: str) -> object:
    """Read what was printed, with the line break that ends it."""
    return yaml.safe_load(f"{text}\n".encode())


@pytest.mark.parametrize("text", HOSTILE)
def test_yaml_carries_any_text(text: str) -> None:
    data = {"text": text, "list": [text, [text]], "nested": {"x": [{"y": text, "z": 1}]}}

    written = to_yaml(data)

    assert printed(written) == data
    assert printed(to_yaml(text)) == text


_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
_data = st.recursive(
    _scalars,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=60)
@given(_data)
def test_yaml_carries_any_data(data: object) -> None:
    assert printed(to_yaml(data)) == data
    assert printed(to_yaml([data])) == [data]


def test_yaml_knows_numbers_that_are_none() -> None:
    assert math.isnan(yaml.safe_load(to_yaml(math.nan)))
    assert yaml.safe_load(to_yaml([math.inf, -math.inf])) == [math.inf, -math.inf]


@pytest.mark.parametrize("text", ["1e3", "012", "0o17", "1_000", "no", "y", "2026-01-01", "1:30"])
def test_a_text_that_a_reader_of_any_version_takes_for_something_else_is_quoted(text: str) -> None:
    assert to_yaml([text]) == f'- "{text}"'


def test_texts_of_several_lines_stay_readable() -> None:
    assert to_yaml({"content": "first\nsecond"}) == "content: |-\n  first\n  second"


def test_every_format_carries_the_same_memory() -> None:
    text = "yes: # no\n港 — \"quoted\" 'too'\n\n  indented"
    name = done("store", text, "--tags", "null,1", "--metadata", '{"on": [1.5, null, "off"]}')

    as_json = json.loads(done("get", name, "--format", "json"))
    as_yaml = yaml.safe_load(done("get", name, "--format", "yaml"))

    assert as_json == as_yaml
    assert as_yaml["content"] == text
    assert as_yaml["tags"] == ["1", "null"]
    assert done("get", name, "--json") == done("get", name, "--format", "json")
    assert text in done("get", name, "--format", "human")


def test_what_streams_is_one_yaml_list_and_a_json_value_a_line() -> None:
    memory.store_batch([f"harbour {i}\nof the north" for i in range(5)])
    found = [hit.hash for hit in memory.search_iter("harbour")]

    listed = yaml.safe_load(done("search-iter", "harbour", "--format", "yaml"))
    lines = done("search-iter", "harbour", "--json").splitlines()

    assert [hit["hash"] for hit in listed] == found
    assert [json.loads(line)["hash"] for line in lines] == found
    assert yaml.safe_load(done("search-iter", "zebra", "--format", "yaml")) == []


def test_the_format_may_stand_before_the_command_and_the_later_one_counts() -> None:
    assert json.loads(done("--format", "json", "health"))["status"] == "healthy"
    assert done("--json", "health", "--format", "human").startswith("healthy")
    assert milepost("health", "--format", "xml").code == 2


def test_colour_is_for_terminals_that_want_it() -> None:
    words = ("config", "show")

    assert on_terminal(*words).startswith("\x1b[1msetting")
    for plain in (
        run(*words).stdout,
        on_terminal(*words, NO_COLOR="1"),
        on_terminal(*words, TERM="dumb"),
    ):
        assert "\x1b[" not in plain
    assert "\x1b[32mok\x1b[0m" in on_terminal("doctor")


def test_a_terminal_that_cannot_show_a_character_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = memory.store("the harbour — 港 😀")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")

    shown, as_json = run("get", name), run("get", name, "--json")

    assert (shown.returncode, as_json.returncode) == (0, 0)
    assert "harbour" in shown.stdout
    assert json.loads(as_json.stdout)["content"] == "the harbour — 港 😀"
