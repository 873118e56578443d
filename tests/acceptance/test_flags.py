"""A setting reaches some spaces before the others, by name or by share."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from milepost import Milepost, connect
from milepost.app import open_memory
from milepost.config import FLAGGED
from milepost.errors import InvalidInput
from milepost.opening import settings_for
from milepost.storage import open_store
from milepost.surfaces.cli import main
from milepost.testing import Clock
from milepost.upkeep import flags
from support import wait_until

SECRET = "the password of the deploy user is hunter2-Xk93-mQ7!"
SPACES = [f"team-{n}" for n in range(400)]


@pytest.fixture
def refusing(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Milepost]:
    """A memory that refuses secrets, and follows flags at once."""
    monkeypatch.setenv("MILEPOST_SECRETS", "refuse")
    monkeypatch.setenv("MILEPOST_URL", str(path))
    monkeypatch.setattr(flags, "FRESH_S", -1.0)
    with connect(path) as memory:
        assert isinstance(memory, Milepost)
        yield memory


def flag(*words: str) -> None:
    assert main(["flags", "set", *words]) == 0


def refuses(memory: Milepost, space: str) -> bool:
    try:
        memory.within(space).store(SECRET)
    except InvalidInput:
        return True
    return False


def test_a_flag_changes_one_space_and_no_other(refusing: Milepost) -> None:
    assert refuses(refusing, "acme")
    assert refuses(refusing, "umbrella")

    flag("secrets", "off", "--space", "acme")

    assert not refuses(refusing, "acme")
    assert refuses(refusing, "umbrella")
    assert refuses(refusing, "default")


def test_a_flag_that_is_off_leaves_the_default_and_clearing_it_the_setting(
    refusing: Milepost,
) -> None:
    flag("secrets", "off")
    assert not refuses(refusing, "default")
    assert "hunter2" not in refusing.list_memories()[0].preview

    flag("secrets", "clear")
    assert refuses(refusing, "default")


def test_a_space_of_its_own_comes_before_the_share(refusing: Milepost) -> None:
    flag("secrets", "off")
    flag("secrets", "on", "--space", "first")
    assert [refuses(refusing, space) for space in ("first", "second")] == [True, False]

    flag("secrets", "clear", "--space", "first")
    assert not refuses(refusing, "first")


def test_a_quarter_of_the_spaces_are_the_same_each_time_and_stay_when_the_share_grows(
    refusing: Milepost,
) -> None:
    def reached() -> set[str]:
        return {space for space in SPACES if refusing.within(space)._context.secrets == "refuse"}

    flag("secrets", "25%")
    quarter = reached()
    assert 0.18 < len(quarter) / len(SPACES) < 0.32
    assert reached() == quarter
    assert refuses(refusing, min(quarter))
    assert not refuses(refusing, min(set(SPACES) - quarter))

    flag("secrets", "60%")
    assert quarter < reached()
    flag("secrets", "100%")
    assert reached() == set(SPACES)
    flag("secrets", "0%")
    assert reached() == set()
    flag("secrets", "25%")
    assert reached() == quarter


def test_each_flag_has_an_order_of_its_own() -> None:
    first = {
        name: {space for space in SPACES if flags.Flag(name, 10.0).is_on(space)} for name in FLAGGED
    }

    assert len(set(map(frozenset, first.values()))) == len(FLAGGED)


def test_undo_reaches_one_space_and_not_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_UNDO_DAYS", "0")
    monkeypatch.setenv("MILEPOST_URL", str(path))
    flag("undo_days", "off", "--space", "careful")

    with connect(path) as memory:
        assert isinstance(memory, Milepost)
        left = {}
        for space in ("careful", "quick"):
            tenant = memory.within(space)
            tenant.delete(tenant.store("The gate opens at nine"))
            left[space] = tenant.stats().deleted

    assert left == {"careful": 1, "quick": 0}


def test_events_are_kept_longer_in_one_space_than_in_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EVENT_DAYS", "1")
    monkeypatch.setenv("MILEPOST_URL", str(path))
    flag("event_days", "off", "--space", "slow")
    clock = Clock()
    with clock.running(), connect(path) as memory:
        assert isinstance(memory, Milepost)
        for space in ("slow", "quick"):
            memory.within(space).record_event("deploy", "v3", wait=True)
        clock.advance(days=2)
        memory.run_jobs()

        left = {space: len(memory.within(space).recall_events()) for space in ("slow", "quick")}

    assert left == {"slow": 1, "quick": 0}


def test_flags_stay_as_they_were_while_the_store_does_not_answer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(path), lambda _: pytest.fail("nothing is analysed"))
    flags.change(store, "secrets", 0.0, None)
    monkeypatch.setattr(flags, "FRESH_S", -1.0)
    known = flags.Flags(store)
    assert known.off_in("acme") == {"secrets"}

    store.close()

    assert known.off_in("acme") == {"secrets"}


def test_two_who_set_flags_at_once_lose_nothing(path: Path) -> None:
    store = open_store(str(path), lambda _: pytest.fail("nothing is analysed"))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda space: flags.change(store, "secrets", 0.0, space), SPACES[:40]))

    assert set(flags.read(store)["secrets"].spaces) == set(SPACES[:40])
    store.close()


def test_a_memory_that_is_opened_has_its_flags_from_the_first_call(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_SECRETS", "refuse")
    monkeypatch.setenv("MILEPOST_URL", str(path))
    flag("secrets", "off", "--space", "default")

    with open_memory(settings_for(path)) as memory:
        assert not refuses(memory, "default")


@pytest.mark.slow
def test_whoever_has_the_store_open_follows_a_flag_by_itself(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_SECRETS", "refuse")
    monkeypatch.setenv("MILEPOST_URL", str(path))
    with connect(path) as memory:
        assert isinstance(memory, Milepost)
        assert refuses(memory, "acme")

        flag("secrets", "off", "--space", "acme")

        wait_until(lambda: not refuses(memory, "acme"))
        assert refuses(memory, "umbrella")
