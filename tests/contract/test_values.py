"""Values and journals in every store, and what a deletion leaves of them."""

from __future__ import annotations

import json

from made_memories import T0, drafts

from milepost.ports import Store


def test_a_value_is_kept_by_its_name_until_it_is_forgotten(store: Store) -> None:
    store.values.put("default", "state", "s1", "one")
    store.values.put("default", "state", "s1", "two")
    store.values.put("other", "state", "s1", "theirs")

    assert store.values.get("default", "state", "s1") == "two"
    assert store.values.get("default", "state", "s2") is None
    assert store.values.get("other", "state", "s1") == "theirs"
    store.values.put("default", "state", "s1", None)
    assert store.values.get("default", "state", "s1") is None
    assert store.values.get("other", "state", "s1") == "theirs"


def test_a_journal_keeps_its_latest_entries_in_order(store: Store) -> None:
    for i in range(6):
        store.values.note("default", "runs", T0 + i, [f"entry {i}a", f"entry {i}b"], most=5)
    store.values.note("other", "runs", T0, ["theirs"], most=5)

    everything = ["entry 3b", "entry 4a", "entry 4b", "entry 5a", "entry 5b"]
    assert [entry for _, entry in store.values.notes("default", "runs", 0, 100)] == everything
    assert [entry for _, entry in store.values.notes("default", "runs", 0, 2)] == everything[-2:]
    assert store.values.notes("default", "runs", T0 + 5, 100) == [
        (T0 + 5, "entry 5a"),
        (T0 + 5, "entry 5b"),
    ]
    assert store.values.notes("default", "others", 0, 100) == []
    assert [entry for _, entry in store.values.notes("other", "runs", 0, 100)] == ["theirs"]


def test_a_removed_memory_is_blanked_in_what_is_kept_and_waits_in_its_space(store: Store) -> None:
    gone, other = drafts(["the north gate opens with the amber key", "another fact"])
    store.memories.add([gone, other])
    said = {"said": f"he said {gone.content}", "shown": [gone.hash, other.hash], "count": 3}
    for space in ("default", "other"):
        store.values.put(space, "state", "s1", json.dumps(said))
        store.jobs.enqueue(space, "work", "w1", json.dumps({"text": gone.content}), T0)
    store.values.put("default", "skills", "open", json.dumps(said))
    record = store.memories.record("default", gone.hash)
    assert record is not None

    assert store.memories.remove([record.id]) == 1

    blanked = {"said": "", "shown": [other.hash], "count": 3}
    assert json.loads(store.values.get("default", "state", "s1") or "") == blanked
    assert json.loads(store.values.get("other", "state", "s1") or "") == said
    assert json.loads(store.values.get("default", "skills", "open") or "") == said
    payloads = [store.jobs.list(space, None, 9)[0].payload for space in ("default", "other")]
    assert [json.loads(payload)["text"] for payload in payloads] == ["", gone.content]


def test_what_is_kept_beside_the_last_memory_goes_with_it(store: Store) -> None:
    first, second = drafts(["one", "two"])
    store.memories.add([first, second])
    for space in ("default", "other"):
        store.values.put(space, "state", "s1", "{}")
        store.values.note(space, "runs", T0, ["a"], 10)
    ids = [
        record.id for d in (first, second) if (record := store.memories.record("default", d.hash))
    ]

    store.memories.remove(ids[:1])
    assert store.values.get("default", "state", "s1") == "{}"
    store.memories.remove(ids[1:])

    assert store.values.get("default", "state", "s1") is None
    assert store.values.notes("default", "runs", 0, 10) == []
    assert store.values.get("other", "state", "s1") == "{}"
    assert len(store.values.notes("other", "runs", 0, 10)) == 1
