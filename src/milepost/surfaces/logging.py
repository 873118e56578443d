"""Where a process tells what it does: standard error, and a file for those that run unseen."""

import json
import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from traceback import format_tb

from milepost.access.values import CALLER, CALLS
from milepost.config import Settings
from milepost.errors import worded
from milepost.log_file import log_file
from milepost.request import DOING, request_id
from milepost.text.secrets import without_secrets


def configure_logging(settings: Settings, to_file: bool) -> None:
    """Log to standard error at the level of the settings and, if asked, to the file as well."""
    release_logging()
    level = logging.getLevelName(settings.log_level.upper())
    _add(_Terminal(), level, logging.Formatter("milepost: %(levelname)s: %(message)s"))
    if to_file:
        # What the file lacks cannot be asked for later, so it tells more.
        level = min(level, logging.INFO)
        _add_file(log_file(settings), level)
    logging.getLogger().setLevel(level)


def release_logging() -> None:
    """Take back what was configured."""
    root = logging.getLogger()
    for handler in _configured:
        root.removeHandler(handler)
        handler.close()
    _configured.clear()


_configured: list[logging.Handler] = []


def _add_file(path: Path, level: int) -> None:
    from milepost.surfaces.rotating import PrivateFile

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = PrivateFile(path)
    except OSError as problem:
        logging.getLogger(__name__).warning("nothing is logged to %s (%s)", path, problem.strerror)
        return
    _add(handler, level, JsonLines())


def _add(handler: logging.Handler, level: int, form: logging.Formatter) -> None:
    handler.setLevel(level)
    handler.setFormatter(form)
    logging.getLogger().addHandler(handler)
    _configured.append(handler)


class _Terminal(logging.Handler):
    """Writes to whatever standard error is at the time."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == CALLS:
            return  # whoever called is told
        try:
            print(self.format(record), file=sys.stderr)
        except (OSError, ValueError):
            self.handleError(record)


class JsonLines(logging.Formatter):
    """Tells what was logged as one line of JSON: neither secrets nor what memories say."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, beginning as `upkeep.logs` knows it, with what is known of the call."""
        operation, space = DOING.get() or ("", str)
        surface = CALLER.get().surface if operation else ""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds"),
            "level": record.levelname.lower(),
            "process": record.process,
            "logger": record.name,
            "message": without_secrets(_message(record)),
            "request": request_id(),
            "operation": getattr(record, "operation", operation),
            "space": space(),
            "surface": getattr(record, "surface", surface),
            "stack": without_secrets(_stack(record)),
        }
        known = {name: value for name, value in told.items() if value != ""}
        return json.dumps(known, ensure_ascii=False, separators=(",", ":"))


def _message(record: logging.LogRecord) -> str:
    if not isinstance(record.args, tuple):
        return record.getMessage()
    safe = tuple(worded(arg) if isinstance(arg, BaseException) else arg for arg in record.args)
    return str(record.msg) % safe if safe else str(record.msg)


def _stack(record: logging.LogRecord) -> str:
    """Return where an error was raised, and what it rests on."""
    problem = record.exc_info[1] if record.exc_info else None
    return "".join(_stacks(problem)).rstrip() if problem is not None else ""


def _stacks(problem: BaseException) -> Iterator[str]:
    before = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    if before is not None:
        yield from _stacks(before)
    yield from format_tb(problem.__traceback__)
    yield f"{worded(problem)}\n"
