"""Whoever writes for others on PostgreSQL waits for no lock on their behalf."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

import milepost

pytestmark = pytest.mark.slow


def test_a_space_that_somebody_holds_keeps_no_other_waiting(postgres_url: str) -> None:
    with (
        milepost.connect(postgres_url) as memory,
        psycopg.connect(postgres_url, autocommit=True) as other,
        ThreadPoolExecutor(12) as pool,
    ):
        for space in ("held", "free"):
            memory.within(space).store("the first")
        other.execute("SELECT pg_advisory_lock(hashtextextended('held', 1))")

        waiting = [pool.submit(memory.within("held").store, f"berth {i}") for i in range(4)]
        free = [pool.submit(memory.within("free").store, f"pier {i}") for i in range(40)]
        names = [each.result(timeout=20) for each in free]

        assert memory.within("free").health().count == 1 + len(set(names)) == 41
        with pytest.raises(TimeoutError):
            waiting[0].result(timeout=0.05)
        other.execute("SELECT pg_advisory_unlock(hashtextextended('held', 1))")
        assert len({each.result(timeout=20) for each in waiting}) == 4
        assert memory.within("held").health().count == 5


def test_a_text_that_the_database_refuses_is_told_to_who_stores_it(postgres_url: str) -> None:
    with milepost.connect(postgres_url) as memory, ThreadPoolExecutor(8) as pool:
        memory.store("the first")
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute(
                "ALTER TABLE milepost.memories ADD CONSTRAINT no_storms "
                "CHECK (content NOT LIKE '%storm%')"
            )
        texts = [f"a storm {i}" if i % 5 == 0 else f"a calm {i}" for i in range(40)]
        stored = [pool.submit(memory.store, text) for text in texts]

        for text, each in zip(texts, stored, strict=True):
            if "storm" in text:
                with pytest.raises(milepost.StoreError, match="no_storms"):
                    each.result()
            else:
                assert memory.get(each.result()).content == text
