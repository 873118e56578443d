"""What matters in a session is noted once, in a sentence, without secrets; the rest is not."""

import json
from collections.abc import Callable

import pytest

from milepost.sessions.notes import NOTE_MAX, TAGS_MAX, notes_of
from milepost.sessions.values import Note, Turn
from support import processor_time_below


def user(text: str, at: float | None = None) -> Turn:
    return Turn("user", text, at=at)


def agent(text: str) -> Turn:
    return Turn("assistant", text)


def ran(command: str, output: str = "ok", *, failed: bool = False) -> Turn:
    return Turn("tool", output, "Bash", command, failed)


def edited(path: str, old: str = "a", new: str = "b") -> Turn:
    return Turn("tool", "updated", "Edit", f"{path}\n- {old}\n+ {new}")


def kinds(notes: list[Note]) -> list[str]:
    return [note.kind for note in notes]


DECISIONS = """
We'll use Postgres instead of MySQL because of jsonb.
Let's go with msgspec for the schemas.
We decided to keep one SQLite file per user.
ok let's stick with the synchronous core
Don't use requests, use httpx.
use pnpm instead of npm
We chose Rust over Go for the parser.
We agreed on snake_case for all JSON fields.
I decided against a queue for now.
Decision: the index is derived and can be deleted.
We'll store the vectors as blobs so that one file is enough.
We are going to switch to uv.
let's not add an index now
staging stays with a single gateway because of cost
""".strip().splitlines()

PREFERENCES = """
Always run ruff before you commit.
never force push to main
From now on write the tests first.
I prefer short functions.
please don't add comments that say what the code does
In this repo we use tabs.
don't mock the database in tests
Going forward, put helpers next to their callers.
You should never commit the lock file here.
Every migration must have a way back.
I'd rather have two small files than a big one.
Stop adding emojis to the output.
The cookie must be SameSite=Strict in all environments.
we use the registry cache, never the one of the workflow
""".strip().splitlines()

INSIGHTS = """
The root cause was that the pool was created before the fork.
It turns out that the client retries on 404.
The problem is that `asyncio.run` is called inside a running loop.
The test failed because the clock was not injected.
The bug was in `parse_date`: it ignored the offset.
It works because the index is rebuilt on open.
The crash was caused by a stale lock file.
I found that numpy takes 200 ms to import.
The reason for the timeout is a missing index on created_at.
""".strip().splitlines()

NOTHING = """
Should we use Postgres instead of MySQL?
What if we used Redis because it is faster?
If we used Redis instead of a dict, it would be shared.
Maybe we should go with Kafka.
We haven't decided to use Kafka yet.
We could use httpx instead of requests.
Would you like me to use pnpm instead of npm?
Once we decide on a format, tell me.
Let me check whether the problem is the cache.
I suspect the root cause is the cache.
The problem might be the cache.
This was not caused by the upgrade.
The test always fails on Windows.
never mind
it never worked on my machine
Let me know if you want me to go on.
Now I will run the tests and see.
Why do we use Redis here?
> We decided to use Redis because it is fast.
| We decided to use Redis | because |
Use it.
""".strip().splitlines()
FENCED = "Look:\n```\nWe decided to use Redis because it is fast.\n```\n"


@pytest.mark.parametrize("said", DECISIONS)
def test_a_decision_is_noted(said: str) -> None:
    assert [(n.kind, n.text) for n in notes_of([user(said)])] == [("decision", said)]


@pytest.mark.parametrize("said", PREFERENCES)
def test_a_rule_of_the_user_is_noted(said: str) -> None:
    assert [(n.kind, n.text) for n in notes_of([user(said)])] == [("preference", said)]


@pytest.mark.parametrize("said", INSIGHTS)
def test_a_cause_is_noted(said: str) -> None:
    assert [(n.kind, n.text) for n in notes_of([agent(said)])] == [
        ("insight", said.replace("`", ""))
    ]


@pytest.mark.parametrize("said", [*NOTHING, FENCED])
@pytest.mark.parametrize("speaker", [user, agent])
def test_questions_suppositions_quotations_and_chatter_are_not_noted(
    said: str, speaker: Callable[[str], Turn]
) -> None:
    assert notes_of([speaker(said)]) == []


