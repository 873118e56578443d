"""What an author, a session or a project is erased with, what stays, and what a hold keeps."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from everywhere import Place

import milepost
from milepost import Held, InvalidInput, Milepost
from milepost.access.receipts import digest_by
from support import wait_until

pytestmark = pytest.mark.slow

SECRET = "The xylotrope of Odessa is kept beside the northern gate of the harbour"


@pytest.fixture
def memory(place: Place) -> object:
    with milepost.connect(place.url) as opened:
        yield opened


def test_an_author_goes_with_all_versions_and_what_was_made_of_them(
    memory: Milepost, place: Place
) -> None:
    name = memory.store(SECRET, author="Ines")
    newer = memory.update(name, content=f"{SECRET} no more")
    memory.delete(memory.store("the xylotrope is loud", author="Ines"))
    memory.store("the ferry leaves at nine", author="Bob")
    made = f"Asked: what is told. {SECRET}, it was said."
    memory.store(made, metadata={"by": "notice"})
    episode = memory.create_episode("find it", {"told": SECRET})
    memory.complete_episode(episode, "success", "found")
    assert newer

    erased = memory.erase(author="ines")

    assert erased.rows["episodes"] == 1
    assert [m.preview for m in memory.list_memories().memories] == ["the ferry leaves at nine"]
    assert place.holding("xylotrope") == []
    assert place.holding("ines") == []


def test_what_another_said_in_the_same_words_is_theirs_and_counted(memory: Milepost) -> None:
    memory.store(SECRET, author="Ines")
    memory.store(f"I think so too. {SECRET}!", author="Bob")

    assert memory.erase(author="Ines", dry_run=True).quoting == 1
    erased = memory.erase(author="Ines")

    assert memory.list_memories().total == 1
    assert erased.receipt
    assert "1 memories of others say the same" in str(erased.receipt)


def test_a_session_goes_with_its_events_state_episodes_and_inbox(
    memory: Milepost, place: Place
) -> None:
    from milepost.sessions import inbox

    ran = {"role": "tool", "tool": "Bash", "input": "sail xylotrope", "text": "closed"}
    turns = [
        {"role": "user", "text": "From now on always sail to the xylotrope for the key."},
        ran | {"failed": True},
        ran | {"input": "pytest -q", "text": "1 passed"},
        {"role": "assistant", "text": "It failed because the xylotrope was closed."},
    ]
    memory.notice("sess-17", turns, project="ships", stage="end")
    memory.brief(session="sess-17", project="ships")
    memory.store("the ferry leaves at nine", session="sess-18")
    memory.run_jobs()
    inbox.append(place.inbox(), "sess-17", {"turn": {"content": "more"}})
    assert place.holding("sess-17")

    memory.erase(session="sess-17")

    assert place.holding("xylotrope") == []
    assert place.holding("sess-17") == []
    assert memory.list_memories().total == 1


def test_a_project_goes_with_its_events_and_episodes(memory: Milepost, place: Place) -> None:
    memory.store(SECRET, project="shop")
    memory.record_event("action", "ran the xylotrope", project="shop")
    memory.record_event("action", "ran the ferry", project="ships")
    memory.create_episode("mend the xylotrope", {"project": "shop"})
    memory.store("the ferry leaves at nine", project="ships")

    memory.erase(project="shop")

    assert place.holding("xylotrope") == []
    assert [event.content for event in memory.recall_events()] == ["ran the ferry"]
    assert memory.list_episodes().total == 0


def test_a_part_of_a_word_is_not_the_word(memory: Milepost) -> None:
    memory.store("Ann Smith works here")
    memory.store("the anniversary is today")
    memory.store("ann-smith@example.org wrote")

    memory.erase(matching="ann smith")

    assert [m.preview for m in memory.list_memories().memories] == ["the anniversary is today"]


def held(memory: Milepost) -> dict[str, int]:
    return {p.id: p.successes for p in memory.list_patterns().patterns}


def test_patterns_are_told_without_what_went(memory: Milepost, place: Place) -> None:
    for word in ("ferry", "gull", "xylotrope"):
        episode = memory.create_episode(f"fix the flaky test of the {word}", {"language": "python"})
        for tool in ("pytest", "pip install it", "pytest"):
            memory.add_step(episode, "bash", tool, observation=f"{word} ok", success=True)
        memory.complete_episode(episode, "success", f"the {word} passes")
    memory.run_jobs()
    # Others of this process learn too.
    wait_until(lambda: max(held(memory).values(), default=0) >= 3)
    before = held(memory)

    memory.erase(matching="xylotrope")

    after = held(memory)
    assert after
    assert all(after[name] < before[name] for name in after if before[name] == max(before.values()))
    assert place.holding("xylotrope") == []


def test_exactly_one_thing_is_named(memory: Milepost) -> None:
    for wrong in ({}, {"author": "a", "session": "b"}, {"matching": "..."}, {"matching": ""}):
        with pytest.raises(InvalidInput):
            memory.erase(**wrong)  # type: ignore[arg-type]


def test_who_has_the_salt_can_show_that_a_text_went(memory: Milepost) -> None:
    memory.store(SECRET, author="Ines")

    receipt = memory.erase(author="Ines", reference="request 17").receipt

    assert receipt
    digest = digest_by(receipt.salt, hashlib.sha256(SECRET.encode()).hexdigest())
    assert digest in receipt.digests
    (kept,) = memory.erasure_receipts()
    assert (kept.salt, kept.digest, kept.is_whole) == ("", receipt.digest, True)
    (entry,) = memory.audit(operation="erase")
    assert entry.targets == (receipt.id, receipt.digest)


def test_the_audit_keeps_names_that_were_given_and_the_receipt_says_so(memory: Milepost) -> None:
    memory.create_episode("mend it", id="xylotrope")

    erased = memory.erase(matching="xylotrope")

    assert memory.list_episodes().total == 0
    assert erased.receipt
    assert "1 entries of the audit" in str(erased.receipt)


def test_nothing_that_is_held_goes(memory: Milepost) -> None:
    name = memory.store(SECRET, author="Ines", project="shop")
    gone = memory.store("the xylotrope is loud", author="Ines")
    memory.record_event("action", "ran the xylotrope", project="shop")
    memory.create_episode("mend the xylotrope", {"project": "shop"}, id="ep-1")
    memory.set_hold("17", "a dispute", project="shop")

    with pytest.raises(Held, match="17 \\(a dispute\\)"):
        memory.delete(name, erase=True)
    with pytest.raises(Held):
        memory.delete_where(project="shop", erase=True)
    with pytest.raises(Held):
        memory.delete_episode("ep-1")
    with pytest.raises(Held):
        memory.delete_events(project="shop")
    would = memory.erase(matching="xylotrope", dry_run=True)
    erased = memory.erase(matching="xylotrope")

    assert would.held == erased.held == 4
    assert memory.get(name).content == SECRET
    assert memory.search_episodes("mend the xylotrope").total == 1
    assert len(memory.recall_events(query="xylotrope")) == 2
    assert all(gone not in m.hash for m in memory.list_memories().memories)
    assert [entry.targets for entry in memory.audit(operation="set_hold")] == [
        ("17", "project", "a dispute")
    ]

    memory.release_hold("17")
    memory.erase(matching="xylotrope")
    assert memory.list_memories().total == 0
    assert memory.list_holds() == []


@pytest.mark.parametrize("held", [{"matching": "xylotrope"}, {}], ids=["words", "the space"])
def test_what_the_graph_says_and_what_an_episode_taught_are_held(
    memory: Milepost, held: dict[str, str]
) -> None:
    memory.add_observation("xylotrope", "it is loud")
    memory.add_observation("gate", "the xylotrope stands there")
    memory.create_relation("xylotrope", "located_in", "gate")
    memory.create_episode("mend it", id="ep-1")
    memory.complete_episode("ep-1", "success", "the xylotrope was dry")
    memory.set_hold("17", "a dispute", **held)

    for lose in (
        lambda: memory.delete_entity("xylotrope"),
        lambda: memory.delete_entity("gate"),
        lambda: memory.delete_relation("xylotrope", "located_in", "gate"),
        lambda: memory.delete_observation("gate", "the xylotrope stands there"),
        lambda: memory.update_episode("ep-1", verdict="nothing of note"),
        lambda: memory.set_hold("17", "another", matching="ferry"),
    ):
        with pytest.raises((Held, InvalidInput), match="17"):
            lose()
    assert memory.set_hold("17", "the same dispute", **held).reason == "the same dispute"
    memory.release_hold("17")
    assert memory.delete_entity("gate").deleted == 1


def test_a_receipt_names_the_files_that_documents_were_read_from(
    memory: Milepost, tmp_path: Path
) -> None:
    (tmp_path / "guide.md").write_text(f"# Guide\n\n{SECRET}.\n")
    memory.ingest(str(tmp_path))
    erased = memory.erase(matching="xylotrope")
    assert erased.receipt is not None
    assert "the files it was read from" in str(erased.receipt)


def test_a_bin_keeps_what_is_held_and_undo_brings_it_back(memory: Milepost, place: Place) -> None:
    from milepost.memory.holding import empty_bin

    memory.set_hold("17", "a dispute", author="Ines")
    memory.delete(memory.store(SECRET, author="Ines"))
    memory.delete(memory.store("the ferry leaves at nine"))

    assert empty_bin(memory._context) == 1
    memory.undo()

    assert [m.preview for m in memory.list_memories().memories] == [SECRET]
    assert place.holding("ferry") == []
