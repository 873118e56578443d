"""The stores as whoever looks after them sees them: their spaces, their size, their copies."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from milepost.config import Settings
from milepost.copies_elsewhere import CopiesElsewhere, OpenAt
from milepost.drilling import Drilling
from milepost.errors import InvalidInput, StoreError
from milepost.location import is_database, shown
from milepost.placing import SpaceMap
from milepost.ports import Store
from milepost.storage import maintenance, store_file
from milepost.storage.backups.manifest import describe
from milepost.storage.backups.places import is_bucket
from milepost.storage.moving.parts import MEMORIES, PARTS
from milepost.storage.moving.sides import Reader, open_reader
from milepost.upkeep.backups.values import Drill
from milepost.upkeep.storage import StoreCare, Told
from milepost.upkeep.values import (
    BACKUP,
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
        self,
        settings: Settings,
        spaces: Callable[[], SpaceMap],
        opened: Callable[[], Store],
        open_at: OpenAt,
    ) -> None:
        self._url, self._map, self._opened = settings.url, spaces, opened
        self._elsewhere = CopiesElsewhere(settings, open_at)
        self._drilling = Drilling(settings, self._elsewhere, open_at)

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
        return [] if is_database(self._url) else maintenance.copies(self._url)

    def back_up(self) -> CopyInfo:
        """Copy it to the folder of backups beside it."""
        target = maintenance.new_copy(self._url)
        made = maintenance.back_up(self._url, target, lambda _a, _b: None)
        describe(target)
        return made

    def disks(self) -> list[tuple[str, int]]:
        """Return how many bytes are free where it lies on a disk of this machine."""
        path = store_file(self._url)
        if path is None:
            return []
        with suppress(OSError):
            return [(str(path.parent), shutil.disk_usage(path.parent).free)]
        return []

    def place(self, to: str) -> str:
        """Return where copies go by an address, by none beside the store; refuse what cannot be."""
        place = to or self._elsewhere.beside()
        if not place:
            raise InvalidInput(
                "A database has no folder beside it; say where copies go: a folder, or "
                "s3://bucket/prefix."
            )
        self._elsewhere.place(place).names()
        return place if is_bucket(place) else str(Path(place).expanduser())

    def copy_to(self, to: str, name: str, keep: int, told: Told) -> CopyInfo:
        """Copy it to a place and remove older copies there, all of which go by its name."""
        return self._elsewhere.make(to, name, keep, told)

    def copies_in(self, to: str, name: str) -> list[Copy]:
        """Return its copies in a place, newest first."""
        return self._elsewhere.listed(to, name)

    def drill(self, to: str, name: str, told: Told) -> Drill:
        """Restore its newest copy of a place into a temporary store, and compare it."""
        newest = next(iter(self.copies_in(to, name) if to else self._beside()), None)
        if newest is None:
            raise InvalidInput(
                "There is no copy yet; `milepost backup schedule daily` makes some by itself, and "
                "`milepost backup create` one now."
            )
        return self._drilling.drill(newest, told)

    def _beside(self) -> list[Copy]:
        return [copy for copy in self.copies() if copy.kind == BACKUP]


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
