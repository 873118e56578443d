"""What a program can do."""

from __future__ import annotations

from typing import Any

import pytest

from milepost.errors import InvalidInput, NotFound
from milepost.memory.values import CompactMemory, CompactSearchResult, Memory
from milepost.programs.values import Function, FunctionParameter
from milepost.upkeep.values import CompactHealthInfo
from sandbox.conftest import Run
from sandbox.programs import AWAITING, LANGUAGE, ON_DEMAND

SEARCH = Function(
    "search",
    (
        FunctionParameter("query"),
        FunctionParameter("limit", False, 10),
        FunctionParameter("tags", False),
    ),
    "Find memories.",
)
HITS = tuple(
    CompactMemory(f"{i:08x}", f"decision {i}", ("decision", f"tag{i % 3}"), 1.7e9 + i, i / 10)
    for i in range(10)
)


def search(name: str, arguments: dict[str, Any]) -> CompactSearchResult:
    assert name == "search"
    limit = arguments.get("limit", 10)
    return CompactSearchResult(HITS[:limit], len(HITS), arguments["query"])


@pytest.mark.parametrize("name", LANGUAGE)
def test_a_program_as_a_model_writes_it_runs_to_its_end(run: Run, name: str) -> None:
    done = run(LANGUAGE[name])
    assert done.error is None, done.error.text


@pytest.mark.parametrize("name", ON_DEMAND)
def test_what_python_imports_on_demand_is_there(run: Run, name: str) -> None:
    done = run(ON_DEMAND[name])
    assert done.error is None, done.error.text


@pytest.mark.parametrize("code", ["echo(10 ** 9_000)", "state['n'] = 10 ** 9_000"])
def test_a_long_number_crosses_the_border_or_is_refused(run: Run, code: str) -> None:
    assert run(code).stats.ended in ("finished", "error", "killed")
    assert run("6 * 7").value == "42"


def test_the_last_expression_is_the_value_and_printed_text_is_kept_apart(run: Run) -> None:
    done = run("print('seen')\nx = 20\nx + 22")
    assert (done.value, done.printed) == ("42", "seen\n")


@pytest.mark.parametrize("code", ["x = 1", "None", "", "# nothing", "for i in 'ab': i"])
def test_a_program_without_a_last_expression_has_no_value(run: Run, code: str) -> None:
    assert run(code).value is None


def test_a_text_is_shown_as_it_is_and_other_values_as_python_shows_them(run: Run) -> None:
    assert run("'a\\nb'").value == "a\nb"
    assert run("{'a': 'b'}").value == "{'a': 'b'}"


def test_functions_take_arguments_by_position_and_by_name(run: Run) -> None:
    code = "[search('q').query, search('q', 2).total, len(search(limit=3, query='z').memories)]"
    assert run(code, search, functions=(SEARCH,)).value == "['q', 10, 3]"


def test_results_are_the_same_types_with_attributes(run: Run) -> None:
    code = """
from collections import Counter
from milepost import search as find
hits = find("decisions").memories
assert type(hits) is tuple and type(hits[0].tags) is tuple
Counter(m.tags[1] for m in hits if "decision" in m.tags and m.score > 0.2).most_common(1)
"""
    assert run(code, search, functions=(SEARCH,)).value == "[('tag0', 3)]"


def test_results_are_shown_as_text_made_for_models(run: Run) -> None:
    whole = run("search('q', 2)", search, functions=(SEARCH,)).value
    some = run("[m for m in search('q').memories][:2]", search, functions=(SEARCH,)).value
    assert whole == str(CompactSearchResult(HITS[:2], 10, "q"))
    assert some == "\n".join(map(str, HITS[:2]))


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (CompactHealthInfo("healthy", 3, "sqlite").noted(["slow"]), "x.notes == ('slow',)"),
        (
            Memory(
                "h", "c", (), "note", {"$": [1], "b": (2,)}, *[None] * 3, *[0.0] * 4, None, "hh"
            ),  # type: ignore[arg-type]
            "x.metadata == {'$': [1], 'b': (2,)} and x.author is None",
        ),
        ((1, (2, [3])), "x == (1, (2, [3])) and type(x) is tuple"),
        ([{"a": (1,)}], "x == [{'a': (1,)}]"),
        ({"$": "CompactMemory", "fields": []}, "x['$'] == 'CompactMemory'"),
        ({1: 2}, "x == {1: 2}"),
        (iter([1, 2]), "x == [1, 2]"),
        ("é\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "x == 'é😀'"),
    ],
)
def test_a_value_arrives_as_it_was(run: Run, value: object, seen: str) -> None:
    done = run(f"x = echo(1)\n{seen}", lambda *_: value)
    assert done.value == "True", done.error


