"""Two or three stores of one person, each written to alone, hold the same once they have met."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milepost.app import Milepost
from milepost.config import Settings
from milepost.documents.syncing import exchange
from milepost.documents.syncing.exchange import sync_server
from milepost.documents.syncing.folder import Synced, sync_folder
from milepost.documents.syncing.meeting import sync_stores
from milepost.documents.syncing.nouns import NOUNS
from milepost.documents.syncing.state import NOTHING, State, changed, gone, joined
from milepost.errors import Forbidden, MilepostError
from milepost.knowledge.values import MemoryLink
from milepost.opening import Opening
from milepost.sealing import Lines, new_key
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import running

pytestmark = pytest.mark.slow


class Laptop:
    """A store of its own, which is synced now and then."""

    def __init__(self, url: str, lines: Lines | None = None) -> None:
        opening = Opening(lambda: Settings(url=url, project="everywhere", embedder="static"))
        self.memory, self.context = Milepost(opening), opening()
        self._lines = lines or Lines()
        self.run = ""

    def sync(self, folder: Path) -> Synced:
        return sync_folder(self.context, folder, self._lines)

    def holds(self) -> str:
        """Return all that is synced, the same text for the same memory."""
        told = [
            (prefix, name, row, end)
            for prefix, noun in NOUNS.items()
            for name, row, end in noun.rows(self.context)
        ]
        return "\n".join(json.dumps(each, sort_keys=True) for each in sorted(told, key=str))

    def hashes(self) -> set[str]:
        return {m.hash for m in self.memory.list_memories(limit=100)}


@pytest.fixture
def laptops() -> Iterator[Callable[..., list[Laptop]]]:
    with ExitStack() as stack:

        def make(*urls: str, lines: Lines | None = None) -> list[Laptop]:
            made = [Laptop(url, lines) for url in urls]
            for laptop in made:
                stack.callback(laptop.memory.close)
            return made

        yield make


_TWO = ("memory://", "memory://")


def test_what_was_stored_changed_and_deleted_apart_is_the_same_after_a_sync(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    one, other = laptops(*_TWO)
    gone = one.memory.store("The old office was in Basel")
    same = one.memory.store("Ines prefers tea", tags=["people"])
    one.sync(tmp_path)
    assert other.sync(tmp_path).heard.stored == 2

    one.memory.delete(gone)
    one.memory.update(same, tags=["people", "drinks"])
    other.memory.update(same, tags=["people", "morning"])
    kept = other.memory.store("The new office is in Bern")
    other.memory.update(kept, content="The new office is in Chur")
    for laptop in (one, other, one, other):
        laptop.sync(tmp_path)

    assert one.holds() == other.holds()
    assert one.memory.get(same).tags == ("drinks", "morning", "people")
    assert not any("Basel" in m.preview for m in other.memory.list_memories())
    assert [m.preview for m in one.memory.search("where is the new office?").memories][:1] == [
        "The new office is in Chur"
    ]
    assert one.sync(tmp_path).told == other.sync(tmp_path).told == 0


def test_a_deletion_that_was_heard_of_can_be_taken_back_for_all(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    one, other = laptops(*_TWO)
    name = one.memory.store("The key is under the third stone")
    one.sync(tmp_path)
    other.sync(tmp_path)
    one.memory.delete(name)
    one.sync(tmp_path)
    other.sync(tmp_path)
    assert not other.hashes()

    other.memory.undo(hash=name)
    other.sync(tmp_path)
    one.sync(tmp_path)

    assert one.hashes() == other.hashes() == {name}


def test_what_was_erased_comes_back_from_nowhere_and_leaves_the_folder(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    one, other = laptops(*_TWO)
    name = one.memory.store("The Vogelkop plan fails in March", tags=["vogelkop"])
    one.sync(tmp_path)
    other.sync(tmp_path)
    other.memory.update(name, tags=["vogelkop", "plans"])

    one.memory.delete(name, erase=True)
    for laptop in (one, other, one, other):
        laptop.sync(tmp_path)

    assert not one.hashes()
    assert not other.hashes()
    assert not other.memory.undo(dry_run=True).undone
    left = [file.name for file in tmp_path.iterdir() if b"ogelkop" in file.read_bytes()]
    assert not left
    states = one.context.store.synced.since("default", 0)
    assert not any("ogelkop" in state.state for state in states)

    again = other.memory.store("The Vogelkop plan fails in March")
    other.sync(tmp_path)
    one.sync(tmp_path)
    assert one.hashes() == {again}, "who stores it later wants it"


def test_what_a_hold_keeps_stays_when_others_erase_it_until_the_hold_is_released(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    one, other = laptops(*_TWO)
    held = one.memory.store("The Vogelkop plan fails in March", author="Ines")
    asked = one.memory.store("Noor asked about it")
    with one.context.store.writing() as work:
        work.links.add("default", [MemoryLink(held, asked, "related", 1.0, 1.0, None)])
    binned = one.memory.store("The Vogelkop plan was Noor's", author="Ines")
    one.memory.record_event("note", "Vogelkop was called off", wait=True)
    for laptop in (one, other):
        laptop.sync(tmp_path)
    other.memory.set_hold("2026-17", "a dispute", matching="Vogelkop")
    other.memory.delete(binned)

    for name in (held, binned):
        one.memory.delete(name, erase=True)
    one.memory.delete_events(event_type="note")
    one.sync(tmp_path)
    heard = other.sync(tmp_path)
    other.memory.update(held, tags=["seen"])
    for laptop in (one, other, one, other):
        laptop.sync(tmp_path)

    assert "3 deleted elsewhere but held here" in str(heard)
    assert held in other.hashes()
    assert held not in one.hashes()
    assert "Vogelkop" not in one.holds()
    assert "called off" in other.holds()
    assert not any(b"ogelkop" in file.read_bytes() for file in tmp_path.iterdir())
    assert other.memory.undo(hash=binned, dry_run=True).undone, "it is in the bin as it was"
    assert [laptop.sync(tmp_path).told for laptop in (one, other)] == [0, 0]

    other.memory.release_hold("2026-17")
    assert other.sync(tmp_path).heard.deleted == 2
    assert one.holds() == other.holds()
    with pytest.raises(MilepostError):
        other.memory.undo(hash=binned)


def test_what_was_tried_on_one_laptop_teaches_the_other(
    laptops: Callable[..., list[Laptop]], postgres_store_url: str, tmp_path: Path
) -> None:
    one, other = laptops(str(tmp_path / "a.db"), postgres_store_url)
    first = one.memory.create_episode("Repair the pump of hall two", tags=["pump"])
    one.memory.add_step(
        first,
        "bash",
        "systemctl restart pump",
        {"hall": 2},
        observation="Error: no pressure",
        success=False,
        latency_ms=12.5,
    )
    one.memory.complete_episode(first, "failure", "the valve is shut")
    again = one.memory.create_episode("Repair the pump of hall two", retry_of=first)
    one.memory.add_step(again, "bash", "open the valve", observation="pressure is back")
    open_one = one.memory.create_episode("Paint hall three")
    one.memory.complete_episode(again, "success", artifacts=["hall two"])
    one.memory.run_jobs()
    sync_stores(one.context, other.context)
    other.memory.run_jobs()
    sync_stores(one.context, other.context)

    assert one.holds() == other.holds()
    assert str(one.memory.get_episode(again)) == str(other.memory.get_episode(again))
    assert one.memory.get_episode(first).steps == other.memory.get_episode(first).steps
    assert one.memory.explain_reward(again) == other.memory.explain_reward(again)
    assert [e.id for e in other.memory.search_episodes("the pump does not work").episodes]
    assert {p.situation for p in other.memory.list_patterns().patterns} == {
        p.situation for p in one.memory.list_patterns().patterns
    }
    assert open_one not in {e.id for e in other.memory.list_episodes().episodes}, (
        "what is under way stays where it is"
    )
    assert sync_stores(other.context, one.context).told == 0

    other.memory.delete_episode(first)
    sync_stores(one.context, other.context)
    assert one.holds() == other.holds()
    assert first not in {e.id for e in one.memory.list_episodes().episodes}


def test_events_that_a_rule_let_go_in_one_store_stay_in_the_others(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    one, other, third = laptops("memory://", "memory://", "memory://")
    one.memory.record_event("deploy", "version 3 went live", at="2020-01-01", wait=True)
    for laptop in (one, other, one, other):
        laptop.sync(tmp_path)

    one.memory.set_retention("event", days=30)
    one.memory.apply_retention()
    for laptop in (one, other, third, one, other, one):
        laptop.sync(tmp_path)

    assert "version 3" not in one.holds()
    assert "version 3" in other.holds()
    assert other.holds() == third.holds()
    other.memory.delete_events(event_type="deploy")
    for laptop in (other, one, third):
        laptop.sync(tmp_path)
    assert one.holds() == other.holds() == third.holds()
    assert "version 3" not in third.holds()


def test_a_clock_that_is_wrong_loses_nothing(
    laptops: Callable[..., list[Laptop]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = laptops(*_TWO)
    one.context = one.context._replace(clock=lambda: 4_000_000_000_000_000)
    name = one.memory.store("The tide turns at six", tags=["sea"])
    one.sync(tmp_path)
    other.sync(tmp_path)

    other.memory.update(name, tags=["sea", "tide"])
    other.sync(tmp_path)
    one.sync(tmp_path)
    assert one.memory.get(name).tags == ("sea", "tide")
    other.memory.delete(name)
    other.sync(tmp_path)
    one.sync(tmp_path)
    assert not one.hashes()


def test_a_store_syncs_with_a_database_directly(
    laptops: Callable[..., list[Laptop]], postgres_store_url: str, tmp_path: Path
) -> None:
    one, other = laptops(str(tmp_path / "a.db"), postgres_store_url)
    old = one.memory.store("The port is 8080", tags=["net"])
    one.memory.update(old, content="The port is 8443")
    kept = other.memory.store("Backups run at two", author="Ines", session="ops")
    other.memory.record_event("deploy", "version 3 went live", wait=True)

    first = sync_stores(one.context, other.context)
    one.memory.delete(kept)
    other.memory.update(kept, kind="decision")
    sync_stores(other.context, one.context)
    sync_stores(one.context, other.context)

    assert (first.heard.stored, first.told) == (2, 2)
    assert one.holds() == other.holds()
    assert "8443" in other.holds()
    assert "version 3" in one.holds()
    assert sync_stores(one.context, other.context).told == 0


def test_a_store_syncs_with_a_server_of_which_it_has_a_key(
    laptops: Callable[..., list[Laptop]],
    postgres_store_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exchange, "_CHARS_MAX", 20_000)  # so that it takes several calls
    one, other = laptops("memory://", postgres_store_url)
    texts = [f"Berth {n} is let to a boat, which is said at length: {n} " * 20 for n in range(60)]
    hashes = one.memory.store_batch(texts)
    one.memory.store("The harbour opens at six", tags=["hours"])
    other.memory.store("Backups run at two", author="Ines")
    other.memory.record_event("deploy", "version 3 went live", wait=True)
    keys = [other.memory.create_key(scope, scope=scope).secret for scope in ("write", "admin")]
    with running(other.memory, Settings(url=postgres_store_url)) as url:
        with closing(MilepostClient(url, keys[0])) as client, pytest.raises(Forbidden):
            sync_server(one.context, client)
        with closing(MilepostClient(url, keys[1])) as client:
            first = sync_server(one.context, client)
            one.memory.delete(hashes[0])
            other.memory.update(hashes[1], tags=["let"])
            second = sync_server(one.context, client)
            third = sync_server(one.context, client)

    assert (first.heard.stored, first.told) == (2, 61)
    assert (second.heard.changed, second.told) == (1, 1)
    assert (sum(third.heard), third.told) == (0, 0)
    assert one.holds() == other.holds()


def test_a_file_that_is_still_on_its_way_is_read_when_it_is_there(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    one, other = laptops(*_TWO)
    one.memory.store_batch([f"note number {n}" for n in range(20)])
    one.sync(tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()

    for share in (0.01, 0.5, 0.9, 1):
        file.write_bytes(whole[: int(len(whole) * share)])
        other.sync(tmp_path)

    assert other.holds() == one.holds()


def test_what_lies_in_the_folder_is_sealed_by_the_key_of_the_stores(
    laptops: Callable[..., list[Laptop]], tmp_path: Path
) -> None:
    secret = "correct horse battery"
    (one,) = laptops("memory://", lines=Lines(new_key(secret), [secret]))
    (other,) = laptops("memory://", lines=Lines(new_key(secret), [secret]))
    (stranger,) = laptops("memory://")
    one.memory.store("The cellar is damp")
    one.sync(tmp_path)
    other.sync(tmp_path)

    assert one.holds() == other.holds()
    assert not any(b"damp" in file.read_bytes() for file in tmp_path.iterdir())
    with pytest.raises(MilepostError, match="sealed by another key"):
        stranger.sync(tmp_path)


# What a laptop may do in the property below; each takes a number that chooses what it is done to.
_TEXTS = [
    f"{who} {what}" for who in ("Ines", "Milo", "Noor") for what in ("likes tea", "has a cat")
]


def _store(laptop: Laptop, number: int) -> None:
    laptop.memory.store(_TEXTS[number % len(_TEXTS)], tags=[f"t{number % 3}"])


def _chosen(laptop: Laptop, number: int) -> str | None:
    known = sorted(laptop.hashes())
    return known[number % len(known)] if known else None


def _update(laptop: Laptop, number: int) -> None:
    if name := _chosen(laptop, number):
        laptop.memory.update(name, content=_TEXTS[(number // 7) % len(_TEXTS)])


def _tag(laptop: Laptop, number: int) -> None:
    if name := _chosen(laptop, number):
        laptop.memory.update(name, tags=[f"t{number % 4}"], kind=("note", "decision")[number % 2])


def _supersede(laptop: Laptop, number: int) -> None:
    if name := _chosen(laptop, number):
        laptop.memory.store(_TEXTS[(number // 5) % len(_TEXTS)], supersedes=name)


def _delete(laptop: Laptop, number: int) -> None:
    if name := _chosen(laptop, number):
        laptop.memory.delete(name, erase=number % 4 == 0)


def _undo(laptop: Laptop, number: int) -> None:
    del number
    with suppress(MilepostError):
        laptop.memory.undo()


def _consolidate(laptop: Laptop, number: int) -> None:
    with suppress(MilepostError):
        if number % 2 and laptop.run:
            laptop.memory.undo_consolidation(laptop.run)
        else:
            laptop.run = laptop.memory.consolidate(days_back=1000).run_id


def _event(laptop: Laptop, number: int) -> None:
    laptop.memory.record_event("note", f"it happened {number % 5} times", wait=True)


def _episode(laptop: Laptop, number: int) -> None:
    name, other = f"ep_{number % 3}", f"ep_{(number + 1) % 3}"
    with suppress(MilepostError):
        if number % 4 == 0:
            laptop.memory.delete_episode(name)
            return
        laptop.memory.create_episode(f"repair pump {number % 3}", id=name)
        laptop.memory.add_step(name, "bash", f"turn valve {number % 5}", success=number % 2 == 0)
        laptop.memory.complete_episode(name, ("success", "failure")[number % 2])
        laptop.memory.relate_episodes(name, "retry of", other)


def _look_again(laptop: Laptop, number: int) -> None:
    with suppress(MilepostError):
        laptop.memory.add_step(f"ep_{number % 3}", "bash", f"look again at {number % 7}")
    laptop.memory.run_jobs()


_DEEDS = (_store, _store, _update, _tag, _supersede, _delete, _undo, _consolidate, _event, _episode,
          _look_again)  # fmt: skip
_STEP = st.tuples(st.integers(0, 2), st.integers(0, len(_DEEDS) + 3), st.integers(0, 10_000))


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(_STEP, min_size=4, max_size=24), count=st.integers(2, 3))
def test_any_order_of_writes_and_syncs_ends_with_the_same(
    steps: list[tuple[int, int, int]], count: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cloud")
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(exchange, "_CHARS_MAX", 900)
        laptops = [Laptop("memory://") for _ in range(count)]
        for laptop in laptops:
            stack.callback(laptop.memory.close)
        for who, what, number in steps:
            laptop = laptops[who % count]
            if what < len(_DEEDS):
                _DEEDS[what](laptop, number)
            elif what == len(_DEEDS):
                sync_stores(laptop.context, laptops[(who + 1) % count].context)
            elif what == len(_DEEDS) + 1:
                sync_server(laptop.context, laptops[(who + 1) % count].memory)
            else:
                laptop.sync(folder)
        for _ in range(3):
            for laptop in laptops:
                laptop.sync(folder)
        held = [laptop.holds() for laptop in laptops]
        assert held[1:] == held[:-1]
        assert [laptop.sync(folder).told for laptop in laptops] == [0] * count


_STAMPED = st.builds(
    lambda seed, length: _made(random.Random(seed), length),
    st.integers(0, 10_000),
    st.integers(0, 8),
)


def _made(chance: random.Random, length: int) -> State:
    state, store = NOTHING, chance.choice("abc")
    for _ in range(length):
        at = chance.randrange(20)
        if chance.random() < 0.3:
            state = gone(state, at, store, erased=chance.random() < 0.5)
        else:
            values = {chance.choice(("kind", "tags x", "tags y")): chance.randrange(3)}
            state = changed(state, values, at, store)
    return state


@given(_STAMPED, _STAMPED, _STAMPED)
def test_states_join_in_any_order_and_any_number_of_times(a: State, b: State, c: State) -> None:
    assert joined(a, b) == joined(b, a)
    assert joined(joined(a, b), c) == joined(a, joined(b, c))
    assert joined(joined(a, b), b) == joined(a, b) == joined(a, joined(a, b))
