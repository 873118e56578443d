"""Searches on PostgreSQL keep to their home, and find the same with a graph as without one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psycopg
import pytest
from made_memories import MODEL, SECOND, T0, add, by_words, candidates, drafts, texts, where

from milepost.errors import StoreError
from milepost.memory.remember import content_hash
from milepost.ports import Store
from milepost.ranking.candidates import wordless_probe
from milepost.storage.postgres import upkeep
from milepost.storage.postgres.connections import Connections
from milepost.storage.postgres.store import PostgresStore

FUNCTIONS = (
    *("candidates", "nearest", "sharing", "rare_words", "newest", "counted_words"),
    "add_memory",
)


@pytest.fixture
def server(postgres_url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(postgres_url, lambda it: texts().analyse([it])[0])
    yield store
    store.close()


def test_a_search_for_another_home_than_is_worked_for_is_refused(server: PostgresStore) -> None:
    secret = add(server, "the harbour of others", space="theirs")
    ours = server.within("ours").candidates
    add(server, "the harbour of ours", space="ours")
    record = server.memories.records([secret])[0]
    database = server.within("ours").database

    for search in (
        lambda: database.rows(
            "rare_words", {"home": "theirs", "id": secret, "without": [], "most": 9}
        ),
        lambda: database.rows("candidates", _asked(server, "theirs")),
        lambda: database.rows("sharing", _asked(server, "theirs")),
        lambda: database.rows("newest", _asked(server, "theirs") | {"counted": True}),
    ):
        with pytest.raises(StoreError, match="another home is worked for"):
            search()

    # Named as a space, others are not found either: their memories are of another home.
    assert ours.find(by_words("harbour"), where("theirs"), 10).size == 0
    assert ours.page(where("theirs"), 10) == ([], 0)
    text = drafts([record.content])[0].analysis
    assert ours.sharing(text, next(iter(text.vectors)), where("theirs"), 9) == []
    assert len(ours.rare_words(secret, [], 9).ids) == 0
    assert ours.vectors(secret) == {}


def _asked(server: PostgresStore, home: str) -> dict[str, object]:
    """Return what a search is asked, as if the code's own filter were lost."""
    asked = server.within(home).candidates._asked(where(home))
    empty = {"terms": [], "imagined": [], "word_tags": None, "models": [], "questions": None}
    empty |= {"model": None, "near": None}
    sizes = {"limit": 10, "offset": 0, "lexical": 6, "extra": 0, "project": None, "most": 9}
    return asked | empty | sizes


def test_whoever_works_for_a_home_sees_no_row_of_another(
    server: PostgresStore, postgres_url: str
) -> None:
    add(server, "the harbour of others", space="theirs", session="s", tags=("t",))
    add(server, "the harbour of ours", space="ours")
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET search_path = milepost, public")
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid "
                "WHERE c.relnamespace = 'milepost'::regnamespace AND a.attname = 'home' "
                "AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
            )
        ]
        everything = {table: _homes(connection, table) for table in tables}
        connection.execute("SET ROLE milepost_member")
        assert not any(_homes(connection, table) for table in tables)
        connection.execute("SELECT set_config('milepost.home', 'ours', true)")
        seen = {table: _homes(connection, table) for table in tables}

    assert {"memories", "vectors"} <= {
        table for table, homes in everything.items() if homes == {"ours", "theirs"}
    }
    assert all(homes <= {"ours"} for homes in seen.values())
    assert seen["memories"] == seen["vectors"] == {"ours"}


def _homes(connection: psycopg.Connection[tuple[str, ...]], table: str) -> set[str]:
    return {row[0] for row in connection.execute(f"SELECT home FROM {table}".encode())}


def test_nobody_but_members_may_call_what_stands_above_the_walls(
    server: PostgresStore, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url) as connection:
        rows = connection.execute(
            "SELECT p.proname, p.prosecdef, has_function_privilege('public', p.oid, 'EXECUTE'), "
            "array_to_string(p.proconfig, ' ') FROM pg_proc AS p "
            "WHERE p.pronamespace = 'milepost'::regnamespace AND p.proname = ANY (%s)",
            (list(FUNCTIONS),),
        ).fetchall()

    assert {row[0] for row in rows} == set(FUNCTIONS)
    for name, definer, public, settings in rows:
        assert definer, name
        assert not public, name
        assert "search_path=milepost, public, pg_temp" in settings


