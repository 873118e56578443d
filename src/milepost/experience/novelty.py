"""How near an episode comes to those that ended the same way lately.

Asked at every completion, so it is kept at hand: the vectors of the latest few hundred.
"""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from milepost.memory.values import Draft, Filter
from milepost.ports import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EPISODES = 512
_GROUPS = 64


class _Group:
    """The vectors of the latest episodes of a type that ended in a way, by their names."""

    def __init__(self, dim: int) -> None:
        import numpy as np

        self._rows = np.zeros((_EPISODES, dim), np.float32)
        self._names: list[str] = []
        self._count = 0

    def add(self, name: str, vector: "NDArray[np.float32]") -> None:
        place = self._count % _EPISODES
        self._rows[place] = vector
        self._names[place : place + 1] = [name]
        self._count += 1

    def nearest(self, name: str, vector: "NDArray[np.float32]") -> float:
        if not self._names:
            return 0.0
        near = self._rows[: len(self._names)] @ vector
        if name in self._names:
            # It was about to be written before: nothing is its own forerunner.
            near[self._names.index(name)] = 0.0
        return float(near.max())


class Novelty:
    """Remembers what lately ended how; what other processes add is seen by those opened later."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._groups: OrderedDict[tuple[str, str | None, tuple[str, ...]], _Group] = OrderedDict()

    def nearest(self, entry: Draft, where: Filter) -> float:
        """Return the similarity of the nearest episode that passes a filter, and add this one."""
        # The static model's comes first, and is there for every episode.
        model, vector = next(iter(entry.analysis.vectors.items()))
        with self._lock:
            group = self._group(where, model, len(vector))
            near = group.nearest(entry.hash, vector)
            group.add(entry.hash, vector)
        return near

    def _group(self, where: Filter, model: str, dim: int) -> _Group:
        key = (where.space, where.kind, where.tags)
        if key not in self._groups:
            self._groups[key] = _Group(dim)
            newest = self._store.candidates.page(where, _EPISODES).ids
            records = self._store.memories.records(newest[::-1])
            for record in records:
                vector = self._store.candidates.vectors(record.id).get(model)
                if vector is not None:
                    self._groups[key].add(record.hash, vector)
        self._groups.move_to_end(key)
        if len(self._groups) > _GROUPS:
            self._groups.popitem(last=False)
        return self._groups[key]

    def close(self) -> None:
        """Let go of all."""
        self._groups.clear()
