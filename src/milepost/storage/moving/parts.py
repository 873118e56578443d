"""What a store consists of, the same for every database: tables in the order they are copied in.

Between stores a row is neutral: numbers of rows count from the beginning of their home, labels are
sorted, vectors are packed. Numbers keep their distances, so that what was stored in one go stays
together.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

# What a column holds beside plain values; the name of a table stands for the number of a row there.
PLAIN, FLAG, REAL, LABELS, VECTOR = "plain", "flag", "real", "labels", "vector"
SPACE = "space"  # which may be a bin, called by the number of its deed
# Texts in JSON with numbers of rows in them.
STATE, UNDO, KEPT, PAYLOAD = "state", "undo", "kept", "payload"
MEMORIES, DEEDS, ENTITIES, RELATIONS, OBSERVATIONS, *_ = NUMBERED = (
    "memories", "deeds", "entities", "relations", "observations", "graph_deeds", "journal",
    "episodes", "events", "documents",
)  # fmt: skip

VECTORS = "vectors"
# How a row is known to be of a home where the home stands in no column.
BY_SPACE, BY_MEMORY, BY_DEED, BY_EPISODE = "space", "memory_id", "deed", "episode"

# Where a copy under way is noted in what it copies to.
MARKER = "copy under way"


class Column(NamedTuple):
    """A column of a table, and what it holds."""

    name: str
    kind: str = PLAIN


class Part(NamedTuple):
    """Rows of a table that are copied in one go, in the order of a key.

    only: those that fulfil a condition.
    is_work: they come when all else is there, for whoever finds them begins to do them; so few
        that all are compared.
    """

    name: str
    table: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    by: str = BY_SPACE
    only: str = ""
    is_work: bool = False

    def key_of(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Return what tells a row from all others."""
        return tuple(row[place] for place in self.places(self.key))

    def row_of(self, key: Sequence[Any]) -> list[Any]:
        """Return a row of which only the key is known."""
        row: list[Any] = [None] * len(self.columns)
        for place, value in zip(self.places(self.key), key, strict=True):
            row[place] = value
        return row

    def places(self, names: tuple[str, ...]) -> list[int]:
        """Return where columns stand in a row."""
        known = [column.name for column in self.columns]
        return [known.index(name) for name in names]


def _part(
    table: str, key: str, columns: str, by: str = BY_SPACE, only: str = "", name: str = ""
) -> Part:
    """Return a part whose columns are words such as `id:memories`."""
    parsed = (Column(*word.split(":")) for word in columns.split())
    return Part(name or table, table, tuple(key.split()), tuple(parsed), by, only)


_ENTITY = (
    "id:entities space:space name key type metadata stated:flag valid_from valid_to recorded "
    "merged:entities"
)
_TEMPORAL = "valid_from valid_to recorded retired origin memory_id:memories"

# What others refer to comes first.
PARTS = (
    _part("deeds", "id", "id:deeds space:space kind at"),
    _part(
        "memories",
        "id",
        "id:memories space:space hash content kind tags:labels projects:labels metadata session "
        "position author recorded created valid_from valid_to superseded_by:memories traits terms "
        "branch source trust marks standing said",
    ),
    _part(VECTORS, "memory_id model", "memory_id:memories model vector:vector", BY_MEMORY),
    _part("anchors", "memory_id path symbol", "memory_id:memories path symbol digest", BY_MEMORY),
    _part(
        "links",
        "memory_id other_id kind",
        "memory_id:memories other_id:memories kind weight:real at run",
        BY_MEMORY,
    ),
    _part(
        "former", "deed memory_id", "deed:deeds memory_id:memories state:state own:flag", BY_DEED
    ),
    # What an entity was merged into is never merged itself.
    _part("entities", "id", _ENTITY, only="merged IS NULL"),
    _part("entities", "id", _ENTITY, only="merged IS NOT NULL", name="merged entities"),
    _part("names", "space key", "space:space key entity:entities name"),
    _part(
        "relations",
        "id",
        "id:relations space:space source:entities relation word target:entities weight:real "
        + _TEMPORAL,
    ),
    _part("observations", "id", f"id:observations space:space entity:entities text {_TEMPORAL}"),
    _part("mentions", "memory_id entity", "memory_id:memories entity:entities space:space"),
    _part(
        "documents",
        "id",
        "id:documents space:space path name session digest signature cut media title read ended",
    ),
    _part(
        "pieces",
        "document memory_id",
        "document:documents memory_id:memories number place",
        BY_MEMORY,
    ),
    _part("graph_deeds", "id", "id:graph_deeds space:space kind at undo:undo"),
    _part(
        "kept", "space topic key", "space:space topic key value:kept", only=f"topic <> '{MARKER}'"
    ),
    _part("synced", "space key", "space:space key number alive:flag ended seen state"),
    _part("answers", "space key", "space:space key call answer at"),
    _part("audit", "space number", "space:space number at operation entry digest"),
    _part("audit_heads", "space", "space:space number digest"),
    _part("journal", "id", "id:journal space:space topic at entry"),
    _part(
        "episodes",
        "row",
        "row:episodes space:space id task task_type context tags outcome verdict artifacts created "
        "completed reward:real terms insights salience:real relations step_count checkpoints "
        "touched learned:flag",
    ),
    _part(
        "steps",
        "episode number",
        "episode:episodes number tool action parameters observation success:flag "
        "latency_ms:real tokens at asked",
        BY_EPISODE,
    ),
    _part("patterns", "space id", "space:space id kind retired:flag confidence:real version body"),
    _part("shown", "space episode pattern", "space:space episode pattern"),
    _part(
        "events",
        "row",
        "row:events space:space id at type content outcome session duration_ms:real project",
    ),
    _part(
        "jobs",
        "space topic key",
        "space:space topic key payload:payload state due attempts again claim problem",
    )._replace(is_work=True),
)

# By table, the column of its numbers.
NUMBERS = {
    part.table: part.key[0]
    for part in PARTS
    if part.table == part.columns[part.places(part.key)[0]].kind
}
