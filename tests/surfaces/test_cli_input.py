"""What is typed reaches the memory whole, and what is stored cannot harm a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from milepost.surfaces.cli import main
from milepost.surfaces.cli.described import described_operations
from milepost.surfaces.cli.operation_commands import commands_of


def run(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    assert main([*words, "--url", str(path)]) == 0
    return capsys.readouterr().out


def test_a_repeated_option_adds_to_the_list(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    known = run(capsys, path, "store", "a fact", "--tags", "a,b", "--tags", "c").strip()

    shown = json.loads(run(capsys, path, "get", known, "--json"))
    assert shown["tags"] == ["a", "b", "c"]


def test_what_is_told_by_its_place_is_told_by_its_name_as_well(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    rules = [
        run(capsys, path, "retention", "set", *words, "--days", "90")
        for words in (("event",), ("--kind", "event"), ("--kind=event",))
    ]
    assert rules[0].startswith("event: 90 days")
    assert rules == rules[:1] * 3
    with pytest.raises(SystemExit):
        main(["retention", "set", "--days", "90", "--url", str(path)])
    assert "required: KIND" in capsys.readouterr().err


def test_a_json_list_is_many_items(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    given = json.dumps([{"content": "one"}, "two"])

    assert len(run(capsys, path, "store-batch", given, "[not json]").split()) == 3


def test_control_characters_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    known = run(capsys, path, "store", "a \x1b[31mred\x07 fact").strip()

    for words in (["get", known], ["search", "red fact"], ["search-iter", "red fact"]):
        shown = run(capsys, path, *words)
        assert "fact" in shown
        assert not {"\x1b", "\x07"} & set(shown)


def test_a_port_that_no_server_can_have_is_refused(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    assert main(["serve", "--port", "99999", "--url", str(path)]) == 1
    assert "--port must be at most 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("--tags", "a,b"),
        ("--tag", "a", "--tag", "b"),
        ("-t", "a", "--tags", "b"),
        ("--tag", "a,b"),
    ],
)
def test_tags_are_given_together_or_one_by_one(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    known = run(capsys, path, "store", "a fact", *words).strip()

    assert json.loads(run(capsys, path, "get", known, "--json"))["tags"] == ["a", "b"]
    assert known in run(capsys, path, "search", "fact", "--match", "all", *words)


def test_every_operation_that_takes_tags_takes_them_one_by_one() -> None:
    for operation in described_operations():
        for parameter in operation.parameters:
            if parameter.name == "tags":
                (command,) = [c for c in commands_of([operation]) if c.listed]
                taken = {name: a.options for a in command.arguments for name in a.names}
                one_by_one = taken["tags"] if parameter.required else taken["--tag"]
                assert (one_by_one.get("nargs"), one_by_one.get("action")) in (
                    ("+", None),
                    (None, "append"),
                )


def test_how_something_ended_is_a_switch(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    for name, words in {"a": ["--failed"], "b": ["--success"], "c": ["partial"]}.items():
        run(capsys, path, "episode", "create", "fix the login", "--id", name)
        run(capsys, path, "episode", "complete", name, *words)

    ended = {n: json.loads(run(capsys, path, "episode", "get", n, "--json")) for n in "abc"}
    assert [e["outcome"] for e in ended.values()] == ["failure", "success", "partial"]
    failed = json.loads(run(capsys, path, "episode", "list", "--failed", "--json"))
    assert [episode["id"] for episode in failed["episodes"]] == ["a"]


@pytest.mark.parametrize("words", [["--success", "--failed"], ["success", "--failed"]])
def test_two_endings_are_refused(
    capsys: pytest.CaptureFixture[str], path: Path, words: list[str]
) -> None:
    run(capsys, path, "episode", "create", "fix the login", "--id", "a")

    with pytest.raises(SystemExit, match="2"):
        main(["--url", str(path), "episode", "complete", "a", *words])
    assert "say one" in capsys.readouterr().err
    assert json.loads(run(capsys, path, "episode", "get", "a", "--json"))["outcome"] is None


def test_what_is_said_of_a_step_reaches_it(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    run(capsys, path, "episode", "create", "fix the login", "--id", "a")
    for words in (["--failed"], ["--no-success"], ["--success"], []):
        run(capsys, path, "episode", "add-step", "a", "bash", "pytest", *words)

    steps = json.loads(run(capsys, path, "episode", "get", "a", "--json"))["steps"]
    assert [step["success"] for step in steps] == [False, False, True, True]


def test_an_object_is_typed_as_its_keys_and_values_or_as_json(
    capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    words = ["--context", "language=python", "--context", "framework=a=b"]
    run(capsys, path, "episode", "create", "fix it", "--id", "a", *words)
    known = run(
        capsys, path, "store", "a fact", "--metadata", '{"n": 1}', "--metadata", "by=me"
    ).strip()

    context = json.loads(run(capsys, path, "episode", "get", "a", "--json"))["context"]
    assert (context["language"], context["framework"]) == ("python", "a=b")
    shown = json.loads(run(capsys, path, "get", known, "--json"))
    assert shown["metadata"] == {"n": 1, "by": "me"}
    assert main(["store", "x", "--metadata", "nothing", "--url", str(path)]) == 1
    assert "metadata must be KEY=VALUE" in capsys.readouterr().err
