"""What stays of several sessions: what was changed, done or mended is no longer told as it was."""

from __future__ import annotations

import pytest

from milepost import Milepost
from milepost.memory.remember import content_hash

AT = 1_772_000_000.0


class Session:
    """A session whose turns come one after the other, a minute apart."""

    def __init__(self, memory: Milepost, name: str, day: int = 0) -> None:
        self._memory, self._name = memory, name
        self._at = AT + day * 86_400
        self.turns: list[dict[str, object]] = []

    def add(self, role: str, text: str, **more: object) -> Session:
        """Add a turn."""
        self._at += 60
        self.turns.append({"role": role, "text": text, "at": self._at, **more})
        return self

    def user(self, text: str) -> Session:
        return self.add("user", text)

    def agent(self, text: str) -> Session:
        return self.add("assistant", text)

    def ran(self, command: str, output: str = "ok", *, failed: bool = False) -> Session:
        return self.add("tool", output, tool="Bash", input=command, failed=failed)

    def edited(self, path: str) -> Session:
        return self.add("tool", "updated", tool="Edit", input=f"{path}\n- a\n+ b")

    def interim(self) -> Session:
        """Have the turns so far read, as after a prompt."""
        self._memory.notice(self._name, self.turns, "shop", "interim")
        return self

    def end(self) -> None:
        self._memory.notice(self._name, self.turns, "shop", "end")


def kept(memory: Milepost, *kinds: str) -> list[str]:
    rows = memory.search_iter("the", project="shop", min_score=0.0)
    records = [memory.get(row.hash) for row in rows]
    return sorted(one.content for one in records if not kinds or one.kind in kinds)


def test_a_wish_in_plain_words_is_kept_once(memory: Milepost) -> None:
    session = Session(memory, "s1").user(
        "Looks good. Please remember that the staging database is shared with QA."
    )
    session.interim().end()
    session.end()
    assert kept(memory) == ["the staging database is shared with QA"]


def test_a_changed_decision_takes_the_place_of_the_old_one(memory: Milepost) -> None:
    Session(memory, "s1").user("I'm going with Redux Toolkit, it is boring and good.").end()
    Session(memory, "s2", 3).user("Let's move from Redux Toolkit to Zustand.").end()
    assert kept(memory, "decision") == ["Let's move from Redux Toolkit to Zustand."]


def test_a_decision_that_is_taken_back_at_once_does_not_stay(memory: Milepost) -> None:
    session = Session(memory, "s1").user("Let's go with Kafka for the outbox.").interim()
    assert len(kept(memory, "decision")) == 1
    session.agent("That would need three more servers.").user("Forget it, keep the table then.")
    session.edited("src/outbox.py").end()
    assert not any("Kafka" in text for text in kept(memory, "decision"))


def test_the_cause_that_is_stated_is_part_of_the_errors_note(memory: Milepost) -> None:
    session = Session(memory, "s1").user("run the tests")
    session.ran("pytest -q", "E   KeyError: 'tz'\n1 failed", failed=True).edited(
        "tests/conftest.py"
    )
    session.ran("pytest -q", "3 passed")
    session.agent("It failed with KeyError because the fixture cached the zone; it is fresh now.")
    session.end()
    (text,) = kept(memory, "error")
    assert text.startswith("pytest failed: KeyError: 'tz'; It failed with KeyError because")
    assert kept(memory, "insight") == []


def test_what_a_broken_network_lets_pass_later_was_fixed_by_nothing(memory: Milepost) -> None:
    session = Session(memory, "s1").user("build it")
    session.ran("docker compose build", "ERROR: Read timed out.", failed=True)
    session.edited("requirements.txt").ran("docker compose build", "done").end()
    assert kept(memory, "error") == []


def test_a_failure_is_closed_when_the_command_passes_in_a_later_session(memory: Milepost) -> None:
    failing = "FAILED tests/test_label.py::test_pdf - PdfError: no trailer dictionary"
    session = Session(memory, "s1").user("run the tests").edited("src/label.py")
    session.ran("pytest -q", failing, failed=True).end()
    assert "was not fixed" in kept(memory, "error")[0]
    later = Session(memory, "s2", 1).user("mend the label test").edited("tests/make_label.py")
    later.ran("pytest -q", "9 passed")
    later.agent("test_pdf failed because the PdfError came from a redirect into label.pdf.").end()
    (text,) = kept(memory, "error")
    assert "was not fixed" not in text
    assert "redirect" in text


