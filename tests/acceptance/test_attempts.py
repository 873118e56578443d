"""What sessions tried becomes episodes by itself, and whoever tries it again is told."""

from __future__ import annotations

import pytest

from milepost import Milepost
from milepost.sessions.attempts import TASKS_MAX

ASKED = "add a column reference to the shipments table, with a migration"
AGAIN = "the shipments table needs another column, weight, with a migration"
HEADS = "ERROR [alembic.util.messaging] Multiple heads are present"
CAUSE = (
    "alembic refused because two branches had a migration each; alembic merge heads joined them."
)


def said(role: str, text: str) -> dict[str, object]:
    return {"role": role, "text": text}


def ran(command: str, text: str = "", *, failed: bool = False) -> dict[str, object]:
    return {"role": "tool", "tool": "Bash", "input": command, "text": text, "failed": failed}


def edited(path: str, change: str = "+ x = 1") -> dict[str, object]:
    return {"role": "tool", "tool": "Edit", "input": f"{path}\n{change}", "text": "updated"}


def migration(prompt: str = ASKED) -> list[dict[str, object]]:
    return [
        said("user", prompt),
        edited("app/models.py", "+ reference = Column(String(64))"),
        ran("alembic revision -m reference", HEADS, failed=True),
        ran("alembic merge heads", "Generating merge"),
        ran("alembic revision -m reference", "Generating reference"),
        ran("pytest -q", "12 passed in 0.4s"),
        said("assistant", CAUSE),
    ]


def outcomes(memory: Milepost) -> dict[str, str | None]:
    return {episode.task: episode.outcome for episode in memory.list_episodes().episodes}


