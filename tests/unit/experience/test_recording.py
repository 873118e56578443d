"""Entries are written together, in order, and survive a store that fails for a while."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from milepost.errors import NotFound, StoreBusy
from milepost.experience.lookup import episode_trace
from milepost.experience.recording import BATCH_MAX, Recorder
from milepost.experience.values import Episode, EpisodeEntry, Step, StepEntry
from milepost.storage.memory import MemoryStore


class Watched(MemoryStore):
    """A store that can be told to fail or to wait, and remembers how much came at once."""

    def __init__(self) -> None:
        super().__init__()
        self.failing = False
        self.batches: list[int] = []
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def log(self, entries: Sequence[Any], *, durable: bool = True) -> list[int]:
        self.began.set()
        assert self.may_go_on.wait(20)
        if self.failing:
            raise StoreBusy("somebody else writes")
        self.batches.append(len(entries))
        return super().log(entries, durable=durable)


@pytest.fixture
def store() -> Watched:
    return Watched()


@pytest.fixture
def recorder(store: Watched) -> Iterator[Recorder]:
    begun = Episode(
        "ep", "a task", "general", {}, (), None, "", (), 1.7e9, None, None, (), None, (), 0
    )
    recorder = Recorder(store, lambda entries: entries)
    recorder.write([EpisodeEntry("s", begun, episode_trace("s", begun))])
    store.batches.clear()
    yield recorder
    store.failing = False
    store.may_go_on.set()
    recorder.close()


def step(action: str = "ls", number: int = 0, episode: str = "ep") -> StepEntry:
    return StepEntry("s", episode, Step(number, "bash", action, {}, "", True, at=1.7e9))


def actions(store: Watched) -> list[str]:
    return [one.action for one in store.steps("s", "ep")]


def test_threads_that_wait_at_the_same_time_share_a_transaction(
    store: Watched, recorder: Recorder
) -> None:
    store.began.clear()
    store.may_go_on.clear()
    numbers: list[int] = []

    def write() -> None:
        numbers.extend(recorder.write([step()]))

    threads = [threading.Thread(target=write) for _ in range(8)]
    threads[0].start()
    assert store.began.wait(20)
    for thread in threads[1:]:
        thread.start()
    while len(recorder._batch.entries) < 7:
        threading.Event().wait(0.001)
    store.may_go_on.set()
    for thread in threads:
        thread.join()

    assert store.batches == [1, 7]
    assert sorted(numbers) == list(range(1, 9))


def test_what_is_put_comes_before_what_is_written_later(store: Watched, recorder: Recorder) -> None:
    told = [recorder.put(step("first")), *recorder.write([step("second")])]

    assert told == [1, 2]
    assert actions(store) == ["first", "second"]


def test_what_nobody_waits_for_survives_a_store_that_fails(
    store: Watched, recorder: Recorder
) -> None:
    store.failing = True
    recorder.put(step("kept"))
    with pytest.raises(StoreBusy):
        recorder.flush()
    with pytest.raises(StoreBusy):
        recorder.write([step("refused")])
    store.failing = False

    assert recorder.write([step("accepted")]) == [2]
    assert actions(store) == ["kept", "accepted"]


def test_whoever_waits_is_told_of_the_failure_and_nobody_else(
    store: Watched, recorder: Recorder
) -> None:
    store.failing = True
    with pytest.raises(StoreBusy):
        recorder.write([step("refused")])
    store.failing = False
    recorder.flush()

    assert actions(store) == []


def test_many_entries_do_not_wait_for_their_time(store: Watched, recorder: Recorder) -> None:
    for i in range(3 * BATCH_MAX):
        recorder.put(step(str(i)))
    recorder.flush()

    assert actions(store) == [str(i) for i in range(3 * BATCH_MAX)]


def test_the_number_of_a_step_is_known_before_it_is_written(
    store: Watched, recorder: Recorder
) -> None:
    numbers = [recorder.put(step(number=7)), recorder.put(step()), recorder.put(step(number=2))]
    numbers.append(recorder.put(step()))
    recorder.flush()

    assert numbers == [7, 8, 2, 9]
    assert [one.number for one in store.steps("s", "ep")] == [2, 7, 8, 9]


def test_a_step_of_no_episode_is_refused_at_once(recorder: Recorder) -> None:
    with pytest.raises(NotFound):
        recorder.put(step(episode="nobody"))