def test_a_task_is_closed_by_the_commit_that_does_it(memory: Milepost) -> None:
    Session(memory, "s1").user("next: paginate /shipments with keyset on id").ran("ls").end()
    assert len(kept(memory, "next")) == 1
    later = Session(memory, "s2", 1).user("do the pagination of shipments now")
    later.edited("api/shipments.py")
    commit = "git commit -am 'Keyset pagination for /shipments'"
    later.ran(commit, "[main 1a2b3c4] Keyset pagination for /shipments").end()
    assert kept(memory, "next") == []


def test_another_task_stays_open(memory: Milepost) -> None:
    Session(memory, "s1").user("next: throttle the DHL client").ran("ls").end()
    later = Session(memory, "s2", 1).user("rename the carrier enum").edited("carriers.py")
    later.ran("git commit -am 'Rename enum'", "[main 1a2b3c4] Rename enum").end()
    assert len(kept(memory, "next")) == 1


def test_the_same_error_with_another_number_is_one_note_with_a_count(memory: Milepost) -> None:
    for day, number in enumerate((1140, 1148)):
        session = Session(memory, f"s{day}", day).user("run e2e")
        missing = f"Error: browserType.launch: Executable doesn't exist at /c/chromium-{number}/x"
        session.ran("pnpm e2e", missing, failed=True).ran("pnpm exec playwright install chromium")
        session.ran("pnpm e2e", "1 passed").end()
    (text,) = kept(memory, "error")
    assert "playwright install" in text
    assert "met 2 times" in text


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("make build", "How to build: `make build`"),
        ("npm run dev", "How to start it: `npm run dev`"),
        ("timeout 20 uvicorn app:main --reload", "How to start it: `uvicorn app:main --reload`"),
        ("docker compose up -d", "How to start it: `docker compose up -d`"),
        ("npx vite build", "How to build: `npx vite build`"),
        ("python manage.py runserver", "How to start it: `python manage.py runserver`"),
        ("cargo test", "How to run the tests: `cargo test`"),
    ],
)
def test_how_the_project_is_run_is_known_after_one_run(
    memory: Milepost, command: str, told: str
) -> None:
    Session(memory, "s1").user("show me the page").ran(command).end()
    assert kept(memory) == [told]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat run.sh",
        "curl https://example.com/start",
        "bash /tmp/run.sh",
        "go run /tmp/x.go",
        "docker run --rm -it alpine sh",
        "docker compose up -d db",
        "npm run dev --help",
        "systemctl start docker",
    ],
)
def test_what_is_run_once_or_for_the_machine_is_no_habit(memory: Milepost, command: str) -> None:
    Session(memory, "s1").user("have a look").ran(command).end()
    assert kept(memory, "command") == []


def test_a_correction_is_told_nothing(memory: Milepost) -> None:
    memory.store("Amounts in the ledger export are integers of cents.", project="shop")
    memory.remind("Make the header blue with a shadow in CSS", session="s1", project="shop")
    memory.remind("the header is too high on phones", session="s1", project="shop")
    said = "No, amounts must always be integers in the ledger export"
    assert memory.remind(said, session="s1", project="shop").text == ""


def test_how_the_tests_are_run_is_one_memory_with_the_wrong_try(memory: Milepost) -> None:
    session = Session(memory, "s1").user("are the tests ok").edited("src/a.py")
    session.ran("pytest -q", "ModuleNotFoundError: No module named 'shop'", failed=True)
    session.ran("make test", "9 passed").end()
    assert kept(memory, "command") == ["How to run the tests: `make test` (`pytest -q` fails)"]
    Session(memory, "s2", 1).user("again").edited("src/b.py").ran("make test", "9 passed").end()
    assert len(kept(memory, "command")) == 1


