"""Whoever follows the changes of a space sees each of them, however many write at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest

import milepost
from milepost.app import Milepost
from milepost.storage.postgres.changes import Changes


@pytest.fixture
def memory(postgres_store_url: str) -> Iterator[Milepost]:
    with milepost.connect(postgres_store_url) as opened:
        assert isinstance(opened, Milepost)
        yield opened


def changes(memory: Milepost) -> Changes:
    return Changes(memory._context.store.database)  # type: ignore[attr-defined]


def test_a_change_is_told_once_and_so_is_a_removal(memory: Milepost) -> None:
    feed = changes(memory)
    before = feed.now()
    name = memory.store("the harbour opens at six")
    told = feed.since(before)
    assert len(told.written) == 1
    assert feed.since(told.next).written == ()

    memory.update(name, tags=["sea"])
    assert feed.since(told.next).written == told.written

    after = feed.since(told.next).next
    memory._context.store.memories.remove(told.written)
    assert feed.since(after).removed == told.written


def test_what_is_under_way_is_told_when_it_is_done_and_nothing_is_missed(memory: Milepost) -> None:
    store, feed = memory._context.store, changes(memory)
    place, began, go_on = feed.now(), threading.Event(), threading.Event()

    def write_slowly() -> None:
        with store.within("slow").writing() as work:
            work.values.put("slow", "t", "k", "v")
            began.set()
            go_on.wait(10)

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(write_slowly)
        assert began.wait(10)
        memory.store("written and committed while another transaction is under way")
        held_back = feed.since(place)
        go_on.set()
        slow.result()
    told = feed.since(held_back.next)

    assert (len(held_back.written), len(told.written)) == (0, 1)


@pytest.mark.slow
def test_sixteen_writers_and_a_reader_who_misses_nothing(memory: Milepost) -> None:
    feeds = {f"s{n}": changes(memory.within(f"s{n}")) for n in range(4)}
    places = {space: feed.now() for space, feed in feeds.items()}
    seen: dict[str, set[int]] = {space: set() for space in feeds}
    until = monotonic() + 3

    def write(writer: int) -> int:
        mine, count = memory.within(f"s{writer % 4}"), 0
        while monotonic() < until:
            mine.store(f"writer {writer} says {count}")
            count += 1
        return count

    def look() -> None:
        for space, feed in feeds.items():
            told = feed.since(places[space])
            places[space] = told.next
            seen[space] |= set(told.written)

    with ThreadPoolExecutor(16) as pool:
        writers = [pool.submit(write, writer) for writer in range(16)]
        while not all(writer.done() for writer in writers):
            look()
        written = sum(writer.result() for writer in writers)
    look()

    assert sum(map(len, seen.values())) == written > 50
