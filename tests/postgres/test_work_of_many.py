"""Work that is put off on a shared database is done once, soon, by whoever is free."""

from __future__ import annotations

import json
from collections import Counter
from time import monotonic

import psycopg
import pytest

import milepost
from milepost.upkeep import jobs
from support import PATIENCE_S, StartPython, wait_until

pytestmark = pytest.mark.slow
JOBS = 200

# Two workers, who claim what is due and say what they did.
WORK = """
import json, sys, threading, time
from milepost.opening import open_context, settings_for
context = open_context(settings_for(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
done = [[], []]

def work(mine):
    while job := context.store.jobs.claim(["count"], int(time.time() * 1e6), 60_000_000):
        mine.append(job.key)
        context.store.jobs.finish(job.id, job.claim)

threads = [threading.Thread(target=work, args=(mine,)) for mine in done]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps(done), flush=True)
"""


def test_eight_workers_in_four_processes_claim_each_job_once(
    postgres_store_url: str, start_python: StartPython
) -> None:
    with milepost.connect(postgres_store_url) as memory:
        store = memory._context.store
        for number in range(JOBS):
            store.jobs.enqueue(f"space {number % 5}", "count", str(number), "", 1)
        workers = [start_python(WORK, postgres_store_url) for _ in range(4)]
        for worker in workers:
            assert worker.stdout
            assert worker.stdout.readline() == "ready\n"
        told = []
        for worker in workers:
            assert worker.stdin
            worker.stdin.write("\n")
            worker.stdin.flush()
        for worker in workers:
            told += json.loads(worker.communicate(timeout=PATIENCE_S)[0])

        done = Counter(key for mine in told for key in mine)
        assert done == Counter(map(str, range(JOBS)))
        assert sum(1 for mine in told if mine) > 2  # they did share it
        assert all(not store.jobs.list(f"space {number}", None, 9) for number in range(5))


# Puts off work when it is told to, and does none itself.
ASK = """
import sys, milepost
memory = milepost.connect(sys.argv[1])
memory.worker.close()
print("ready", flush=True)
for line in sys.stdin:
    memory.complete_episode(memory.create_episode("fix the login"), "success")
    print("asked", flush=True)
"""


def test_a_worker_hears_of_work_that_another_process_puts_off(
    postgres_store_url: str, start_python: StartPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_POLL_S", 3_600.0)
    asking = start_python(ASK, postgres_store_url)
    assert asking.stdin
    assert asking.stdout
    with milepost.connect(postgres_store_url) as memory:
        memory.worker.wake()
        assert asking.stdout.readline() == "ready\n"
        wait_until(lambda: somebody_listens(postgres_store_url))
        for turn in range(1, 4):
            asking.stdin.write("\n")
            asking.stdin.flush()
            assert asking.stdout.readline() == "asked\n"
            began = monotonic()
            wait_until(lambda turn=turn: learned(memory) == turn)  # type: ignore[misc]
            print(f"learned {1_000 * (monotonic() - began):.0f} ms after it was put off")


def somebody_listens(url: str) -> bool:
    asking = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%%' AND state = 'idle'"
    with psycopg.connect(url) as connection:
        return connection.execute(asking + " AND datname = current_database()").rowcount > 0


def learned(memory: milepost.Milepost) -> int:
    """Return how many episodes were learned from."""
    store = memory._context.store
    counting = "SELECT count(*) FROM episodes WHERE learned"
    return int(store.database.select_rows(counting, {})[0][0])
