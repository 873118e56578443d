"""Entities, relations and observations in every store: once each, true to their memories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from made_memories import NOW, SECOND, T0, add, drafts, id_of

from milepost.knowledge.values import (
    PATTERN,
    STATED,
    TERM,
    Learned,
    Span,
    Walk,
    When,
)
from milepost.memory.remember import content_hash
from milepost.memory.values import FOREVER
from milepost.ports import Store
from milepost.text.entities.values import Extraction, Link, Mention

SPACE = "default"
EVER = When(NOW, FOREVER)
ALWAYS = Span(T0, FOREVER)
WALK = Walk(1, 50)
TEXT = "billing-service uses PostgreSQL"
FOUND = Extraction(
    (Mention("billing-service", "service"), Mention("PostgreSQL", "package")),
    (Link("billing-service", "uses", "PostgreSQL"),),
)


def remember(store: Store, text: str = TEXT, found: Extraction = FOUND, **fields: object) -> int:
    memory_id = add(store, text, **fields)
    store.entities.learn(SPACE, [Learned(content_hash(text), found)], T0)
    return memory_id


def known(store: Store, *names: str) -> list[bool]:
    return [entity is not None for entity in store.entities.ids(SPACE, names)]


def of(store: Store, name: str) -> int:
    (entity,) = store.entities.ids(SPACE, [name])
    assert entity is not None
    return entity


def around(store: Store, *names: str, walk: Walk = WALK, when: When = EVER) -> list[str]:
    starts = [of(store, name) for name in names]
    reached = store.relations.reach(SPACE, starts, walk._replace(depth=walk.depth - 1), when)
    rows, total = store.relations.around(SPACE, reached, walk, when, 100)
    assert total == len(rows)
    return [f"{row.source} {row.relation} {row.target}" for row in rows]


def relate(store: Store, source: str, relation: str, target: str, span: Span = ALWAYS) -> bool:
    ends = store.entities.ensure(SPACE, [source, target], T0)
    return store.relations.put(SPACE, (ends[0], ends[1]), relation, 1.0, span, T0)


def state(store: Store, name: str, kind: str = TERM) -> int:
    return store.entities.put(SPACE, name, kind, {}, T0)[0]


def described(store: Store, name: str) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    (row,) = store.entities.described(SPACE, [of(store, name)], EVER)
    return row.name, row.entity_type, row.aliases, row.observations


def discard(store: Store, memory_id: int) -> int:
    with store.writing() as work:
        deed = work.deeds.begin(SPACE, "delete", T0)
        work.memories.discard([memory_id], deed)
    return deed


# Entities


def test_a_name_is_one_entity_however_it_is_written(store: Store) -> None:
    first, new = store.entities.put(SPACE, "Billing  Service", TERM, {"team": "pay"}, T0)
    again, new_again = store.entities.put(SPACE, "billing service", "service", {"tier": 1}, T0)

    assert (first, new, new_again) == (again, True, False)
    assert of(store, "BILLING SERVICE") == first
    assert described(store, "billing service")[:2] == ("Billing  Service", "service")
    (row,) = store.entities.described(SPACE, [first], EVER)
    assert row.metadata == {"team": "pay", "tier": 1}
    assert store.entities.ids("other", ["billing service"]) == [None]


def test_a_stated_type_stays_and_a_general_one_is_refined(store: Store) -> None:
    state(store, "billing-service", "team")
    state(store, "PostgreSQL")
    remember(store)

    assert described(store, "billing-service")[1] == "team"
    assert described(store, "PostgreSQL")[1] == "package"


def test_what_is_alike_is_offered_for_a_name_that_is_unknown(store: Store) -> None:
    state(store, "billing-service")

    assert store.entities.like(SPACE, "biling-service") == ["billing-service"]
    assert store.entities.like(SPACE, "zebra") == []


def test_names_and_sayings_with_words_are_found(store: Store) -> None:
    entity = state(store, "billing-service")
    store.observations.put(SPACE, entity, "Retries three times", ALWAYS, T0)

    names, said = store.entities.matching(SPACE, ["bill", "retries", "zebra"])

    assert [(match.entity, match.words) for match in names] == [(entity, ("bill",))]
    assert [(match.entity, match.words) for match in said] == [(entity, ("retries",))]


# What memories say


def test_what_a_memory_says_is_found_with_where_it_comes_from(store: Store) -> None:
    remember(store)
    reached = {of(store, "PostgreSQL"): 0}

    ((row,), total) = store.relations.around(SPACE, reached, WALK, EVER, 10)

    assert (row.source, row.source_type, row.relation) == ("billing-service", "service", "uses")
    assert (row.target, row.target_type, row.origin) == ("PostgreSQL", "package", PATTERN)
    assert (row.memory, row.support, total) == (content_hash(TEXT), 1, 1)
    assert row.valid_from == T0 / 1e6
    assert row.valid_to is None


def test_the_same_text_twice_makes_nothing_new(store: Store) -> None:
    for _ in range(2):
        remember(store)

    (row,) = store.entities.described(SPACE, [of(store, "PostgreSQL")], EVER)
    assert (row.relations, row.memories) == (1, 1)


def test_what_several_memories_say_is_read_as_one(store: Store) -> None:
    remember(store)
    remember(store, "PostgreSQL is what billing-service uses")

    reached = {of(store, "PostgreSQL"): 0}
    ((row,), total) = store.relations.around(SPACE, reached, WALK, EVER, 10)

    assert (row.support, total) == (2, 1)


def test_deleting_a_memory_takes_what_rests_on_it_alone(store: Store) -> None:
    gone = remember(store)
    other = Extraction((Mention("PostgreSQL"), Mention("JSONB")), ())
    remember(store, "PostgreSQL has JSONB", other)
    state(store, "invoicing")

    store.memories.remove([gone])

    assert known(store, "billing-service", "PostgreSQL", "JSONB", "invoicing") == [
        False,
        True,
        True,
        True,
    ]
    assert around(store, "PostgreSQL") == []
    store.memories.remove([id_of(store, "PostgreSQL has JSONB")])
    assert known(store, "PostgreSQL", "JSONB") == [False, False]


def test_nothing_finds_what_a_deleted_memory_said_until_that_is_taken_back(store: Store) -> None:
    deed = discard(store, remember(store))
    assert known(store, "billing-service", "PostgreSQL") == [False, False]
    assert store.entities.page(SPACE, None, 10) == []

    store.deeds.take_back(deed, NOW)

    assert around(store, "billing-service") == ["billing-service uses PostgreSQL"]


def test_a_text_that_is_stored_again_after_its_deletion_says_it_once(store: Store) -> None:
    deed = discard(store, remember(store))
    remember(store)
    store.deeds.take_back(deed, NOW)

    (row,) = store.entities.described(SPACE, [of(store, "PostgreSQL")], EVER)
    assert (row.relations, row.memories) == (1, 1)


def test_what_a_memory_says_holds_until_another_replaces_it(store: Store) -> None:
    remember(store)
    later = T0 + 100 * SECOND
    newer = "billing-service uses MySQL"
    found = Extraction((Mention("MySQL"),), (Link("billing-service", "uses", "MySQL"),))
    with store.writing() as work:
        deed = work.deeds.begin(SPACE, "store", later)
        made = drafts([newer], created_us=later, supersedes=content_hash(TEXT))
        work.memories.add(made, deed)
        work.entities.learn(SPACE, [Learned(content_hash(newer), found)], later)

    assert around(store, "billing-service") == ["billing-service uses MySQL"]
    then = When(later - 1, FOREVER)
    assert around(store, "billing-service", when=then) == ["billing-service uses PostgreSQL"]

    store.deeds.take_back(deed, NOW)
    assert around(store, "billing-service") == ["billing-service uses PostgreSQL"]


def test_emptying_the_bin_takes_what_lay_in_it(store: Store) -> None:
    discard(store, remember(store))
    store.deeds.forget(SPACE, FOREVER)
    remember(store, "something else", Extraction((Mention("billing-service"),), ()))

    assert described(store, "billing-service")[1] == TERM
    assert around(store, "billing-service") == []


def test_what_callers_said_goes_when_it_quotes_what_is_erased(store: Store) -> None:
    secret = "the vault of the Helsinki office opens at noon on Fridays"
    memory_id = add(store, secret)
    vault, bare = state(store, "vault"), state(store, secret)
    store.entities.put(SPACE, "vault", TERM, {"note": secret, "floor": 2}, T0)
    store.observations.put(SPACE, vault, f"told: {secret}", ALWAYS, T0)
    store.observations.put(SPACE, vault, "made of steel", ALWAYS, T0)

    store.memories.remove([memory_id])

    assert described(store, "vault")[3] == ("made of steel",)
    (row,) = store.entities.described(SPACE, [vault], EVER)
    assert row.metadata == {"note": "", "floor": 2}
    assert store.entities.visible([vault, bare]) == [vault]


# Relations


def test_a_relation_that_is_said_again_is_there_once(store: Store) -> None:
    assert relate(store, "a", "works at", "b")
    assert not relate(store, "A", "works_at", "B")
    assert around(store, "a") == ["a works at b"]


def test_a_relation_that_is_said_otherwise_keeps_what_was_known_before(store: Store) -> None:
    relate(store, "a", "uses", "b")
    ends = of(store, "a"), of(store, "b")
    until = Span(T0, T0 + 50 * SECOND)
    store.relations.put(SPACE, ends, "uses", 1.0, until, T0 + 100 * SECOND)

    assert around(store, "a") == []
    assert around(store, "a", when=When(NOW, T0 + 99 * SECOND)) == ["a uses b"]
    assert around(store, "a", when=When(T0 + 49 * SECOND, FOREVER)) == ["a uses b"]
    assert store.relations.span(SPACE, ends, "uses", ALWAYS) == until


@pytest.mark.parametrize(
    ("walk", "expected"),
    [
        (Walk(1, 50), ["a uses b", "z uses a"]),
        (Walk(1, 50, backwards=()), ["a uses b"]),
        (Walk(1, 50, forwards=()), ["z uses a"]),
        (Walk(1, 50, ("owns",), ("owns",)), []),
        (Walk(2, 50), ["a uses b", "z uses a", "b uses c", "b owns a2"]),
        (Walk(2, 50, ("uses",), ()), ["a uses b", "b uses c"]),
        (Walk(3, 50, ("uses",), ()), ["a uses b", "b uses c", "c uses d"]),
    ],
)
def test_a_walk_goes_so_far_and_only_along_what_is_asked(
    store: Store, walk: Walk, expected: Sequence[str]
) -> None:
    for source, target in ("ab", "bc", "cd", "za"):
        relate(store, source, "uses", target)
    relate(store, "b", "owns", "a2")

    assert sorted(around(store, "a", walk=walk)) == sorted(expected)


def test_a_walk_follows_the_heaviest_of_many(store: Store) -> None:
    for number in range(20):
        ends = store.entities.ensure(SPACE, ["hub", f"n{number}"], T0)
        store.relations.put(SPACE, (ends[0], ends[1]), "has", 1.0 + number, ALWAYS, T0)

    assert around(store, "hub", walk=Walk(1, 2)) == ["hub has n19", "hub has n18"]


def test_what_many_memories_say_leaves_room_for_the_rest(store: Store) -> None:
    for number in range(6):
        remember(store, f"{number}: {TEXT}")
    relate(store, "billing-service", "uses", "Redis")

    assert set(around(store, "billing-service", walk=Walk(1, 2))) == {
        "billing-service uses PostgreSQL",
        "billing-service uses Redis",
    }


def test_a_walk_in_circles_ends(store: Store) -> None:
    for source, target in ("ab", "bc", "ca"):
        relate(store, source, "uses", target)

    assert len(around(store, "a", walk=Walk(5, 50))) == 3
    reached = store.relations.reach(SPACE, [of(store, "a")], Walk(5, 50), EVER)
    assert sorted(reached.values()) == [0, 1, 1]


def test_a_deleted_relation_takes_the_ends_that_nobody_stated(store: Store) -> None:
    state(store, "a")
    relate(store, "a", "uses", "b")

    assert store.relations.remove(SPACE, (of(store, "a"), of(store, "b")), "uses") == 1
    assert known(store, "a", "b") == [True, False]


def test_changes_are_what_holds_at_one_moment_alone(store: Store) -> None:
    relate(store, "a", "uses", "old", Span(T0, T0 + 50))
    relate(store, "a", "uses", "new", Span(T0 + 50, FOREVER))
    relate(store, "a", "uses", "always")

    began, ended = store.relations.changed(SPACE, None, T0 + 10, T0 + 60, 10)

    assert [row.target for row in began] == ["new"]
    assert [row.target for row in ended] == ["old"]
    assert store.relations.changed(SPACE, state(store, "zebra"), T0 + 10, T0 + 60, 10) == ([], [])


def test_assertions_clash_whose_times_meet(store: Store) -> None:
    relate(store, "ann", "works_at", "acme", Span(T0, T0 + 50))
    relate(store, "ann", "works_at", "globex", Span(T0 + 50, FOREVER))
    assert store.relations.clashing(SPACE, ["works_at"]) == []

    relate(store, "ann", "works_at", "initech", Span(T0 + 40, FOREVER))
    relate(store, "bob", "works_at", "acme")
    clashes = store.relations.clashing(SPACE, ["works_at"])

    assert [clash.relation.target for clash in clashes] == ["acme", "initech", "globex"]
    assert {clash.name for clash in clashes} == {"ann"}
    assert store.relations.clashing(SPACE, ["uses"]) == []


def test_what_was_ended_holds_again_when_that_is_put_back(store: Store) -> None:
    relate(store, "ann", "works_at", "acme")
    relate(store, "ann", "works_at", "globex", Span(T0 + 50, FOREVER))
    acme, globex = store.relations.clashing(SPACE, ["works_at"])

    number = store.relations.end(SPACE, {acme.id: globex.from_us}, NOW)
    assert around(store, "ann") == ["ann works_at globex"]

    deed = store.entities.deed(SPACE, number)
    assert deed is not None
    store.relations.put_back(deed[1])
    assert len(store.relations.clashing(SPACE, ["works_at"])) == 2
    assert store.entities.deed("other", number) is None


# Merges


def test_a_merge_moves_everything_and_is_taken_back_whole(store: Store) -> None:
    mentions = Mention("postgres"), Mention("PostgreSQL")
    found = Extraction(mentions, (Link("x", "uses", "postgres"),))
    remember(store, "postgres and PostgreSQL", found)
    relate(store, "postgres", "same_as", "PostgreSQL")
    store.observations.put(SPACE, of(store, "postgres"), "listens on 5432", ALWAYS, T0)
    before = [described(store, name) for name in ("PostgreSQL", "postgres")]
    edges = around(store, "PostgreSQL", "postgres")

    merged = store.entities.merge(SPACE, of(store, "PostgreSQL"), of(store, "postgres"), NOW)

    assert (merged.name, merged.merged, merged.relations) == ("PostgreSQL", "postgres", 2)
    assert of(store, "postgres") == of(store, "PostgreSQL")
    assert described(store, "postgres") == (
        "PostgreSQL", TERM, ("postgres",), ("listens on 5432",))  # fmt: skip
    assert around(store, "postgres") == ["x uses PostgreSQL"]
    assert len(store.entities.page(SPACE, None, 10)) == 2

    deed = store.entities.deed(SPACE, merged.id)
    assert deed is not None
    assert store.entities.part(deed[1])
    assert [described(store, name) for name in ("PostgreSQL", "postgres")] == before
    assert around(store, "PostgreSQL", "postgres") == edges


def test_a_memory_that_says_a_merged_name_means_the_one_that_stayed(store: Store) -> None:
    keep, other = state(store, "PostgreSQL"), state(store, "postgres")
    store.entities.merge(SPACE, keep, other, NOW)
    remember(store, "postgres is slow", Extraction((Mention("Postgres", "package"),), ()))

    assert of(store, "postgres") == keep
    (row,) = store.entities.described(SPACE, [keep], EVER)
    assert (row.memories, row.entity_type) == (1, "package")


def test_a_memory_that_is_deleted_after_a_merge_takes_what_rested_on_it(store: Store) -> None:
    gone = remember(store)
    state(store, "postgres")
    keep = of(store, "PostgreSQL")
    merged = store.entities.merge(SPACE, keep, of(store, "postgres"), NOW)

    store.memories.remove([gone])

    assert known(store, "billing-service", "postgres") == [False, True]
    deed = store.entities.deed(SPACE, merged.id)
    assert deed is not None
    store.entities.part(deed[1])
    assert described(store, "postgres")[2] == ()


# Observations


def test_an_observation_is_there_once_and_deleted_word_for_word(store: Store) -> None:
    entity = state(store, "a")

    assert store.observations.put(SPACE, entity, "is red", ALWAYS, T0)
    assert not store.observations.put(SPACE, entity, "is red", ALWAYS, T0)
    assert store.observations.remove(SPACE, entity, "is") == 0
    assert store.observations.remove(SPACE, entity, "is red") == 1
    assert described(store, "a")[3] == ()


def test_observations_have_their_time(store: Store) -> None:
    entity = state(store, "a")
    store.observations.put(SPACE, entity, "was red", Span(T0, T0 + 50), T0)
    store.observations.put(SPACE, entity, "is blue", Span(T0 + 50, FOREVER), T0)

    said, unsaid = store.observations.changed(SPACE, entity, T0 + 10, T0 + 60, 10)

    assert [(row.entity, row.text, row.origin) for row in said] == [("a", "is blue", STATED)]
    assert [row.text for row in unsaid] == ["was red"]
    assert described(store, "a")[3] == ("is blue",)


def test_what_several_memories_name_is_told_unless_too_many_do(store: Store) -> None:
    names = Extraction((Mention("PostgreSQL", "package"),), ())
    ids = [remember(store, f"note {i}: PostgreSQL", names) for i in range(3)]
    remember(store)
    remember(store, "the bakery", Extraction((Mention("Rewe", "organisation"),), ()))

    four = store.entities.mentions(SPACE, 4)

    assert {entity for entity, _ in four} == {of(store, "PostgreSQL")}
    assert {memory for _, memory in four} > set(ids)
    assert store.entities.mentions(SPACE, 3) == []