def test_a_commit_that_says_no_more_than_a_decision_is_joined_to_it(memory: Milepost) -> None:
    session = Session(memory, "s1").user("let's cache quotes in redis for 300 s").interim()
    session.edited("cache.py")
    title = "Cache quotes in redis for 300 s"
    session.ran(f"git commit -am '{title}'", f"[main 1a2b3c4] {title}").end()
    assert kept(memory, "commit") == []
    (text,) = kept(memory, "decision")
    assert text == f"let's cache quotes in redis for 300 s (commit 1a2b3c4: {title})"


def test_a_commit_is_joined_to_the_failure_that_it_mends(memory: Milepost) -> None:
    session = Session(memory, "s1").user("the label test is red, find out why")
    session.ran("pytest -q", "PdfError: no trailer dictionary in label.pdf", failed=True)
    session.edited("tests/make_label.py").ran("pytest -q", "9 passed")
    session.agent("The PdfError came from a redirect into label.pdf.")
    title = "Write label.pdf without a redirect"
    session.ran(f"git commit -am '{title}'", f"[main 1a2b3c4] {title}").end()
    assert kept(memory, "commit") == []
    (error,) = kept(memory, "error")
    assert error.endswith(f"(commit 1a2b3c4: {title})")
    (summary,) = kept(memory, "summary")
    assert "Commits: 1a2b3c4." in summary


def test_an_error_that_comes_again_tells_which_commit_mended_it_before(memory: Milepost) -> None:
    for day, name in enumerate(("1a2b3c4", "5d6e7f8")):
        session = Session(memory, f"s{day}", day).user("the label test is red, find out why")
        session.ran("pytest -q", "PdfError: no trailer dictionary in label.pdf", failed=True)
        session.edited("tests/make_label.py").ran("pytest -q", "9 passed")
        session.agent("The PdfError came from a redirect into label.pdf.")
        session.ran("git commit -am 'Mend the label'", f"[main {name}] Mend the label").end()
    (text,) = kept(memory, "error")
    assert "(commit 5d6e7f8: Mend the label) (met 2 times; before: " in text
    assert "(commit 1a2b3c4: Mend the label)" in text


def test_a_commit_that_decides_nothing_is_named_by_the_summary_alone(memory: Milepost) -> None:
    session = Session(memory, "s1").user("rename the carrier enum").edited("carriers.py")
    session.ran("git commit -am 'Rename enum'", "[main 1a2b3c4] Rename enum").end()
    assert kept(memory, "commit") == []
    assert "Commits: 1a2b3c4: Rename enum." in kept(memory, "summary")[0]
    assert "Committed" not in memory.brief(project="shop").text


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("git commit -am 'Ten tries instead of six'", "instead of six"),
        ("git commit -am 'Poll every 2 s because pgbouncer drops listeners'", "pgbouncer"),
        ("git commit -a -m 'Poll the outbox' -m 'Listeners are lost behind pgbouncer.'", "lost"),
        (
            "git commit -F- <<'E'\nPoll\n\nListeners are\nlost at once.\n\nSigned-off-by: A\nE",
            "Listeners are lost at once",
        ),
    ],
)
def test_a_commit_whose_reason_nobody_else_states_is_kept(
    memory: Milepost, command: str, reason: str
) -> None:
    session = Session(memory, "s1").user("write the worker of the outbox").edited("worker.py")
    session.ran(command, "[main 1a2b3c4] Poll").end()
    (text,) = kept(memory, "commit")
    assert text.startswith("Committed 1a2b3c4: ")
    assert reason in text
    assert "Signed-off" not in text


def test_a_number_in_a_commit_overturns_no_decision(memory: Milepost) -> None:
    Session(memory, "s1").user("Let's go with DAT-123 as the form of ticket ids.").end()
    later = Session(memory, "s2", 1).user("Let's use 06:30 for the DAG run instead of 04:00.")
    title = "DAT-215 DAG run at 06:30"
    later.edited("dag.py").ran(f"git commit -am '{title}'", f"[main 1a2b3c4] {title}").end()
    assert len(kept(memory, "decision")) == 2


def test_pasted_rules_are_not_the_users(memory: Milepost) -> None:
    plan = "---\nPLAN\n1. Always log in XML.\n2. We decided to use GraphQL.\n---"
    Session(memory, "s1").user(f"the agency sent this, tell me what it says\n\n{plan}").end()
    assert kept(memory) == []


