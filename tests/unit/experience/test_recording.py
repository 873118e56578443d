"""Entries are written together, in order, and survive a store that fails for a while."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from milepost.errors import StoreBusy
from milepost.experience.entries import episode_entry
from milepost.experience.recording import Stepping, beginning
from milepost.experience.values import Episode, Step
from milepost.memory.values import NOT_ANALYSED
from milepost.storage.sqlite.store import SqliteStore
from milepost.upkeep.recorder import BATCH_MAX, Prepared, Recorder, Write


class Watched(SqliteStore):
    """A store that can be told to fail or to wait, and remembers how much came at once."""

    def __init__(self) -> None:
        super().__init__(None, lambda _: NOT_ANALYSED)
        self.failing = False
        self.batches: list[int] = []
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[SqliteStore]:
        self.began.set()
        assert self.may_go_on.wait(20)
        if self.failing:
            raise StoreBusy("somebody else writes")
        before = self.episodes.last_step("s", "ep") or 0
        with super().writing(durable=durable) as work:
            yield work
            self.batches.append((work.episodes.last_step("s", "ep") or 0) - before)


@pytest.fixture
def store() -> Watched:
    return Watched()


@pytest.fixture
def recorder(store: Watched) -> Iterator[Recorder]:
    begun = Episode(
        "ep", "a task", "general", {}, (), None, "", (), 1.7e9, None, None, (), None, (), 0
    )
    recorder = Recorder(store)
    recorder.write("s", [beginning("s", begun, episode_entry("s", begun), 0)])
    store.batches.clear()
    yield recorder
    store.failing = False
    store.may_go_on.set()
    recorder.close()


def step(action: str = "ls") -> Write:
    return Stepping("s", "ep", [Step(0, "bash", action, {}, "", True, at=1.7e9)])


def actions(store: Watched) -> list[str]:
    return [one.action for one in store.episodes.steps("s", "ep")]


def test_threads_that_wait_at_the_same_time_share_a_transaction(
    store: Watched, recorder: Recorder
) -> None:
    store.began.clear()
    store.may_go_on.clear()
    numbers: list[int] = []

    def write() -> None:
        numbers.extend(recorder.write("s", [step()]))

    threads = [threading.Thread(target=write) for _ in range(8)]
    threads[0].start()
    assert store.began.wait(20)
    for thread in threads[1:]:
        thread.start()
    while len(recorder._batch.writes) < 7:
        threading.Event().wait(0.001)
    store.may_go_on.set()
    for thread in threads:
        thread.join()

    assert store.batches == [1, 7]
    assert sorted(numbers) == list(range(1, 9))


def test_what_is_put_comes_before_what_is_written_later(store: Watched, recorder: Recorder) -> None:
    recorder.put("s", step("first"))

    assert recorder.write("s", [step("second")]) == [2]
    assert actions(store) == ["first", "second"]


def test_what_nobody_waits_for_survives_a_store_that_fails(
    store: Watched, recorder: Recorder
) -> None:
    store.failing = True
    recorder.put("s", step("kept"))
    with pytest.raises(StoreBusy):
        recorder.flush()
    with pytest.raises(StoreBusy):
        recorder.write("s", [step("refused")])
    store.failing = False

    assert recorder.write("s", [step("accepted")]) == [2]
    assert actions(store) == ["kept", "accepted"]


def test_whoever_waits_is_told_of_the_failure_and_nobody_else(
    store: Watched, recorder: Recorder
) -> None:
    store.failing = True
    with pytest.raises(StoreBusy):
        recorder.write("s", [step("refused")])
    store.failing = False
    recorder.flush()

    assert actions(store) == []


def test_many_entries_do_not_wait_for_their_time(store: Watched, recorder: Recorder) -> None:
    for i in range(3 * BATCH_MAX):
        recorder.put("s", step(str(i)))
    recorder.flush()

    assert actions(store) == [str(i) for i in range(3 * BATCH_MAX)]


def test_what_has_to_be_prepared_is_so_once_and_before_the_store_is_taken(
    store: Watched, recorder: Recorder
) -> None:
    prepared: list[bool] = []

    def prepare() -> Write:
        prepared.append(store.began.is_set())
        return step("prepared")

    store.failing = True
    store.began.clear()
    recorder.put("s", Prepared(prepare))
    with pytest.raises(StoreBusy):
        recorder.write("s", [step("waited for")])
    store.failing = False
    recorder.flush()

    assert prepared == [False]
    assert actions(store) == ["prepared"]
