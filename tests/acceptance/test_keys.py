"""A key lets somebody in for some spaces and some deeds, for so long and so often."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from milepost import Forbidden, InvalidInput, Milepost, MilepostClient, NotFound, Overloaded
from milepost.errors import ConfigError, StoreUnavailable
from milepost.opening import settings_for
from milepost.surfaces.http import running
from support import wait_until


@pytest.fixture
def server(memory: Milepost, url: str) -> Iterator[str]:
    """A server that needs its key, of which nobody here knows it."""
    settings = settings_for(url)._replace(key="the server's own", host="127.0.0.1", port=0)
    with running(memory, settings) as address:
        yield address


def as_key(memory: Milepost, address: str, **about: object) -> MilepostClient:
    made = memory.create_key(**about)  # type: ignore[arg-type]
    return MilepostClient(address, made.secret)


def test_a_secret_is_shown_once_and_kept_nowhere(memory: Milepost, url: str) -> None:
    made = memory.create_key("ci", scope="read", spaces="team-a", expires="90d")

    assert made.secret.startswith("mp_")
    assert memory.list_keys() == [made.key]
    assert made.secret not in repr(memory.list_keys())
    if Path(url).exists():
        folder = Path(url).parent
        held = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
        assert made.secret.encode() not in held


def test_a_reader_reads_its_space_and_does_no_more(memory: Milepost, server: str) -> None:
    memory.within("team-a").store("The harbour opens at nine")
    memory.store("The vault opens at ten")
    with as_key(memory, server, name="ci", scope="read", spaces="team-a") as ci:
        assert ci.search("when does the harbour open?").total == 1
        found = ci.list_memories()
        assert [m.content for m in found] == ["The harbour opens at nine"], "its own space is meant"
        with pytest.raises(Forbidden, match="may not write, which store does"):
            ci.store("The harbour is closed")
        with pytest.raises(Forbidden, match="may not run programs"):
            ci.execute_code("1 + 1")
        with pytest.raises(Forbidden, match="may not administer"):
            ci.list_keys()
        with pytest.raises(Forbidden, match="is not for the space 'default'"):
            ci.within("default").search("vault")


def test_what_is_said_of_a_space_does_not_tell_whether_it_exists(
    memory: Milepost, server: str
) -> None:
    memory.within("team-b").store("The vault opens at ten")
    with as_key(memory, server, name="ci", spaces="team-a") as ci:
        said = []
        for space in ("team-b", "team-z"):
            with pytest.raises(Forbidden) as refused:
                ci.within(space).search("vault")
            said.append(str(refused.value).replace(space, ""))
        assert said[0] == said[1]


def test_a_memory_of_another_space_is_not_found(memory: Milepost, server: str) -> None:
    other = memory.within("team-b").store("The vault opens at ten")
    with as_key(memory, server, name="ci", scope="read,write", spaces="team-a") as ci:
        for ask in (ci.get, ci.delete, ci.similar):
            with pytest.raises(NotFound, match="No memory has the hash"):
                ask(other)
    assert memory.within("team-b").get(other)


def test_patterns_name_several_spaces(memory: Milepost, server: str) -> None:
    with as_key(memory, server, name="ci", scope="read,write", spaces="team-*") as ci:
        assert ci.within("team-a").store("a fact of team a")
        assert ci.within("team-b").store("a fact of team b")
        with pytest.raises(Forbidden):
            ci.within("other").store("a fact of others")


def test_rotated_both_secrets_are_good_for_a_time(memory: Milepost, server: str) -> None:
    old = memory.create_key("ci", spaces="team-a")
    new = memory.rotate_key("ci", overlap_hours=1)
    for secret in (old.secret, new.secret):
        with MilepostClient(server, secret) as client:
            assert client.search("harbour").total == 0
    assert new.key._replace(id="", created=0) == old.key._replace(id="", created=0)
    newest = memory.rotate_key("ci", overlap_hours=0)
    wait_until(lambda: _is_refused(server, new.secret))
    with MilepostClient(server, newest.secret) as client:
        assert client.search("harbour").total == 0


def _is_refused(server: str, secret: str) -> bool:
    with MilepostClient(server, secret) as client:
        try:
            client.search("harbour")
        except ConfigError:
            return True
    return False


def test_revoked_it_ends_everywhere_within_seconds(memory: Milepost, server: str) -> None:
    made = memory.create_key("ci", spaces="team-a")
    memory.rotate_key("ci")
    memory.revoke_key("ci")

    wait_until(lambda: _is_refused(server, made.secret))
    assert all(key.revoked for key in memory.list_keys())
    with pytest.raises(NotFound, match="has ended"):
        memory.rotate_key("ci")


@pytest.mark.slow  # the client tries again
def test_it_may_have_so_much_a_minute(memory: Milepost, server: str) -> None:
    with as_key(memory, server, name="ci", spaces="team-a", requests=3) as ci:
        for _ in range(3):
            ci.search("harbour")
        with pytest.raises(Overloaded, match="has had its 3 requests of this minute"):
            ci.search("harbour")


@pytest.mark.slow
def test_it_may_run_so_many_programs_a_minute_and_ask_otherwise(
    memory: Milepost, server: str, sandbox: None
) -> None:
    about = {"scope": "read,execute", "spaces": "team-a", "programs": 1}
    with as_key(memory, server, name="ci", **about) as ci:
        assert ci.execute_code("1 + 1").output == "2"
        with pytest.raises(Overloaded, match="has had its 1 programs of this minute"):
            ci.execute_code("1 + 1")
        assert ci.search("harbour").total == 0


@pytest.mark.slow
def test_tokens_are_counted_as_they_are_given(memory: Milepost, server: str) -> None:
    memory.within("team-a").store("The harbour opens at nine " * 20)
    with as_key(memory, server, name="ci", spaces="team-a", tokens=20) as ci:
        ci.list_memories()
        with pytest.raises(Overloaded, match="20 tokens"):
            ci.list_memories()


def test_who_administers_one_space_makes_no_key_for_another(memory: Milepost, server: str) -> None:
    with as_key(memory, server, name="boss", scope="read,admin", spaces="team-a") as boss:
        assert boss.create_key("helper", scope="read", spaces="team-a").secret
        for wanted in ({"spaces": "team-b"}, {"scope": "write", "spaces": "team-a"}):
            with pytest.raises(Forbidden, match="no more than it is for itself"):
                boss.create_key("more", **wanted)
        memory.create_key("other", spaces="team-b")
        assert {key.name for key in boss.list_keys()} == {"boss", "helper"}
        with pytest.raises(NotFound):
            boss.revoke_key("other")


@pytest.mark.slow
def test_a_program_does_what_the_key_may_do_and_no_more(memory: Milepost, server: str) -> None:
    memory.within("team-a").store("The harbour opens at nine")
    memory.store("The vault opens at ten")
    scopes = ("read", "execute")
    with as_key(memory, server, name="ci", scope=scopes, spaces="team-a") as ci:
        told = ci.execute_code("[m.content for m in list_memories()]")
        assert told.output == "['The harbour opens at nine']"
        refused = ci.execute_code("store('The harbour is closed')")
        assert "may not write, which store does" in str(refused.error)
        skill = "def opens(): return 'nine' in str(search('harbour'))"
        assert ci.save_skill("opens", skill, "is there a harbour", "assert opens()")
        assert ci.execute_code("skills.opens()").output == "True"
    kept = memory.within("team-a").list_memories(kind="note")
    assert kept.total == 1
    noted = [(e.who, e.surface, e.operation, e.outcome) for e in memory.within("team-a").audit()]
    assert ("ci", "program", "store", "forbidden") in noted


@pytest.mark.slow
def test_a_program_that_runs_ends_to_be_let_in_with_its_key(memory: Milepost, server: str) -> None:
    made = memory.create_key("ci", scope="read,write,execute", spaces="team-a")
    code = "n = 0\nwhile True:\n    n += 1\n    store(f'fact {n}')"
    here = memory.within("team-a")
    with ThreadPoolExecutor() as pool, MilepostClient(server, made.secret, timeout=300) as ci:
        running = pool.submit(ci.execute_code, code, timeout_s=60)
        wait_until(lambda: here.list_memories().total > 0)
        memory.revoke_key("ci")
        told = running.result()

    assert "The key ci has ended while the program ran" in str(told.error)
    assert ("program", "store", "forbidden") in [
        (e.surface, e.operation, e.outcome) for e in here.audit(operation="store", limit=1)
    ]


def test_a_key_makes_none_that_may_have_more_or_lives_longer(memory: Milepost, server: str) -> None:
    about = {"scope": "read,admin", "spaces": "team-a", "expires": "30d", "requests": 100}
    with as_key(memory, server, name="boss", **about) as boss:
        for more in ({}, {"requests": 101}, {"requests": 50, "expires": "31d"}, {"expires": "1d"}):
            with pytest.raises(Forbidden, match="limits and until when"):
                boss.create_key("more", spaces="team-a", **more)
        made = boss.create_key("less", spaces="team-a", requests=100, expires="29d")
        assert made.key.limits == {"requests": 100}
        (until,) = (key.ends for key in boss.list_keys() if key.name == "boss")
        assert boss.rotate_key("boss").key.ends == until


def test_a_secret_that_ends_makes_no_lasting_one_of_itself(memory: Milepost, server: str) -> None:
    with as_key(memory, server, name="boss", scope="admin", spaces="team-a") as boss:
        memory.rotate_key("boss")
        with pytest.raises(Forbidden, match="until when"):
            boss.rotate_key("boss")


def test_a_wrong_secret_and_none_are_refused_alike(memory: Milepost, server: str) -> None:
    made = memory.create_key("ci", spaces="team-a")
    said = set()
    for secret in (made.secret[:-1] + "x", "mp_00000000_" + "a" * 43, "another", ""):
        with MilepostClient(server, secret) as client, pytest.raises(ConfigError) as refused:
            client.search("harbour")
        said.add(str(refused.value))
    assert len(said) == 1


def test_what_keys_do_is_in_the_audit(memory: Milepost, server: str) -> None:
    with as_key(memory, server, name="ci", scope="read,write", spaces="team-a") as ci:
        stored = ci.store("The harbour opens at nine")
        with pytest.raises(Forbidden):
            ci.execute_code("1")
    entries = memory.within("team-a").audit()
    assert [(e.who, e.surface, e.operation, e.outcome) for e in entries if e.key] == [
        ("ci", "http", "store", "done"),
        ("ci", "http", "execute_code", "forbidden"),
    ]
    assert entries[1].targets == (stored,) or entries[0].targets == (stored,)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "name"),
        ({"name": "ci", "scope": "root"}, "A scope is read, write, execute, admin"),
        ({"name": "ci", "requests": 0}, "requests must be a number"),
        ({"name": "ci", "expires": "soon"}, "is not a time"),
        ({"name": "ci", "spaces": []}, "names none"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(
    memory: Milepost, wrong: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        memory.create_key(**wrong)  # type: ignore[arg-type]
    assert memory.list_keys() == []


def test_two_keys_of_one_name_are_refused(memory: Milepost) -> None:
    memory.create_key("ci")
    with pytest.raises(InvalidInput, match="rotate or revoke"):
        memory.create_key("ci")
    memory.revoke_key("ci")
    assert memory.create_key("ci").secret


def test_while_the_store_is_away_a_key_is_told_so_and_not_of_a_fault(
    memory: Milepost, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.create_key("ci", spaces="team-a")

    def away(_context: object) -> None:
        raise StoreUnavailable("The store is away.")

    monkeypatch.setattr("milepost.access.keys.read", away)
    request = urllib.request.Request(
        f"{server}/tools/list", headers={"Authorization": f"Bearer {made.secret}"}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    with refused.value as reply:
        assert reply.code == 503


def test_of_a_space_that_it_is_not_for_a_key_learns_nothing_whatever_becomes_of_its_store(
    memory: Milepost, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with as_key(memory, server, name="ci", scope="write", spaces="team-a") as ci:
        ci.store("The harbour opens at nine")

        def away(_stores: object, space: str) -> None:
            raise StoreUnavailable(f"The store of {space} is away.")

        monkeypatch.setattr("milepost.placing.PlacedStores.home", away)
        for space in ("vault", "nowhere"):
            with pytest.raises(Forbidden, match=f"is not for the space '{space}'"):
                ci.within(space).search("what is in the vault?")
            with pytest.raises(Forbidden, match=f"is not for the space '{space}'"):
                ci.within(space).store("This goes nowhere")
        with pytest.raises(Forbidden, match="may not administer"):
            ci.create_key("more")


def test_what_another_was_answered_under_its_own_key_is_not_told(
    memory: Milepost, server: str
) -> None:
    made = memory.create_key("ci", spaces="team-a")
    memory.create_key("ops", spaces="vault")

    def send(secret: str) -> bytes:
        request = urllib.request.Request(
            f"{server}/tools/record_event/execute",
            json.dumps({"event_type": "opened", "content": "The vault was opened"}).encode(),
            {
                "Authorization": f"Bearer {secret}",
                "Content-Type": "application/json",
                "Milepost-Space": "vault",
                "Idempotency-Key": "the first call",
            },
        )
        with urllib.request.urlopen(request) as reply:
            return bytes(reply.read())

    assert send("the server's own")
    with pytest.raises(urllib.error.HTTPError) as refused:
        send(made.secret)
    with refused.value as reply:
        assert reply.code == 403
