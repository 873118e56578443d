"""`milepost watch`: keep what is remembered of a folder as its files are."""

import hashlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from milepost.config import runtime_folder
from milepost.documents.files import Meant, meant_by, seen
from milepost.documents.values import Ingested
from milepost.errors import InvalidInput, MilepostError, NotFound, OutOfTime, StoreBusy
from milepost.location import is_server
from milepost.storage.lock import take
from milepost.surfaces import warm
from milepost.surfaces.cli.command import SHOWN, Call
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.logging import configure_logging

log = logging.getLogger(__name__)

# A folder is looked at so often; a large one less, so that this takes a fiftieth of a core at most.
_EVERY_S, _SHARE = 0.5, 50
# Editors write in several steps: nothing is read before the folder was the same for one look, or
# has been changing for so long.
_SETTLED_S, _RESTLESS_S = 0.3, 5.0
_AGAIN_S = 10.0


def watch_folder(call: Call) -> object:
    """Ingest a folder whenever something in it changes, until a signal comes."""
    given = str(call.values["folder"])
    if is_server(call.settings.url):
        raise InvalidInput("A server reads its own files; watch a folder where the store is.")
    meant = meant_by(given, str(Path.cwd()))
    if not meant.is_folder:
        raise InvalidInput(f"{given} is no folder; name one that is there.")
    if call.dry_run:
        return Rehearsed((f"watch {meant.root} and ingest what changes",))
    configure_logging(call.settings, to_file=True)
    memory = call.memory(warm_too=False)
    named = ("tags", "chunk", "project")
    asked: dict[str, Any] = {n: v for n in named if (v := call.values.get(n)) is not None}
    with _alone(call, meant), _until_signal() as ended:

        def ingest() -> Ingested:
            return memory.ingest(given, **asked)

        print(f"milepost: watching {meant.root}", file=sys.stderr, flush=True)
        Watch(meant, ingest, ended).run()
    return SHOWN


class Watch:
    """Ingests a folder when it has changed and is quiet again."""

    def __init__(self, meant: Meant, ingest: Any, ended: threading.Event) -> None:
        self._meant, self._ingest, self._ended = meant, ingest, ended

    def run(self) -> None:
        """Go on until it is ended."""
        known: Mapping[str, str] | None = None
        while not self._ended.is_set():
            began = time.monotonic()
            now = seen(self._meant)
            if now != known:
                known = self._settled(now)
                if known is not None and not self._done():
                    known = None
                    self._ended.wait(_AGAIN_S)
            spent = time.monotonic() - began
            self._ended.wait(max(_EVERY_S, spent * _SHARE) if now == known else _EVERY_S)

    def _settled(self, now: Mapping[str, str]) -> Mapping[str, str] | None:
        """Return the folder once it is quiet; None when this is ended before."""
        until = time.monotonic() + _RESTLESS_S
        while time.monotonic() < until:
            if self._ended.wait(_SETTLED_S):
                return None
            before, now = now, seen(self._meant)
            if now == before:
                break
        return now

    def _done(self) -> bool:
        """Ingest the folder; whether that was done, or need not be tried again."""
        try:
            told = self._ingest()
        except NotFound:
            return True  # nothing is in it yet
        except (StoreBusy, OutOfTime) as problem:
            log.warning("%s is ingested later: %s", self._meant.root, problem)
            return False
        except MilepostError as problem:
            log.warning("%s was not ingested: %s", self._meant.root, problem)
            print(f"milepost: {problem}", file=sys.stderr, flush=True)
            return False
        if told.documents or told.moved or told.gone or told.failures:
            print(told, flush=True)
        return True


@contextmanager
def _alone(call: Call, meant: Meant) -> Iterator[None]:
    """Watch a folder for a store from one process alone."""
    store = warm.canonical(call.settings.url) or call.settings.url
    about = "\n".join((store, call.settings.space, meant.root))
    name = hashlib.sha256(about.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    folder = Path(call.settings.runtime_folder or runtime_folder(os.environ))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = take(folder / f"watch-{name}.lock")
    if fd is None:
        raise InvalidInput(f"Another process watches {meant.root} for this memory already.")
    try:
        yield
    finally:
        os.close(fd)


@contextmanager
def _until_signal() -> Iterator[threading.Event]:
    """Give what is set when somebody asks this process to end."""
    ended = threading.Event()
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    for one in before:
        signal.signal(one, lambda *_: ended.set())
    try:
        yield ended
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
