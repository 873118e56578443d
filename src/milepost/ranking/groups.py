"""Sum and compare rows that share a key."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Groups(NamedTuple):
    """Rows sorted by group, where each group starts among them, and the group of each row."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    of: NDArray[np.int64]

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of each group."""
        return np.add.reduceat(values[self.order], self.starts, axis=0)

    def max(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest of each group."""
        return np.maximum.reduceat(values[self.order], self.starts, axis=0)


def group_by(keys: NDArray[Any]) -> Groups:
    """Group rows by their keys, of which there is at least one."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.empty(len(keys), bool)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    of = np.empty(len(keys), np.int64)
    of[order] = np.cumsum(first) - 1
    return Groups(order, np.flatnonzero(first), of)
