"""What sealed texts cost in PostgreSQL: storing and searching the same memories in two databases.

usage: python bench/sealed_database.py [--data ../shared/data] [--count 10000] [--url postgresql://…]
--url: of a superuser; without it a server is started.
"""

import argparse
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from common import save
from corpus import memories, questions, sentences
from milepost.app import Milepost
from milepost.sealing import new_key
from milepost.storage import maintenance
from milepost.storage.postgres.maintenance import looking_after
from milepost.testing.postgres import given_server, postgres_server

ROUNDS, QUERIES, STORED = 4, 100, 200
Timed = Callable[[Milepost], object]


def spent_ms(memory: Milepost, act: Timed) -> float:
    """Return how long something takes."""
    before = time.perf_counter()
    act(memory)
    return (time.perf_counter() - before) * 1e3


def in_turns(both: tuple[Milepost, Milepost], acts: list[Timed]) -> dict[str, float]:
    """Return the medians of what both take, one after the other, and their ratio."""
    times: tuple[list[float], list[float]] = ([], [])
    for number, act in enumerate(acts):
        for place in (0, 1) if number % 2 else (1, 0):
            times[place].append(spent_ms(both[place], act))
    clear, sealed = map(statistics.median, times)
    return {"clear_ms": clear, "sealed_ms": sealed, "ratio": sealed / clear}


def recoded(url: str, secret: str) -> float:
    """Seal a database; return how long it took."""
    before = time.perf_counter()
    maintenance.recode(url, lambda _: new_key(secret), lambda _: 0, lambda *_: None)
    return time.perf_counter() - before


def measured(urls: tuple[str, str], key: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Store and search in both databases."""
    pool = sentences(options.data)
    asked = questions(pool, QUERIES)
    for url in urls:
        with milepost.connect(url) as memory:
            memory.store_batch(list(memories(pool, options.count)))
    sealing_s = recoded(urls[1], key.read_text())
    for url in urls:
        with looking_after(url) as database:
            database.connection.execute("VACUUM (FULL, ANALYZE)")
    os.environ["MILEPOST_ENCRYPTION_KEY_FILE"] = str(key)
    with milepost.connect(urls[0]) as clear, milepost.connect(urls[1]) as sealed:
        both = (clear, sealed)
        searches: list[Timed] = [lambda m, q=q: m.search(q) for q in asked]  # type: ignore[misc]
        in_turns(both, searches)  # plans and models are there then
        stored: list[Timed] = [
            lambda m, n=n: m.store(f"{pool[n % len(pool)]} ({secrets.token_hex(4)} {n})")  # type: ignore[misc]
            for n in range(STORED)
        ]
        first = [[m.search(q).memories[:1] for q in asked] for m in both]
        same = sum(
            a[0].hash == b[0].hash if a and b else a == b for a, b in zip(*first, strict=True)
        )
        figures = {
            "search": in_turns(both, searches * ROUNDS),
            "store": in_turns(both, stored),
            "get": in_turns(both, [lambda m, h=m1[0].hash: m.get(h) for m1 in first[0] if m1]),  # type: ignore[misc]
        }
    sizes = [sum(maintenance.sizes(url)) / 1e6 for url in urls]
    return {
        "memories": options.count, "sealing_s": sealing_s, **figures,
        "same_first_answer": f"{same} of {len(asked)}",
        "clear_mb": sizes[0], "sealed_mb": sizes[1],
    }  # fmt: skip


def main() -> None:
    """Measure both in turns, in one run, and write the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    os.environ["MILEPOST_DAEMON"] = "off"
    server = given_server(options.url) if options.url else postgres_server()
    with server as databases, tempfile.TemporaryDirectory() as folder:
        key = Path(folder, "key")
        key.write_text(secrets.token_hex(32))
        key.chmod(0o600)
        urls = databases.new_database(), databases.new_database()
        result = measured(urls, key, options)
        for url in urls:
            databases.drop_database(url)
    save("sealed-database", result)
    print(result)


if __name__ == "__main__":
    main()
