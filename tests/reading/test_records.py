"""CSV, JSON, notebooks and chats."""

import json

import pytest

from milepost.errors import Unreadable


def test_rows_are_told_with_the_names_of_their_columns(read):
    document = read("gates.csv", 'gate;key\nnorth;"7;\n8"\nsouth;9\n')
    assert [(s.kind, s.line, s.text) for s in document.sections] == [
        ("table", 2, "gate: north; key: 7; 8\ngate: south; key: 9")
    ]


def test_rows_without_names_are_told_as_they_are(read):
    document = read("values.tsv", "1\t2\n3\t4\n")
    assert document.sections[0].text == "1 | 2\n3 | 4"


def test_many_rows_are_many_sections_that_know_their_line(read):
    rows = "".join(f"name {n},value of {n}\n" for n in range(500))
    document = read("many.csv", "name,value\n" + rows)
    assert len(document.sections) > 10
    section = document.sections[5]
    assert section.text.startswith(f"name: name {section.line - 2}; value: value of")


def test_json_is_told_with_the_path_of_each_value(read):
    value = {"name": "harbour", "gates": [{"name": "north", "keys": [1, 2]}, {"name": "south"}]}
    document = read("harbour.json", json.dumps(value))
    text = "\n".join(section.text for section in document.sections)
    assert "name: harbour" in text
    assert "keys: 1, 2" in text


def test_json_lines_know_their_lines(read):
    document = read("a.jsonl", '{"a": 1}\n\n{"b": {"c": "x"}}\nno json\n')
    assert [(s.line, s.text) for s in document.sections] == [(1, "a: 1"), (3, "b.c: x")]
    assert document.notes == ("1 lines are no JSON",)


def test_truncated_json_is_refused(read):
    with pytest.raises(Unreadable, match="damaged or truncated JSON"):
        read("a.json", '{"a": [1, 2')


def test_json_that_is_nested_very_deep_is_refused(read):
    with pytest.raises(Unreadable, match="nested too deep"):
        read("deep.json", "[" * 1_000_000 + "]" * 1_000_000)


def test_a_notebook_is_read_cell_by_cell_with_its_outputs_cut(read):
    cells = [
        {"cell_type": "markdown", "source": ["# Gates\n", "Words."]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [{"output_type": "stream", "text": "1" * 10_000}],
        },
    ]
    document = read("gates.ipynb", json.dumps({"cells": cells, "nbformat": 4}))
    assert [(s.kind, s.heading) for s in document.sections] == [
        ("text", ("Gates",)),
        ("code", ("Gates",)),
    ]
    assert document.sections[1].text == "print(1)\n\n# Output:\n" + "1" * 500
    assert document.notes == ("1 outputs are cut to 500 characters",)


_CHATGPT = [
    {
        "title": "Gates",
        "current_node": "c",
        "mapping": {
            "a": {"parent": None, "message": None},
            "b": {
                "parent": "a",
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1_700_000_000.5,
                    "content": {"content_type": "text", "parts": ["Which gate?"]},
                },
            },
            "old": {
                "parent": "b",
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["South."]}},
            },
            "c": {
                "parent": "b",
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["North."]}},
            },
        },
    }
]
_CLAUDE = [
    {
        "uuid": "1",
        "name": "Gates",
        "chat_messages": [
            {"sender": "human", "text": "Which gate?", "created_at": "2023-11-14T22:13:20.5Z"},
            {"sender": "assistant", "content": [{"type": "text", "text": "North."}], "text": ""},
        ],
    }
]
_GENERIC = {
    "title": "Gates",
    "messages": [
        {"role": "system", "content": "Be kind"},
        {"role": "user", "content": "Which gate?", "timestamp": 1_700_000_000_500},
        {"role": "assistant", "content": [{"type": "text", "text": "North."}]},
    ],
}


@pytest.mark.parametrize("export", [_CHATGPT, _CLAUDE, _GENERIC])
def test_a_chat_is_read_message_by_message(read, export):
    document = read("conversations.json", json.dumps(export))
    assert document.media == "chat"
    assert [(s.kind, s.heading, s.author, s.text) for s in document.sections] == [
        ("message", ("Gates",), "user", "Which gate?"),
        ("message", ("Gates",), "assistant", "North."),
    ]
    assert document.sections[0].created == 1_700_000_000.5


def test_a_channel_of_slack_is_read_by_who_wrote(read):
    messages = [
        {
            "type": "message",
            "user": "U1",
            "text": "Which gate?",
            "ts": "1700000000.500000",
            "user_profile": {"display_name": "Ines"},
        },
        {"type": "message", "user": "U2", "text": "North.", "ts": "1700000001.000000"},
    ]
    document = read("2023-11-14.json", json.dumps(messages))
    assert [(s.author, s.created) for s in document.sections] == [
        ("Ines", 1_700_000_000.5),
        ("U2", 1_700_000_001.0),
    ]


def test_halves_of_characters_are_left_out(read):
    document = read("a.json", '[{"role": "user", "content": "a\\ud83d b"}]')
    assert document.sections[0].text == "a b"