def test_a_task_becomes_an_episode_with_its_steps_and_what_was_learned(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop", stage="end")
    (listed,) = memory.list_episodes().episodes
    episode = memory.get_episode(listed.id)
    assert (episode.task, episode.outcome) == (ASKED, "success")
    assert [step.success for step in episode.steps] == [True, False, True, True, True]
    assert episode.context == {"project": "shop", "session": "s1", "language": "python"}
    assert "merge heads" in episode.verdict
    assert any(insight.aspect == "fixed" for insight in episode.insights)


def test_reading_the_same_session_again_makes_no_second_episode(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop")
    before = memory.get_episode(memory.list_episodes().episodes[0].id)
    memory.notice("s1", migration(), project="shop", stage="end")
    (listed,) = memory.list_episodes().episodes
    assert memory.get_episode(listed.id) == before


def test_what_is_seen_later_completes_the_episode(memory: Milepost) -> None:
    red = [*migration()[:3], said("assistant", "Two heads.")]
    memory.notice("s1", red, project="shop")
    assert outcomes(memory) == {ASKED: "failure"}
    more = [said("user", "then merge them"), *migration()[3:]]
    memory.notice("s1", [*red, *more], project="shop", stage="end")
    assert outcomes(memory) == {ASKED: "success"}


def test_talk_and_looking_around_make_no_episode(memory: Milepost) -> None:
    turns = [
        said("user", "where does the client get its timeout from?"),
        {"role": "tool", "tool": "Read", "input": "app/client.py", "text": "TIMEOUT = 4"},
        ran("grep -rn TIMEOUT app", "app/client.py:1"),
        said("assistant", "From app/client.py."),
        said("user", "thanks"),
    ]
    memory.notice("s1", turns, stage="end")
    assert memory.list_episodes().total == 0


def test_of_what_nobody_saw_the_end_nothing_is_learned(memory: Milepost) -> None:
    turns = [said("user", "tidy up the settings module"), edited("app/settings.py")]
    memory.notice("s1", [*turns, said("assistant", "Done.")], stage="end")
    assert memory.list_episodes().total == 0


def test_the_reaction_of_the_user_tells_how_it_ended(memory: Milepost) -> None:
    def asked(what: str, reaction: str) -> list[dict[str, object]]:
        work = [said("user", what), edited("app/settings.py"), said("assistant", "Done.")]
        return [*work, said("user", reaction)]

    good, bad = "tidy up the settings module", "make the footer of the page sticky"
    memory.notice("s1", asked(good, "great, thanks"), stage="end")
    memory.notice("s2", asked(bad, "no, that's wrong, it covers the button"), stage="end")
    assert outcomes(memory)[good] == "success"
    assert outcomes(memory)[bad] in ("failure", "abandoned")


def test_a_commit_belongs_to_the_task_before_it(memory: Milepost) -> None:
    commit = ran("git commit -am 'Tidy settings'", "[main 3f2a1bc] Tidy settings")
    turns = [said("user", "tidy up the settings module"), edited("app/settings.py")]
    memory.notice("s1", [*turns, said("user", "fine, commit it please"), commit], stage="end")
    assert outcomes(memory) == {"tidy up the settings module": "success"}


def test_what_was_committed_while_a_check_failed_is_done_in_part(memory: Milepost) -> None:
    turns = [
        said("user", "cache the quotes in an own module"),
        edited("app/cache.py"),
        ran("mypy app", "app/cache.py:17: error: no attribute decode", failed=True),
        ran("git commit -am 'Cache quotes'", "[main 3f2a1bc] Cache quotes"),
    ]
    memory.notice("s1", turns, stage="end")
    assert list(outcomes(memory).values()) == ["partial"]


def test_a_session_that_ends_on_red_was_given_up(memory: Milepost) -> None:
    turns = [*migration()[:3], said("user", "forget it, I'm out")]
    memory.notice("s1", turns, stage="end")
    assert outcomes(memory) == {ASKED: "abandoned"}


def test_a_session_makes_no_more_episodes_than_it_may(memory: Milepost) -> None:
    turns = []
    for number in range(TASKS_MAX + 5):
        turns += [
            said("user", f"write the module number {number} of the importer"),
            edited(f"app/module{number}.py"),
            ran("pytest -q", "1 passed"),
        ]
    memory.notice("s1", turns, stage="end")
    assert memory.list_episodes(limit=100).total == TASKS_MAX


def test_whoever_tries_it_again_is_told_what_worked(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop", stage="end")
    told = memory.remind(AGAIN, session="s2", project="shop").text
    assert told.startswith("<milepost-memory")
    assert "tried before" in told
    assert "merge heads" in told


def test_an_attempt_is_told_once_in_a_session(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop", stage="end")
    assert memory.remind(AGAIN, session="s2", project="shop").text
    assert "tried before" not in memory.remind(AGAIN, session="s2", project="shop").text
    assert "tried before" in memory.remind(AGAIN, session="s3", project="shop").text


def test_a_session_is_not_told_what_it_tried_itself(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop")
    assert "tried before" not in memory.remind(AGAIN, session="s1", project="shop").text


def test_what_went_smoothly_stays_silent(memory: Milepost) -> None:
    smooth = [turn for turn in migration()[:-1] if not turn.get("failed")]
    memory.notice("s1", smooth, project="shop", stage="end")
    assert memory.list_episodes().total == 1
    assert memory.remind(AGAIN, session="s2", project="shop").text == ""


def test_another_task_is_told_nothing(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop", stage="end")
    other = "make the success toast stay for five seconds"
    assert memory.remind(other, session="s2", project="shop").text == ""


def test_what_another_project_tried_is_not_told(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop", stage="end")
    assert "tried before" not in memory.remind(AGAIN, session="s2", project="bakery").text


def test_a_failure_is_told_together_with_what_solved_it_later(memory: Milepost) -> None:
    first = [
        said("user", "regenerate the label fixture"),
        ran("python make_label.py > tests/label.pdf"),
        ran("pytest tests/test_labels.py", "PdfError: damaged file", failed=True),
        said("user", "forget it for today"),
    ]
    second = [
        said("user", "once more: the label test"),
        ran("python make_label.py --out tests/label.pdf"),
        ran("pytest tests/test_labels.py", "2 passed"),
        said("assistant", "The test failed because the redirect spoiled the file; --out works."),
    ]
    memory.notice("s1", first, project="shop", stage="end")
    memory.notice("s2", second, project="shop", stage="end")
    told = memory.remind("please regenerate the label fixture", session="s3", project="shop").text
    assert "PdfError" in told
    assert "--out works" in told


def test_a_briefing_tells_what_was_left_unsolved_and_no_longer_once_it_is(memory: Milepost) -> None:
    failing = [*migration()[:3], said("user", "forget it, I'm out")]
    memory.notice("s1", failing, project="shop", stage="end")

    def begins(session: str) -> str:
        branch = "shipments-table-reference-column-migration"
        return memory.brief(project="shop", branch=branch, session=session).text

    assert "tried before" in begins("s2")
    memory.notice("s2", migration(AGAIN), project="shop", stage="end")
    assert "tried before" not in begins("s3")


def test_secrets_private_and_skipped_words_are_in_no_episode(memory: Milepost) -> None:
    key = "AKIAQ3EGR7T2PLKW4ZHN"
    turns = [
        said("user", f"upload the invoices with {key} <private>my diary</private>"),
        edited("app/upload.py", f"+ key = '{key}'"),
        ran(
            f"AWS_KEY={key} pytest -q", f"denied for {key} <private>my diary</private>", failed=True
        ),
        ran("pytest -q", f"1 passed with {key}"),
        said("assistant", f"It failed because {key} had expired."),
        said("user", "#skip rotate the password of the shop, and nobody must know"),
        ran("pytest -q", "2 passed"),
    ]
    memory.notice("s1", turns, stage="end")
    (listed,) = memory.list_episodes().episodes
    whole = repr(memory.get_episode(listed.id))
    assert "upload the invoices" in whole
    assert not any(word in whole for word in (key, "diary", "rotate"))


def test_a_deleted_episode_is_told_no_more(memory: Milepost) -> None:
    memory.notice("s1", migration(), project="shop", stage="end")
    memory.delete_episode(memory.list_episodes().episodes[0].id)
    assert "tried before" not in memory.remind(AGAIN, session="s2", project="shop").text


def committed(title: str, name: str = "3f2a1bc") -> dict[str, object]:
    seen = f"[main {name}] {title}\n 1 file changed, 2 insertions(+), 1 deletion(-)"
    return ran(f"git commit -am '{title}'", seen)


def test_a_way_that_sessions_share_names_no_step_that_one_of_them_lacks(memory: Milepost) -> None:
    def label(turns: list[dict[str, object]]) -> list[dict[str, object]]:
        return [said("user", "print the label of the shipment in the new format"), *turns]

    whole = [
        edited("app/label.py"),
        ran("sed -i s/pdf/zpl/ app/label.py"),
        ran("ruff check app", "All checks passed!"),
        ran("pytest -q", "4 passed"),
        ran("git push", "main -> main"),
    ]
    memory.notice("s1", label(whole), project="shop", stage="end")
    memory.notice("s2", label([whole[0], *whole[2:]]), project="shop", stage="end")
    memory.run_jobs()

    shared = [p for p in memory.list_patterns(kind="sequence").patterns if p.successes == 2]
    assert shared
    for each in shared:
        assert "sed" not in memory.get_pattern(each.id).advice
        assert "run sed" not in memory.get_pattern(each.id).steps


def test_what_solved_it_is_told_without_the_output_of_the_commit(memory: Milepost) -> None:
    given_up = [
        said("user", "make the build of the shop pass its budget"),
        ran("pnpm build", "error: bundle budget exceeded: 201 kB > 180 kB", failed=True),
        said("user", "forget it for today"),
    ]
    mended = [
        said("user", "lodash goes out of the bundle"),
        ran("pnpm remove lodash"),
        ran("pnpm build", "built in 3 s, 131 kB"),
        said("assistant", "Committing."),
        committed("Drop lodash"),
    ]
    memory.notice("s1", given_up, project="shop", stage="end")
    memory.notice("s2", mended, project="shop", stage="end")
    told = memory.remind("the build must pass its budget again", session="s3", project="shop").text
    assert "pnpm remove lodash" in told
    assert "131 kB" in told
    assert "1 file changed" not in told


def test_the_cause_that_was_stated_is_told_rather_than_the_longest_words(memory: Milepost) -> None:
    cause = "It failed because the fixture kept a connection of another loop."
    turns = [
        said("user", "add paging to the list of shipments"),
        edited("app/list.py"),
        ran("pytest -q", "RuntimeError: attached to a different loop", failed=True),
        edited("tests/conftest.py"),
        ran("pytest -q", "17 passed"),
        said("assistant", cause),
        committed("Page the list"),
        said(
            "assistant",
            "Committed as 3f2a1bc on main: one file changed with two insertions and one deletion, "
            "the tree is clean and nothing is left to be done for the list of shipments today.",
        ),
    ]
    memory.notice("s1", turns, project="shop", stage="end")
    (listed,) = memory.list_episodes().episodes
    assert memory.get_episode(listed.id).verdict == cause


def test_what_user_and_agent_said_of_a_failure_is_told_in_its_order(memory: Milepost) -> None:
    turns = [
        said("user", "make the footer of the page sticky"),
        edited("web/footer.css"),
        said("assistant", "Done."),
        said("user", "no, that's wrong. It covers the button. Should stay below it!"),
        edited("web/footer.css"),
        ran("pnpm e2e", "Error: button is not visible", failed=True),
        said("assistant", "It still fails because the button has no margin of its own."),
    ]
    memory.notice("s1", turns, project="shop", stage="end")
    memory.run_jobs()
    (listed,) = memory.list_episodes().episodes
    verdict = memory.get_episode(listed.id).verdict
    assert verdict == (
        "The user: no, that's wrong; It covers the button; Should stay below it! "
        "The agent: It still fails because the button has no margin of its own."
    )
    traps = [memory.get_pattern(p.id) for p in memory.list_patterns(kind="trap").patterns]
    (told,) = [trap.advice for trap in traps if "margin" in trap.advice]
    assert told == verdict


def rejected(task: str, reaction: str, *after: dict[str, object]) -> list[dict[str, object]]:
    work = [said("user", task), edited("src/report.py"), ran("pytest", "2 passed in 0.2s")]
    answer = said("assistant", "Done, I added an index hint to the query.")
    return [*work, answer, said("user", reaction), *after]


REJECTED = {
    "no, that made it slower, revert it": ran("git checkout src/report.py", "Updated 1 path"),
    "That's wrong, it rejects plus addresses. Undo it.": ran("git restore src/report.py"),
    "please revert": ran("git revert --no-edit HEAD", "[main 1234567] Revert"),
    "Nein, das ist falsch, mach es rückgängig": edited("src/report.py", "- x = 1"),
    "non, ça ne marche pas, annule": ran("git checkout -- src/report.py"),
    "hmm, it crashes when empty: KeyError 'street'": said("assistant", "I will look at it."),
    "this breaks plus addresses": said("assistant", "Right."),
}


@pytest.mark.parametrize("reaction", REJECTED)
def test_what_the_user_rejected_failed_whatever_passed_before(
    memory: Milepost, reaction: str
) -> None:
    task = "speed up the query of the yearly report"
    turns = rejected(task, reaction, REJECTED[reaction], said("assistant", "Reverted."))
    memory.notice("s1", turns, project="shop", stage="end")

    assert outcomes(memory) == {task: "failure"}
    told = memory.remind(
        "the query of the yearly report is slow, speed it up", session="s2", project="shop"
    ).text
    assert "failure" in told
    assert "led to success" not in told
    assert "git checkout" not in told


def test_that_it_was_taken_back_is_told(memory: Milepost) -> None:
    task = "speed up the query of the yearly report"
    undone = ran("git checkout src/report.py", "Updated 1 path")
    turns = rejected(task, "no, that made it slower, revert it", undone, said("assistant", "Ok."))
    memory.notice("s1", turns, project="shop", stage="end")

    (episode,) = memory.list_episodes().episodes
    assert "taken back" in memory.get_episode(episode.id).verdict
    (summary,) = memory.list_memories(kind="summary")
    assert "taken back" in summary.content
    assert "passed" not in summary.content


def test_what_was_done_better_after_an_objection_succeeded(memory: Milepost) -> None:
    task = "speed up the query of the yearly report"
    better = [edited("src/report.py", "+ y = 2"), ran("pytest", "3 passed in 0.2s")]
    turns = rejected(task, "no, that made it slower, use a covering index instead", *better)
    memory.notice("s1", turns, project="shop", stage="end")
    assert outcomes(memory) == {task: "success"}


def test_to_make_an_undo_button_takes_nothing_back(memory: Milepost) -> None:
    task = "speed up the query of the yearly report"
    more = [edited("src/editor.py"), ran("pytest", "3 passed in 0.2s")]
    turns = rejected(task, "now add an undo button to the editor", *more)
    memory.notice("s1", turns, project="shop", stage="end")
    assert set(outcomes(memory).values()) == {"success"}


def test_a_short_order_in_another_language_is_a_task(memory: Milepost) -> None:
    turns = rejected("sortiere die Kundenliste", "danke")
    memory.notice("s1", turns, project="shop", stage="end")
    assert outcomes(memory) == {"sortiere die Kundenliste": "success"}


def test_what_was_seen_to_fail_is_told_rather_than_what_was_claimed(memory: Milepost) -> None:
    error = "ImportError: cannot import name 'ugettext' from 'django.utils.translation'"
    turns = [
        said("user", "upgrade the shop to django 5 and adapt the imports"),
        ran("pip install django==5.0", "Successfully installed django-5.0"),
        ran("pytest", f"E   {error}\n14 failed, 3 passed in 3.1s", failed=True),
        ran("git commit -am 'wip django 5'", "[main 9abcdef] wip django 5"),
        said("assistant", "I upgraded Django to 5 and everything works."),
    ]
    memory.notice("s1", turns, project="shop", stage="end")

    told = memory.remind(
        "adapt the imports of the shop to django 5", session="s2", project="shop"
    ).text
    assert "ugettext" in told
    assert "everything works" not in told
    assert "everything works" not in memory.list_memories(kind="summary")[0].content


@pytest.mark.parametrize("prompt", ["go on with the currency field", "continue"])
def test_what_a_later_session_brings_to_an_end_is_no_longer_told_as_failed(
    memory: Milepost, prompt: str
) -> None:
    error = "E   TypeError: missing argument: 'currency'\n1 failed in 0.31s"
    first = [
        said("user", "add a currency field to the invoice"),
        edited("src/billing.py"),
        ran("pytest", error, failed=True),
        said("assistant", "I could not finish."),
    ]
    second = [
        said("user", prompt),
        edited("src/billing.py", "+ x = 2"),
        ran("pytest", "3 passed in 0.2s"),
        committed("Add the currency field to the invoice"),
        said("assistant", "Done: the currency field is there."),
    ]
    memory.notice("s1", first, project="shop", stage="end")
    memory.notice("s2", second, project="shop", stage="end")

    assert sorted(outcomes(memory).values(), key=str) == ["failure", "success"]
    commits = ["Add the currency field to the invoice"]
    told = memory.brief(project="shop", session="s3", commits=commits).text
    assert "TypeError" not in told
    assert "could not finish" not in told
