"""A team on one server: each has a working tree, and the server sees none of them."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import done
from hook_runs import Hooks

from git_repository import Repository
from milepost import MilepostClient
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from milepost.workspace.folders import Folders
from milepost.workspace.mentions import Mentions
from milepost.workspace.told import Answers, Questions, answered
from milepost.workspace.told_data import header_of
from milepost.workspace.values import Anchor, Branch, Place
from support import PATIENCE_S, wait_until

MONEY = "def round_total(total):\n    return round(total, 2)\n"
FACT = "Totals are rounded half up in src/money.py"
QUESTION = "how are totals rounded?"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.delenv("MILEPOST_PROJECT", raising=False)
    made = Repository(tmp_path / "shop")
    made.commit({"src/money.py": MONEY}, "Begin")
    return made


@pytest.fixture
def url(path: Path) -> Iterator[str]:
    settings = settings_for(path)._replace(project="", port=0)
    with open_memory(settings) as memory, running(memory, settings) as address:
        yield address


def client_at(url: str, folder: str) -> MilepostClient:
    return MilepostClient(url, timeout=PATIENCE_S).within(place=Place(folder=folder))


class Reply:
    """What a server answers to a call by hand."""

    def __init__(self, url: str, name: str, given: Any, tree: str = "") -> None:
        headers = {"Content-Type": "application/json", "Milepost-Project": "shop"}
        headers |= {"Milepost-Tree": tree} if tree else {}
        body = json.dumps(given).encode()
        request = urllib.request.Request(f"{url}/tools/{name}/execute", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                self.status, self.data = answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as problem:
            self.status, self.data = problem.code, json.loads(problem.read())


def tree_of(repository: Repository) -> str:
    return header_of(Folders().at(repository.root).project)


def key_of(reply: Reply, kind: str) -> str:
    (key,) = reply.data["questions"][kind]
    return str(key)


def test_commands_compare_what_a_server_knows_with_the_folder_that_they_run_in(
    url: str, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.folder)
    name = done("store", FACT, "--url", url)
    assert name not in done("stale", "--url", url)

    shop.write("src/money.py", "nothing = 0\n")
    assert "src/money.py changed since" in done("search", QUESTION, "--url", url)
    assert name in done("stale", "--url", url)
    done("confirm", name, "--url", url)
    assert name not in done("stale", "--url", url)


def test_what_one_stores_is_compared_with_the_tree_of_each(
    url: str, shop: Repository, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shop.git("worktree", "add", "-q", "--detach", str(copy))
    client_at(url, shop.root).store(FACT)
    (copy / "src/money.py").write_text("nothing = 0\n")

    assert client_at(url, shop.root).search(QUESTION)[0].mark == ""
    assert client_at(url, str(copy)).search(QUESTION)[0].mark == "src/money.py changed since"


@pytest.mark.slow
def test_hooks_on_a_server_tell_what_changed_and_keep_branches_apart(
    url: str, path: Path, shop: Repository
) -> None:
    hooks = Hooks(path, shop.folder)
    hooks.environment["MILEPOST_URL"] = url
    client_at(url, shop.root).store(FACT, kind="decision")
    shop.git("checkout", "-qb", "try-redis")
    client_at(url, shop.root).store("Sessions are kept in Redis", kind="decision")
    shop.write("src/money.py", "nothing = 0\n")
    assert "in Redis" in hooks("session-start", session_id="a").told
    shop.git("checkout", "-q", "main")

    begun = hooks("session-start", session_id="b").told
    reminded = hooks("prompt-submit", session_id="c", prompt=f"do you remember {QUESTION}").told
    for text in (begun, reminded):
        assert "(src/money.py changed since)" in text
        assert "Redis" not in text
    shop.git("commit", "-qam", "Round otherwise")
    shop.git("checkout", "-q", "try-redis")
    shop.commit({"redis.py": "port = 6379\n"}, "Use Redis")
    hooks("session-start", session_id="d")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--no-ff", "-m", "Merge", "try-redis")
    assert "in Redis" in hooks("session-start", session_id="e").told


@pytest.mark.slow
def test_what_a_session_said_rests_on_the_code_of_its_machine(
    url: str, path: Path, shop: Repository
) -> None:
    hooks = Hooks(path, shop.folder)
    hooks.environment["MILEPOST_URL"] = url
    hooks("prompt-submit", prompt="We decided to round half up in src/money.py for the tax office.")
    hooks("session-end")
    client = client_at(url, shop.root)
    # It is read by a process that the hook has started.
    wait_until(lambda: client.search("round half up").total)

    shop.write("src/money.py", "nothing = 0\n")
    assert any("round half up" in row.preview for row in client.stale())


def test_who_does_not_tell_of_a_tree_is_asked_nothing(url: str, shop: Repository) -> None:
    client_at(url, shop.root).store(FACT)

    assert Reply(url, "store", {"content": f"{FACT} indeed"}).status == 200
    found = Reply(url, "search", {"query": QUESTION})
    assert found.status == 200
    assert "changed" not in json.dumps(found.data)
    refused = Reply(url, "stale", {"folder": shop.root})
    assert (refused.status, refused.data["code"]) == (400, "invalid_input")


def test_a_question_holds_names_and_what_was_told_before_and_nothing_is_done_until_it_is_answered(
    url: str, shop: Repository
) -> None:
    tree = tree_of(shop)
    asked = Reply(url, "store", {"content": FACT}, tree)

    assert (asked.status, asked.data["code"]) == (428, "tree_asked")
    assert list(asked.data["questions"]["anchors"].values()) == [[["src/money.py"], []]]
    assert client_at(url, shop.root).search(QUESTION).total == 0
    told = {"anchors": {key_of(asked, "anchors"): [["src/money.py", "", "aa"]]}}
    assert Reply(url, "store", {"content": FACT, "@tree": told}, tree).status == 200
    found = Reply(url, "search", {"query": QUESTION}, tree)
    assert list(found.data["questions"]["states"].values()) == [["src/money.py", "", "aa"]]
    # What names nothing is stored at once.
    assert Reply(url, "store", {"content": "Tea is served at four"}, tree).status == 200


def test_a_server_goes_by_what_it_is_told_and_looks_at_no_folder(
    url: str, shop: Repository
) -> None:
    client_at(url, shop.root).store(FACT)
    shop.write("src/money.py", "nothing = 0\n")
    tree, given = tree_of(shop), {"folder": shop.root}

    asked = Reply(url, "stale", given, tree)
    same = {"states": {key_of(asked, "states"): ""}}
    gone = {"states": {key_of(asked, "states"): "gone"}}
    assert Reply(url, "stale", {**given, "@tree": same}, tree).data["memories"] == []
    told = Reply(url, "stale", {**given, "@tree": gone}, tree).data["memories"]
    assert told[0]["mark"] == "src/money.py is gone"


@pytest.mark.parametrize(
    "anchor",
    [
        ["/etc/passwd", "", "aa"],
        ["../money.py", "", "aa"],
        ["src/../money.py", "", "aa"],
        ["~/money.py", "", "aa"],
        ["src\\money.py", "", "aa"],
        ["src/mon\ney.py", "", "aa"],
        ["src/" + "m" * 300 + ".py", "", "aa"],
        ["src/money.py", "a.", "aa"],
        ["src/money.py", "x" * 300, "aa"],
        ["src/money.py", "", "no digest"],
        ["src/money.py", "", ""],
        ["src/money.py", "", "a" * 1_000],
        ["src/money.py", ""],
        ["src/money.py", "", 7],
        "src/money.py",
    ],
)
def test_what_is_no_file_of_a_repository_is_refused(
    url: str, shop: Repository, anchor: object
) -> None:
    tree = tree_of(shop)
    key = key_of(Reply(url, "store", {"content": FACT}, tree), "anchors")
    told = {"anchors": {key: [anchor]}}
    refused = Reply(url, "store", {"content": FACT, "@tree": told}, tree)

    assert (refused.status, refused.data["code"]) == (400, "invalid_input")
    assert client_at(url, shop.root).search(QUESTION).total == 0


@pytest.mark.parametrize(
    "told",
    [
        [],
        "x",
        {"anchors": []},
        {"anchors": {"k": [["src/money.py", "", "aa"]] * 9}},
        {"states": {"k": "fine"}},
        {"states": {"k": []}},
        {"states": {f"k{i}": "" for i in range(25_000)}},
        {"merged": {"k": "yes"}},
        {"merged": {"k": 1}},
    ],
)
def test_answers_that_no_tree_gives_are_refused(url: str, shop: Repository, told: object) -> None:
    refused = Reply(url, "search", {"query": QUESTION, "@tree": told}, tree_of(shop))

    assert (refused.status, refused.data["code"]) == (400, "invalid_input")


def test_a_memory_rests_on_nothing_that_it_does_not_name(url: str, shop: Repository) -> None:
    tree = tree_of(shop)
    key = key_of(Reply(url, "store", {"content": FACT}, tree), "anchors")
    others = [["src/other.py", "", "aa"], ["src/money.py", "round_total", "aa"]]
    stored = {"content": FACT, "@tree": {"anchors": {key: others}}}
    assert Reply(url, "store", stored, tree).status == 200

    assert Reply(url, "search", {"query": QUESTION}, tree).status == 200


@pytest.mark.parametrize(
    "tree",
    [
        "branch no-commit  shop x try",
        f"branch   shop x {'b' * 300}",
        "branch   shop x a%0Ab",
        f"main   {'s' * 300}",
    ],
)
def test_a_tree_that_cannot_be_is_refused(url: str, tree: str) -> None:
    refused = Reply(url, "store", {"content": FACT}, tree)

    assert (refused.status, refused.data["code"]) == (400, "invalid_input")


def test_a_stream_is_not_broken_by_a_question(url: str, shop: Repository) -> None:
    client = client_at(url, shop.root)
    client.store(FACT)
    shop.write("src/money.py", "nothing = 0\n")

    assert [row.preview for row in client.search_iter(QUESTION)] == [FACT]


def test_many_memories_are_told_of_in_one_call(url: str, shop: Repository) -> None:
    client = client_at(url, shop.root)
    client.store_batch([f"Rule {i} is in src/money.py" for i in range(300)])
    shop.write("src/money.py", "nothing = 0\n")

    assert client.stale(limit=5).total == 300


def test_a_client_looks_at_nothing_outside_of_its_repository(
    shop: Repository, tmp_path: Path
) -> None:
    (tmp_path / "secret.py").write_text("key = 1\n")
    questions = Questions(
        {"a": Mentions(("../secret.py", str(tmp_path / "secret.py")), ())},
        {
            "b": Anchor("../secret.py", "", "aa"),
            "c": Anchor(str(tmp_path / "secret.py"), "key", "aa"),
            "d": Anchor("src/money.py", "a.", "aa"),
            "e": Anchor("src/money.py", "", "aa"),
        },
        {"f": Branch("--upload-pack=touch owned", "", "--help")},
    )

    assert answered(questions, Folders().at(shop.root)) == Answers(
        {"a": ()}, {"b": "", "c": "", "d": "", "e": "changed"}, {"f": False}
    )
