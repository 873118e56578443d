"""Read what the processes of a store logged: by level, time, words and request."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from milepost.access.values import ADMIN, CALLER
from milepost.errors import InvalidInput
from milepost.memory import validation
from milepost.memory.context import Service
from milepost.memory.validation import Moment
from milepost.operation import operation
from milepost.upkeep.values import LOG_LEVELS, LogLine

# How every line begins, also one that stands behind the rest of another, which a full disk cut off.
BEGINNING = '{"time":'
_WORDS_MAX = 200


class Log:
    """What the processes of a store logged."""

    def lines(self) -> Iterator[str]:
        """Yield the lines as they were written, the oldest first."""
        raise NotImplementedError

    def close(self) -> None:
        """End with the store; nothing is open."""


class Logs(Service):
    """The operation that shows the log."""

    @operation("admin", example='read_logs(level="error", since="1h")', read_only=True, scope=ADMIN)
    def read_logs(
        self,
        level: str | None = None,
        since: Moment | None = None,
        grep: str | None = None,
        request: str | None = None,
        limit: int = 50,
    ) -> list[LogLine]:
        """Show what servers, daemons and hooks logged of this space; with all spaces, all of it.

        level: only "debug", "info", "warning", "error" or "critical", and what matters more.
        since: only what was logged at or after this time.
        grep: only what has these words, in whatever case.
        request: only what was logged for the request of this id.
        limit: the last ones, so many.
        """
        context = self._context
        is_meant = filtered(level, since, grep, request, context.clock())
        space = None if CALLER.get().spaces is None else context.space
        told = map(parsed, context.part(Log).lines())
        seen = (line for line in told if space in (None, line.space) and is_meant(line))
        return list(deque(seen, validation.limit(limit)))


def filtered(
    level: str | None, since: Moment | None, grep: str | None, request: str | None, now_us: int
) -> Callable[[LogLine], bool]:
    """Return what says whether a line is asked for."""
    least = 0 if level is None else _rank(level)
    since_us = validation.moment("since", since, now_us) or 0
    wanted = None if request is None else validation.name("request", request)
    words = "" if grep is None else validation.text("grep", grep, _WORDS_MAX).casefold()

    def is_meant(line: LogLine) -> bool:
        return (
            (not least or _rank_of(line) >= least)
            and line.at * 1e6 >= since_us
            and wanted in (None, line.request)
            and words in f"{line.logger} {line.message} {line.operation} {line.stack}".casefold()
        )

    return is_meant


def _rank(level: object) -> int:
    if level not in LOG_LEVELS:
        raise InvalidInput(f"level must be {', '.join(LOG_LEVELS)}, not {level!r}.")
    return LOG_LEVELS.index(level)


def _rank_of(line: LogLine) -> int:
    return LOG_LEVELS.index(line.level) if line.level in LOG_LEVELS else 0


def parsed(line: str) -> LogLine:
    """Return what a line tells; one that was written otherwise, or in part, tells itself."""
    try:
        told = json.loads(line[max(0, line.rfind(BEGINNING)) :])
        return _read(told)
    except (ValueError, KeyError, TypeError):
        return LogLine(0.0, "info", 0, "", line.rstrip("\n"))


def _read(told: dict[str, Any]) -> LogLine:
    at = datetime.fromisoformat(told.pop("time")).timestamp()
    told["process"] = int(told["process"])
    return LogLine(at, **{name: told[name] for name in LogLine._fields if name in told})