def test_sentences_in_small_letters_are_noted_one_by_one() -> None:
    notes = notes_of([user("ok fix it. we never use signals in this repo. thanks")])
    assert [(note.kind, note.text) for note in notes] == [
        ("preference", "we never use signals in this repo.")
    ]


def test_a_cause_that_an_agent_explains_is_noted() -> None:
    said = "The plan destroys the gateway because its address changes."
    assert kinds(notes_of([agent(said)])) == ["insight"]
    assert kinds(notes_of([agent("The race is between Evict and Get.")])) == ["insight"]


def test_a_mood_is_no_decision() -> None:
    assert notes_of([user("let's not worry about that now")]) == []


def test_which_of_its_tools_an_agent_takes_is_no_decision() -> None:
    assert notes_of([agent("I'll use grep instead of find to look for it.")]) == []


def test_rules_are_those_of_the_user_alone() -> None:
    assert notes_of([agent("Always run ruff before you commit, as the docs say.")]) == []


def test_a_failure_is_noted_with_the_edit_that_fixed_it() -> None:
    output = "Traceback (most recent call last):\n  File x\nNameError: name 'json' is not defined"
    turns = [
        user("run the tests", at=5.0),
        ran("cd /repo && python -m pytest -q tests/test_x.py 2>&1 | tail -3", output, failed=True),
        edited("/repo/src/x.py", "def f():", "import json\ndef f():"),
        ran("pytest tests/test_x.py", "3 passed"),
    ]

    note = next(note for note in notes_of(turns) if note.kind == "error")

    assert note.text == (
        "pytest failed: NameError: name 'json' is not defined; "
        "fixed by editing src/x.py (added import json)"
    )
    assert note.tags == ("pytest", "x")


def test_a_failure_is_noted_with_the_command_that_fixed_it() -> None:
    turns = [
        ran("npm run build", "Error: Cannot find module 'vite'", failed=True),
        ran("ls node_modules", "no such file", failed=True),
        ran("npm install"),
        ran("npm run build"),
    ]

    (note,) = notes_of(turns)

    expected = (
        "npm run build failed: Error: Cannot find module 'vite'; fixed by running npm install"
    )
    assert note.text == expected


def test_a_failure_that_goes_away_by_itself_is_not_noted() -> None:
    assert notes_of([ran("make test", "error: timed out", failed=True), ran("make test")]) == []


def test_a_failure_that_was_not_fixed_is_noted_once_as_open() -> None:
    failing = ran("cargo build", "error[E0382]: borrow of moved value: `x`", failed=True)

    (note,) = notes_of([failing, failing, failing])

    assert (
        note.text
        == "cargo build failed and was not fixed: error[E0382]: borrow of moved value: `x`"
        " (met 3 times)"
    )
    assert note.tags[0] == "open"


def test_a_failure_is_fixed_by_the_same_with_another_version() -> None:
    failing = ran("pip install dist/shop-1.2.whl", "ModuleNotFoundError: no x", failed=True)
    turns = [failing, edited("setup.py"), ran("pip install dist/shop-1.3.whl")]
    errors = [note for note in notes_of(turns) if note.kind == "error"]
    assert [note.text for note in errors if "fixed by editing setup.py" in note.text]


def test_of_a_linters_output_the_line_with_the_complaint_is_told() -> None:
    output = "src/date.ts\n  8:10  error  Use an explicit locale\n✖ 1 problem (1 error)"
    (note,) = notes_of([ran("npx eslint src", output, failed=True)])
    assert "Use an explicit locale" in note.text


def test_a_run_of_other_tests_does_not_fix_a_failure() -> None:
    turns = [
        ran("pytest tests/test_a.py", "AssertionError: 1 != 2", failed=True),
        edited("src/b.py"),
        ran("pytest tests/test_b.py", "1 passed"),
    ]

    assert any(note.tags[:1] == ("open",) for note in notes_of(turns))


def test_a_failure_behind_a_pipe_is_known_by_its_output() -> None:
    turns = [
        ran("pytest | tail -1", "FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed in 1s")
    ]

    assert kinds(notes_of(turns)) == ["error"]


