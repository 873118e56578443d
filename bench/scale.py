"""What PostgreSQL and SQLite bear with many memories in 40 spaces of uneven size.

usage: python bench/scale.py [--data ../shared/data] [--sizes 10000,100000] [--seconds 10]
           [--largest 300000] [--migrate] [--from STORE] [--beside 9] [--only store]

--sizes 100000/1 puts all into one space. A size that was measured before keeps its place in the
results until it is measured again; each tells when it was, and the load of the machine.
--migrate brings the memories from SQLite to PostgreSQL as `milepost migrate` does, not by storing
them once more; --from takes a store that was loaded before.
--beside copies the first space so often, within PostgreSQL, and searches it again: what lies in
other spaces is to cost nothing.
--only measures what begins so and writes no results.

Both get the same memories, PostgreSQL on a disk with fsync. Half of all lie in the first space, or
as many as --largest says; the others share the rest as 1, 1/2, 1/3 …
Clients are threads of two processes that use the API; with the database they share the machine, so
that processor time is told beside the time that passed.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil
import psycopg

sys.path.insert(0, str(Path(__file__).parent))
from common import RESULTS, machine, p50_p95, save, table
from corpus import memories, questions, sentences
from milepost.app import Milepost, open_memory
from milepost.memory.values import Filter
from milepost.once import WITNESS
from milepost.opening import now, settings_for
from milepost.storage import maintenance
from milepost.storage.moving.copying import copy_spaces
from milepost.storage.postgres.words import mix_of

T = TypeVar("T")

SPACES, BATCH, PROCESSES = 40, 1_000, 2
# Of so many nearest by meaning, how many a search looks at.
NEAREST = 50
WARM_UP = 20


def shares(count: int, spaces: int = SPACES, largest: int = 0) -> list[int]:
    """Return how many memories each space has."""
    if spaces == 1:
        return [count]
    weights = [1 / rank for rank in range(1, spaces)]
    others = count - (largest or count / 2)
    rest = [int(others * weight / sum(weights)) for weight in weights]
    return [count - sum(rest), *rest]


def load(memory: Milepost, sizes: Sequence[int], data: Path | None) -> None:
    """Store memories space by space."""
    pool = sentences(data)
    for space, size in enumerate(sizes):
        here, items = memory.within(f"s{space}"), list(memories(pool, size, seed=space))
        for first in range(0, size, BATCH):
            here.store_batch(items[first : first + BATCH])


def work(given: argparse.Namespace) -> None:
    """Be the clients of one process: search or store for some seconds, and tell of each."""
    asked = json.loads(Path(given.questions).read_text())
    with open_memory(settings_for(given.url)) as memory:
        calls = [_call(memory, given, number, asked) for number in range(given.clients)]
        for call in calls:
            for _ in range(max(WARM_UP // given.clients, 2)):
                call()
        print("ready", flush=True)
        sys.stdin.readline()
        busy, end = time.process_time(), time.perf_counter() + given.seconds

        def run(call: Callable[[], object]) -> list[float]:
            spent = []
            if given.unnoted:
                WITNESS.set(PartOfACall())
            while (before := time.perf_counter()) < end:
                call()
                spent.append(time.perf_counter() - before)
            return spent

        with ThreadPoolExecutor(given.clients) as pool:
            spent = [each for mine in pool.map(run, calls) for each in mine]
        print(json.dumps([spent, time.process_time() - busy]), flush=True)


class PartOfACall:
    """Stands for a call that is noted already, so that what it calls is not."""

    operation, is_noted = "", True

    def opened(self, opening: Callable[[], T]) -> T:
        """Return what is opened so."""
        return opening()

    def ahead(self, _names: Sequence[str]) -> None:
        """Have nothing noted with what is written."""


def _call(
    memory: Milepost, given: argparse.Namespace, number: int, asked: list[str]
) -> Callable[[], object]:
    rng = random.Random(f"{given.seed} {number}")
    names = [f"s{space}" for space in given.spaces]

    def search() -> object:
        return memory.within(rng.choice(names)).search(rng.choice(asked))

    def store() -> object:
        text = " ".join(rng.choice(asked) for _ in range(3))
        return memory.within(rng.choice(names)).store(f"{text} {rng.random()}")

    return {"search": search, "store": store}[given.kind]


class Backend:
    """A store under load, and what its server spent on it."""

    def __init__(self, url: str, server: psutil.Process | None = None, admin_url: str = "") -> None:
        self.url, self.admin_url, self._server = url, admin_url, server

    def busy_s(self) -> float:
        """Return the processor time of the database's own processes so far."""
        if self._server is None:
            return 0.0
        times = [self._server.cpu_times()]
        for child in self._server.children():
            with suppress(psutil.NoSuchProcess):
                times.append(child.cpu_times())
        return sum(t.user + t.system for t in times) + times[0].children_user

    def driven(
        self, kind: str, spaces: Sequence[int], clients: int, given: Any, *, noted: bool = True
    ) -> dict[str, Any]:
        """Let clients work for some seconds; return how quick and how dear a call is."""
        processes = min(PROCESSES, clients)
        options = ["--url", self.url, "--kind", kind, "--questions", given.questions]
        options += ["--seconds", str(given.seconds), "--clients", str(clients // processes)]
        options += ["--spaces", ",".join(map(str, spaces))]
        options += [] if noted else ["--unnoted"]
        command = [sys.executable, __file__, "--work", *options, "--seed"]
        started = [
            subprocess.Popen(
                [*command, f"{kind} {clients} {number} {time.time()}"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for number in range(processes)
        ]  # fmt: skip
        for process in started:
            assert process.stdout.readline() == "ready\n"
        before = self.busy_s()
        for process in started:
            process.stdin.write("\n")
            process.stdin.flush()
        told = [json.loads(process.communicate()[0]) for process in started]
        spent = [each for mine, _ in told for each in mine]
        p50, p95 = p50_p95(spent)
        return {
            "p50_ms": round(1e3 * p50, 1),
            "p95_ms": round(1e3 * p95, 1),
            "per_second": round(len(spent) / given.seconds, 1),
            "cpu_ms_here": round(1e3 * sum(busy for _, busy in told) / len(spent), 2),
            "cpu_ms_database": round(1e3 * (self.busy_s() - before) / len(spent), 2),
        }


def filled(backend: Backend, sizes: Sequence[int], given: Any, source: str = "") -> dict[str, Any]:
    """Load a store, or bring memories from another one; return what that took."""
    busy, before, began = time.process_time(), backend.busy_s(), time.perf_counter()
    if given.source and not source:
        shutil.copyfile(given.source, backend.url)
    elif source:
        copied = copy_spaces(source, backend.url, None, progress=lambda *_: None)
        assert all(space.agrees for space in copied)
    else:
        with open_memory(settings_for(backend.url)) as memory:
            load(memory, sizes, given.data)
    load_s = time.perf_counter() - began
    spent_s = time.process_time() - busy + backend.busy_s() - before
    with open_memory(settings_for(backend.url)) as memory:
        _settled(memory, backend.url)
        looked_at = _nearest_looked_at(memory, json.loads(Path(given.questions).read_text()))
    how = "migrate" if source else "load"
    figures = {
        f"{how}_s": round(load_s, 1),
        f"{how}_per_second": round(sum(sizes) / load_s),
        f"{how}_cpu_ms_each": round(1e3 * spent_s / sum(sizes), 2),
    }
    return ({} if given.source and not source else figures) | {
        "bytes_each": round(sum(maintenance.sizes(backend.url)) / sum(sizes)),
        f"nearest_{NEAREST}_looked_at_%": looked_at,
        "sizes": {"largest": sizes[0], "medium": sizes[_medium(sizes)]},
    }


def _medium(sizes: Sequence[int]) -> int:
    return min(range(len(sizes)), key=lambda space: abs(sizes[space] - 5_000))


def _under_load(backend: Backend, sizes: Sequence[int], given: Any) -> dict[str, Any]:
    everywhere = range(len(sizes))
    runs = {
        "search_in_largest": ("search", [0], 1),
        "search_in_medium": ("search", [_medium(sizes)], 1),
        "store": ("store", everywhere, 1),
        "search_16": ("search", everywhere, 16),
        "store_16": ("store", everywhere, 16),
    }
    figures = {
        name: backend.driven(*run, given)
        for name, run in runs.items()
        if name.startswith(given.only)
    }
    if "store_16" in figures:
        figures["store_16_without_audit"] = backend.driven(*runs["store_16"], given, noted=False)
    return figures


def _beside(backend: Backend, given: Any) -> dict[str, Any]:
    """Search the first space while others as large lie in the same tables."""
    with psycopg.connect(backend.admin_url, autocommit=True) as connection:
        for number in range(given.beside):
            _copy_home(connection, "s0", f"beside {number}")
        connection.execute("VACUUM ANALYZE")
        (all_,) = connection.execute("SELECT count(*) FROM milepost.memories").fetchone()
    return {
        "memories_with_those_beside": all_,
        "search_in_largest_with_those_beside": backend.driven("search", [0], 1, given),
    }


def _copy_home(connection: psycopg.Connection[Any], home: str, copy: str) -> None:
    """Copy what is searched of a home within the database, its words mixed with the new name."""
    mix = mix_of(home) ^ mix_of(copy)
    others = {
        "home": "%(copy)s",
        "space": "%(copy)s",
        "id": "id + %(shift)s",
        "memory_id": "memory_id + %(shift)s",
        "keys": "(SELECT array_agg(key # %(mix)s) FROM unnest(keys) AS key)",
    }
    with connection.transaction():
        connection.execute("SET LOCAL search_path = milepost, public")
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(
            "INSERT INTO homes (name, last, analysis) "
            "SELECT %s, last, analysis FROM homes WHERE name = %s", (copy, home),
        )  # fmt: skip
        (shift,) = connection.execute(
            "SELECT b.number - a.number << 33 FROM homes AS a, homes AS b "
            "WHERE a.name = %s AND b.name = %s", (home, copy),
        ).fetchone()  # fmt: skip
        for table in ("memories", "vectors", "word_counts", "space_counts"):
            rows = connection.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
                "AND attgenerated = '' AND NOT attisdropped", (table,),
            )  # fmt: skip
            names = [name for (name,) in rows]
            values = ", ".join(others.get(name, name) for name in names)
            connection.execute(
                f"INSERT INTO {table} ({', '.join(names)}) "
                f"SELECT {values} FROM {table} WHERE home = %(home)s".encode(),
                {"home": home, "copy": copy, "shift": shift, "mix": mix},
            )


def _settled(memory: Milepost, url: str) -> None:
    """Do what a server does by itself within a minute of such a load."""
    if url.startswith("postgresql"):
        from milepost.storage.postgres.upkeep import tend_grown

        tend_grown(memory._context.store.database.connections)
        maintenance.vacuum(url, lambda: memory._context.store, lambda *_: None)
    else:
        memory.within("s0").search("settle")


def _nearest_looked_at(memory: Milepost, asked: Sequence[str]) -> float | None:
    """Return how many of the nearest by meaning a search looks at, compared with an exact scan."""
    context = memory.within("s0")._context
    if context.store.backend != "postgres":
        return None
    # What is added keeps an index from being used.
    exact = (
        "SELECT memory_id FROM vectors WHERE model = :model "
        "ORDER BY (vector <#> CAST(:near AS halfvec)) + 0 LIMIT :most"
    )
    shared = []
    for question in asked[:40]:
        probe = context.texts.probe(question)
        (model, near), *_ = probe.vectors.items()
        vector = "[" + ",".join(f"{value:.6f}" for value in near) + "]"
        values = {"model": model, "near": vector, "most": NEAREST}
        ids = {row[0] for row in context.store.database.select_rows(exact, values)}
        pool = context.store.candidates.find(probe, Filter("s0", now()), 200)
        shared.append(len(ids & set(pool.ids.tolist())) / max(len(ids), 1))
    return round(100 * sum(shared) / len(shared), 1)


@contextmanager
def backends(folder: str) -> Iterator[dict[str, Backend]]:
    """Start a PostgreSQL and name a file, both on the same disk."""
    from milepost.testing.postgres import postgres_server

    with postgres_server(
        below=folder, fsync="on", shared_buffers="1GB", max_wal_size="4GB"
    ) as server:
        url = server.new_database()
        yield {
            "sqlite": Backend(f"{folder}/scale.db"),
            "postgres": Backend(url, psutil.Process(server.pid), server.admin_url_of(url)),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--largest", type=int, default=0)
    parser.add_argument("--migrate", action="store_true")
    parser.add_argument("--from", dest="source", default="")
    parser.add_argument("--beside", type=int, default=0)
    for name in ("--url", "--kind", "--questions", "--seed"):
        parser.add_argument(name, default="", help=argparse.SUPPRESS)
    parser.add_argument("--clients", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--spaces", default="", help=argparse.SUPPRESS)
    for name in ("--work", "--unnoted"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        given.spaces = list(map(int, given.spaces.split(",")))
        work(given)
        return
    path = RESULTS / "scale.json"
    for size in given.sizes.split(","):
        count, _, spaces = size.partition("/")
        sizes, began = shares(int(count), int(spaces or SPACES), given.largest), machine()
        with tempfile.TemporaryDirectory(prefix="mp-scale-", dir="/tmp") as folder:
            Path(folder).chmod(0o755)
            given.questions = f"{folder}/questions.json"
            Path(given.questions).write_text(json.dumps(questions(sentences(given.data), 400)))
            with backends(folder) as both:
                file, database = both["sqlite"], both["postgres"]
                figures = {"sqlite": filled(file, sizes, given)}
                source = file.url if given.migrate else ""
                figures["postgres"] = filled(database, sizes, given, source)
                for name, backend in both.items():
                    figures[name] |= _under_load(backend, sizes, given)
                if given.beside:
                    figures["postgres"] |= _beside(database, given)
        print(_shown(size, figures), flush=True)
        if not given.only:
            began |= {"load_after": machine()["load_before"], "loop_ms": _loop_ms()}
            before = json.loads(path.read_text())["sizes"] if path.exists() else {}
            save("scale", {"sizes": before | {size: {"machine": began} | figures}})


def _loop_ms() -> float:
    """Return what a million turns of a loop cost, by which processors are compared."""
    began = time.process_time()
    for _ in range(1_000_000):
        pass
    return round(1e3 * (time.process_time() - began), 1)


def _shown(size: str, found: dict[str, dict[str, Any]]) -> str:
    flat = {
        name: {
            f"{part} {field}" if field else part: value
            for part, each in figures.items()
            for field, value in (each.items() if isinstance(each, dict) else [("", each)])
        }
        for name, figures in found.items()
    }
    rows = [[field, *(flat[name].get(field) for name in flat)] for field in flat["postgres"]]
    return table([f"{size} memories", *flat], rows)


if __name__ == "__main__":
    main()
