"""What mended a failure, and what only looks like it, in sequences of command lines."""

import pytest

from milepost.text.commands import Command
from milepost.text.mending import Act, attempts, mendings, next_run, ran

MISSING = "Error: Failed to resolve environment jsdom"
REFUSED = "psycopg.OperationalError: connection refused"
ASSERT = "E       assert 3 == 4\n=== 1 failed in 0.1s ==="
OTHER = "E   KeyError: 'x'"
NOT_FOUND = "bash: jq: command not found"


def edited(path):
    return [
        Act(Command(f"edit {path}", "edit", frozenset(), path, "changes"), ok=True, tool="Edit")
    ]


def acts_of(*done):
    """Return acts: a line that went well, a line with what it failed with, or an edit's path."""
    acts = []
    for one in done:
        line, output = one if isinstance(one, tuple) else (one, None)
        if line.startswith("edit "):
            acts += edited(line.removeprefix("edit "))
        else:
            acts += ran(line, output or "", ok=output is None)
    return acts


def told(found):
    return [
        (m.failure.did.text, [act.did.text for act in m.change], m.success.did.text) for m in found
    ]


# What was done, and for each failure that was mended: what failed, what was changed, what shows it.
MENDED = [
    # The first half of a compound line mends what its second half shows.
    (
        [("pnpm test", MISSING), "pnpm add -D jsdom && pnpm test"],
        [("pnpm test", ["pnpm add -D jsdom"], "pnpm test")],
    ),
    (
        [("npm run build", "error TS2304: x"), "npm ci && npm run build && git push"],
        [("npm run build", ["npm ci"], "npm run build")],
    ),
    # Edits, by a tool or by the shell, are changes; looking and checking are not.
    (
        [("pytest", ASSERT), "cat a.py", "edit a.py", "ruff check", "pytest"],
        [("pytest", ["a.py"], "pytest")],
    ),
    (
        [("make build", "error: no rule"), "cat Makefile", "sed -i s/a/b/ Makefile", "make build"],
        [("make build", ["sed -i s/a/b/ Makefile"], "make build")],
    ),
    (
        [("pytest", REFUSED), "docker compose up -d db", "docker compose logs db", "pytest -q"],
        [("pytest", ["docker compose up -d db"], "pytest -q")],
    ),
    (
        [("./run.sh", NOT_FOUND), "sudo apt-get install -y jq", "./run.sh"],
        [("./run.sh", ["sudo apt-get install -y jq"], "./run.sh")],
    ),
    # However it is started, it is the same command.
    (
        [("pytest tests/test_a.py", ASSERT), "edit a.py", "uv run python -m pytest tests"],
        [("pytest tests/test_a.py", ["a.py"], "uv run python -m pytest tests")],
    ),
    (
        [
            ("cd api && python -m pytest tests/test_a.py", f"tests/test_a.py {ASSERT}"),
            "edit a.py",
            "pytest tests/test_a.py",
        ],
        [("python -m pytest tests/test_a.py", ["a.py"], "pytest tests/test_a.py")],
    ),
    (
        [("npm test", MISSING), "npm install -D jsdom", "npm run test"],
        [("npm test", ["npm install -D jsdom"], "npm run test")],
    ),
    # Two subcommands of one program are two commands.
    ([("docker compose build", "ERROR: no space left"), "docker compose up -d"], []),
    ([("ruff check .", "F401 [*] `os` imported but unused"), "ruff format ."], []),
    # Another test that passes shows nothing, all of them do.
    ([("pytest tests/a.py", ASSERT), "edit a.py", "pytest tests/b.py"], []),
    ([("pytest -k one", ASSERT), "pytest -k two"], []),
    (
        [("pytest tests/a.py", ASSERT), "edit a.py", "pytest"],
        [("pytest tests/a.py", ["a.py"], "pytest")],
    ),
    # What was tried before the last failure did not mend it.
    (
        [("pytest", ASSERT), "edit a.py", ("pytest", ASSERT), "edit b.py", "pytest"],
        [("pytest", ["b.py"], "pytest")],
    ),
    # An error that gives way to another one is mended, unless it comes back.
    (
        [
            ("pytest", REFUSED),
            "docker start db",
            ("pytest", "E   KeyError: 'x'"),
            "edit a.py",
            "pytest",
        ],
        [("pytest", ["docker start db"], "pytest"), ("pytest", ["a.py"], "pytest")],
    ),
    (
        [("pytest", REFUSED), "edit a.py", ("pytest", OTHER), ("pytest", REFUSED)],
        [],
    ),
    # That it passed later without a change that was seen.
    ([("make test", "error: timed out"), "make test"], [("make test", [], "make test")]),
    # To write down what was changed mends nothing, but for what writes it down.
    (
        [("pytest", ASSERT), "edit a.py", "git add -A && git commit -m x", "pytest"],
        [("pytest", ["a.py"], "pytest")],
    ),
    (
        [("git commit -m x", "no changes added to commit"), "git add -A && git commit -m x"],
        [("git commit -m x", ["git add -A"], "git commit -m x")],
    ),
    # Another way of doing the same, but not giving up and not something else.
    (
        [("conda install torch", "PackagesNotFoundError: x"), "pip install torch"],
        [("conda install torch", [], "pip install torch")],
    ),
    (
        [("npm install", "npm ERR! code ERESOLVE"), "npm install --legacy-peer-deps"],
        [("npm install", [], "npm install --legacy-peer-deps")],
    ),
    (
        [("pip install numpy==9.9", "ERROR: No matching distribution"), "pip install numpy==2.0"],
        [("pip install numpy==9.9", [], "pip install numpy==2.0")],
    ),
    ([("kubectl apply -f k8s/shop", "error: timed out"), "kubectl delete -f k8s/shop"], []),
    ([("pytest tests/a.py", ASSERT), "git add tests/a.py"], []),
    ([("python a.py", "KeyError: 'x'"), "python b.py"], []),
    ([("pip install numpyy", "ERROR: No matching distribution"), "pip install flask"], []),
]


