"""Private words stay private however their marks are written, and marks in prompts are obeyed."""

import json

import pytest

from milepost.sessions.requests import request_in
from milepost.sessions.transcript import read_transcript
from milepost.text.secrets import without_secrets
from milepost.text.secrets.private import without_private

WIDE = "\uff50\uff52\uff49\uff56\uff41\uff54\uff45"
DISGUISES = [
    "a <private/>diary</private> b",
    "a &amp;lt;private&amp;gt;diary&amp;lt;/private&amp;gt; b",
    "a %253Cprivate%253Ediary%253C%252Fprivate%253E b",
    "a \\<private\\>diary\\</private\\> b",
    "a \u2329private\u232adiary\u2329/private\u232a b",
    "a \u27e8private\u27e9diary\u27e8/private\u27e9 b",
    "a <\u0440riv\u0430t\u0435>diary</\u0440riv\u0430t\u0435> b",
    f"a <{WIDE}>diary</{WIDE}> b",
    "a <\U0001d429rivate>diary</private> b",
    "a <private\ndiary",
]


@pytest.mark.parametrize("text", DISGUISES)
def test_a_disguised_mark_is_a_mark(text: str) -> None:
    left = without_secrets(text)
    assert "diary" not in left
    assert left.startswith("a ")


def test_words_whose_private_span_began_before_the_text_are_gone() -> None:
    assert without_private("diary</private> b") == " b"


def test_a_span_over_several_parts_of_a_message_is_gone() -> None:
    parts = [
        {"type": "text", "text": "a <private>dear"},
        {"type": "text", "text": "diary</private>b"},
    ]
    line = json.dumps({"type": "user", "message": {"role": "user", "content": parts}})
    assert "diary" not in str(read_transcript([line]))
    assert "dear" not in str(read_transcript([line]))


def test_a_private_part_of_a_path_is_gone() -> None:
    asked = {"file_path": "/x/<private>diary</private>.py", "old_string": "a", "new_string": "b"}
    call = [{"type": "tool_use", "id": "1", "name": "Edit", "input": asked}]
    answer = [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]
    lines = [
        json.dumps({"type": "assistant", "message": {"role": "assistant", "content": call}}),
        json.dumps({"type": "user", "message": {"role": "user", "content": answer}}),
    ]
    (turn,) = read_transcript(lines)
    assert "diary" not in turn.input


@pytest.mark.parametrize("prompt", ["#s\u200bkip it", "\uff03skip it", "#\u200bskip", "(#skip)"])
def test_a_disguised_mark_in_a_prompt_is_obeyed(prompt: str) -> None:
    assert request_in(prompt).skip


def test_the_address_of_a_heading_is_no_mark() -> None:
    assert not request_in("see [how to](#skip) for it").skip


def test_what_is_to_be_remembered_is_kept_without_marks() -> None:
    assert request_in("**#remember** use tabs").remember == "use tabs"
    assert request_in("#remember #skip use tabs").remember == "use tabs"
