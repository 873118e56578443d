"""What is marked of a memory in place: that what it tells as failing went well since."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.memory.values import Record

# Under this name the metadata of a memory hold what settled it.
SETTLED = "settled"


def settled_mark(record: Record) -> str:
    """Return what a line says of a memory that is settled; nothing of others."""
    noticed = record.metadata.get("by") == "notice"
    return str(record.metadata.get(SETTLED) or "") if noticed else ""
