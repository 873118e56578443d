"""Give every memory a vector of the model in use, in the background."""

import logging
import threading

from milepost.errors import MilepostError
from milepost.memory.texts import Texts
from milepost.ports import Store

log = logging.getLogger(__name__)

BATCH = 256


class Reembedding:
    """A thread that runs while memories lack a vector; search works with those that have one."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._model = texts.chosen.model if texts.chosen else ""
        if texts.chosen is not None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="milepost-reembed")
            self._thread.start()

    def wait(self) -> None:
        """Return when every memory has its vector, or none more can be had."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """End after the batch under way."""
        self._stopping.set()
        self.wait()

    def _run(self) -> None:
        try:
            self._fill()
        except MilepostError as problem:
            log.warning("re-embedding goes on at the next start: %s", problem)

    def _fill(self) -> None:
        last = 0
        while not self._stopping.is_set():
            batch = self._store.lacking(self._model, last, BATCH)
            vectors = self._texts.chosen_vectors(batch) if batch else None
            if vectors is None:
                return
            self._store.put_vectors(self._model, vectors)
            last = batch[-1].id