def test_a_briefing_cuts_the_message_of_an_error_before_its_cure(memory: Milepost) -> None:
    message = "RuntimeError: " + "Task attached to a different loop " * 12
    cure = "the test engine uses NullPool now"
    for number in range(30):
        memory.store(f"Note {number} about the shop and its many loops", project="shop")
    memory.store(f"pytest failed: {message}; {cure}", kind="error", project="shop")
    told = memory.brief(project="shop", commits=["pytest loop"], budget=400)
    assert "NullPool" in told.text


@pytest.mark.parametrize(
    ("asked", "answered", "meant"),
    [
        ("The tax rate for books is 7 percent.", "Thanks, I see.", "7 percent"),
        ("The tax rate for books is 7 percent.", "I have set TAX_BOOKS = 0.07.", "7 percent"),
        ("why does the build fail?", "The build fails because node 18 lacks the flag.", "node 18"),
    ],
)
def test_remember_that_means_what_the_user_stated_else_what_was_answered(
    memory: Milepost, asked: str, answered: str, meant: str
) -> None:
    turns = [("user", asked), ("assistant", answered), ("user", "please remember that")]
    memory.notice("s1", [{"role": role, "text": text} for role, text in turns], stage="end")

    assert any(meant in row.content for row in memory.list_memories())


def state_of(memory: Milepost, text: str) -> str | None:
    """Return what took the place of a text, if anything did."""
    later = memory.get(content_hash(text)).superseded_by
    return None if later is None else memory.get(later).content


@pytest.mark.parametrize("kind", ["decision", "note"])
def test_a_change_in_plain_words_replaces_what_the_user_stored(memory: Milepost, kind: str) -> None:
    queue, cache = "We use Redis for the queue", "We use Redis for caching"
    for text in (queue, cache):
        memory.store(text, kind=kind, project="shop", created=AT)
    session = Session(memory, "s1", 1).user("replace Redis by Kafka for the queue").interim()
    session.edited("app/queue.py").ran("git commit -am 'Work'", "[main 1a2b3c4] Work").end()

    assert state_of(memory, queue) == "replace Redis by Kafka for the queue"
    assert state_of(memory, cache) is None
    told = memory.brief(project="shop").text
    assert "decision: replace Redis by Kafka for the queue" in told
    assert queue not in told


@pytest.mark.parametrize(
    "prompt",
    [
        "should we replace Redis by Kafka for the queue?",
        "if we ever replace Redis by Kafka for the queue, the tests need a broker",
        "replace Redis by Valkey for the sessions",
    ],
)
def test_a_question_or_another_subject_replaces_nothing(memory: Milepost, prompt: str) -> None:
    memory.store("We use Redis for the queue", kind="decision", project="shop", created=AT)
    Session(memory, "s1", 1).user(prompt).edited("app/queue.py").end()

    assert state_of(memory, "We use Redis for the queue") is None


def test_what_is_only_a_change_of_something_known_is_kept_to_the_end(memory: Milepost) -> None:
    memory.store("Logging goes through loguru", project="shop", created=AT)
    session = Session(memory, "s1", 1).user("drop loguru for logging, take structlog").interim()
    session.edited("app/log.py").agent("Done.").interim().end()

    assert state_of(memory, "Logging goes through loguru") == (
        "drop loguru for logging, take structlog"
    )
    assert kept(memory, "decision") == ["drop loguru for logging, take structlog"]


@pytest.mark.parametrize("at_once", [True, False])
def test_it_is_the_decision_spoken_of_last(memory: Milepost, at_once: bool) -> None:
    session = Session(memory, "s1").user("We decided to deploy with Helm.").agent("Fine.")
    if at_once:
        session.interim()
    session.user("Change it to Kustomize").edited("deploy/base.yaml").agent("Done.").end()

    changed = "Change it to Kustomize (instead of: We decided to deploy with Helm)"
    assert kept(memory, "decision") == [changed]
    assert state_of(memory, "We decided to deploy with Helm.") == changed