@pytest.mark.slow
def test_words_are_counted_right_however_many_write_at_once(server: PostgresStore) -> None:
    def write(writer: int) -> None:
        for i in range(40):
            add(server, f"harbour {writer} {i}")
        gone = [content_hash(f"harbour {writer} {i}") for i in range(10)]
        records = [server.memories.record("default", one) for one in gone]
        server.memories.remove([record.id for record in records if record is not None])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))

    corpus = server.candidates.find(by_words("harbour"), where(), 10).corpus
    assert corpus.documents == 120
    assert list(corpus.frequencies.values()) == [120]
    assert corpus.mean_length == len(drafts(["harbour 1 10"])[0].analysis.terms) / 4


def vectors_for(store: Store, count: int) -> tuple[list[int], np.ndarray]:
    store.memories.add(drafts([f"memory number {i}" for i in range(count)]))
    ids = sorted(store.candidates.page(where(), count).ids)
    vectors = np.random.default_rng(5).standard_normal((count, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store.candidates.put_vectors(MODEL, dict(zip(ids, vectors, strict=True)))
    return ids, vectors


@pytest.mark.slow
def test_a_graph_finds_what_was_there_and_what_came_since(
    server: PostgresStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "GRAPH_FROM", 100)
    monkeypatch.setattr(upkeep, "GRAPH_BELOW", 50)
    monkeypatch.setattr(upkeep, "REST_MAX", 20)
    ids, vectors = vectors_for(server, 300)
    connections = Connections(postgres_url)

    def near(vector: np.ndarray) -> list[int]:
        pool = server.candidates.find(wordless_probe("", {MODEL: vector}), where(), 20)
        order = np.argsort(-(pool.vectors[MODEL] @ vector))
        return [int(i) for i in pool.ids[order][:5]]

    def graphs() -> list[str]:
        with connections.one() as connection:
            rows = connection.execute(
                "SELECT indexname FROM pg_indexes WHERE indexname ~ '^graph_[0-9]+_'"
            ).fetchall()
        return sorted(row[0] for row in rows)

    exact = [near(vector) for vector in vectors[:40]]
    upkeep.tend(connections, "default")
    made = graphs()
    assert len(made) == 2  # of both models
    by_graph = [near(vector) for vector in vectors[:40]]
    assert [found[0] for found in by_graph] == ids[:40]
    assert np.mean([len(set(a) & set(b)) / 5 for a, b in zip(exact, by_graph, strict=True)]) > 0.9

    late = add(server, "a late memory", created_us=T0 + SECOND)
    server.candidates.put_vectors(MODEL, {late: -vectors[0]})
    assert near(-vectors[0])[0] == late
    upkeep.tend(connections, "default")
    assert graphs() == made  # a few that came since are no reason to make it anew

    server.memories.add(drafts([f"later number {i}" for i in range(60)], created_us=T0 + SECOND))
    upkeep.tend(connections, "default")
    (anew,) = [name for name in graphs() if name not in made]
    assert [name for name in made if name not in graphs()] == [
        name for name in made if name.rpartition("_")[0] == anew.rpartition("_")[0]
    ]

    server.memories.remove(ids[:280])
    upkeep.tend(connections, "default")
    assert len(graphs()) == 1  # of the model that many still have
    assert near(-vectors[0])[0] == late
    connections.close()


@pytest.mark.slow
def test_words_that_most_memories_hold_are_found_and_paged_as_well(server: PostgresStore) -> None:
    for first in range(0, 2_400, 800):
        contents = [
            f"harbour {'mountain' if i % 4 else 'river'} {i}" for i in range(first, first + 800)
        ]
        server.memories.add(drafts(contents, created_us=T0 - first * 3_600 * SECOND))
    wanted = add(server, "harbour mountain lighthouse", created_us=T0 + 86_400 * SECOND)

    best = server.candidates.find(by_words("lighthouse harbour mountain"), where(), 10)
    assert wanted in candidates(best)
    for question in ("harbour", "harbour mountain"):
        for limit in (400, 1_001):
            assert paged(server, question, limit) == 2_401


def paged(store: Store, question: str, limit: int) -> int:
    """Return how many memories the pages of a question show, each by its words once."""
    met: list[int] = []
    first, offset = set[int](), 0
    while True:
        pool = store.candidates.find(by_words(question), where(), limit, offset)
        # What stands beside the best comes with the first page, and again by its own words.
        met += candidates(pool) if offset else []
        first = set(candidates(pool)) if offset == 0 else first
        assert pool.next_offset > offset
        offset = pool.next_offset
        if offset >= pool.matched:
            assert len(met) == len(set(met)) == offset - limit
            return len(first.union(met))
