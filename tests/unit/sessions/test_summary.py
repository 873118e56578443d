"""A session is summed up in its own words: asked, reached, committed, how it ended."""

import pytest

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


def test_a_summary_says_what_was_asked_done_and_how_it_ended() -> None:
    text = summary(SESSION) or ""

    assert text.startswith("Asked: The importer drops rows with empty dates.")
    assert "Commits: 1a2b3c4." in text
    assert "At the end pytest passed." in text


@pytest.mark.parametrize(
    ("command", "output", "told"),
    [
        ("git commit -qam 'Keep rows without a date'", "", "Commits: Keep rows without a date."),
        ("git commit -qam 'fix: keep such rows'", "", "Commits: fix: keep such rows."),
        ("git commit -q --amend --no-edit", "", "Edited src/importer.py."),
        ("git commit --amend --no-edit", "[main 9f8e7d6] Keep it", "Commits: 9f8e7d6: Keep it."),
    ],
)
def test_a_summary_names_commits_by_what_git_knows_of_them(
    command: str, output: str, told: str
) -> None:
    committed = [Turn("tool", output, "Bash", command), Turn("assistant", "Committed.")]
    turns = [SESSION[0], *SESSION[2:4], *committed]

    text = summary(turns) or ""

    assert told in text
    assert "Committed" not in text


def test_a_summary_does_not_repeat_its_notes() -> None:
    text = summary(SESSION) or ""

    assert "an empty date is falsy" not in text
    assert "reimport March" not in text


def test_a_summary_tells_what_the_agent_says_was_reached() -> None:
    turns = [*SESSION[:5], Turn("assistant", "Rows without a date are kept now, 3 tests pass.")]

    assert "Rows without a date are kept now" in (summary(turns) or "")


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("The date library cannot read March at all, it is broken.", "No, it can, I wrote it."),
        ("Two ways: a flag in the row, or a table of its own.", "hm"),
    ],
)
def test_what_the_user_denies_and_what_is_only_proposed_is_not_told(said: str, then: str) -> None:
    turns = [*SESSION[:5], Turn("assistant", said), Turn("user", then)]

    assert said[:20] not in (summary(turns) or "")


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
    assert summary(prompts) == "Asked: Tell me about part 0 of it."


def test_a_summary_is_short_whatever_the_session() -> None:
    long = [Turn("user", "word " * 5_000), *SESSION * 30, Turn("user", "last " * 5_000)]

    assert 0 < len(summary(long) or "") <= SUMMARY_MAX


def test_a_summary_holds_no_secrets_and_nothing_of_skipped_prompts() -> None:
    turns = [
        Turn("user", "Log in with password=hunter2 and look around"),
        *SESSION[2:],
        Turn("user", "Something else that is nobody's business #skip"),
    ]

    text = summary(turns) or ""

    assert "hunter2" not in text
    assert "[secret]" in text
    assert "business" not in text
