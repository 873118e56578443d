"""Give every memory a vector of the model in use, in the background."""

import logging
import threading

from milepost.errors import MilepostError
from milepost.ports import Store
from milepost.services.texts import Texts

log = logging.getLogger(__name__)

BATCH = 256


class Reembedding:
    """A thread that runs while memories lack a vector; search works with those that have one."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        if any(model != texts.static.model for model in store.models()) or texts.chosen:
            self._thread = threading.Thread(target=self._run, daemon=True, name="milepost-reembed")
            self._thread.start()

    def stop(self) -> None:
        """End after the batch under way."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            for embedder in self._texts.embedders():
                self._fill(embedder.model)
        except MilepostError as problem:
            log.warning("re-embedding goes on at the next start: %s", problem)

    def _fill(self, model: str) -> None:
        while not self._stopping.is_set():
            batch = self._store.lacking(model, BATCH)
            vectors = self._texts.vectors_of(model, batch) if batch else None
            if vectors is None:
                return
            self._store.put_vectors(model, vectors)
