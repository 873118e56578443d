"""Until when each memory holds, where several stores said what replaced what.

A memory that was replaced by one which is gone holds again. Where stores let memories replace
each other in a circle, the oldest word of that circle does not count. So the same words give the
same end in every store, whatever came first.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from milepost.documents.syncing.state import Stamp
from milepost.memory.values import FOREVER

# Until when a memory holds, and the key of what replaced it.
End = tuple[int, str | None]
HOLDS: End = (FOREVER, None)


class Ending(NamedTuple):
    """What was last said of the end of a memory."""

    stamp: Stamp
    end: End


def effective(said: Mapping[str, Ending], is_alive: Callable[[str], bool]) -> dict[str, End]:
    """Return the ends that come of what was said; what is left out holds."""
    real = {
        key: ending
        for key, ending in said.items()
        if ending.end != HOLDS and (ending.end[1] is None or is_alive(ending.end[1]))
    }
    for circle in list(_circles(real)):
        del real[min(circle, key=lambda key: (real[key].stamp, key))]
    return {key: ending.end for key, ending in real.items()}


def _circles(said: Mapping[str, Ending]) -> Iterable[list[str]]:
    """Yield the circles; each memory is replaced by one, so no two of them share one."""
    done = set[str]()
    for start in said:
        path, key = dict[str, None](), start
        while key in said and key not in done and key not in path:
            path[key] = None
            key = _after(said[key])
        if key in path:
            way = list(path)
            yield way[way.index(key) :]
        done.update(path)


def _after(ending: Ending) -> Any:
    return ending.end[1]
