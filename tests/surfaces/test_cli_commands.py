"""Where commands stand, what they are called, and what a wrong call is told."""

from __future__ import annotations

import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import done, milepost, refused, run

from milepost import operation as operation_module
from milepost.app import Milepost
from milepost.config import DESCRIPTIONS, Settings
from milepost.operation import operation
from milepost.registry import operations_of
from milepost.surfaces.cli.builtin import COMMANDS
from milepost.surfaces.cli.command import Subcommand
from milepost.surfaces.cli.command_line import all_commands, called_by
from milepost.surfaces.cli.describing import TABLE, described, table_text
from milepost.surfaces.cli.hints import SYNONYMS, meant
from milepost.surfaces.cli.listing import greeting, overview
from milepost.surfaces.cli.operation_commands import TOP_LEVEL, command_path, commands_of
from milepost.surfaces.cli.parser import Parser
from support import PATIENCE_S

pytestmark = pytest.mark.usefixtures("default_memory")


@pytest.fixture
def episodes(monkeypatch: pytest.MonkeyPatch) -> type:
    """Operations as a later version will have them."""
    for name in ("episode", "memory_summary", "summary"):
        monkeypatch.setitem(operation_module.CATEGORIES, name, f"work with each {name}")

    class Episodes:
        @operation("episode", example="create_episode('x')", aliases=("new_episode",))
        def create_episode(self, task: str) -> str:
            """Begin an episode.

            task: what it is about.
            """
            return task

        @operation("episode", example="list_episodes()", read_only=True)
        def list_episodes(self) -> str:
            """List the episodes, 100% of them."""
            return "none"

        @operation("episode", example="add_step('x')")
        def add_step(self, text: str) -> str:
            """Add a step.

            text: what was done.
            """
            return text

        @operation("episode", example="episodes()", read_only=True)
        def episodes(self) -> str:
            """Show them all."""
            return "all"

        @operation("summary", example="get_summaries()", read_only=True)
        def get_summaries(self) -> str:
            """Show the summaries."""
            return ""

    return Episodes


def test_operations_of_other_categories_stand_in_groups(episodes: type) -> None:
    found = operations_of(episodes)

    paths = {name: command_path(name, o.spec.category) for name, o in found.items()}
    assert {name: " ".join(path) for name, path in paths.items()} == {
        "create_episode": "episode create",
        "list_episodes": "episode list",
        "add_step": "episode add-step",
        "episodes": "episode episodes",
        "get_summaries": "summary get",
    }


def test_a_group_is_parsed_and_its_operations_also_go_by_full_name(episodes: type) -> None:
    commands = [*commands_of(map(described, operations_of(episodes).values())), *COMMANDS]

    for words in (["episode", "create"], ["episode", "new"], ["create-episode"], ["new-episode"]):
        command, given = parsed(commands, [*words, "a task", "--dry-run"])
        assert (given["task"], command.path[-1].split("-")[0]) == ("a task", "create")
    assert "dry_run" not in parsed(commands, ["episode", "list"])[1]
    assert "episode create, new" in overview(commands)
    assert "create-episode" not in overview(commands)


def parsed(commands: list[Subcommand], words: list[str]) -> tuple[Subcommand, dict[str, Any]]:
    called = called_by(commands, words)
    assert called.command is not None
    return called.command, Parser(called.command).parse(called.words)


def test_memory_and_admin_stay_at_the_top() -> None:
    for found in operations_of(Milepost).values():
        if found.spec.category in TOP_LEVEL:
            words = command_path(found.name, found.spec.category)
            name = "list" if found.name == "list_memories" else found.name
            assert words == (name.replace("_", "-"),)


@pytest.mark.parametrize(
    "words",
    [
        f"episode {verb}"
        for verb in "create list view search log-step complete resume delete".split()
    ]
    + [
        f"pattern {verb}"
        for verb in "list view analyze search recommend effectiveness decay".split()
    ],
)
def test_what_was_tried_and_learned_has_commands_of_its_own(words: str) -> None:
    shown = milepost(*words.split(), "--help")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("usage: milepost")


def test_an_episode_can_be_told_on_the_command_line(path: Path) -> None:
    def run(*words: str) -> str:
        return done(*words, "--url", str(path)).strip()

    run("episode", "create", "fix the login", "--id", "login", "--context", '{"domain": "auth"}')
    assert run("episode", "log-step", "login", "bash", "pytest", "--no-success") == "1"
    assert run("episode", "log-step", "login", "edit", "login.py", "--no-wait") == "2"
    assert "would end login as success" in run(
        "episode", "complete", "login", "success", "--dry-run"
    )
    assert run("episode", "complete", "login", "success").startswith("login success, reward")
    assert "1 bash pytest FAILED" in run("episode", "view", "login")
    assert "login" in run("episode", "search", "login")
    assert "erased 1: login" in run("episode", "delete", "login")


