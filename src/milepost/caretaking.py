"""The stores as whoever looks after them sees them: their spaces, their size, their copies."""

from collections.abc import Callable, Iterator
from contextlib import closing

from milepost.errors import StoreError
from milepost.location import is_database, shown
from milepost.placing import SpaceMap
from milepost.ports import Store
from milepost.storage import maintenance, store_file
from milepost.storage.moving.parts import MEMORIES, PARTS
from milepost.storage.moving.sides import Reader, open_reader
from milepost.upkeep.storage import StoreCare
from milepost.upkeep.values import (
    Copy,
    CopyInfo,
    PlacedSpace,
    StoreCheck,
    StoreHealth,
    StoreInfo,
)

_MEMORIES = next(part for part in PARTS if part.name == MEMORIES)


class CareOfStore(StoreCare):
    """The store of an address, which can be opened once more, and the map of all."""

    def __init__(
        self, url: str, spaces: Callable[[], SpaceMap], opened: Callable[[], Store]
    ) -> None:
        self._url, self._map, self._opened = url, spaces, opened

    def spaces(self) -> list[PlacedSpace]:
        """Return the spaces of all stores."""
        return spaces_of(self._map())

    def info(self) -> StoreInfo:
        """Return what the store holds and how large it is."""
        return maintenance.info(self._url)

    def health(self) -> StoreHealth:
        """Return what a look at the store says that changes nothing."""
        return StoreHealth(tuple(maintenance.health(self._url)))

    def check(self) -> StoreCheck:
        """Return what is wrong with the store and with its index."""
        return maintenance.check(self._url, self._opened)

    def copies(self) -> list[Copy]:
        """Return the copies beside it, newest first."""
        return maintenance.copies(self._url)

    def back_up(self) -> CopyInfo:
        """Copy it to the folder of backups beside it."""
        return maintenance.back_up(self._url, maintenance.new_copy(self._url), lambda _a, _b: None)


def spaces_of(spaces: SpaceMap) -> list[PlacedSpace]:
    """Return all spaces of all stores that a map names; what is in memory alone is left out."""
    return [each for url in spaces.urls() for each in _in_store(spaces, url)]


def _in_store(spaces: SpaceMap, url: str) -> Iterator[PlacedSpace]:
    place, path = shown(url), store_file(url)
    if not is_database(url) and (path is None or not path.is_file()):
        return
    try:
        with closing(open_reader(url)) as side:
            away = side.moved_away()
            # The space of a store's own is nobody's to work in.
            for space in filter(str.isprintable, side.homes()):
                yield _described(side, space, place, away, here=spaces.url_of(space) == url)
    except StoreError as problem:
        yield PlacedSpace("", place, 0, 0, str(problem))


def _described(
    side: Reader, space: str, place: str, away: dict[str, str], *, here: bool
) -> PlacedSpace:
    side.enter(space)
    note = ""
    if side.marker() is not None:
        note = "a move to here is under way"
    elif space in away:
        note = f"a copy: moved to {away[space]}"
    elif not here:
        note = "the map places it elsewhere"
    return PlacedSpace(space, place, side.count(_MEMORIES), sum(map(side.count, PARTS)), note)
