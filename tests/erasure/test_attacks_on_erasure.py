"""Ways in which a phrase might survive its erasure; what is out of reach is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from everywhere import WORD, Place

import milepost
from milepost import Milepost
from milepost.storage import maintenance
from milepost.storage.sqlite.sql import migrations
from milepost.text.phrases import Name, Phrase
from support import StartPython

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "text",
    [
        "ANNA SCHMIDT was here",
        "we asked “Anna Schmidt” about it",
        "Anna\n  Schmidt",
        "Anna Schmidt’s key, anna_schmidt, anna.schmidt@example.org",
        "An\u00adna Sch\u200bmidt",
        "Ａｎｎａ Schmidt",
        json.dumps({"who": "a\u200bnna schmidt"}),
        json.dumps(json.dumps({"who": "Änna/Anna Schmidt"})),
        r"print('\x41nna Schmidt')",
    ],
)
def test_words_are_found_however_they_are_written(text: str) -> None:
    assert Phrase("anna schmidt").quoted_in(text)


@pytest.mark.parametrize("text", ["Annas Schmidt", "anna schmidtchen", "schmidt anna", "anna", ""])
def test_other_words_are_not(text: str) -> None:
    assert not Phrase("Anna Schmidt").quoted_in(text)


def test_letters_are_the_same_however_they_are_put_together() -> None:
    assert Phrase("Jose\u0301 Müller").quoted_in("JOSÉ MU\u0308LLER")
    assert Phrase("straße").quoted_in("STRASSE 5")


def test_a_name_is_the_whole_of_a_value() -> None:
    document = json.dumps({"session": "s1", "others": ["s1", "s12"], "s1": 1, "said": "s1 ends"})
    assert json.loads(str(Name("s1").without(document))) == {
        "session": "",
        "others": ["s12"],
        "said": "s1 ends",
    }
    assert Name("s1").quoted_in("s1\nmain")
    assert not Name("s1").quoted_in("s1 ends")


def test_words_that_are_split_over_a_document_go_with_all_of_it(tmp_path: Path) -> None:
    with milepost.connect(tmp_path / "m.db") as memory:
        values = memory._context.store.values
        values.put("default", "state", "s1", json.dumps({"name": ["Anna", "Schmidt"]}))
        values.put("default", "state", "s2", json.dumps({"name": ["Anna"], "of": "Schmidt Ltd"}))

        memory.erase(matching="anna schmidt")

        assert values.get("default", "state", "s1") is None
        assert values.get("default", "state", "s2")


OTHER = """
import sys
import milepost
memory = milepost.connect(sys.argv[1])
memory._opening.share()
for line in sys.stdin:
    print(memory.search(line.strip()).total, memory.list_memories().total, flush=True)
"""


@pytest.mark.parametrize("place", ["plain", "postgres"], indirect=True)
def test_another_process_that_keeps_answers_and_an_index_finds_nothing(
    place: Place, start_python: StartPython
) -> None:
    with milepost.connect(place.url) as memory:
        memory.store_batch([f"the {WORD} has berth {i}" for i in range(5)])
        memory.store("the ferry leaves at nine")
        other = start_python(OTHER, place.url)
        assert other.stdin
        assert other.stdout

        def asked() -> str:
            assert other.stdin
            assert other.stdout
            other.stdin.write(f"{WORD}\n")
            other.stdin.flush()
            return other.stdout.readline()

        assert asked() == asked() == "5 6\n"
        memory.erase(matching=WORD)
        assert asked() == "0 1\n"
        assert place.holding() == []
        other.stdin.close()
        other.wait()


@pytest.mark.parametrize("place", ["plain"], indirect=True)
def test_a_copy_of_before_an_upgrade_is_written_anew_in_the_schema_of_today(place: Place) -> None:
    from milepost.config import Settings
    from milepost.opening import open_context
    from milepost.storage.sqlite.store import SqliteStore

    texts = open_context(Settings("memory://")).texts
    old = place.home / "old.db"
    store = SqliteStore(old, lambda it: texts.analyse([it])[0], scripts=migrations()[:19])
    store.values.put("default", "state", "s1", json.dumps({"said": f"the {WORD}"}))
    store.close()
    with milepost.connect(place.url) as memory:
        memory.store(f"the {WORD} turns")
        shutil.move(old, f"{place.url}.v19.backup")
        shutil.rmtree(f"{old}.index")
        assert place.holding()

        erased = memory.erase(matching=WORD)

    assert erased.receipt
    assert erased.receipt.copies == (f"{place.url}.v19.backup",)
    assert place.holding() == []
    assert maintenance.verify(Path(f"{place.url}.v19.backup")).schema == len(migrations())


@pytest.mark.parametrize("place", ["encrypted"], indirect=True)
def test_a_copy_whose_key_is_not_here_is_named(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = place.home / "backups" / "m-20260101-000000.db"
    with pytest.MonkeyPatch.context() as patch:
        other = place.outside / "other.key"
        other.write_text("77" * 32)
        other.chmod(0o600)
        patch.setenv("MILEPOST_ENCRYPTION_KEY_FILE", str(other))
        with milepost.connect(place.outside / "other.db") as memory:
            memory.store(f"the {WORD} turns")
    copy.parent.mkdir()
    shutil.copy(place.outside / "other.db", copy)
    from milepost.storage import offered

    monkeypatch.setattr(offered, "_OFFERED", {})  # as in a process of its own
    with milepost.connect(place.url) as memory:
        assert isinstance(memory, Milepost)
        memory.store(f"the {WORD} turns")
        erased = memory.erase(matching=WORD)

    assert erased.receipt
    assert erased.receipt.copies == ()
    assert str(copy) in str(erased.receipt.out_of_reach)


def test_a_receipt_that_was_changed_says_so(tmp_path: Path) -> None:
    with milepost.connect(tmp_path / "m.db") as memory:
        memory.store("the ferry")
        memory.erase(matching="ferry")
        context = memory._context
        with context.store.writing() as work:
            (row,) = work.contents.rows("default", ("journal",))
            told = json.loads(row.texts["entry"]) | {"who": "somebody else"}
            work.contents.rewrite(row, {"entry": json.dumps(told)})

        (receipt,) = memory.erasure_receipts()

    assert not receipt.is_whole
    assert "THIS RECEIPT WAS CHANGED" in str(receipt)