def test_the_table_of_operations_is_up_to_date() -> None:
    written = table_text(operations_of(Milepost))

    assert TABLE.read_text() == written, "run `make docs`"


def test_every_command_has_help_with_an_example_and_a_name_of_its_own() -> None:
    commands, made_for_people = all_commands(), {command.path for command in COMMANDS}
    names = [
        (*command.path[:-1], name)
        for command in commands
        for name in (command.path[-1], *command.aliases)
    ]

    assert len(names) == len(set(names))
    for command in commands:
        text = Parser(command).format_help()
        assert command.summary.split()[0] in text
        (example,) = [line for line in text.splitlines() if line.startswith("for example: ")]
        words = shlex.split(example.replace('eval "$(', "").removesuffix(')"'))
        called = called_by(commands, words[words.index("milepost") + 1 :])
        assert called.command is not None
        # Of some operations there is a command made for people, which says more or less.
        is_one = called.command.path in made_for_people
        assert is_one or called.command.summary == command.summary
        Parser(called.command).parse(called.words)


def test_the_help_lists_every_command_and_the_exit_codes() -> None:
    text = done("--help")

    for words in (
        "serve", "mcp", "daemon start", "config show, ls", "storage info", "health", "monitor",
        "logs", "backup create", "doctor", "completion", "search, s, find", "store, add",
        "delete, rm",
    ):  # fmt: skip
        assert f"\n  {words} " in text
    assert "exit codes: 0 done, 1 failed, 2 wrongly called, 130 interrupted" in text
    assert all(len(line) < 90 for line in text.splitlines())


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_the_help_says_the_whole_first_sentence_of_every_command(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = " ".join(done("--help").split())

    for command in all_commands():
        if command.listed:
            first, stop, _ = command.summary.partition(". ")
            assert f"{' '.join(first.split())}{stop.strip()}" in text


def test_short_names_and_short_flags_do_the_same() -> None:
    name = done("add", "the harbour opens at six", "-t", "sea,port", "-k", "fact", "-p", "boats")

    assert done("s", "harbour", "-n", "1") == done("search", "harbour", "--limit", "1")
    assert done("show", name) == done("get", name)
    assert done("find", "harbour", "-p", "boats").startswith(name)
    assert done("search_by_tag", "sea", "port", "--match", "all").startswith(name)
    assert "deleted 1" in done("rm", name)


def test_operations_go_by_their_other_names_too() -> None:
    name = done("remember", "the harbour opens at six")

    assert done("retrieve-memory", "harbour").startswith(name)
    assert "deleted 1" in done("forget", name)
    assert done("start-episode", "a task", "--id", "t") == "t"
    assert done("log-step", "t", "bash", "ls") == "1"


def test_options_that_all_commands_have_may_stand_before_them(path: Path) -> None:
    name = done("--url", path, "--space=mine", "store", "a fact")

    assert name in done("--json", "get", name, "--space", "mine", "--url", path)


def test_help_can_be_asked_for_by_its_name() -> None:
    assert done("help") == done("--help")
    assert done("help", "storage", "info") == done("storage", "info", "--help")
    assert done("help", "backup") == done("backup")


def test_a_group_without_a_command_shows_what_it_has() -> None:
    groups = {command.path[0] for command in all_commands() if len(command.path) > 1}

    assert {"backup", "storage", "config", "model", "jobs", "daemon", "episode"} <= groups
    for group in groups:
        shown = done(group).splitlines()
        assert done(group, "--help").splitlines() == shown
        for command in all_commands():
            if command.listed and command.path[:-1] == (group,):
                line = f"  {' '.join(command.path)}"
                assert any(s.startswith(line) and len(s) > len(line) + 5 for s in shown)


def test_no_word_at_all_is_told_the_five_things_to_do_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "new" / "m.db"))
    shown = [line for line in done().splitlines() if line.startswith("  milepost ")]

    assert len(shown) == 5
    for line in shown:
        words = shlex.split(line.strip().partition("  ")[0])
        parsed(all_commands(), words[1:])
    assert not (tmp_path / "new").exists()


def test_what_shows_the_memories_is_named_as_soon_as_there_is_one() -> None:
    commands = [c for c in all_commands() if c.path != ("list",)]
    assert "milepost storage info" in greeting(commands)

    listing = commands[0]._replace(path=("list",))
    assert "milepost list" in greeting([*commands, listing])


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("tags", "storage info"), ("stats", "storage info"), ("ls", "recall"), ("list", "recall"),
        ("remove", "delete"), ("export", "backup create"), ("status", "health"),
        ("init", "install"), ("setup", "install"), ("save", "store"), ("query", "search"),
        ("undo", "backup restore"), ("execute", "eval"), ("settings", "config show"),
        ("server", "serve"), ("memorise", "store"), ("serach", "search"),
    ],
)  # fmt: skip
def test_words_of_other_programs_are_understood(typed: str, name: str) -> None:
    # As long as there is none that is called so.
    later = ("list", "tags", "stats", "undo")
    commands = [command for command in all_commands() if command.path[0] not in later]

    assert meant(typed, commands)[0] == name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("backup show", "list"), ("backup delete", "prune"), ("backup make", "create"),
        ("config get", "show"), ("config list", "show"), ("model download", "add"),
        ("episode show", "get"), ("episode finish", "complete"), ("storage shrink", "compact"),
        ("daemon restart", "start"), ("jobs show", "list"), ("storage size", "info"),
    ],
)  # fmt: skip
def test_and_so_are_those_within_a_group(typed: str, name: str) -> None:
    group, word = typed.split()

    assert f"did you mean `milepost {group} {name}`?" in milepost(group, word).err