def test_it_may_be_a_decision_that_an_earlier_session_made(memory: Milepost) -> None:
    memory.store("We deploy with Helm", kind="decision", project="shop", created=AT)
    session = Session(memory, "s1", 1).user("How do we deploy?").agent("With Helm, from CI.")
    session.interim().user("Change it to Kustomize").interim()
    session.edited("deploy/base.yaml").agent("Done.").interim().end()

    changed = "Change it to Kustomize (instead of: We deploy with Helm)"
    assert state_of(memory, "We deploy with Helm") == changed
    assert kept(memory, "decision") == [changed]


def test_what_is_changed_without_a_decision_before_is_work(memory: Milepost) -> None:
    session = Session(memory, "s1").user("Add a button to the page").edited("app/page.tsx")
    session.agent("Done.").user("change it to a link").edited("app/page.tsx").end()

    assert kept(memory, "decision") == []


@pytest.mark.parametrize("leaves_notes", [True, False])
def test_a_summary_that_ended_red_is_marked_when_it_goes_well_later(
    memory: Milepost, leaves_notes: bool
) -> None:
    red = Session(memory, "s1").user("Let the parser accept comments").edited("app/parse.py")
    red.ran("pytest", "FAILED test_parse.py::test_x - assert 1 == 2\n1 failed", failed=True)
    red.agent("One test is still red.").end()
    assert "At the end pytest failed." in memory.brief(project="shop").text
    green = Session(memory, "s2", 1).user("Have another look at the parser")
    if leaves_notes:
        green.edited("app/parse.py")
    green.ran("pytest", "12 passed").agent("All green.").end()

    lines = memory.brief(project="shop").text.splitlines()
    told = [line for line in lines if "pytest failed" in line]
    assert told
    assert all("pytest passed later" in line for line in told)


def test_an_error_that_nothing_mended_counts_over_sessions(memory: Milepost) -> None:
    first = Session(memory, "s1").user("run the import of the prices")
    for line in (1, 2, 3):
        first.ran("python a.py", f"ValueError: line {line}: bad date", failed=True)
    first.end()
    again = Session(memory, "s2", 1).user("run the import of the prices once more")
    again.ran("python a.py", "ValueError: line 9: bad date", failed=True).end()

    (row,) = memory.list_memories(kind="error")
    assert "(met 4 times)" in row.content
    assert memory.get(row.hash).metadata["count"] == "4"


def test_a_summary_that_only_repeats_the_notes_is_not_kept(memory: Milepost) -> None:
    session = Session(memory, "s1").user("We decided to sign webhooks with Ed25519.")
    session.ran("ls").agent("Ok.").end()
    assert kept(memory, "summary") == []
    assert kept(memory, "decision") == ["We decided to sign webhooks with Ed25519."]


def test_a_briefing_tells_the_decision_rather_than_a_summary_that_repeats_it(
    memory: Milepost,
) -> None:
    session = Session(memory, "s1").user("We decided to keep audit logs in ClickHouse.")
    session.edited("src/audit.py").ran("git commit -am audit", "[main 1a2b3c4] audit").end()
    told = memory.brief(project="shop", session="s2").text
    assert "decision: We decided to keep audit logs in ClickHouse" in told
    assert "summary: Asked" not in told


def test_what_replaces_several_is_returned_once(memory: Milepost) -> None:
    memory.store("The broker is Redis", kind="decision", project="shop")
    memory.store("We use Redis as the broker", kind="decision", project="shop")
    turns = [{"role": "user", "text": "Replace Redis by Kafka as the broker."}]
    hashes = memory.notice("s1", turns, "shop", "end")
    assert len(hashes) == len(set(hashes))


def test_a_session_is_not_told_what_it_said_itself_unless_its_context_was_cut(
    memory: Milepost,
) -> None:
    rule = "All amounts must be stored as integers in cents, never as floats."
    question = "how must amounts be stored? what did we say about amounts?"
    memory.brief(project="shop", session="s1")
    memory.notice("s1", [{"role": "user", "text": rule}], "shop", "interim")

    assert "cents" not in memory.remind(question, session="s1", project="shop").text
    assert "cents" in memory.remind(question, session="s2", project="shop").text
    memory.brief(project="shop", session="s1", source="resume")
    assert "cents" not in memory.remind(question, session="s1", project="shop").text
    assert "cents" in memory.brief(project="shop", session="s1", source="compact").text
