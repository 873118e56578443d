"""Where commands stand, what they are called, and what a wrong call is told."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import done, milepost, refused, run

from milepost import operation as operation_module
from milepost.app import Milepost
from milepost.config import DESCRIPTIONS, Settings
from milepost.operation import operation
from milepost.registry import operations_of
from milepost.surfaces.cli.builtin import COMMANDS
from milepost.surfaces.cli.command_line import all_commands
from milepost.surfaces.cli.operation_commands import TOP_LEVEL, command_path, commands_of
from milepost.surfaces.cli.parser import build_parser
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

    assert {name: " ".join(command_path(o)) for name, o in found.items()} == {
        "create_episode": "episode create",
        "list_episodes": "episode list",
        "add_step": "episode add-step",
        "episodes": "episode episodes",
        "get_summaries": "summary get",
    }


def test_a_group_is_parsed_and_its_operations_also_go_by_full_name(episodes: type) -> None:
    parser = build_parser([*commands_of(operations_of(episodes)), *COMMANDS])

    for words in (["episode", "create"], ["episode", "new"], ["create-episode"]):
        given = vars(parser.parse_args([*words, "a task", "--dry-run"]))
        assert (given["task"], given["command"].path[-1].split("-")[0]) == ("a task", "create")
    assert "dry_run" not in vars(parser.parse_args(["episode", "list"]))
    assert "episode create, new" in parser.format_help()
    assert "create-episode" not in parser.format_help()


def test_memory_and_admin_stay_at_the_top() -> None:
    for found in operations_of(Milepost).values():
        if found.spec.category in TOP_LEVEL:
            assert command_path(found) == (found.name.replace("_", "-"),)


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
    assert "deleted 1: login" in run("episode", "delete", "login")


def test_every_command_has_help_and_a_name_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    commands = all_commands()
    parser = build_parser(commands)  # one for all: to make it anew for each takes seconds
    names = [
        (*command.path[:-1], name)
        for command in commands
        for name in (command.path[-1], *command.aliases)
    ]

    assert len(names) == len(set(names))
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            parser.parse_args([*command.path, "--help"])
        out, err = capsys.readouterr()
        assert (ended.value.code, err) == (0, "")
        assert command.summary.split()[0] in out


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


def test_short_names_and_short_flags_do_the_same() -> None:
    name = done("add", "the harbour opens at six", "-t", "sea,port", "-k", "fact", "-p", "boats")

    assert done("s", "harbour", "-n", "1") == done("search", "harbour", "--limit", "1")
    assert done("show", name) == done("get", name)
    assert done("find", "harbour", "-p", "boats").startswith(name)
    assert "deleted 1" in done("rm", name)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["serach", "x"], "did you mean search"),
        (["restore", "x"], "backup restore"),
        (["compact"], "storage compact"),
        (["storage", "chek"], "did you mean check?"),
        (["Health"], "health"),
        (["xyzzy"], "see milepost --help"),
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


def test_a_full_disk_below_standard_output_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "milepost", "health"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    assert ended.returncode == 1
    assert ended.stderr == "milepost: No space left on device.\n"


def test_the_module_is_the_command() -> None:
    assert run("--version").stdout.startswith("milepost ")
    assert run("health").stdout.startswith("healthy")


def test_help_comes_at_once_and_loads_nothing_heavy() -> None:
    script = (
        "import sys; from milepost.surfaces.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    for words in (["--help"], ["search", "--help"]):
        ended = subprocess.run(
            [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
        )
        for heavy in "numpy apsw msgspec asyncio mcp starlette urllib3 yaml tomlkit".split():
            assert f"'{heavy}'" not in ended.stderr, (words, heavy)
    times = []
    for _ in range(3):
        began = _cpu_of_children()
        run("--help")
        times.append(_cpu_of_children() - began)
    # 100 ms on a machine with nothing else to do; here other tests run beside.
    assert min(times) < 0.4


def _cpu_of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def test_every_setting_is_described() -> None:
    assert set(DESCRIPTIONS) == set(Settings._fields)
