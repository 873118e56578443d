"""How things hang together: said by callers, read off memories, asked for, put in order."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

import milepost
from milepost import InvalidInput, Milepost, NotFound
from milepost.knowledge.learning import learner
from milepost.opening import Opening, settings_for
from milepost.storage.sqlite.sql import migrations
from milepost.testing import Clock
from milepost.text.entities.values import Extraction, Link, Mention
from support import processor_time_below

PROCESSES, ENTITIES = 8, 200
WORKER = """
import sys
import milepost
memory = milepost.connect(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[3])):
    memory.create_entity(f"of all {i}" if i % 4 == 0 else f"of {sys.argv[2]} {i}", "thing")
"""


def stand_in(text: str, author: str | None = None) -> Extraction:
    """Take every word with a capital for an entity, and `A uses B` for a relation."""
    del author
    words = text.replace(".", "").split()
    names = [word for word in words if word[:1].isupper()]
    uses = [Link(words[i - 1], "uses", words[i + 1]) for i, w in enumerate(words) if w == "uses"]
    return Extraction(tuple(Mention(name, "package") for name in names), tuple(uses))


@pytest.fixture
def learning(path: Path) -> Iterator[Milepost]:
    """A memory that learns how things hang together from what it stores."""

    class Learning(Opening):
        def __call__(self):  # type: ignore[no-untyped-def]
            return super().__call__()._replace(learners=(learner(stand_in),))

    settings = settings_for(path)
    opening = Learning(lambda: settings)
    with Milepost(opening) as memory:
        yield memory


def lines(result: object) -> list[str]:
    return [row.partition(" since")[0] for row in str(result).splitlines()]


# What callers say


def test_an_entity_is_told_in_a_line_with_what_is_known_of_it(memory: Milepost) -> None:
    memory.create_entity("billing-service", "service", {"team": "pay"})
    memory.create_relation("billing-service", "uses", "PostgreSQL")
    memory.add_observation("Billing-Service", "retries three times")

    graph = memory.neighbours("BILLING-SERVICE")

    (entity,) = graph.entities
    assert entity["metadata"] == {"team": "pay"}
    assert str(entity) == "billing-service (service) [1 relation]: retries three times"
    assert lines(graph.relations[0]) == ["billing-service (service) uses PostgreSQL"]
    assert str(graph.relations[0]).endswith("[stated]")


def test_a_relation_has_the_time_that_was_said(memory: Milepost) -> None:
    memory.create_relation("Ann", "works_at", "Acme", valid_from="2020-01-01")
    again = memory.create_relation("Ann", "works_at", "Acme")
    ended = memory.create_relation("Ann", "works_at", "Acme", valid_to="2024-01-01")

    assert again.valid_from == ended.valid_from
    assert str(ended).startswith("Ann works_at Acme since 2020-01-01 until 2024-01-01")
    assert memory.neighbours("Ann").relations == ()
    assert memory.neighbours("Ann", as_of="2023-01-01").total == 1


def test_what_was_known_before_is_seen_as_it_was_known(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        memory.create_relation("Ann", "works_at", "Acme", valid_from="10 years ago")
        before = clock() / 1e6 + 1
        clock.advance(days=1)
        memory.create_relation("Ann", "works_at", "Acme", valid_to="2 years ago")

        assert memory.graph_as_of("1 year ago").total == 0
        assert memory.graph_as_of("1 year ago", known_at=before).total == 1


def test_what_began_and_ended_between_two_times_is_told(memory: Milepost) -> None:
    memory.create_relation("shop", "uses", "MySQL", valid_from="2020-01-01", valid_to="2022-01-01")
    memory.create_relation("shop", "uses", "PostgreSQL", valid_from="2022-01-01")
    memory.add_observation("shop", "sells books", valid_from="2021-06-01")

    diff = memory.graph_diff("2021-01-01", "2023-01-01", entity="shop")

    assert lines(diff) == ["+ shop uses PostgreSQL", "+ shop: sells books", "- shop uses MySQL"]
    assert str(memory.graph_diff("2022-02-01", "2023-01-01")) == "nothing changed"
    with pytest.raises(InvalidInput, match="b must come after a"):
        memory.graph_diff("2023-01-01", "2022-01-01")


def test_relations_are_followed_so_far_and_in_the_direction_that_is_asked(memory: Milepost) -> None:
    for source, target in ("ab", "bc", "cd"):
        memory.create_relation(source, "depends_on", target)

    assert lines(memory.neighbours("b", direction="in").relations[0]) == ["a depends_on b"]
    assert memory.neighbours("a", depth=3).total == 3
    assert memory.neighbours("a", depth=3, limit=2).total == 3
    assert str(memory.neighbours("a", depth=3, limit=2)).endswith("(1 more not shown)")
    required = memory.neighbours("c", relation="required by", direction="out")
    assert lines(required) == ["b depends_on c"]
    assert memory.neighbours("c", relation="uses").total == 0
    assert memory.subgraph(["a", "d"]).total == 2


def test_the_shortest_path_is_found_in_any_direction(memory: Milepost) -> None:
    for source, target in (("a", "b"), ("c", "b"), ("c", "d"), ("d", "e"), ("a", "x"), ("x", "y")):
        memory.create_relation(source, "uses", target)

    assert lines(memory.find_path("a", "d")) == ["a uses b", "c uses b", "c uses d"]
    assert lines(memory.find_path("A", "e")) == ["a uses b", "c uses b", "c uses d", "d uses e"]
    assert str(memory.find_path("a", "e", max_depth=3)) == "no path from a to e"
    assert memory.find_path("a", "a").relations == ()


def test_entities_are_found_by_words_of_names_and_sayings(memory: Milepost) -> None:
    memory.create_entity("billing-service", "service")
    memory.create_entity("mail service", "service")
    memory.add_observation("mail service", "sends invoices at night")
    memory.create_entity("invoice", "document")

    names = [entity.name for entity in memory.search_graph("billing services").entities]
    assert names == ["billing-service", "mail service"]
    assert [e.name for e in memory.search_graph("which one sends?").entities] == ["mail service"]
    assert memory.search_graph("invoices").entities[0].name == "invoice"
    assert str(memory.search_graph("zebra")) == "no entity"


def test_an_unknown_entity_is_refused_with_the_nearest_names(memory: Milepost) -> None:
    memory.create_entity("billing-service")

    with pytest.raises(NotFound, match="did you mean billing-service"):
        memory.neighbours("biling service")
    with pytest.raises(NotFound, match="search_graph finds entities"):
        memory.find_path("billing-service", "zebra")


def test_what_is_deleted_is_gone_with_what_rested_on_it(memory: Milepost) -> None:
    memory.create_entity("a")
    memory.create_relation("a", "uses", "b")
    memory.add_observation("a", "is red")

    assert str(memory.delete_observation("a", "is red")) == "deleted a: is red"
    assert str(memory.delete_relation("A", "Uses", "b")) == "deleted A Uses b"
    with pytest.raises(NotFound):
        memory.neighbours("b")
    with pytest.raises(NotFound, match="Nobody said so"):
        memory.delete_observation("a", "is red")
    memory.delete_entity("a")
    assert memory.export_graph() == []


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda m: m.create_entity(" "), "name"),
        (lambda m: m.create_entity("a", metadata=[1]), "metadata"),
        (lambda m: m.create_relation("a", "uses", "b", weight=-1), "weight"),
        (
            lambda m: m.create_relation("a", "uses", "b", valid_from="2024", valid_to="2023"),
            "after",
        ),
        (lambda m: m.create_relation("a", "uses", "b", weight=10**400), "weight"),
        (lambda m: m.add_observation("a", " "), "text"),
        (lambda m: m.neighbours("known", depth=9), "depth"),
        (lambda m: m.neighbours("known", direction="up"), "direction"),
        (lambda m: m.subgraph("known"), "list of names"),
        (lambda m: m.subgraph([]), "1 to 100"),
        (lambda m: m.find_path("known", "known", max_depth=0), "max_depth"),
        (lambda m: m.graph_as_of("whenever"), "date"),
        (lambda m: m.merge_entities("known", "KNOWN"), "one entity already"),
        (lambda m: m.import_graph([{"type": "node"}]), "entity"),
        (lambda m: m.import_graph(["{"]), "not JSON"),
        (lambda m: m.import_graph(['{"type": "entity", "name": "a"}', "{"]), "item 2: .*not JSON"),
        (lambda m: m.import_graph(["[" * 100_000]), "not JSON"),
        (
            lambda m: m.import_graph([{"type": "entity", "name": "a", "observations": {"b": 1}}]),
            "list of texts",
        ),
        (lambda m: m.import_graph([{"type": "relation", "from": "a", "to": "b"}]), "item 1"),
    ],
)
def test_bad_input_is_refused_with_what_is_wrong(memory: Milepost, call, problem: str) -> None:  # type: ignore[no-untyped-def]
    memory.create_entity("known")
    before = memory.export_graph()

    with pytest.raises(InvalidInput, match=problem):
        call(memory)
    assert memory.export_graph() == before


def test_secrets_are_not_written_into_the_graph(memory: Milepost) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory.create_entity("vault", metadata={"token": secret})
    memory.add_observation("vault", f"opens with {secret}")
    memory.import_graph([{"type": "entity", "name": "door", "observations": [f"key {secret}"]}])

    assert secret not in str(memory.neighbours("vault")) + str(memory.export_graph())


# Merges and conflicts


def test_a_merge_is_taken_back_whole(memory: Milepost) -> None:
    memory.create_relation("shop", "uses", "postgres")
    memory.create_relation("PostgreSQL", "has", "JSONB")
    before = memory.export_graph()

    merged = memory.merge_entities("PostgreSQL", "postgres")

    assert set(lines(memory.neighbours("postgres"))[1:]) == {
        "PostgreSQL has JSONB",
        "shop uses PostgreSQL",
    }
    assert memory.neighbours("postgres").entities[0].aliases == ("postgres",)
    assert memory.undo_merge(merged.id) == f"merge {merged.id} taken back"
    assert memory.export_graph() == before
    with pytest.raises(NotFound, match="no merge"):
        memory.undo_merge(merged.id)


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
def test_merges_of_merges_are_taken_back_in_any_order(
    memory: Milepost, order: tuple[int, ...]
) -> None:
    for source, target in (("a", "x"), ("b", "y"), ("c", "z"), ("a", "b"), ("b", "c")):
        memory.create_relation(source, "uses", target)
        memory.add_observation(source, f"said of {source}")
    before = sorted(memory.export_graph())

    pairs = ("b", "a"), ("c", "b"), ("c", "x")
    merges = [memory.merge_entities(keep, other).id for keep, other in pairs]
    for place in order:
        memory.undo_merge(merges[place])

    assert sorted(memory.export_graph()) == before


def test_an_entity_is_again_what_it_was_in_whatever_order_merges_are_taken_back(
    memory: Milepost,
) -> None:
    memory.create_relation("queue", "near", "disk")
    memory.create_entity("Redis", "service")
    memory.create_entity("Kafka", "package")
    first, second = (memory.merge_entities("queue", name).id for name in ("Redis", "Kafka"))
    assert memory.neighbours("queue").entities[0].entity_type == "service"

    memory.undo_merge(first)
    assert memory.neighbours("queue").entities[0].entity_type == "package"
    memory.undo_merge(second)
    assert memory.neighbours("queue").entities[0].entity_type == "term"


def test_what_was_settled_twice_is_taken_back_in_any_order(memory: Milepost) -> None:
    memory.create_relation("Ann", "works_at", "Acme", valid_from="2020-01-01")
    memory.create_relation("Ann", "works_at", "Initech", valid_from="2024-01-01")
    first = memory.resolve(memory.conflicts()[0].id, keep="Initech")
    memory.create_relation("Ann", "works_at", "Hooli", valid_from="2022", valid_to="2023")
    second = memory.resolve(memory.conflicts()[0].id, keep="Hooli")

    memory.undo_merge(first.id)
    assert lines(memory.graph_as_of("2022-06-01")) == ["Ann works_at Hooli"]
    memory.undo_merge(second.id)

    assert {*lines(memory.graph_as_of("2025-01-01"))} == {
        "Ann works_at Acme",
        "Ann works_at Initech",
    }


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\u00ad", "\ufeff", "\u202e", "\ufe0f"])
def test_what_nobody_sees_of_a_name_makes_no_other_entity(memory: Milepost, hidden: str) -> None:
    memory.create_entity("billing", "service")
    memory.add_observation(f"bil{hidden}ling", "retries three times")
    assert memory.create_entity(f"{hidden}billing{hidden}", "service").observations
    assert len(memory.export_graph()) == 1
    with pytest.raises(InvalidInput, match="characters that can be seen"):
        memory.create_entity(hidden)


@pytest.mark.slow
def test_conflicts_are_found_beside_an_entity_that_everything_hangs_on(memory: Milepost) -> None:
    ends = [("hub", f"leaf {i}", "uses") for i in range(2_500)]
    ends += [("Ann", f"Corp {i}", "works_at") for i in range(300)]
    memory.import_graph(
        [{"type": "relation", "from": a, "to": b, "relationType": word} for a, b, word in ends]
    )
    with processor_time_below(2):
        (conflict,) = memory.conflicts()
        assert memory.conflicts("hub") == []
    assert len(conflict.claims) == 300
    assert len(str(conflict).splitlines()) == 12
    with pytest.raises(NotFound, match="no conflict"):
        memory.resolve(f"{10**30}.works_at", keep="Corp 1")


def test_relations_named_by_signs_alone_are_told_apart(memory: Milepost) -> None:
    memory.create_relation("a", "-", "b")
    with pytest.raises(NotFound):
        memory.delete_relation("a", "_", "b")


def test_erasing_a_memory_leaves_no_name_that_quotes_it(path: Path) -> None:
    text = "the gorgonzola cellar opens with the blue lever"
    with milepost.connect(path) as memory:
        stored = memory.store(text)
        memory.create_entity("cheese", text)
        memory.create_entity(text)
        memory.merge_entities("cheese", text)
        memory.create_entity("brie", "thing")
        merged = memory.merge_entities("cheese", "brie")
        memory.record_event("note", "x", outcome=text, wait=True)
        memory.record_event(text, "y", session_id=text, wait=True)
        memory.delete(stored, erase=True)
        assert memory.neighbours("cheese").entities[0].aliases == ("brie",)
        memory.undo_merge(merged.id)
        assert memory.neighbours("cheese").entities[0].entity_type == "term"
    assert b"gorgonzola" not in path.read_bytes()


def test_two_targets_at_once_are_a_conflict_that_can_be_settled(memory: Milepost) -> None:
    memory.create_relation("Ann", "works at", "Acme", valid_from="2024-01-01")
    memory.create_relation("Ann", "works_at", "Globex", valid_from="2025-01-01")
    memory.create_relation("Ann", "knows", "Bob")
    memory.create_relation("Ann", "knows", "Cid")

    (conflict,) = memory.conflicts()
    assert conflict.kind == "relation"
    assert [claim.key for claim in conflict.claims] == ["Acme", "Globex"]

    with pytest.raises(InvalidInput, match="keep must be Acme or Globex"):
        memory.resolve(conflict.id, keep="Initech")
    settled = memory.resolve(conflict.id, keep="globex")

    assert memory.conflicts() == []
    assert lines(memory.neighbours("Ann", relation="works_at")) == ["Ann works_at Globex"]
    then = memory.neighbours("Ann", relation="works_at", as_of="2024-06-01")
    assert lines(then) == ["Ann works at Acme"]
    memory.undo_merge(settled.id)
    assert memory.conflicts(entity="Ann") == [conflict]
    with pytest.raises(NotFound, match="no conflict"):
        memory.resolve("99.works_at", keep="Acme")


def test_what_is_kept_ends_only_what_holds_at_the_same_time(memory: Milepost) -> None:
    spans = [("Acme", "2010", "2012"), ("Bolt", "2011", "2013"), ("Cube", "2020", None)]
    spans += [("Dune", "2021", None), ("Dune", "2009", "2010-06-01")]
    for name, begin, end in spans:
        memory.create_relation("Ann", "works_at", name, valid_from=begin, valid_to=end)

    settled = memory.resolve(memory.conflicts()[0].id, keep="Dune")

    assert settled.ended == ("Acme", "Cube")
    assert [str(memory.graph_as_of(f"{year}-07-01")).split("since")[0].strip() for year in
            (2009, 2011, 2012, 2019, 2020, 2022)] == [
        "Ann works_at Dune", "Ann works_at Bolt", "Ann works_at Bolt", "nothing is known of that",
        "Ann works_at Cube", "Ann works_at Dune",
    ]  # fmt: skip


@pytest.mark.slow
def test_very_many_conflicts_are_listed_soon(memory: Milepost) -> None:
    ends = [(f"Person {i}", f"Corp {j}") for i in range(1_500) for j in range(2)]
    memory.import_graph(
        [{"type": "relation", "from": a, "to": b, "relationType": "works_at"} for a, b in ends]
    )
    with processor_time_below(1):
        assert len(memory.conflicts(limit=20)) == 20


def test_what_is_newer_and_not_kept_was_never_so(memory: Milepost) -> None:
    memory.create_relation("Ann", "works_at", "Acme", valid_from="2024-01-01")
    memory.create_relation("Ann", "works_at", "Globex", valid_from="2025-01-01")

    memory.resolve(memory.conflicts()[0].id, keep="Acme")

    assert lines(memory.neighbours("Ann")) == ["Ann works_at Acme"]


# What memories say


def test_a_memory_says_how_things_hang_together_and_is_named(learning: Milepost) -> None:
    name = learning.store("Billing uses PostgreSQL")
    learning.store("Billing uses PostgreSQL")

    graph = learning.neighbours("billing")

    assert str(graph.relations[0]).endswith(f"[pattern, {name}]")
    assert str(graph.entities[0]) == "Billing (package) [1 relation, 1 memory]"
    assert lines(graph.relations[0]) == ["Billing (package) uses PostgreSQL (package)"]


def test_deletion_undo_and_erasure_of_a_memory_are_those_of_what_it_said(
    learning: Milepost,
) -> None:
    name = learning.store("Billing uses PostgreSQL")
    before = learning.export_graph()

    learning.delete(name)
    assert learning.export_graph() == []
    learning.undo()
    assert learning.export_graph() == before
    learning.delete(name, erase=True)
    assert learning.export_graph() == []
    with pytest.raises(NotFound):
        learning.neighbours("Billing")


def test_a_new_version_ends_what_the_old_one_said(learning: Milepost) -> None:
    name = learning.store("Billing uses PostgreSQL", created="2025-01-01")
    learning.update(name, content="Billing uses MySQL")

    assert lines(learning.neighbours("Billing").relations[0]) == [
        "Billing (package) uses MySQL (package)"
    ]
    then = learning.neighbours("Billing", as_of="2025-06-01")
    assert [relation.target for relation in then.relations] == ["PostgreSQL"]
    learning.undo()
    assert [r.target for r in learning.neighbours("Billing").relations] == ["PostgreSQL"]


def test_a_batch_is_learned_from_in_its_transaction(learning: Milepost) -> None:
    learning.store_batch([f"Service{i} uses PostgreSQL" for i in range(50)])

    assert learning.neighbours("PostgreSQL", limit=100).total == 50
    assert learning.search_graph("PostgreSQL").entities[0].memories == 50


def test_what_many_memories_say_is_one_relation_from_both_of_its_ends(learning: Milepost) -> None:
    learning.store_batch([f"Billing uses PostgreSQL in part {i}" for i in range(12)])
    learning.create_relation("Reports", "uses", "PostgreSQL", weight=2)

    # Of each end so few assertions are looked at that it is not the same of those who say it.
    graph = learning.neighbours("Billing", depth=2, fan_out=2)

    assert sorted(each.source for each in graph.relations) == ["Billing", "Reports"]
    assert graph.total == 2


# Many writers


@pytest.mark.slow
def test_processes_that_create_entities_at_once_lose_none(path: Path) -> None:
    milepost.connect(path).close()
    words = [sys.executable, "-c", WORKER, str(path)]
    workers = [
        Popen([*words, str(n), str(ENTITIES)], stdin=PIPE, stdout=PIPE, text=True)
        for n in range(PROCESSES)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.communicate("go\n")
    assert [worker.returncode for worker in workers] == [0] * PROCESSES

    with milepost.connect(path) as memory:
        names = [json.loads(line)["name"] for line in memory.export_graph()]
    shared = ENTITIES // 4
    assert len(names) == len(set(names)) == shared + PROCESSES * (ENTITIES - shared)


def test_what_was_stored_before_is_learned_in_the_background(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.worker.close()
        memory.store_batch([f"service-{i} uses Redis in src/app_{i}.py" for i in range(600)])
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM mentions")
        db.execute("DELETE FROM relations")
        db.execute(next(each for each in migrations() if "'graph'" in each))
    with milepost.connect(path) as memory:
        memory.worker.close()
        assert memory.search_graph("src/app_599.py").total == 0
        assert memory.run_jobs() >= 1
        assert "src/app_599.py" in str(memory.search_graph("src/app_599.py"))
        assert "src/app_3.py" in str(memory.search_graph("src/app_3.py"))
