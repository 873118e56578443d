"""A transcript is read as it is found: what was said and done, and never an exception."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.sessions.transcript import TEXT_MAX, read_transcript
from milepost.sessions.values import Turn
from support import processor_time_below

AT = "2026-11-16T03:35:14.642Z"
SECONDS = 1794800114.642


def line(kind: str, content: Any, **more: Any) -> str:
    entry = {"type": kind, "message": {"role": kind, "content": content}, "timestamp": AT}
    return json.dumps(entry | {"isSidechain": False, "uuid": "u"} | more)


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def call(key: str, tool: str, **asked: Any) -> str:
    block = {"type": "tool_use", "id": key, "name": tool, "input": asked}
    return line("assistant", [block])


def result(key: str, content: Any, **more: Any) -> str:
    return line("user", [{"type": "tool_result", "tool_use_id": key, "content": content} | more])


def test_what_was_said_is_read_from_strings_and_from_blocks() -> None:
    turns = read_transcript([line("user", "Fix it"), line("assistant", [text("I will.")])])

    assert turns == [Turn("user", "Fix it", at=SECONDS), Turn("assistant", "I will.", at=SECONDS)]


def test_a_call_and_its_result_are_one_turn() -> None:
    lines = [call("t1", "Bash", command="make test", description="x"), result("t1", "3 passed")]

    assert read_transcript(lines) == [Turn("tool", "3 passed", "Bash", "make test", at=SECONDS)]


def test_a_result_that_is_an_error_is_a_failure() -> None:
    lines = [call("t1", "Bash", command="make"), result("t1", "Exit code 2", is_error=True)]

    (turn,) = read_transcript(lines)

    assert turn.failed is True


def test_results_are_joined_with_their_calls_whatever_the_order() -> None:
    lines = [
        call("a", "Bash", command="one"),
        call("b", "Read", file_path="/x/y.py"),
        result("b", [text("two")]),
        result("a", "one"),
    ]

    found = [(turn.input, turn.text) for turn in read_transcript(lines)]

    assert found == [("/x/y.py", "two"), ("one", "one")]


def test_an_edit_is_told_by_its_file_and_what_changed() -> None:
    edit = call("e", "Edit", file_path="/x/y.py", old_string="a = 1", new_string="a = 2")
    write = call("w", "Write", file_path="/x/z.py", content="b = 1\n" + "c = 2\n" * 500)

    edited, written = read_transcript([edit, result("e", "ok"), write, result("w", "ok")])

    assert edited.input == "/x/y.py\n- a = 1\n+ a = 2"
    assert written.input.startswith("/x/z.py\n+ b = 1")
    assert len(written.input) < 400


def test_other_tools_are_told_by_compact_json() -> None:
    lines = [call("t", "TodoWrite", todos=[{"content": "é"}]), result("t", "ok")]

    assert read_transcript(lines)[0].input == '{"todos":[{"content":"é"}]}'


def test_what_a_person_typed_while_the_agent_worked_is_read() -> None:
    attachment = {"type": "queued_command", "prompt": "also the docs", "commandMode": "prompt"}
    queued = json.dumps({"type": "attachment", "attachment": attachment, "timestamp": AT})

    assert read_transcript([queued]) == [Turn("user", "also the docs", at=SECONDS)]


@pytest.mark.parametrize(
    "skipped",
    [
        line("user", "x", isMeta=True),
        line("user", "x", isSidechain=True),
        line("user", "x", isCompactSummary=True),
        line("assistant", [{"type": "thinking", "thinking": "hm"}]),
        line("system", "x"),
        json.dumps({"type": "summary", "summary": "the user and the assistant"}),
        line("user", "<local-command-stdout>x</local-command-stdout>"),
        line("user", "<command-name>/clear</command-name>"),
        line("user", "[Request interrupted by user]"),
        line("user", "<system-reminder>x</system-reminder>"),
        json.dumps({"type": "api-request-blob", "message": {"role": "user", "content": "x"}}),
        result("unknown", "x"),
        call("unanswered", "Bash", command="x"),
    ],
)
def test_what_nobody_said_is_passed_over(skipped: str) -> None:
    assert read_transcript([skipped]) == []


def test_reminders_and_what_milepost_told_are_taken_out() -> None:
    said = (
        "one <system-reminder>two</system-reminder>three\n"
        '<milepost-memory count="2">\nfour\n</milepost-memory>\nfive'
    )

    (turn,) = read_transcript([line("user", said)])

    assert turn.text == "one three\n\nfive"


def test_a_mention_of_the_mark_of_memories_is_not_one() -> None:
    (turn,) = read_transcript([line("user", "what is <milepost-memory> for")])

    assert turn.text == "what is <milepost-memory> for"


def test_private_spans_are_gone_even_where_a_text_is_cut() -> None:
    said = "x " * TEXT_MAX + "<private>" + "hunter2 " * TEXT_MAX + "</private> end"

    (turn,) = read_transcript([line("user", said)])

    assert "hunter2" not in turn.text
    assert turn.text.endswith("end")


def test_long_texts_keep_their_beginning_and_end() -> None:
    said = "first " + "middle " * 10_000 + "last"

    (turn,) = read_transcript([line("user", said)])

    assert len(turn.text) <= TEXT_MAX
    assert turn.text.startswith("first")
    assert turn.text.endswith("last")


def test_a_line_that_is_far_too_long_is_passed_over() -> None:
    assert read_transcript([line("user", "x" * 5_000_001), line("user", "y")])[0].text == "y"


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "\n",
        "null",
        "[]",
        "3",
        '"user"',
        line("user", "x")[:-20],
        line("user", "x") + "}",
        '{"type":"user"}',
        '{"type":"user","message":null}',
        '{"type":"user","message":"x"}',
        '{"type":["user"],"message":{"content":"x"}}',
        line("user", 5),
        line("user", {"type": "text"}),
        line("user", [5, None, "x", [], {"type": None}, {"type": "text", "text": 5}]),
        line("assistant", [{"type": "tool_use", "id": 5, "name": [], "input": "x"}]),
        result("t", "x").replace('"t"', "{}"),
        '"user"' + "[" * 100_000,
        '{"type":"user","a":' + "[" * 100_000,
    ],
)
def test_a_broken_line_is_passed_over_and_the_next_is_read(broken: str) -> None:
    assert read_transcript([broken, line("user", "y")])[-1].text == "y"


@pytest.mark.parametrize("stamp", [None, 5, "", "yesterday", "9999-99-99", [], {}])
def test_a_turn_without_a_time_that_can_be_read_has_none(stamp: object) -> None:
    (turn,) = read_transcript([line("user", "x", timestamp=stamp)])

    assert turn.at is None


def test_tools_with_odd_names_and_inputs_are_still_joined() -> None:
    odd = json.loads(call("t", "x"))
    odd["message"]["content"][0] |= {"name": None, "input": [1]}

    assert read_transcript([json.dumps(odd), result("t", None)]) == [
        Turn("tool", "", at=SECONDS, input="{}")
    ]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "message", "content", "text", "id", "name", "input", "is_error"]
            ),
            inner | st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.lists(values, max_size=5))
def test_nothing_that_json_can_say_raises(entries: list[Any]) -> None:
    lines = [json.dumps({"type": "user", "message": entry}) for entry in entries]

    for turn in read_transcript([*map(json.dumps, entries), *lines]):
        assert isinstance(turn.text, str)
        assert isinstance(turn.input, str)


def test_twenty_megabytes_are_read_soon() -> None:
    lines = [line("user", f"{number} " + "word " * 2_000) for number in range(2_000)]

    with processor_time_below(5.0):
        turns = read_transcript(lines)

    assert len(turns) == 2_000