def test_arguments_may_be_what_programs_have_at_hand(run: Run) -> None:
    code = """
from datetime import date
from dataclasses import dataclass
@dataclass
class D: a: int
[echo({3, 1}), echo(date(2026, 1, 2)), echo(D(1)), echo(x for x in "ab"), echo((1, 2)), echo("é")]
"""
    assert run(code).value == "[[1, 3], '2026-01-02', {'a': 1}, ['a', 'b'], [1, 2], 'é']"


def test_an_error_of_the_host_is_the_same_error_in_the_program(run: Run) -> None:
    def call(name: str, arguments: dict[str, Any]) -> None:
        raise NotFound("No memory goes by that hash.")

    code = "from milepost.errors import NotFound\ntry: echo(1)\nexcept NotFound as e: print(e)"
    assert run(code, call).printed == "No memory goes by that hash.\n"
    failed = run("echo(1)", call)
    assert failed.error is not None
    assert failed.error.name == "NotFound"


def test_an_error_of_the_host_can_be_caught_by_its_python_kind(run: Run) -> None:
    def call(name: str, arguments: dict[str, Any]) -> None:
        raise InvalidInput("Too long.")

    assert run("try: echo(1)\nexcept ValueError as e: r = str(e)\nr", call).value == "Too long."


@pytest.mark.parametrize("name", AWAITING)
def test_what_functions_return_can_be_awaited(run: Run, name: str) -> None:
    done = run(AWAITING[name])
    assert done.value == "5", done.error


def test_state_is_kept_between_runs(run: Run) -> None:
    first = run("state['seen'] = [1, 2]\nstate['n'] = len(state['seen'])")
    second = run("state['n'] += 1\nstate", state=first.state)
    assert first.state == {"seen": [1, 2], "n": 2}
    assert second.value == "{'seen': [1, 2], 'n': 3}"


def test_state_is_kept_when_a_program_fails_so_that_work_can_be_resumed(run: Run) -> None:
    failed = run("state['done'] = 7\n1 / 0", state={"done": 0})
    stopped = run("state['done'] = 7\nwhile True: len('')", state={"done": 1}, timeout_s=0.2)
    assert failed.state == {"done": 7}
    assert stopped.state == {"done": 1}


@pytest.mark.parametrize("code", ["state['x'] = {1}", "state = 3", "state['x'] = state"])
def test_a_state_that_cannot_be_kept_is_an_error_and_the_value_still_comes(
    run: Run, code: str
) -> None:
    done = run(f"{code}\n5", state={"a": 1})
    assert done.error is not None
    assert (done.error.kind, done.value, done.state) == ("state", "5", {"a": 1})


def test_skills_are_functions_that_were_saved(run: Run) -> None:
    skills = {
        "twice": "import math\ndef helper(x): return math.floor(x)\n"
        "def twice(x):\n    '''Double.'''\n    return helper(echo(x)) * 2\n",
        "deep": "def deep(x): return skills.twice(x) + 1",
        "later": "async def later(x): return await echo(x)",
    }
    code = "[skills.twice(4), skills.deep(4), dir(skills), await skills.later(2)]"
    assert run(code, skills=skills).value == "[8, 9, ['deep', 'later', 'twice'], 2]"


def test_an_unknown_skill_names_those_there_are(run: Run) -> None:
    done = run("skills.twise(4)", skills={"twice": "def twice(x): return x"})
    assert done.error is not None
    assert "there are: twice" in done.error.text


def test_random_numbers_differ_between_runs(run: Run) -> None:
    code = "import random, uuid, secrets\n(random.random(), uuid.uuid4(), secrets.token_hex(8))"
    assert run(code).value != run(code).value


def test_functions_know_their_signatures(run: Run) -> None:
    code = "import inspect\n(str(inspect.signature(echo)), echo.__doc__.splitlines()[0])"
    assert run(code).value == "('(x, times=1)', 'echo(x, times=1)')"


def test_leaving_early_is_a_good_end(run: Run) -> None:
    done = run("import sys\nprint('enough')\nsys.exit()\nprint('never')")
    assert (done.error, done.printed) == (None, "enough\n")
