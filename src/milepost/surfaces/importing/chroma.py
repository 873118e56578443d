"""What MemPalace, or anybody else, keeps in Chroma; and MemPalace's triples."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from milepost.config import folder_of
from milepost.errors import InvalidInput
from milepost.surfaces.importing.databases import opened
from milepost.surfaces.importing.json_files import texts_of
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

AT_ONCE = 1_000
_DOCUMENT = "chroma:document"
_DRAWERS = "mempalace_drawers"
_TRIPLES = "knowledge_graph.sqlite3"
# Under which names others note down when something was said.
_TIMES = ("content_date", "created_at", "created", "timestamp", "date", "filed_at")
_ENTRIES = """
    select e.id, e.embedding_id, c.name as collection, m.key,
           coalesce(m.string_value, m.int_value, m.float_value, m.bool_value) as value
    from embeddings e
    join segments s on s.id = e.segment_id
    join collections c on c.id = s.collection
    join embedding_metadata m on m.id = e.id
    order by c.name, e.id
"""


def own_files() -> list[Path]:
    """Return the palace of this user."""
    palace = Path(folder_of("MEMPALACE_PALACE_PATH", ".mempalace/palace"))
    return [palace / "chroma.sqlite3", palace / _TRIPLES]


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield the documents of all collections; of a palace its drawers, for closets only point."""
    if path.name == _TRIPLES:
        yield _triples(path)
        return
    with opened(path) as database:
        if not database.columns("embedding_metadata"):
            raise InvalidInput(f"{path} is no database of Chroma: it holds no documents.")
        names = {row["name"] for row in database.rows("select name from collections")}
        is_palace = _DRAWERS in names
        items: list[dict[str, Any]] = []
        for (collection, _), rows in groupby(
            database.rows(_ENTRIES), key=lambda row: (row["collection"], row["id"])
        ):
            about = {row["key"]: row["value"] for row in rows}
            text = str(about.pop(_DOCUMENT, "") or "")
            if not text or (is_palace and collection != _DRAWERS):
                continue
            about |= origin("MemPalace" if is_palace else "Chroma", path, collection=collection)
            items.append(_item(wanted, text, about))
            if len(items) >= AT_ONCE:
                yield FileContent(path, _ordered(items))
                items = []
    yield FileContent(path, _ordered(items))


def _item(wanted: Wanted, text: str, about: Mapping[str, Any]) -> dict[str, Any]:
    source = about.get("source_file") or about.get("source")
    author = about.get("author")
    return {
        "content": text,
        "tags": [*texts_of(about.get("tags")), *texts_of(about.get("room"))],
        "created": next((at for name in _TIMES if (at := moment(about.get(name)))), None),
        "session": str(source)[-200:] if source else None,
        "author": author if isinstance(author, str) else None,
        "project": wanted.project or about.get("wing") or about.get("project"),
        "order": about.get("chunk_index") or 0,
        "metadata": about,
    }


def _ordered(items: list[dict[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return items so that the pieces of a document come in their order."""
    items.sort(key=lambda item: (item["session"] or "", item.pop("order")))
    return tuple(items)


def _triples(path: Path) -> FileContent:
    with opened(path) as database:
        relations = [
            {
                "source": row["source"],
                "relation": row["predicate"],
                "target": row["target"],
                "valid_from": row["valid_from"],
                "valid_to": row["valid_to"],
            }
            for row in database.rows(
                "select coalesce(a.name, t.subject) as source, t.predicate, "
                "coalesce(b.name, t.object) as target, t.valid_from, t.valid_to from triples t "
                "left join entities a on a.id = t.subject "
                "left join entities b on b.id = t.object order by t.valid_from, t.rowid"
            )
        ]
    return FileContent(path, relations=tuple(relations))
