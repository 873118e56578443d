"""A session is summed up in its own words: asked, done, how it ended, what is next."""

from milepost.sessions.notes import notes_of
from milepost.sessions.summary import SUMMARY_MAX, summary_of
from milepost.sessions.values import Turn

SESSION = [
    Turn("user", "The importer drops rows with empty dates. Please find out why."),
    Turn("tool", "1 failed", "Bash", "pytest tests/test_import.py", failed=True),
    Turn("tool", "updated", "Edit", "/r/src/importer.py\n- if row.date\n+ if row.date is not None"),
    Turn("tool", "3 passed", "Bash", "pytest"),
    Turn(
        "tool",
        "[main 1a2b3c4] Keep rows without a date",
        "Bash",
        "git commit -am 'Keep rows without a date'",
    ),
    Turn(
        "assistant",
        "The root cause was that an empty date is falsy.\n\nNext steps:\n- reimport March",
    ),
    Turn("user", "ok"),
    Turn("user", "Now write a note for the support team"),
]


def summary(turns: list[Turn]) -> str | None:
    return summary_of(turns, notes_of(turns))


def test_a_summary_says_what_was_asked_done_reached_and_left() -> None:
    text = summary(SESSION) or ""

    assert text.startswith(
        "Asked: The importer drops rows with empty dates; at last: Now write a note"
    )
    assert "Committed 1a2b3c4: Keep rows without a date" in text
    assert "At the end pytest passed." in text
    assert "Next: " in text
    assert "reimport March" in text
    assert "an empty date is falsy" in text


def test_what_is_next_is_announced_once() -> None:
    turns = [*SESSION[:4], Turn("assistant", "Still to do: cover the leap years as well.")]

    assert "Next: cover the leap years" in (summary(turns) or "")


def test_a_session_that_ends_with_failing_tests_says_so() -> None:
    failing = Turn("tool", "2 failed, 1 passed", "Bash", "pytest -q | tail -1")

    assert "At the end pytest failed." in (summary([*SESSION, failing]) or "")


def test_edits_are_told_when_nothing_was_committed() -> None:
    text = summary([turn for turn in SESSION if "commit" not in turn.input]) or ""

    assert "Edited src/importer.py." in text


def test_a_session_that_is_too_small_has_no_summary() -> None:
    assert summary([]) is None
    assert summary([Turn("user", "hello"), Turn("assistant", "Hello!")]) is None
    assert summary([Turn("tool", "ok", "Bash", "make")]) is None


def test_a_conversation_without_tools_is_summed_up_from_three_prompts_on() -> None:
    prompts = [Turn("user", f"Tell me about part {n} of it") for n in range(3)]

    assert summary(prompts[:2]) is None
    assert (
        summary(prompts)
        == "Asked: Tell me about part 0 of it; at last: Tell me about part 2 of it."
    )


def test_a_summary_is_short_whatever_the_session() -> None:
    long = [Turn("user", "word " * 5_000), *SESSION * 30, Turn("user", "last " * 5_000)]

    assert 0 < len(summary(long) or "") <= SUMMARY_MAX


def test_a_summary_holds_no_secrets_and_nothing_of_skipped_prompts() -> None:
    turns = [
        Turn("user", "Log in with password=hunter2 and look around"),
        *SESSION,
        Turn("user", "Something else that is nobody's business #skip"),
    ]

    text = summary(turns) or ""

    assert "hunter2" not in text
    assert "[secret]" in text
    assert "business" not in text


def test_the_statement_nearest_to_the_topic_comes_first() -> None:
    turns = [
        Turn("user", "The cache of the importer is slow, why is the cache of the importer slow"),
        Turn("tool", "ok", "Bash", "make"),
        Turn(
            "assistant",
            "It turns out that lunch was late. The root cause was the cache of the importer.",
        ),
    ]

    text = summary(turns) or ""

    assert 0 < text.index("root cause") < text.index("lunch")
