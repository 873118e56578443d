"""No secret comes into the memory, whichever operation and whichever of its texts it stands in."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest

import milepost
from milepost import InvalidInput, Milepost, MilepostError
from milepost.experience.arguments import STEP_FIELDS
from milepost.memory.remember import _PARAMETERS as ITEM_FIELDS
from milepost.registry import Operation, Parameter, operations_of
from milepost.sessions.values import Turn
from milepost.text.secrets.mark import SECRET
from support import kept_warm

OPERATIONS = operations_of(Milepost)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "swordfish77"
NESTED = {"deep": [{TOKEN: TOKEN, "password": PASSWORD}], "note": f"use {TOKEN}", "count": 3}
# Of the fields of an item, those that are not free text.
NOT_TEXT = {"created", "valid_from", "supersedes", "number", "success", "latency_ms", "tokens",
            "at", "failed"}  # fmt: skip
# What is read for what it decides, and would else be remembered of nobody.
SAID = f"We decided to use {TOKEN} for deploys, because the old one expired."


@pytest.fixture
def memory(path: Path) -> Iterator[Milepost]:
    """A memory in which the examples of the documentation have something to work on."""
    with milepost.connect(path) as opened:
        opened.create_episode("fix the login test", id="begun")
        opened.create_episode("fix it again", id="other")
        yield opened


def opened_with(path: Path, rule: str, monkeypatch: pytest.MonkeyPatch) -> Milepost:
    monkeypatch.setenv("MILEPOST_SECRETS", rule)
    return milepost.connect(path)


def on_disk(path: Path) -> bytes:
    """Everything that lies beside a store: the file, its log, the index, the inbox."""
    return b"".join(file.read_bytes() for file in path.parent.rglob("*") if file.is_file())


def usual(operation: Operation, known: str) -> dict[str, Any]:
    real = {"hash": known, "hashes": [known], "episode": "begun", "other": "other"}
    return {name: real.get(name, value) for name, value in operation.example.items()}


def hostile(parameter: Parameter) -> Iterator[Any]:
    """Yield values of a parameter that hold a secret wherever they can."""
    options = get_args(parameter.type) or (parameter.type,)
    if parameter.name == "code":
        yield f"def ops():\n    return '{TOKEN}'\nprint(ops())"
        yield f"state['key'] = '{TOKEN}'\nstate['deep'] = {NESTED!r}\nstore('{TOKEN}')"
    if str in options:
        yield TOKEN
        yield f"the key is {TOKEN} and the password is {PASSWORD}"
    if any(get_origin(option) is dict for option in options):
        yield NESTED
    if get_origin(parameter.type) is list or any(get_origin(o) is list for o in options):
        yield [TOKEN, f"and {TOKEN}"]
        yield [_filled(ITEM_FIELDS, metadata=NESTED)]
        yield [_filled(STEP_FIELDS, parameters=NESTED)]
        yield [_filled(Turn._fields, text=SAID, role="user")]


def _filled(fields: tuple[str, ...], **given: Any) -> dict[str, Any]:
    return {name: f"about {TOKEN}" for name in fields if name not in NOT_TEXT} | given


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_text_of_an_operation_brings_a_secret_to_the_disk(
    name: str, memory: Milepost, path: Path
) -> None:
    operation, known = OPERATIONS[name], memory.store("the harbour opens at six")
    for parameter in operation.parameters:
        for value in hostile(parameter):
            with suppress(MilepostError):
                given = usual(operation, known) | {parameter.name: value}
                result = getattr(memory, name)(**given)
                list(result) if operation.streams else result
    whole = usual(operation, known)
    whole |= {p.name: value for p in operation.parameters for value in hostile(p) if p.required}
    with suppress(MilepostError):
        getattr(memory, name)(**whole)
    memory.run_jobs()
    seen = on_disk(path)
    memory.close()

    for disk in (seen, on_disk(path)):
        assert TOKEN.encode() not in disk
        assert PASSWORD.encode() not in disk


def test_every_text_of_a_memory_is_kept_without_its_secrets(memory: Milepost) -> None:
    name = memory.store(
        f"the key is {TOKEN}",
        tags=["ops", TOKEN],
        kind=f"kind {TOKEN}",
        metadata=NESTED,
        session=TOKEN,
        author=f"Ann {TOKEN}",
        project=f"shop {TOKEN}",
    )

    kept = memory.get(name)
    assert kept.content == f"the key is {SECRET}"
    (deep,) = kept.metadata["deep"]
    assert list(deep.values()) == [SECRET, SECRET]
    assert kept.metadata["count"] == 3
    assert kept.author == f"Ann {SECRET}"
    assert TOKEN not in repr(kept)


def test_a_number_is_a_secret_only_where_it_is_named_one(memory: Milepost) -> None:
    name = memory.store("a fact", metadata={"password": 90417733, "port": 90417733})

    assert memory.get(name).metadata == {"password": SECRET, "port": 90417733}


def test_what_nobody_waits_for_is_written_without_secrets(memory: Milepost, path: Path) -> None:
    given = {"note": "plain"}
    name = memory.create_episode(f"use {TOKEN}", NESTED, tags=[TOKEN], wait=False)
    memory.add_step(name, "bash", f"login {TOKEN}", given, f"password: {PASSWORD}", wait=False)
    given["note"] = "changed by who gave it"
    private = "<private>" + "my own words " * 5_000 + "</private> the end"
    memory.add_step(name, "bash", f"curl -H 'Authorization: Bearer {TOKEN}'", observation=private,
                    success=False, wait=False)  # fmt: skip
    ended = memory.complete_episode(name, "failure", f"the key {TOKEN} expired", wait=False)

    whole = memory.get_episode(name)
    assert TOKEN not in f"{whole}{ended}"
    assert SECRET in whole.task
    assert whole.steps[0].parameters == {"note": "plain"}
    assert "my own words" not in whole.steps[1].observation
    memory.close()
    left = on_disk(path)
    assert TOKEN.encode() not in left
    assert PASSWORD.encode() not in left


def test_what_nobody_waits_for_is_refused_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_with(path, "refuse", monkeypatch) as memory:
        name = memory.create_episode("fix it", wait=False)
        with pytest.raises(InvalidInput, match="secret"):
            memory.create_episode(f"use {TOKEN}", wait=False)
        with pytest.raises(InvalidInput, match="secret"):
            memory.add_step(name, "bash", f"login {TOKEN}", wait=False)
        assert memory.list_episodes().total == 1


def test_a_result_says_how_many_secrets_were_hidden(memory: Milepost) -> None:
    name = memory.store(f"the key is {TOKEN}", metadata={"password": PASSWORD})
    batch = memory.store_batch(["a plain fact", f"{TOKEN} and {TOKEN[:-1]}"])
    step = memory.add_step("begun", "bash", f"export KEY={TOKEN}")
    ended = memory.complete_episode("begun", "success", f"it was {TOKEN}")

    assert (name.secrets_hidden, repr(name)) == (2, f"{str(name)!r}; 2 secrets hidden")
    assert [getattr(each, "secrets_hidden", 0) for each in batch] == [0, 2]
    assert (step, f"{step}", step.secrets_hidden) == (1, "1", 1)
    assert (ended.outcome, ended.secrets_hidden) == ("success", 1)
    assert type(memory.store("another plain fact")) is str


def test_a_result_that_says_so_is_used_as_any_other(memory: Milepost) -> None:
    name = memory.store(f"the key is {TOKEN}")

    assert memory.get(name).hash == name == str(name) == f"{name}"
    assert pickle.loads(pickle.dumps(name)).secrets_hidden == 1
    assert memory.delete(name).deleted == 1


def test_the_same_text_with_another_secret_is_the_same_memory(memory: Milepost) -> None:
    first = memory.store(f"the key is {TOKEN}")

    assert memory.store(f"the key is {TOKEN}") == first
    assert memory.store(f"the key is {TOKEN.replace('a1', 'z9')}") == first
    assert memory.update(first, content=f"the key is {TOKEN}") == first
    assert memory.health().count == 1


@pytest.mark.usefixtures("sandbox")
def test_sessions_with_names_of_chance_stay_apart_and_are_found_again(memory: Milepost) -> None:
    names = ("V1StGXR8Z5jdHi6BmyTq", "kQ9wLx2RvT7mZp4Ns8Yb")
    for name in names:
        memory.execute_code(f"state['of'] = '{name[:4]}'", session=name)
        memory.create_episode("try it", id=name)
        memory.store(f"the harbour {name[:4]} opens at six", project=name, tags=[name])

    for name in names:
        assert memory.execute_code("state['of']", session=name).output == name[:4]
        assert memory.add_step(name, "bash", "ls") == 1
        (found,) = memory.search("when does the harbour open", project=name).memories
        assert name[:4] in found.preview
        assert memory.search_by_tag(name).memories[0].hash == found.hash


@pytest.mark.usefixtures("sandbox")
def test_a_program_runs_as_it_is_and_is_kept_without_its_secrets(memory: Milepost) -> None:
    result = memory.execute_code(f"state['key'] = '{TOKEN}'\nlen('{TOKEN}')", session="s")

    assert result.output == str(len(TOKEN))
    assert memory.execute_code("state['key']", session="s").output == SECRET
    assert str(memory.execute_code(f"store('{TOKEN}')").output)
    assert result.secrets_hidden == 1


def test_a_secret_is_not_cut_in_two_where_a_long_observation_is(memory: Milepost) -> None:
    for shift in range(0, 60, 7):
        seen = f"{'x ' * (5_000 - 20)}{'y' * shift} {TOKEN} {'z ' * 20_000}"
        memory.add_step("begun", "bash", "cat log", observation=seen)
    hidden = "<private>" + "my own words " * 5_000 + "</private> the end"
    memory.add_step("begun", "bash", "cat", observation=hidden)

    steps = memory.get_episode("begun").steps
    assert not any(TOKEN[:8] in step.observation for step in steps)
    assert "my own words" not in steps[-1].observation


@pytest.mark.usefixtures("sandbox")
def test_refusing_names_the_field_and_writes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_with(path, "refuse", monkeypatch) as memory:
        begun = memory.create_episode("fix the login test")
        for call, field in (
            (lambda: memory.store(f"a fact\nthe key is {TOKEN}"), "content holds .* in line 2"),
            (lambda: memory.store_batch(["a fact", f"the key is {TOKEN}"]), "content holds"),
            (lambda: memory.store("a", metadata=NESTED), r"metadata\.deep holds"),
            (lambda: memory.store("a", metadata={"db": {"password": PASSWORD}}),
             r"metadata\.db\.password holds"),
            (lambda: memory.store("a", session=TOKEN), "session holds"),
            (lambda: memory.add_step(begun, "bash", "ls", observation=TOKEN), "observation holds"),
            (lambda: memory.add_step(begun, "bash", "ls", {"key": TOKEN}),
             r"parameters\.key holds"),
            (lambda: memory.complete_episode(begun, "success", TOKEN), "verdict holds"),
            (lambda: memory.save_skill("f", f"def f(): return '{TOKEN}'", "d"), "code holds"),
            (lambda: memory.store("a <private>word</private>"), "content holds what is marked as"),
        ):  # fmt: skip
            with pytest.raises(InvalidInput, match=field) as refusal:
                call()  # type: ignore[no-untyped-call]
            assert TOKEN not in str(refusal.value)
        assert memory.health().count == 0
        assert memory.get_episode(begun).steps == ()
        state = memory.execute_code("state['k'] = 'ghp_' + 'a1B2c3D4' * 5", session="s")
        assert "state not kept: state.k holds" in state.output
        assert TOKEN not in str(memory.search("key", tags=[TOKEN]))


def test_hooks_are_not_refused_where_others_are(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_with(path, "refuse", monkeypatch) as memory:
        (noticed,) = memory.notice("V1StGXR8Z5jdHi6BmyTq", [{"role": "user", "text": SAID}])
        told = memory.remind(f"#remember the key is {TOKEN}", session="V1StGXR8Z5jdHi6BmyTq")

        assert noticed.secrets_hidden == 1
        assert SECRET in memory.get(noticed).content
        assert memory.get(str(told.remembered)).content == f"the key is {SECRET}"


def test_keeping_stores_what_is_given_and_still_tells_it_to_no_session(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_with(path, "keep", monkeypatch) as memory:
        name = memory.store(f"The deploy key is {TOKEN}", kind="decision", metadata=NESTED)

        assert type(name) is str
        assert memory.get(name).content == f"The deploy key is {TOKEN}"
        assert memory.get(name).metadata == NESTED
        briefing = memory.brief(branch="deploy key")
        assert f"The deploy key is {SECRET}" in briefing.text
        assert TOKEN not in briefing.text


def test_a_warm_process_that_was_set_otherwise_is_not_asked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept_warm(path), opened_with(path, "refuse", monkeypatch) as memory:
        with pytest.raises(InvalidInput, match="content holds"):
            memory.store(f"the key is {TOKEN}")
        assert memory.health().count == 0


def test_what_holds_no_secret_is_kept_to_the_letter(memory: Milepost) -> None:
    texts = ["naïve co\u00adoperation", "a\u200bb", "  spaced  ", "[secret] is a mark", "x\r\ny"]

    for name, text in zip(memory.store_batch(texts), texts, strict=True):
        assert memory.get(name).content == text
