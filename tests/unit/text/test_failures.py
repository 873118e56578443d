"""The line that names an error, and the error known again whatever path or number it has."""

import re
from pathlib import Path

import pytest

from milepost.text.failures import SIGNATURE_CHARS, error_line, named_error, signature, tells

SAME = {
    "KeyError: <value>": ["KeyError: 'user_42'", 'KeyError: "id"'],
    "KeyError: <n>": ["KeyError: 17", "KeyError: 404"],
    "ModuleNotFoundError: No module named <value>": [
        "ModuleNotFoundError: No module named 'foo'",
        "ModuleNotFoundError: No module named 'foo.bar'",
    ],
    "AssertionError: assert <n> == <n>": [
        "E       AssertionError: assert 3 == 4",
        "FAILED tests/test_a.py::test_x[case-1] - AssertionError: assert 17 == 0.5",
    ],
    "TypeError: Cannot read properties of undefined (reading <value>)": [
        "TypeError: Cannot read properties of undefined (reading 'map')",
        "TypeError: Cannot read properties of undefined (reading 'length')",
    ],
    "Error: Cannot find module <value>": ["Error: Cannot find module '/srv/app/lib/x.js'"],
    "npm ERR! code ERESOLVE": ["npm ERR! code ERESOLVE"],
    "error TS2304: Cannot find name <value>": [
        "src/app.ts(12,5): error TS2304: Cannot find name 'foo'.",
        "web/src/deep/page.tsx(1,77): error TS2304: Cannot find name 'Props'.",
    ],
    "error[E0382]: borrow of moved value: <value>": [
        "error[E0382]: borrow of moved value: `x`",
        "error[E0382]: borrow of moved value: `self.rows`",
    ],
    "thread <value> panicked at <path>: called <value> on a <value> value": [
        "thread 'main' panicked at src/main.rs:4:5: called `Option::unwrap()` on a `None` value"
    ],
    "undefined: <value>": ["./main.go:12:3: undefined: fooBar", "pkg/a/b.go:1:2: undefined: y"],
    "panic: runtime error: index out of range [<n>] with length <n>": [
        "panic: runtime error: index out of range [5] with length 3"
    ],
    "Exception in thread <value> java.lang.NullPointerException: <value> is null": [
        'Exception in thread "main" java.lang.NullPointerException: "<local1>" is null'
    ],
    "bash: <value>: command not found": ["bash: jq: command not found"],
    "ls: cannot access <value>: No such file or directory": [
        "ls: cannot access '/tmp/x1': No such file or directory"
    ],
    "fatal error: <path>: No such file or directory": [
        "src/a.c:3:10: fatal error: foo.h: No such file or directory"
    ],
    "sqlite3.OperationalError: no such table: <value>": [
        "sqlite3.OperationalError: no such table: users",
        "sqlite3.OperationalError: no such table: orders_2024",
    ],
    "ERROR: relation <value> does not exist": ['ERROR:  relation "users" does not exist'],
    "psycopg2.errors.UniqueViolation: duplicate key value violates unique constraint <value>": [
        'psycopg2.errors.UniqueViolation: duplicate key value violates unique constraint "u_key"'
    ],
    "ORA-00942: table or view does not exist": ["ORA-00942: table or view does not exist"],
    "HTTP 404 Not Found": ["HTTP/1.1 404 Not Found", "HTTP/2 404 Not Found"],
    "curl: (7) Failed to connect to <address> after <n> ms: Connection refused": [
        "curl: (7) Failed to connect to localhost port 8000 after 3 ms: Connection refused",
        "curl: (7) Failed to connect to 127.0.0.1 after 12 ms: Connection refused",
    ],
    "ERROR: request <id> failed with status 503": [
        "2026-01-02T10:11:12.123Z [worker-3] ERROR: request 8f3a9c12 failed with status 503",
        "2025-11-30T00:00:01Z [worker-11] ERROR: request 0aa41b7f failed with status 503",
    ],
    "Nothing happens": ["Nothing happens."],
    "Could not find <value>. Similar: <list>": [
        "Could not find [Nick Park]. Similar: ['Nick Parker', 'Nick Clark']"
    ],
}


@pytest.mark.parametrize(
    ("wanted", "text"), [(wanted, text) for wanted, texts in SAME.items() for text in texts]
)
def test_what_differs_from_run_to_run_is_left_out(wanted, text):
    assert signature(text) == wanted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTP/1.1 404 Not Found", "HTTP/1.1 500 Internal Server Error"),
        ("KeyError: 'a'", "IndexError: list index out of range"),
        ("error[E0382]: borrow of moved value: `x`", "error[E0499]: cannot borrow `x` as mutable"),
        ("Process finished with exit code 1", "Process finished with exit code 137"),
        ("bash: jq: command not found", "bash: jq: Permission denied"),
    ],
)
def test_the_kind_of_error_stays(one, other):
    assert signature(one) != signature(other)


def test_a_chain_of_python_errors_is_named_by_its_last():
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    x()\n'
        "ValueError: bad 3\n\nDuring handling of the above exception, another one occurred:\n\n"
        'Traceback (most recent call last):\n  File "b.py", line 1\nRuntimeError: wrapped 12'
    )
    assert signature(text) == "RuntimeError: wrapped <n>"


def test_a_java_error_is_named_by_its_root_cause():
    text = (
        "java.lang.IllegalStateException: Failed to load context\n\tat org.x.A.run(A.java:12)\n"
        "Caused by: java.net.ConnectException: Connection refused\n\tat java.net.Socket(S.java:5)"
    )
    assert signature(text) == "Caused by: java.net.ConnectException: Connection refused"


def test_the_error_is_found_in_a_long_log():
    log = "\n".join(f"compiling module {n}" for n in range(20_000))
    text = f"{log}\nerror: linking with `cc` failed: exit status: 1\n"
    assert error_line(text) == "error: linking with `cc` failed: exit status: 1"


def test_a_text_without_an_error_is_its_first_line():
    assert signature("12 rows\nmore") == "<n> rows"
    assert signature("") == ""


def test_a_signature_is_short():
    assert len(signature("Error: " + "so many words " * 100)) <= SIGNATURE_CHARS


def printed():
    """Yield what tools print, the line that names the error, and its signature where it matters."""
    text = (Path(__file__).parent / "outputs.txt").read_text(encoding="utf-8")
    for title, case in re.findall(r"^== (.*)\n((?s:.*?))(?=^== |\Z)", text, re.M):
        output, _, rest = case.partition("\n-> ")
        line, _, kind = rest.strip().partition("\n~> ")
        yield pytest.param(output, line, kind, id=title)


@pytest.mark.parametrize(("output", "line", "kind"), list(printed()))
def test_the_line_that_names_the_error_is_found_in_what_a_tool_prints(output, line, kind):
    assert error_line(output) == line
    assert not kind or signature(output) == kind


def test_only_what_has_the_form_of_an_error_is_one_in_prose():
    assert named_error("the upload is not found and it failed, why?") is None
    assert named_error("I get this:\nTypeError: x is not a function\nwhy?") == (
        "TypeError: x is not a function"
    )


def test_a_count_of_failures_says_not_what_failed():
    assert not tells(signature("2 failed, 48 passed in 40.3s"))
    assert tells(signature("KeyError: 'x'"))