@pytest.mark.parametrize(
    "turn",
    [
        ran("ls nowhere", "ls: cannot access 'nowhere': No such file or directory", failed=True),
        ran("grep -rn foo src", "", failed=True),
        ran("cat app.log", "Traceback (most recent call last)\nKeyError: 'x'"),
        ran("git diff --stat", "fatal: not a git repository", failed=True),
        ran("make", "The user doesn't want to proceed with this tool use.", failed=True),
        Turn("tool", "<tool_use_error>File has not been read yet", "Edit", "/x.py", failed=True),
        Turn("tool", "File does not exist.", "Read", "/x.py", failed=True),
    ],
)
def test_looking_in_vain_and_refusals_are_no_failures(turn: Turn) -> None:
    assert notes_of([turn]) == []


DOCUMENT = """git commit -m "$(cat <<'EOF'
Add a cache

It holds 100.

Co-Authored-By: X
EOF
)" """


@pytest.mark.parametrize(
    ("command", "output", "text"),
    [
        (
            'git add src/x.py && git commit -m "Fix the import"',
            "[main 1a2b3c4] Fix the import\n 1 file changed",
            "Committed 1a2b3c4: Fix the import (src/x.py)",
        ),
        (
            "git commit -am 'Drop it'",
            "[a/b (root-commit) 1a2b3c4] Drop it",
            "Committed 1a2b3c4: Drop it",
        ),
        (
            DOCUMENT,
            "[main 1a2b3c4] Add a cache\n create mode 100644 src/cache.py",
            "Committed 1a2b3c4: Add a cache. It holds 100 (src/cache.py)",
        ),
    ],
)
def test_a_commit_is_noted_with_its_message_and_files(command: str, output: str, text: str) -> None:
    (note,) = notes_of([ran(command, output)])

    assert (note.kind, note.text) == ("commit", text)


def test_a_commit_that_did_not_happen_is_not_noted() -> None:
    nothing = ran("git commit -m x", "nothing to commit, working tree clean")
    refused = ran("git commit --dry-run -m x", "would commit")

    assert notes_of([nothing, refused]) == []


def test_the_files_of_a_commit_are_those_edited_before_it() -> None:
    turns = [
        edited("/r/src/a.py"),
        edited("/r/tests/test_a.py"),
        ran("git commit -am x", "[m 1a2b3c4] x"),
    ]

    (note,) = notes_of(turns)

    assert note.text == "Committed 1a2b3c4: x (src/a.py, tests/test_a.py)"


def test_edits_are_noted_in_one_note_a_prompt_with_what_they_were_for() -> None:
    turns = [
        user("Make the parser accept tabs. It is urgent."),
        edited("/r/src/parser.py", "x = 1", "x = 2"),
        edited("/r/src/parser.py", "y = 1", "y = 2"),
        edited("/r/tests/test_parser.py"),
    ]

    (note,) = notes_of(turns)

    assert note.kind == "change"
    assert note.text == (
        "Edited src/parser.py, tests/test_parser.py (x = 1 became x = 2), "
        "asked: Make the parser accept tabs."
    )
    assert note.tags == ("parser", "test_parser")


def test_edits_that_a_later_commit_tells_of_are_not_noted_again() -> None:
    turns = [user("make it fast please"), edited("a.py"), user("commit"), ran("git commit -m x")]
    assert kinds(notes_of(turns)) == ["commit"]


def test_what_edits_were_for_is_the_first_sentence_that_says_something() -> None:
    turns = [user("Good. Now make the importer faster."), edited("importer.py")]
    (note,) = notes_of(turns)
    assert note.text.endswith("asked: Now make the importer faster.")


def test_an_edit_that_failed_changed_nothing() -> None:
    assert notes_of([edited("/r/a.py")._replace(failed=True)]) == []


def test_what_shall_be_done_next_time_is_noted() -> None:
    assert kinds(notes_of([user("next time we should also split the slow tests")])) == ["next"]


def test_what_is_left_at_the_end_is_noted_with_its_list() -> None:
    turns = [
        agent("Next, we should run the tests."),
        ran("make test"),
        agent("Done.\n\n**Next steps:**\n- add docs\n- release `1.2`\n\nBye."),
    ]

    assert [(n.kind, n.text) for n in notes_of(turns)] == [
        ("next", "Next steps: add docs; release 1.2")
    ]


