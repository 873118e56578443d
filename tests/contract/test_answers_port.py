"""The answers to calls that go by a key, in every store."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from made_memories import T0, drafts

from milepost.ports import ANSWERS_KEPT_US, Store


def test_an_answer_is_kept_under_its_key_once_and_by_space(store: Store) -> None:
    assert store.answers.keep("default", "k1", "call a", '"first"', T0)
    assert not store.answers.keep("default", "k1", "call b", '"second"', T0)
    assert store.answers.keep("other", "k1", "call b", '"theirs"', T0)

    assert store.answers.find("default", "k1") == ("call a", '"first"')
    assert store.answers.find("other", "k1") == ("call b", '"theirs"')
    assert store.answers.find("default", "k2") is None


def test_an_answer_goes_with_the_transaction_that_keeps_it(store: Store) -> None:
    (draft,) = drafts(["a fact"])

    def fail() -> None:
        with store.writing() as work:
            work.memories.add([draft])
            assert work.answers.keep("default", "k1", "call", '"done"', T0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert store.answers.find("default", "k1") is None
    assert store.memories.record("default", draft.hash) is None
    assert store.answers.keep("default", "k1", "call", '"done"', T0)


def test_a_call_that_was_begun_has_no_answer_until_it_is_complete(store: Store) -> None:
    store.answers.keep("default", "k1", "call", None, T0)
    assert store.answers.find("default", "k1") == ("call", None)
    store.answers.complete("default", "k1", "3")
    assert store.answers.find("default", "k1") == ("call", "3")
    store.answers.forget("default", "k1")
    assert store.answers.find("default", "k1") is None


def test_answers_are_forgotten_by_and_by(store: Store) -> None:
    for i in range(50):
        store.answers.keep("default", f"old {i}", "call", "1", T0 + i)
    store.answers.keep("default", "young", "call", "1", T0 + ANSWERS_KEPT_US)
    later = T0 + ANSWERS_KEPT_US + 100
    for i in range(50):
        store.answers.keep("default", f"new {i}", "call", "1", later)

    assert [i for i in range(50) if store.answers.find("default", f"old {i}")] == []
    assert store.answers.find("default", "young") is not None
    assert all(store.answers.find("default", f"new {i}") for i in range(50))


def test_an_answer_that_quotes_a_removed_memory_is_not_told_but_counts(store: Store) -> None:
    gone, other = drafts(["the north gate opens with the amber key", "another fact"])
    store.memories.add([gone, other])
    quoting, plain = json.dumps({"preview": gone.content}), json.dumps({"preview": other.content})
    for space in ("default", "other"):
        store.answers.keep(space, "quoting", "call", quoting, T0)
    store.answers.keep("default", "plain", "call", plain, T0)
    record = store.memories.record("default", gone.hash)
    assert record is not None

    store.memories.remove([record.id])

    assert store.answers.find("default", "quoting") == ("call", None)
    assert store.answers.find("default", "plain") == ("call", plain)
    assert store.answers.find("other", "quoting") == ("call", quoting)


def test_of_many_who_write_under_one_key_one_does(store: Store) -> None:
    texts = [f"fact {i}" for i in range(8)]

    def write(text: str) -> bool:
        with store.writing() as work:
            won = work.answers.keep("default", "k1", "call", json.dumps(text), T0)
            if won:
                work.memories.add(drafts([text]))
            return won

    with ThreadPoolExecutor(len(texts)) as pool:
        won = [text for text, did in zip(texts, pool.map(write, texts), strict=True) if did]

    (kept,) = won
    assert store.answers.find("default", "k1") == ("call", json.dumps(kept))
    stored = [d for d in drafts(texts) if store.memories.record("default", d.hash)]
    assert [draft.content for draft in stored] == won
