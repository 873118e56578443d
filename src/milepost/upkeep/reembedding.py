"""Give every memory a vector of the model in use, in the background."""

import threading
import time

from milepost.background import Background
from milepost.memory.texts import Texts
from milepost.ports import Store

# A batch grows and shrinks towards this time: whoever ends a process waits for the one under way,
# and a server that embeds is asked less often for larger ones.
BATCH_S = 0.25
BATCH_MIN, BATCH_MAX = 8, 256


class Reembedding:
    """Runs while memories lack a vector; search works with those that have one."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts
        self._done = threading.Event()
        self._background = Background("reembedding", self._fill, self.close)
        if texts.chosen is None:
            self._done.set()
        else:
            self._background.ask()

    def wait(self) -> None:
        """Return when every memory has its vector, or none more can be had."""
        self._done.wait()

    def close(self) -> None:
        """End after the batch under way."""
        self._background.close()
        self._done.set()

    def _fill(self) -> None:
        last, size = 0, BATCH_MIN
        while self._texts.chosen is not None and not self._background.is_closed:
            began = time.monotonic()
            batch = self._store.candidates.lacking(self._texts.chosen.model, last, size)
            vectors = self._texts.chosen_vectors(batch) if batch else None
            if vectors is None:
                break
            self._store.candidates.put_vectors(self._texts.chosen.model, vectors)
            last = batch[-1].id
            size = _next_size(size, time.monotonic() - began)
        self._done.set()


def _next_size(size: int, took_s: float) -> int:
    if took_s < BATCH_S / 2:
        return min(size * 2, BATCH_MAX)
    return size if took_s <= BATCH_S else max(size // 2, BATCH_MIN)