def test_a_hint_names_what_there_is() -> None:
    commands = all_commands()
    names = {" ".join((*c.path[:-1], n)) for c in commands for n in (c.path[-1], *c.aliases)}
    words = [word for words in SYNONYMS.values() for word in words]

    assert len(words) == len(set(words))
    for choices in SYNONYMS:
        assert choices[-1] in names, choices
    for word in words:
        (hint,) = meant(word, commands)
        assert hint in names


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["serach", "x"], "did you mean `milepost search`"),
        (["restore", "x"], "backup restore"),
        (["compact"], "storage compact"),
        (["exprot"], "did you mean `milepost backup create`?"),
        (["exports"], "did you mean `milepost backup create`"),
        (["backup", "remov"], "did you mean `milepost backup prune`?"),
        (["store", "x", "--everywhere"], "did you mean --project everywhere?"),
        (["list", "--all-projects"], "did you mean --project everywhere?"),
        (["doctor", "--everywhere"], "`milepost doctor --help` lists the options"),
        (["storage", "chek"], "did you mean `milepost storage check`?"),
        (["Health"], "health"),
        (["xyzzy"], "`milepost --help` lists them"),
        (["storage", "xyzzy"], "`milepost storage --help` lists them"),
        (["why", "six", "o'clock?"], 'did you mean `milepost search "why six o\'clock?"`?'),
        (["which database?"], 'did you mean `milepost search "which database?"`?'),
        (["--limit", "3"], "options of a command stand after it"),
        (["--json"], "name a command"),
        (["search"], "required: QUERY"),
        (["search", "two", "words"], "put quotes around"),
        (["search", "x", "--limt", "3"], "there is no option --limt; did you mean --limit?"),
        (["episode", "complete", "x"], "OUTCOME, --success, --partial, --failed"),
        (["search", "x", "--format", "xml"], "it must be one of human, json, yaml"),
        (["config", "set", "colour", "red"], "url, space"),
    ],
)
def test_a_wrong_word_is_told_what_may_have_been_meant(typed: list[str], meant: str) -> None:
    outcome = milepost(*typed)

    assert (outcome.code, outcome.out) == (2, "")
    assert meant in outcome.err.splitlines()[-1]


def test_health_fails_when_the_memory_does_not_work(path: Path) -> None:
    path.write_bytes(b"no database at all " * 100)

    outcome = milepost("health", "--json")

    assert outcome.code == 1
    assert outcome.data["status"] == "error"
    assert "not a Milepost store" in outcome.data["notes"][0]


def test_a_broken_configuration_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(broken))

    broken.write_text("port = [1,")
    assert str(broken) in refused("search", "x")
    broken.write_text("colour = 'red'")
    assert "colour" in refused("health")
    broken.write_bytes(b"\xff\xfe")
    assert str(broken) in refused("store", "x")


@pytest.mark.parametrize("words", [["health"], ["help"], []])
def test_a_full_disk_below_standard_output_is_told(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "milepost", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    assert ended.returncode == 1
    assert ended.stderr == "milepost: No space left on device.\n"


@pytest.mark.parametrize("words", [["stats"], ["review"], ["list"], [], ["nonsense"]])
def test_closed_streams_are_nobodys_mistake(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "milepost", *words]
    for closed in ("<&-", ">&-", "<&- >&-"):
        ended = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert ended.returncode == (2 if words == ["nonsense"] else 0), ended
        assert "Traceback" not in ended.stderr


def test_the_module_is_the_command() -> None:
    assert run("--version").stdout.startswith("milepost ")
    assert done("-V") == done("version") == done("--version")
    assert run("health").stdout.startswith("healthy")


def test_help_and_errors_come_at_once() -> None:
    for words in ([], ["--help"], ["search", "--help"], ["serch"], ["search"], ["backup"]):
        times = []
        for _ in range(3):
            began = _cpu_of_children()
            run(*words)
            times.append(_cpu_of_children() - began)
        # 25 ms on a machine with nothing else to do; here other tests run beside.
        assert min(times) < 0.2, words


def _cpu_of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def test_every_setting_is_described() -> None:
    assert set(DESCRIPTIONS) == set(Settings._fields)
