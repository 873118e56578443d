"""Who may enter one space is told nothing of another: no word, no name, not how much it holds."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import milepost
from milepost import Forbidden, Milepost, MilepostClient, NotFound
from milepost.access.values import CALLER, Caller
from milepost.opening import settings_for
from milepost.registry import operations_of
from milepost.sandbox import why_not
from milepost.surfaces.http import running
from milepost.testing import Clock
from milepost.testing.two_spaces import fuzz
from milepost.testing.two_spaces.twins import differences, heard

MINE, THEIRS = "team-heron", "team-otter"
SCOPES = ("read", "write", "execute", "admin")
OPERATIONS = operations_of(Milepost)


@pytest.fixture
def server(memory: Milepost, url: str) -> Iterator[str]:
    settings = settings_for(url)._replace(key="the server's own", host="127.0.0.1", port=0)
    with running(memory, settings) as address:
        yield address


@pytest.fixture
def mine(memory: Milepost) -> str:
    """The secret of a key for one space."""
    return memory.create_key("mine", scope=SCOPES, spaces=MINE).secret


class Reply:
    """What a server answered, with every header that is not the time."""

    def __init__(self, status: int, headers: dict[str, str], body: str) -> None:
        self.status, self.body = status, body
        self.headers = {k.lower(): v for k, v in headers.items() if k.lower() != "date"}

    def without(self, name: str) -> tuple[int, dict[str, str], str]:
        return self.status, self.headers, self.body.replace(name, "…")


def asked(address: str, path: str, secret: str, given: object = None, **headers: str) -> Reply:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    # Else each would be told a name of its own.
    sent |= {"authorization": f"Bearer {secret}", "x-request-id": "0" * 16}
    body = None
    if given is not None:
        body, sent["content-type"] = json.dumps(given).encode(), "application/json"
    request = urllib.request.Request(f"{address}{path}", body, sent)
    try:
        with urllib.request.urlopen(request) as reply:
            return Reply(reply.status, dict(reply.headers), reply.read().decode())
    except urllib.error.HTTPError as refused:
        with refused as reply:
            return Reply(reply.code, dict(reply.headers), reply.read().decode())


@pytest.mark.slow
def test_no_call_of_any_operation_by_any_way_tells_of_another_space(
    memory: Milepost, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_PROGRAMS_PER_MINUTE", "100000")
    with milepost.connect(url) as opened:
        assert isinstance(opened, Milepost)
        report = fuzz(opened, settings_for(url), 760, seed=17, programs=not why_not())

    assert report.leaks == []
    assert report.faults == []
    assert report.changed == [], "nor does it change one"
    assert report.total > 700
    assert len(report.operations) > 0.9 * len(OPERATIONS)
    assert report.refused < 0.7 * report.total, "too few calls do anything"


@pytest.mark.slow
def test_answers_are_the_same_whatever_another_space_holds(url: str, path: Path) -> None:
    told = []
    for crowded, place in ((False, f"{path}-alone"), (True, url)):
        with Clock().running() as clock, milepost.connect(place) as opened:
            assert isinstance(opened, Milepost)
            told.append(heard(opened, clock, 120, 3, crowded=crowded))

    assert differences(*told) == []


def test_a_kept_answer_is_given_to_nobody_of_another_space(
    memory: Milepost, server: str, mine: str
) -> None:
    theirs = memory.within(THEIRS)
    theirs.store("The zirconflute is tuned in Odessa", kind="decision")
    memory.once(OPERATIONS["notice"], "call-1", {"session": "s", "turns": []})
    theirs.once(OPERATIONS["consolidate"], "call-1", {"dry_run": True})  # type: ignore[attr-defined]

    told = [
        asked(server, "/tools/consolidate/execute", mine, {"dry_run": True},
              milepost_space=THEIRS, idempotency_key=key)
        for key in ("call-1", "call-2")
    ]  # fmt: skip

    assert [reply.status for reply in told] == [403, 403]
    assert told[0].without("") == told[1].without("")


def test_who_may_only_read_is_not_told_what_a_write_was_answered(
    memory: Milepost, server: str
) -> None:
    reader = memory.create_key("reader", scope="read", spaces=MINE).secret
    given = {"content": "The harbour opens at nine"}
    there = memory.within(MINE)
    there.once(OPERATIONS["store"], "call-1", given)

    told = asked(server, "/tools/store/execute", reader, given, idempotency_key="call-1")

    assert (told.status, json.loads(told.body)["code"]) == (403, "forbidden")


def test_a_foreign_hash_and_an_unknown_one_are_answered_alike(
    memory: Milepost, server: str, mine: str
) -> None:
    memory.within(MINE).store("The harbour opens at nine")
    theirs = memory.within(THEIRS)
    known = theirs.store("The vault opens at ten")
    unknown = "".join("1" if digit == "0" else "0" for digit in known)
    for operation in OPERATIONS.values():
        for parameter in operation.parameters if operation.name != "record_commit" else ():
            if parameter.name not in ("hash", "hashes", "supersedes"):
                continue
            for way in ("", "?view=compact"):
                replies = [
                    asked(server, f"/tools/{operation.name}/execute{way}", mine,
                          operation.example | {parameter.name: _as(parameter.type, name)})
                    for name in (known, unknown)
                ]  # fmt: skip
                first, second = (
                    reply.without(name)
                    for reply, name in zip(replies, (known, unknown), strict=True)
                )
                assert first == second, (operation.name, parameter.name)
    assert theirs.get(known).content == "The vault opens at ten"


def _as(kind: object, name: str) -> object:
    return [name] if kind == list[str] else name


def test_what_is_refused_is_not_in_the_ledger_of_another_space(
    memory: Milepost, server: str, mine: str
) -> None:
    memory.within(THEIRS).store("The vault opens at ten")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "search", "arguments": {"query": "vault"}}}  # fmt: skip
    accept = "application/json, text/event-stream"

    told = asked(server, "/mcp", mine, call, milepost_space=THEIRS, accept=accept,
                 mcp_protocol_version="2025-06-18")  # fmt: skip

    assert "is not for the space" in told.body
    assert "nothing" in str(memory.within(THEIRS).savings())


def test_counts_of_all_spaces_are_told_to_whom_all_are_open(
    memory: Milepost, server: str, mine: str
) -> None:
    memory.within(THEIRS).store("The vault opens at ten")
    everybody = memory.create_key("watch", spaces="*").secret

    assert asked(server, "/metrics", everybody).status == 200
    assert asked(server, "/metrics", mine).status == 403
    with MilepostClient(server, mine) as client:
        assert client.stats().bytes == 0
    with MilepostClient(server, everybody) as client:
        assert client.within(THEIRS).stats().bytes > 0


def test_keys_of_two_spaces_may_have_one_name(memory: Milepost, server: str, mine: str) -> None:
    theirs = memory.create_key("ci", spaces=THEIRS)
    with MilepostClient(server, mine) as client:
        made = client.create_key("ci", spaces=MINE)
        assert [key.id for key in client.list_keys() if key.name == "ci"] == [made.id]
        assert client.revoke_key("ci").id == made.id
        with pytest.raises(NotFound):
            client.revoke_key(theirs.id)
    assert not next(key for key in memory.list_keys() if key.id == theirs.id).revoked


def test_whoever_sees_two_keys_of_one_name_says_which(
    memory: Milepost, server: str, mine: str
) -> None:
    first = memory.create_key("ci", spaces=THEIRS)
    with MilepostClient(server, mine) as client:
        client.create_key("ci", spaces=MINE)
    with pytest.raises(milepost.Ambiguous, match=first.id):
        memory.revoke_key("ci")
    assert memory.revoke_key(first.id).id == first.id
    assert memory.revoke_key("ci").spaces == (MINE,)


def test_numbers_count_what_was_done_in_a_space_alone(memory: Milepost) -> None:
    numbers, conflicts = {}, {}
    for space, before in ((THEIRS, 3), (MINE, 0)):
        there = memory.within(space)
        for number in range(before):
            there.create_entity(f"Pier {number}")
            there.create_entity(f"Berth {number}")
            there.merge_entities(f"Pier {number}", f"Berth {number}")
        for since, place in (("2026-01-01", "Acme"), ("2026-02-01", "Globex")):
            there.create_relation("Ann", "works_at", place, valid_from=since)
        there.create_entity("Acme Ltd")
        (dispute,) = there.conflicts()
        conflicts[space] = dispute.id
        numbers[space] = there.merge_entities("Acme", "Acme Ltd").id
    mine = memory.within(MINE)

    assert numbers == {THEIRS: 4, MINE: 1}
    assert conflicts[MINE] == conflicts[THEIRS], "it tells no number"
    with pytest.raises(NotFound):
        mine.undo_merge(4)
    assert mine.resolve(conflicts[MINE], keep="Globex").id == 2
    assert mine.undo_merge(2) == "resolve 2 taken back"
    assert mine.undo_merge(1) == "merge 1 taken back"
    assert memory.within(THEIRS).undo_merge(4) == "merge 4 taken back"


def test_no_context_is_opened_for_who_may_not_enter_its_space(memory: Milepost) -> None:
    """Whatever goes by a context, operation or not, is refused by the opening itself."""
    theirs = memory.within(THEIRS)
    token = CALLER.set(Caller("mine", key="mine", spaces=(MINE,)))
    try:
        for ask in (lambda: theirs.find_skills("cart"), lambda: theirs.worker,
                    lambda: theirs.program_endings, lambda: memory.cache_uses):  # fmt: skip
            with pytest.raises(Forbidden):
                ask()
        assert memory.within(MINE).find_skills("cart") == []
    finally:
        CALLER.reset(token)


def test_completions_are_refused_in_words(memory: Milepost, server: str, mine: str) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": {
        "ref": {"type": "ref/resource", "uri": "memory://{hash}"},
        "argument": {"name": "hash", "value": ""}}}  # fmt: skip
    accept = "application/json, text/event-stream"

    told = asked(server, "/mcp", mine, call, milepost_space=THEIRS, accept=accept,
                 mcp_protocol_version="2025-06-18")  # fmt: skip

    assert json.loads(told.body)["error"]["data"] == {"code": "forbidden"}
