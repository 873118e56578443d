"""Whatever is done to them, stores in a file, in memory and on PostgreSQL stay the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from made_memories import texts

import milepost.storage.index.index as search_index
from milepost.experience.values import Episode
from milepost.memory.remember import content_hash
from milepost.memory.values import Analysis, Changes, Draft, Filter, Indexed, Record
from milepost.ports import Store
from milepost.storage.postgres.store import PostgresStore
from milepost.storage.sqlite.store import SqliteStore
from milepost.testing.postgres import Databases

T0 = 1_700_000_000_000_000
NOW = T0 + 1_000
SUBJECTS = ("harbour", "mountain", "river", "bridge", "tower")
CONTENTS = tuple(f"the {a} beside the {b}" for a in SUBJECTS for b in SUBJECTS)
TAGS = ("red", "green", "blue")
MODEL = "another model"

contents = st.sampled_from(CONTENTS)
tags = st.lists(st.sampled_from(TAGS), max_size=3, unique=True).map(tuple)
names = st.none() | st.sampled_from(("p", "q"))
moments = st.integers(0, 20).map(lambda after: T0 + after)
FILTERS = (
    Filter("default", NOW),
    Filter("other", NOW),
    Filter("default", NOW, tags=("red", "blue")),
    Filter("default", NOW, tags=("red", "blue"), match_all=True),
    Filter("default", NOW, without=("red",)),
    Filter("default", NOW, tags=("blue",), without=("red", "unknown")),
    Filter("default", NOW, kind="decision"),
    Filter("default", NOW, project="p"),
    Filter("default", NOW, after_us=T0 + 5, before_us=T0 + 15),
    Filter("default", NOW, include_superseded=True),
    Filter("default", NOW, as_of_us=T0 + 10),
)


@cache
def analysed(content: str, author: str | None, created: int) -> Analysis:
    return texts().analyse([Indexed(0, content, author, created)])[0]


def begun(name: str) -> Episode:
    return Episode(name, "a task", "t", {}, (), None, "", (), 0.0, None, None, (), None, (), 0)


class Agreement(RuleBasedStateMachine):
    """Two stores, side by side."""

    flush_rows = search_index.FLUSH_ROWS

    @initialize()
    def open(self) -> None:
        self.usual_flush_rows = search_index.FLUSH_ROWS
        search_index.FLUSH_ROWS = self.flush_rows
        self.folder = tempfile.TemporaryDirectory()
        self.stores: list[Store] = [self.opened(in_memory=True), self.opened()]

    def opened(self, *, in_memory: bool = False) -> Store:
        path = None if in_memory else Path(self.folder.name) / "m.db"
        return SqliteStore(path, lambda it: analysed(it.content, it.author, it.created_us))

    def teardown(self) -> None:
        for store in getattr(self, "stores", ()):
            store.close()
        self.folder.cleanup()
        search_index.FLUSH_ROWS = self.usual_flush_rows

    @property
    def writers(self) -> list[Store]:
        return self.stores[:2]

    @rule(
        content=contents,
        space=st.sampled_from(("default", "default", "other")),
        kind=st.sampled_from(("note", "decision")),
        tags=tags,
        session=names,
        author=st.none() | st.just("Ann"),
        project=names,
        created=moments,
        replaced=st.none() | contents,
    )
    def add(
        self,
        content: str,
        space: str,
        kind: str,
        tags: tuple[str, ...],
        session: str | None,
        author: str | None,
        project: str | None,
        created: int,
        replaced: str | None,
    ) -> None:
        known = replaced and self.stores[0].memories.record(space, content_hash(replaced))
        draft = Draft(
            space=space,
            hash=content_hash(content),
            content=content,
            kind=kind,
            tags=tags,
            metadata={"from": created},
            session=session,
            author=author,
            projects=() if project is None else (project,),
            recorded_us=created,
            created_us=created,
            valid_from_us=created,
            supersedes=known.hash if known else None,
            analysis=analysed(content, author, created),
        )
        for store in self.writers:
            store.memories.add([draft])

    @rule(content=contents, tags=st.none() | tags, kind=st.none() | st.just("decision"))
    def change(self, content: str, tags: tuple[str, ...] | None, kind: str | None) -> None:
        for store in self.writers:
            record = store.memories.record("default", content_hash(content))
            if record is not None:
                store.memories.change(record.id, Changes(tags, kind, {"changed": True}))

    @rule(gone=st.lists(contents, max_size=4))
    def remove(self, gone: list[str]) -> None:
        removed = {
            store.memories.remove(
                [r.id for c in gone if (r := store.memories.record("default", content_hash(c)))]
            )
            for store in self.writers
        }
        assert len(removed) == 1

    @rule(name=st.sampled_from(("ep_1", "ep_2")), content=contents, tags=tags, created=moments)
    def retell(self, name: str, content: str, tags: tuple[str, ...], created: int) -> None:
        """Say something else about an episode, which takes the place of what was said before."""
        trace = Draft(
            space="default",
            hash=content_hash(name),
            content=content,
            kind="decision",
            tags=tags,
            metadata={"id": name},
            session=None,
            author=None,
            projects=(),
            recorded_us=created,
            created_us=created,
            valid_from_us=created,
            supersedes=None,
            analysis=analysed(content, None, created),
        )
        for store in self.writers:
            with store.writing() as work:
                work.episodes.begin("default", begun(name))
                work.memories.put(trace)

    @rule(content=contents)
    def put_vector(self, content: str) -> None:
        for store in self.writers:
            record = store.memories.record("default", content_hash(content))
            if record is not None:
                store.candidates.put_vectors(MODEL, {record.id: np.arange(8, dtype=np.float32)})

    @precondition(lambda self: hasattr(self, "stores"))
    @invariant()
    def all_tell_the_same(self) -> None:
        first, *others = [told(store) for store in self.stores]
        # A filter means the same in SQL and over the index.
        assert first["counts"] == first["totals"]
        for other in others:
            assert other == first


class AgreementOnDisk(Agreement):
    """The index of the file is written, merged and read back all the time."""

    flush_rows = 3

    @rule()
    def reopen(self) -> None:
        self.stores[1].close()
        self.stores[1] = self.opened()


class AgreementOfProcesses(Agreement):
    """A second opening of the file, as in another process, sees the same at every moment."""

    flush_rows = 3

    @initialize()
    def open(self) -> None:
        super().open()
        self.stores.append(self.opened())

    @rule()
    def swap(self) -> None:
        memory, one, other = self.stores
        self.stores = [memory, other, one]


class AgreementOfBackends(Agreement):
    """PostgreSQL keeps the second one."""

    databases: Databases

    def opened(self, *, in_memory: bool = False) -> Store:
        if in_memory:
            return super().opened(in_memory=True)
        self.url = self.databases.new_database()
        return PostgresStore(self.url, lambda it: analysed(it.content, it.author, it.created_us))

    def teardown(self) -> None:
        super().teardown()
        self.databases.drop_database(self.url)


def told(store: Store) -> dict[str, Any]:
    """Return all that a store tells, with hashes in place of its own ids."""
    ids = store.candidates.page(Filter("default", NOW, include_superseded=True), 1_000).ids
    records = {record.id: record for record in store.memories.records(ids)}
    return {
        "records": {r.hash: plain(r) for r in records.values()},
        "pages": [names_of(store, store.candidates.page(where, 1_000).ids) for where in FILTERS],
        "totals": [store.candidates.page(where, 2).total for where in FILTERS],
        "pools": list(pools(store)),
        "counts": [store.memories.count(where) for where in FILTERS],
        "hashes": store.memories.hashes("default", "", 1_000),
        "shortest": store.memories.shortest("default", [r.hash for r in records.values()], 1),
        "around": [
            names_of(store, store.candidates.around(r, FILTERS[0], 2, 2))
            for r in list(records.values())[:3]
        ],
        "lacking": {memory.content for memory in store.candidates.lacking(MODEL, 0, 1_000)},
        "models": {r.hash: sorted(store.candidates.vectors(r.id)) for r in records.values()},
    }


def plain(record: Record) -> dict[str, Any]:
    # Where the last of a session was deleted, stores may number the next one differently.
    return record._replace(id=0, position=0)._asdict()


def pools(store: Store) -> Iterator[tuple[set[str], int]]:
    probe = texts().probe("a bridge over the harbour")._replace(vectors={})
    for where in FILTERS:
        pool = store.candidates.find(probe, where, 400)
        yield set(names_of(store, pool.ids.tolist())), pool.matched


def names_of(store: Store, ids: list[int]) -> list[str]:
    return [record.hash for record in store.memories.records(ids)]


@pytest.mark.slow
@pytest.mark.parametrize("machine", [Agreement, AgreementOnDisk, AgreementOfProcesses])
def test_stores_agree_after_any_sequence_of_writes(machine: type[Agreement]) -> None:
    run(machine)


@pytest.mark.slow
def test_postgresql_agrees_after_any_sequence_of_writes(postgres: Databases) -> None:
    AgreementOfBackends.databases = postgres
    run(AgreementOfBackends)


def run(machine: type[Agreement]) -> None:
    # Shrinking a failure takes minutes with real files; add Phase.shrink when one is looked into.
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=12,
            stateful_step_count=20,
            phases=[Phase.generate],
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
