"""A step is named by what it did, not by what it did it to."""

import pytest
from made_runs import step

from milepost.experience.steps import acts_of
from milepost.text.commands import ACTION_CHARS


def abstract(done):
    return acts_of(done, ok=True)[-1].did.action


@pytest.mark.parametrize(
    ("tool", "action", "named"),
    [
        ("env", "go to cabinet 3", "go to cabinet"),
        ("alfworld", "take mug 1 from desk 2", "take mug from desk"),
        ("alfworld", "put plate 2 in/on countertop 2", "put plate in countertop"),
        ("alfworld", "examine bowl (2) with desklamp 1", "examine bowl with desklamp"),
        ("bash", "pytest tests/x.py -k foo", "run pytest"),
        ("bash", "cd /srv/app && python -m pytest -q | tail -5", "run pytest"),
        ("bash", "FOO=1 timeout 30 cargo test --all", "run cargo test"),
        ("bash", "git -C /srv commit -m 'a && b'", "run git commit"),
        ("bash", "npm run build -- --watch", "run npm build"),
        ("bash", "uv run pytest", "run pytest"),
        ("bash", "./gradlew test", "run gradlew test"),
        ("bash", "sudo apt-get install -y jq", "run apt-get install"),
        ("bash", "echo 'an open quote", "run echo"),
        ("bash", "", "run"),
        ("pytest", "run the unit tests", "run pytest"),
        ("edit", "edit src/a.py", "edit *.py"),
        ("wiki", "Search[Nick Park]", "wiki: search"),
        ("search", "Search[Nick Park]", "search"),
        ("browser", "click the login button", "browser: click login button"),
        ("http", "GET https://example.org/users/17", "http: get page"),
        ("think", "", "think"),
    ],
)
def test_objects_become_kinds_and_the_verb_stays(tool, action, named):
    assert abstract(step(1, tool, action)) == named


def test_the_file_of_a_parameter_becomes_its_kind():
    one = step(1, "edit", "replace the lookup in find()", parameters={"path": "src/users.py"})
    other = step(2, "edit", "rename a variable", parameters={"file_path": "lib/deep/cache.py"})
    assert abstract(one) == abstract(other) == "edit *.py"


def test_a_command_in_the_parameters_says_what_was_run():
    ran = step(1, "shell", "check that it works", parameters={"command": "cd web && npm test"})
    assert abstract(ran) == "run npm test"


def test_an_english_verb_is_no_command_outside_a_shell():
    assert abstract(step(1, "env", "find mug 2")) == "find mug"
    assert abstract(step(1, "bash", "find . -name mug")) == "run find"


def test_a_long_action_is_named_by_its_beginning():
    named = abstract(step(1, "planner", "rewrite " + "the parser of dates and times " * 400))
    assert named.startswith("planner: rewrite parser")
    assert len(named) <= ACTION_CHARS
