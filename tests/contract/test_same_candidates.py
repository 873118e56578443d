"""The same memories give the same candidates, and the same first answers, on both backends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from made_memories import MODEL, SECOND, T0, drafts, texts, where

from milepost.memory.values import Changes, Draft, Filter
from milepost.ports import Store
from milepost.ranking.candidates import CandidateSet, Probe
from milepost.ranking.score import rank
from milepost.storage.postgres.store import PostgresStore
from milepost.storage.sqlite.store import SqliteStore
from milepost.testing.postgres import Databases

COUNT = 600
SUBJECTS = ("harbour", "deploy", "release", "database", "invoice", "timeout", "parser", "cache")
VERBS = ("fails in", "waits for", "was moved to", "reads", "replaces", "depends on", "logs")
PLACES = ("Rotterdam", "staging", "the archive", "production", "Ann's laptop", "the night build")
QUESTIONS = (
    "where was the harbour moved to",
    "what does the parser depend on in production",
    "timeout in staging",
    "deploy",
    "why does the release wait for the database on Ann's laptop",
    "xylophone",
)
WIDE = (
    where(),
    where(kind="decision"),
    where(tags=("deploy", "night")),
    where(without=("deploy",)),
    where(project="p"),
    where(project="p", or_unowned=True),
    where(home="p"),
    where(branches=("fix",)),
    where(include_superseded=True),
    where(after_us=T0 + 100 * SECOND),
    where(before_us=T0 + 400 * SECOND),
    where(trust_min=1),
)
NARROW = (
    where(tags=("deploy", "night"), match_all=True),
    where(branch="fix"),
    where(session="talk 3"),
    where(kind="decision", project="q", tags=("deploy",), without=("night",)),
    where(as_of_us=T0 + 90 * SECOND),
    where(after_us=T0 + 200 * SECOND, before_us=T0 + 250 * SECOND),
)


def made() -> Iterator[Draft]:
    rng = random.Random(7)
    for i in range(COUNT):
        subject, other = rng.sample(SUBJECTS, 2)
        content = f"The {subject} {rng.choice(VERBS)} {rng.choice(PLACES)}; the {other} number {i}."
        fields: dict[str, Any] = {
            "created_us": T0 + i * SECOND,
            "kind": rng.choice(("note", "decision")),
            "tags": tuple(rng.sample(("deploy", "night", "cache"), rng.choice((0, 0, 1, 2)))),
            "projects": rng.choice(((), ("p",), ("q",), ("p", "q"))),
            "session": rng.choice((None, f"talk {i // 40}")),
            "author": rng.choice((None, "Ann", "Bob")),
            "branch": rng.choice((None, None, "fix", "other")),
            "source": rng.choice(("user", "tool")),
            "marks": ("boilerplate",) if i % 50 == 0 else (),
        }
        yield from drafts([content], **fields)


def fill(store: Store) -> None:
    store.memories.add(list(made()))
    ids = sorted(store.candidates.page(where(include_superseded=True), COUNT).ids)
    for old, new in zip(ids[10:60:5], ids[300:310], strict=True):
        store.memories.supersede(old, new, T0 + 350 * SECOND)
    for memory in ids[100:140:4]:
        store.memories.change(memory, Changes(tags=("night", "invoice")))
    for memory in ids[200:240:4]:
        store.memories.change(memory, Changes(standing=1 + memory % 2))
    store.memories.remove(ids[400:410])
    vectors = np.random.default_rng(3).standard_normal((300, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store.candidates.put_vectors(MODEL, dict(zip(ids[:300], vectors, strict=True)))


@pytest.fixture(scope="module")
def stores(postgres: Databases) -> Iterator[tuple[Store, Store]]:
    url = postgres.new_database()
    file = SqliteStore(None, lambda it: texts().analyse([it])[0])
    server = PostgresStore(url, lambda it: texts().analyse([it])[0])
    for store in (file, server):
        fill(store)
    # Made at once it holds nothing twice, and counts words as they are; the server counts them by
    # chance, and what shares words goes by what is counted.
    file.index.rebuild("it shall be compared")
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = milepost, public")
        connection.execute("SELECT count_words(name) FROM homes")
    yield file, server
    for store in (file, server):
        store.close()
    postgres.drop_database(url)


def probe_of(question: str) -> Probe:
    probe = texts().probe(question)
    vector = np.random.default_rng(len(question)).standard_normal(24).astype(np.float32)
    return probe._replace(vectors={**probe.vectors, MODEL: vector / np.linalg.norm(vector)})


def number(ids: Any) -> Any:
    """Return ids without the number of a home: every store counts the memories of one."""
    return ids & ((1 << 33) - 1)


@pytest.mark.parametrize("asked", [*WIDE, *NARROW], ids=str)
def test_all_that_is_told_of_candidates_is_the_same(
    stores: tuple[Store, Store], asked: Filter
) -> None:
    for question in QUESTIONS:
        probe = probe_of(question)
        first, second = (store.candidates.find(probe, asked, COUNT) for store in stores)
        assert told(second) == told(first)
        for model in probe.vectors if first.size else ():
            alike = [pool.vectors[model][np.argsort(pool.ids)] for pool in (first, second)]
            assert np.allclose(*alike, atol=0.002)


def test_a_space_without_memories_has_no_candidates(stores: tuple[Store, Store]) -> None:
    for store in stores:
        assert store.candidates.find(probe_of("harbour"), where("nothing"), COUNT).size == 0
        assert store.candidates.page(where("nothing"), COUNT) == ([], 0)


def told(pool: CandidateSet) -> dict[str, Any]:
    """Return a pool with its rows in the order of ids."""
    order = np.argsort(pool.ids)
    rank_of = np.append(np.argsort(order), -1)
    hits = sorted(zip(rank_of[pool.hits.row], pool.hits.place, pool.hits.term, strict=True))
    columns = {
        name: getattr(pool, name)[order].tolist()
        for name in ("created", "lengths", "session", "author", "traits")
    }
    optional = {
        name: None if (values := getattr(pool, name)) is None else values[order].tolist()
        for name in ("elsewhere", "faded")
    }
    return (
        columns
        | optional
        | {
            "ids": number(pool.ids[order]).tolist(),
            "hits": hits,
            "neighbours": rank_of[pool.neighbours[order]].tolist(),
            "matched": (pool.matched, pool.next_offset),
            "corpus": pool.corpus._replace(mean_length=round(pool.corpus.mean_length, 6)),
        }
    )


def test_of_more_than_fit_nearly_the_same_are_candidates_and_the_first_answers_agree(
    stores: tuple[Store, Store],
) -> None:
    shared, answered = [], []
    for asked in WIDE:
        for question in QUESTIONS:
            probe = texts().probe(question)
            pools = [store.candidates.find(probe, asked, 60) for store in stores]
            sets = [set(number(pool.ids).tolist()) for pool in pools]
            shared.append(len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
            answers = [number(p.ids[rank(p, probe, None).rows[:5]]).tolist() for p in pools]
            answered.append(answers[0] == answers[1])
    assert np.mean(shared) > 0.9
    assert np.mean(answered) > 0.9


@pytest.mark.parametrize("asked", [*WIDE, *NARROW], ids=str)
def test_lists_are_the_same(stores: tuple[Store, Store], asked: Filter) -> None:
    def lists(store: Store) -> list[Any]:
        page = store.candidates.page(asked, 20, 10)
        newest = store.candidates.newest_of(asked, ["decision", "note"], 3)
        ids = store.candidates.page(where(), 300).ids
        (record,) = store.memories.records(ids[-1:])
        around = store.candidates.around(record, asked, 3, 3)
        text = drafts([QUESTIONS[4]])[0].analysis
        sharing = store.candidates.sharing(text, next(iter(text.vectors)), asked, COUNT)
        return [
            [number(i) for i in page.ids],
            page.total,
            {kind: [number(i) for i in ids] for kind, ids in newest.items()},
            [number(i) for i in around],
            {number(one.id): pytest.approx(likeness, abs=0.002) for one, likeness in sharing},
        ]

    first, second = map(lists, stores)
    assert second == first


def test_the_holders_of_rare_words_are_the_same(stores: tuple[Store, Store]) -> None:
    def holders(store: Store) -> list[list[tuple[int, int]]]:
        ids = sorted(store.candidates.page(where(), COUNT).ids)[::40]
        found = [store.candidates.rare_words(memory, [], 100) for memory in ids]
        return [sorted(zip(number(f.ids).tolist(), f.holders.tolist(), strict=True)) for f in found]

    first, second = map(holders, stores)
    assert any(first)
    assert second == first
