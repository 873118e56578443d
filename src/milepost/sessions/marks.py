"""What a line says of a memory before its text: whose words it is, and that it is settled."""

from __future__ import annotations

from milepost.text.instructing import instructs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.memory.values import Record

# Under this name the metadata of a memory hold what settled it.
SETTLED = "settled"


def origin_mark(record: Record) -> str:
    """Return where a memory comes from that is not the user's own; nothing of others."""
    return "" if record.source == "user" else f"from {record.source}"


def settled_mark(record: Record) -> str:
    """Return what a line says of a memory that is settled; nothing of others."""
    noticed = record.metadata.get("by") == "notice"
    said = str(record.metadata.get(SETTLED) or "") if noticed else ""
    # Whoever stores a memory can write this into its metadata.
    return "" if said and instructs(said) else said
