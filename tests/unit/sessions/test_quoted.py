"""A memory was used if it was named by its hash, or if its own words were said together."""

import pytest

from milepost.sessions.quotations import quoted
from milepost.sessions.values import Turn

MEMORIES = {
    "a1b2c3d4": "The uploader retries with jitter because MinIO throttles multipart uploads.",
    "e5f60718": "Deploys to staging run from the release branch at 6:30 with scripts/ship.sh.",
}


def said(text: str) -> list[Turn]:
    return [Turn("assistant", text)]


@pytest.mark.parametrize(
    "turn",
    [
        Turn("assistant", "As noted in a1b2c3d4, it retries."),
        Turn("assistant", "See memory (a1b2c3d4)."),
        Turn("tool", "…", "Bash", "milepost get a1b2c3d4"),
        Turn("tool", "…", "mcp__milepost__call_tool", '{"hash":"a1b2c3d4e5"}'),
        Turn(
            "assistant", "MinIO throttles multipart uploads, so I kept the jitter of the uploader."
        ),
        Turn(
            "tool", "", "Edit", "/r/up.py\n+ # MinIO throttles multipart uploads: retries, jitter"
        ),
    ],
)
def test_a_memory_that_was_named_or_said_was_used(turn: Turn) -> None:
    assert quoted(MEMORIES, [turn]) == {"a1b2c3d4"}


@pytest.mark.parametrize(
    "turn",
    [
        Turn("user", "what is a1b2c3d4, MinIO throttles multipart uploads with jitter"),
        Turn("tool", "a1b2c3d4 MinIO throttles multipart uploads jitter", "Bash", "cat notes"),
        Turn("assistant", "The uploader is slow."),
        Turn("assistant", "I will look at the retries of the client because the tests fail."),
        Turn("assistant", "commit 99a1b2c3d4ff is the one"),
        Turn("assistant", ""),
    ],
)
def test_what_others_said_or_what_has_few_words_in_common_is_no_use(turn: Turn) -> None:
    assert quoted(MEMORIES, [turn]) == set()


def test_words_that_are_spread_over_turns_are_not_said_together() -> None:
    words = ["uploader", "retries", "jitter", "MinIO", "throttles", "multipart", "uploads"]

    assert quoted(MEMORIES, [Turn("assistant", word) for word in words]) == set()


def test_words_that_the_whole_session_has_tell_nothing() -> None:
    about = "The uploader retries multipart uploads with jitter, MinIO throttles."

    assert quoted(MEMORIES, said(about) * 20) == set()
    assert quoted(MEMORIES, said(about)) == {"a1b2c3d4"}


def test_words_that_many_memories_share_tell_none_of_them() -> None:
    same = {f"{n:08x}": MEMORIES["a1b2c3d4"] for n in range(5)}

    assert (
        quoted(same, said("The uploader retries; MinIO throttles multipart uploads: jitter"))
        == set()
    )


def test_a_short_memory_counts_only_by_its_hash() -> None:
    short = {"a1b2c3d4": "Use tabs."}

    assert quoted(short, said("I use tabs.")) == set()
    assert quoted(short, said("a1b2c3d4 says tabs.")) == {"a1b2c3d4"}


def test_without_memories_or_turns_nothing_was_used() -> None:
    assert quoted({}, said("x")) == set()
    assert quoted(MEMORIES, []) == set()
