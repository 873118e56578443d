"""A rare word in everything that a memory keeps, and whoever looks for it byte by byte."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg

import milepost
from milepost import Milepost
from milepost.sessions import inbox
from milepost.storage import maintenance
from milepost.storage.postgres.connections import SCHEMA

WORD = "quokkavelodrome"
OTHER = "zirconfluteworm"
SAID = f"The {WORD} of Odessa keeps a {OTHER} beside the northern gate since Monday"
TABLES = frozenset({
    "memories", "former", "entities", "names", "relations", "observations", "kept", "answers",
    "episodes", "steps", "patterns", "events", "jobs", "anchors",
})  # fmt: skip


class Place(NamedTuple):
    """A store of some kind, with the folder in which everything of it lies."""

    kind: str
    url: str
    home: Path
    outside: Path

    def inbox(self) -> str:
        """Return where sessions leave what they have to tell."""
        from milepost.config import inbox_folder, load_settings

        return inbox_folder(load_settings())

    def holding(self, word: str = WORD) -> list[str]:
        """Return where a word can be read, however it is written: files and tables."""
        marks = [form for text in (word, word.upper(), word[::-1]) for form in _written(text)]
        files = [file for file in sorted(self.home.rglob("*")) if file.is_file()]
        found = [str(f) for f in files if any(m in f.read_bytes().lower() for m in marks)]
        found += [str(f) for f in files if word in f.name.lower()]
        return found + sorted(self.tables(word))

    def tables(self, word: str = WORD) -> set[str]:
        """Return the tables that have a word, read through the store's own key."""
        if self.kind == "postgres":
            return _tables_of_database(self.url, word)
        every = set[str]()
        for file in (Path(self.url), *(self.home / "backups").glob("*.db")):
            if file.exists():
                every |= {f"{_of(file, self)}{table}" for table in _tables_of_file(file, word)}
        return every


def _of(file: Path, place: Place) -> str:
    return "" if str(file) == place.url else "copy: "


def _written(text: str) -> list[bytes]:
    return [text.lower().encode(form) for form in ("utf-8", "utf-16-le", "utf-16-be")]


def _tables_of_file(file: Path, word: str) -> set[str]:
    from milepost.config import load_settings
    from milepost.storage.sqlite.connection import open_untouched
    from milepost.unlocking import unlock

    unlock(load_settings())
    with closing(open_untouched(file)) as connection:
        listed = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        names = [row[0] for row in connection.execute(listed).fetchall()]
        return {
            name
            for name in names
            for row in connection.execute(f"SELECT * FROM {name}").fetchall()
            if any(word in _text(value) for value in row)
        }


def _text(value: object) -> str:
    return (value.decode("latin-1") if isinstance(value, bytes) else str(value)).lower()


def _tables_of_database(url: str, word: str) -> set[str]:
    with psycopg.connect(url) as connection:
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = %s"
        names = [row[0] for row in connection.execute(listed, (SCHEMA,)).fetchall()]
        counted = f"SELECT count(*) FROM {SCHEMA}.{{}} AS t WHERE lower(t::text) LIKE %s"
        return {
            _part(name)
            for name in names
            if connection.execute(counted.format(name).encode(), (f"%{word}%",)).fetchall()[0][0]
        }


def _part(table: str) -> str:
    return table.rstrip("0123456789").rstrip("_")


def remembered(memory: Milepost) -> None:
    """Store, batch, update, delete, link and consolidate memories that say the word."""
    name = memory.store(SAID, tags=[WORD], metadata={WORD: [OTHER]}, author=f"{WORD} jr",
                        session=f"s-{WORD}", project=f"p {WORD}")  # fmt: skip
    names = memory.store_batch([f"{SAID}, berth {i}" for i in range(20)])
    memory.update(name, content=f"{SAID} and Tuesday")
    memory.update(names[1], tags=["plain"])
    memory.update(names[1], tags=[WORD])
    memory.update(names[1], tags=["plain again"])
    memory.delete(names[2])
    memory.store(f"see src/{WORD}.py for the gate")
    memory.consolidate(strategy="quality")
    memory.consolidate(dry_run=True)
    memory.search(f"where is the {WORD}?")
    store = memory._context.store
    (left,) = [i for i in store.contents.memories("default") if i][:1]
    from milepost.workspace.values import Anchor

    store.anchors.put(left, [Anchor(f"src/{WORD}.py", "", "0" * 16)])