@pytest.mark.parametrize(("done", "mended"), MENDED)
def test_what_was_changed_between_a_failure_and_the_same_going_well_mended_it(done, mended):
    acts = acts_of(*done)
    assert told(mendings(acts)) == mended


def test_what_was_changed_in_vain_is_an_attempt():
    acts = acts_of(("pytest", ASSERT), "edit a.py", ("pytest", ASSERT))
    assert told(attempts(acts)) == [("pytest", ["a.py"], "pytest")]


def test_a_run_that_is_too_far_away_shows_that_it_passed_but_not_why():
    acts = acts_of(("pytest", ASSERT), *(f"edit {n}.py" for n in range(20)), "pytest")
    assert mendings(acts) == []
    assert next_run(acts[0], acts[1:]) == 20


@pytest.mark.parametrize(
    ("line", "output", "did", "blamed"),
    [
        ("npm ci && npm test", ASSERT, ["npm ci"], "npm test"),
        ("npm test; rm -rf tmp", ASSERT, [], "npm test"),
        ("pytest && git commit -m x", ASSERT, [], "pytest"),
        ("pytest && ls nowhere", "ls: cannot access 'nowhere'", ["pytest"], "ls nowhere"),
        ("make build && jq . a.json", NOT_FOUND, ["make build"], "jq . a.json"),
        ("sed -i s/a/b/ x.py && pytest", "sed: can't read x.py", [], "sed -i s/a/b/ x.py"),
        ("git add -A && git commit -m x", "nothing to commit", ["git add -A"], "git commit -m x"),
        ("pytest -q | tail -5", ASSERT, [], "pytest -q"),
    ],
)
def test_when_a_line_fails_one_of_its_commands_is_to_blame(line, output, did, blamed):
    *before, failing = ran(line, output, ok=False)
    assert [act.did.text for act in before] == did
    assert all(act.ok for act in before)
    assert (failing.did.text, failing.ok) == (blamed, False)
