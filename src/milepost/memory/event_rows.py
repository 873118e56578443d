"""Events among the memories of a timeline."""

from milepost.knowledge.values import Event, EventFilter
from milepost.memory.context import Context
from milepost.memory.door import warnings
from milepost.memory.values import EVENT, UNTRUSTED, CompactMemory, CompactSearchResult
from milepost.stored_time import to_us
from milepost.text.lines import moment
from milepost.upkeep.recorder import Recorder

_EVENTS_MAX = 100


def with_events(context: Context, result: CompactSearchResult) -> CompactSearchResult:
    """Return the memories of a timeline, and between them the events from the first to the last."""
    times = [memory.created for memory in result.memories]
    if not times:
        return result
    context.part(Recorder).flush()
    first, last = to_us(min(times)), to_us(max(times))
    where = EventFilter(context.space, after_us=first, before_us=last + 1)
    rows = [_row(event) for event in context.store.events.find(where, _EVENTS_MAX)]
    joined = sorted((*result.memories, *rows), key=lambda row: row.created)
    return CompactSearchResult(tuple(joined), result.total + len(rows), result.query)


def _row(event: Event) -> CompactMemory:
    ended = "" if event.outcome is None else f" ({event.outcome})"
    row = CompactMemory(event.id, f"{event.event_type}: {event.content}{ended}", (), event.at, 1.0)
    mark = UNTRUSTED if warnings(event.content) else ""
    return row.told(kind=EVENT, project=event.project, when=moment(event.at), mark=mark)
