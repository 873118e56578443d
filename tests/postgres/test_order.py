"""Whoever follows a space that is moved sees each change of it, however many write at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import monotonic

import pytest

import milepost
from milepost.app import Milepost
from milepost.storage.moving.sides import open_reader, open_source


@pytest.fixture
def memory(postgres_store_url: str) -> Iterator[Milepost]:
    with milepost.connect(postgres_store_url) as opened:
        assert isinstance(opened, Milepost)
        yield opened


class Follower:
    """Asks again and again which memories of a space were touched since it asked before."""

    def __init__(self, url: str, space: str) -> None:
        self._url, self._space = url, space
        with closing(open_source(url)) as source:
            source.enter(space)
            source.watch()
        self._place = 0

    def look(self) -> set[int]:
        """Return the ids that were touched since, as they are at one moment."""
        with closing(open_reader(self._url)) as reader:
            reader.enter(self._space)
            found = reader.touched(self._place).get("memories", [])
            self._place = reader.position()
        return {int(key[0]) for key in found}


def test_a_change_is_told_once_and_so_is_a_removal(
    memory: Milepost, postgres_store_url: str
) -> None:
    name = memory.store("the harbour opens at six")
    feed = Follower(postgres_store_url, "default")
    assert feed.look() == set()
    memory.update(name, tags=["sea"])
    told = feed.look()
    assert len(told) == 1
    assert feed.look() == set()

    memory.delete(name, erase=True)
    assert feed.look() == told


def test_what_is_under_way_is_told_when_it_is_done(
    memory: Milepost, postgres_store_url: str
) -> None:
    store, name = memory._context.store, memory.store("the harbour opens at six")
    feed = Follower(postgres_store_url, "default")
    began, go_on = threading.Event(), threading.Event()
    record = store.memories.record("default", memory.get(name).full_hash)
    assert record is not None

    def write_slowly() -> None:
        with store.within("default").writing() as work:
            work.memories.mark(record, ("looked at",))
            began.set()
            go_on.wait(10)

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(write_slowly)
        assert began.wait(10)
        quick = pool.submit(memory.store, "written while another transaction is under way")
        assert feed.look() == set()
        go_on.set()
        slow.result()
        quick.result()

    assert len(feed.look()) == 2


@pytest.mark.slow
def test_sixteen_writers_and_a_follower_who_misses_nothing(
    memory: Milepost, postgres_store_url: str
) -> None:
    for space in range(4):
        memory.within(f"s{space}").store("somebody is here")
    feeds = [Follower(postgres_store_url, f"s{space}") for space in range(4)]
    seen: list[set[int]] = [set() for _ in feeds]
    until = monotonic() + 3

    def write(writer: int) -> int:
        mine, count = memory.within(f"s{writer % 4}"), 0
        while monotonic() < until:
            mine.store(f"writer {writer} says {count}")
            count += 1
        return count

    def look() -> None:
        for feed, known in zip(feeds, seen, strict=True):
            known.update(feed.look())

    with ThreadPoolExecutor(16) as pool:
        writers = [pool.submit(write, writer) for writer in range(16)]
        while not all(writer.done() for writer in writers):
            look()
        written = sum(writer.result() for writer in writers)
    look()

    assert sum(map(len, seen)) == written > 50