def test_unfinished_todos_are_noted_as_they_were_at_last() -> None:
    def todos(**states: str) -> Turn:
        items = [{"content": name, "status": status} for name, status in states.items()]
        return Turn("tool", "ok", "TodoWrite", json.dumps({"todos": items}))

    turns = [todos(parse="pending", docs="pending"), todos(parse="completed", docs="in_progress")]

    assert [note.text for note in notes_of(turns)] == ["Left to do: docs"]


def test_unfinished_tasks_are_noted_as_they_were_at_last() -> None:
    turns = [
        Turn("tool", "Task #1 created", "TaskCreate", '{"subject":"parse"}'),
        Turn("tool", "Task #2 created", "TaskCreate", '{"subject":"docs"}'),
        Turn("tool", "Updated", "TaskUpdate", '{"taskId":"1","status":"completed"}'),
    ]

    assert [note.text for note in notes_of(turns)] == ["Left to do: docs"]


def test_what_follows_a_prompt_with_skip_is_not_noted() -> None:
    turns = [
        user("We decided to use Redis for this. #skip"),
        edited("/r/a.py"),
        agent("The root cause was that it was slow."),
        user("We decided to use Postgres for that."),
    ]

    assert [note.text for note in notes_of(turns)] == ["We decided to use Postgres for that."]


def test_notes_hold_no_secrets() -> None:
    secret = "hunter2"
    turns = [
        user(
            f"We decided to use password={secret} because it is easy. <private>{secret}</private>"
        ),
        agent(f"The root cause was that the token was api_key='{secret}' there."),
        ran(f"PGPASSWORD={secret} make db", f"error: password: {secret} is wrong", failed=True),
        edited("/r/.env", "A=1", f"API_TOKEN={secret}"),
        ran(f"git commit -am 'use password={secret}'", f"[m 1a2b3c4] use password={secret}"),
    ]

    notes = notes_of(turns)

    assert {"decision", "insight", "error", "commit"} <= set(kinds(notes))
    assert secret not in str(notes)


def test_a_thing_said_twice_is_noted_once_and_in_order() -> None:
    turns = [
        user("We decided to use Redis.", at=1.0),
        agent("**We decided to use Redis!**"),
        agent("The root cause was that nobody had looked."),
    ]

    notes = notes_of(turns)

    assert kinds(notes) == ["decision", "insight"]
    assert notes[0].at == 1.0


def test_notes_are_short_and_name_files_and_symbols_as_tags() -> None:
    names = "`read_transcript` in src/milepost/transcript.py, HttpClient, MAX_SIZE, a.rs and b.go"
    (note,) = notes_of([agent(f"The root cause was that {names} " + "were very wrong " * 40)])

    assert len(note.text) <= NOTE_MAX
    assert note.tags[:3] == ("read_transcript", "transcript", "httpclient")
    assert len(note.tags) <= TAGS_MAX
    assert "`" not in note.text


@pytest.mark.parametrize(
    "turn",
    [Turn("", ""), Turn("tool", ""), Turn("tool", "", "Bash", ""), Turn("tool", "x", "Edit", "")]
    + [Turn("tool", "x", "TodoWrite", text) for text in ("", "[]", "{", '{"todos":5}', "[" * 9_999)]
    + [ran(text, "error: x", failed=True) for text in ("'", '"', "&&", ";;", "<<E", "a=b", "\\")],
)
def test_odd_turns_are_harmless(turn: Turn) -> None:
    assert all(note.text for note in notes_of([turn, turn]))


@pytest.mark.slow
def test_twenty_megabytes_are_noted_soon() -> None:
    said = "The parser reads a file and returns a tree, one node for each line of it. " * 40
    turns = [
        turn
        for number in range(2_200)
        for turn in (
            user(f"Do number {number} of the list."),
            agent(f"{said} The root cause was that number {number} had no name."),
            ran(f"pytest tests/test_{number}.py", said * 2, failed=number % 10 == 0),
        )
    ]
    assert sum(len(turn.text) for turn in turns) > 19_000_000

    with processor_time_below(20.0):
        notes = notes_of(turns)

    assert kinds(notes).count("insight") == 2_200
