"""Where a process tells what it does: standard error, and a file for those that run unseen."""

import logging
import sys
from pathlib import Path

from milepost.config import Settings, data_folder
from milepost.storage import store_file

FILE = "milepost.log"


def log_file(settings: Settings) -> Path:
    """Return the log of the daemon and the servers of a store; it lies beside the store."""
    store = store_file(settings.url)
    return (Path(data_folder()) if store is None else store.parent) / FILE


def configure_logging(settings: Settings, to_file: bool) -> None:
    """Log to standard error at the level of the settings and, if asked, to the file as well."""
    release_logging()
    level = logging.getLevelName(settings.log_level.upper())
    _add(_Terminal(), level, "milepost: %(levelname)s: %(message)s")
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
    _add(handler, level, "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")


def _add(handler: logging.Handler, level: int, form: str) -> None:
    handler.setLevel(level)
    handler.setFormatter(logging.Formatter(form))
    logging.getLogger().addHandler(handler)
    _configured.append(handler)


class _Terminal(logging.Handler):
    """Writes to whatever standard error is at the time."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr)
        except (OSError, ValueError):
            self.handleError(record)
