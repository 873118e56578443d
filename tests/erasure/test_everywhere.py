"""What was erased is found nowhere, whatever way it came in."""

from __future__ import annotations

import pytest
from everywhere import OTHER, TABLES, WORD, Place, filled

import milepost

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("sandbox")]


def test_words_that_came_in_by_every_way_are_found_nowhere(place: Place) -> None:
    filled(place)
    assert place.tables() >= TABLES
    if place.kind == "plain":
        kinds = {line.rpartition(".")[2] for line in place.holding() if "/" in line}
        assert {"db", "jsonl", "backup", "before-restore"} <= kinds

    with milepost.connect(place.url) as memory:
        would = memory.erase(matching=WORD.upper(), dry_run=True)
        before = place.tables()
        erased = memory.erase(matching=WORD.upper(), reference="request 17")

        assert before >= TABLES
        assert erased.rows == would.rows
        assert place.holding() == []
        assert [m.preview for m in memory.list_memories().memories] == ["the ferry leaves at nine"]
        assert memory.search("ferry").total == 1
        (receipt,) = memory.erasure_receipts()
        assert receipt.reference == "request 17"
        assert receipt.is_whole
        assert WORD not in str(receipt).lower()
    assert place.holding() == []
    assert len(receipt.copies) == (0 if place.kind == "postgres" else 3)


def test_what_stays_elsewhere_is_left(place: Place) -> None:
    with milepost.connect(place.url) as memory:
        memory.store(f"the {OTHER} sings")
        memory.store(f"the {WORD} turns")
        memory.within("other").store(f"the {WORD} of another space")

        memory.erase(matching=WORD)

        assert memory.search(OTHER).total == 1
        assert memory.within("other").search(WORD).total == 1