def lived(memory: Milepost, folder: str) -> None:
    """Notice, brief, try, learn, and leave something for later."""
    said = f"We decided to use {WORD} because it is fast and the {OTHER} is not."
    memory.notice("s2", [{"role": "user", "text": said}], stage="compaction")
    memory.brief(session=f"s-{WORD}", project=WORD)
    memory.remind(f"what do we know of the {WORD} of Odessa?", session="s5")
    for number in range(3):
        episode = memory.create_episode(
            f"repair the {WORD} of Odessa", {"place": WORD, "language": "python"}
        )
        memory.add_step(episode, "bash", f"mend the {WORD}", {"of": WORD}, f"the {WORD} broke",
                        success=False)  # fmt: skip
        memory.add_step(episode, "bash", f"oil the {WORD}", observation="fine", success=True)
        memory.complete_episode(episode, "success", f"the {WORD} holds again {number}")
    memory.run_jobs()
    memory.record_event("action", f"ran the {WORD}", outcome=WORD, session_id=WORD, project=WORD)
    inbox.append(folder, "s7", {"turn": {"role": "user", "content": said}}, _lines())
    inbox.append(folder, WORD, {"turn": {"role": "user", "content": "and more"}}, _lines())


def _lines() -> object:
    from milepost.config import load_settings
    from milepost.unlocking import lines_beside

    return lines_beside(load_settings())


def related(memory: Milepost) -> None:
    """Say it of entities: names, types, metadata, observations, relations, merges."""
    memory.create_entity(WORD, WORD, {"about": WORD})
    memory.create_entity("Odessa port", "place", {"about": [WORD, "harbour"]})
    memory.create_entity(f"the old {WORD}", "thing")
    memory.add_observation("Odessa port", f"it has a {WORD}")
    memory.create_relation("Odessa port", f"{WORD} of", "harbour")
    memory.merge_entities("Odessa port", f"the old {WORD}")


def programmed(memory: Milepost) -> None:
    """Let programs keep it, say it, fail with it, and have it in the code of a skill alone."""
    memory.execute_code(f"state['seen'] = {SAID!r}\nstore({SAID!r} + ' in code')", session="s8")
    memory.execute_code(f"raise ValueError({SAID!r})", session=WORD)
    code = f'def flute():\n    return "{SAID}"'
    memory.save_skill("flute", code, "Plays a tune.", "assert flute()")


def answered(memory: Milepost) -> None:
    """Keep answers to calls, and work that waits, with it."""
    store, now = memory._context.store, memory._context.clock()
    store.answers.keep("default", "key 1", "0" * 64, json.dumps({"content": SAID}), now)
    left = {"mark": {"session": "s9"}, "entries": [{"turn": {"content": SAID}}]}
    store.jobs.enqueue("default", "none of ours", "x", json.dumps(left), 1 << 60)


def copied(place: Place) -> None:
    """Make copies of every kind beside the store."""
    if place.kind == "postgres":
        return
    copy = maintenance.new_copy(place.url)
    maintenance.back_up(place.url, copy, lambda _done, _all: None)
    shutil.copy(copy, f"{place.url}.v3.backup")
    shutil.copy(copy, f"{place.url}.before-restore")


def filled(place: Place) -> None:
    """Bring the word into everything."""
    with milepost.connect(place.url) as memory:
        assert isinstance(memory, Milepost)
        memory.store("the ferry leaves at nine")
        remembered(memory)
        lived(memory, place.inbox())
        related(memory)
        programmed(memory)
        answered(memory)
    copied(place)
