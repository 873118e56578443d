"""What happened and how things hang together: the words in which everybody speaks of it.

Times are seconds since the epoch, but for those whose names end in `_us`.
"""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import clip, minute
from milepost.values import NamedTuple, by_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# How an event went, where that is known.
FAILED = frozenset({"failed", "failure", "error"})
_LINE_CHARS = 300


@by_name
class Event(NamedTuple):
    """One thing that happened."""

    id: str
    at: float
    event_type: str
    content: str
    outcome: str | None = None
    session_id: str | None = None
    duration_ms: float | None = None
    project: str | None = None

    @for_models
    def __str__(self) -> str:
        took = None if self.duration_ms is None else f"{self.duration_ms:,.0f} ms"
        ended = ", ".join(word for word in (self.outcome, took) if word)
        said = clip(self.content, _LINE_CHARS)
        return f"{minute(self.at)} {self.event_type}: {said}{f' ({ended})' if ended else ''}"


class EventFilter(NamedTuple):
    """Which events are meant; every condition holds."""

    space: str
    session_id: str | None = None
    event_type: str | None = None
    project: str | None = None
    after_us: int | None = None
    before_us: int | None = None
    # Words that all stand in the content, whatever their case.
    words: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None


@by_name
class EventDay(NamedTuple):
    """What happened on a day: how often what, how much of it failed, in how many sessions."""

    day: str
    total: int
    by_type: Mapping[str, int]
    failed: int
    sessions: int

    @for_models
    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count:,}" for name, count in self.by_type.items())
        failed = f", {self.failed:,} failed" if self.failed else ""
        sessions = f", sessions {self.sessions:,}" if self.sessions else ""
        return f"{self.day} {self.total:,}: {kinds}{failed}{sessions}"


@by_name
class EventTimeline(NamedTuple):
    """What happened by day, newest first; days without events are left out."""

    days: tuple[EventDay, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        return "\n".join(map(str, self.days)) or "no event"
