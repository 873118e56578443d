"""See what the stores hold and take, and keep copies of them."""

import logging
from collections.abc import Callable, Sequence

from milepost.access.values import ADMIN, CALLER
from milepost.errors import Forbidden, MilepostError
from milepost.memory.context import Context, Service
from milepost.operation import operation
from milepost.upkeep.backups.schedules import schedule_of
from milepost.upkeep.backups.values import Drill
from milepost.upkeep.values import Copy, CopyInfo, PlacedSpace, StoreCheck, StoreHealth, StoreInfo

log = logging.getLogger(__name__)

# Called now and then while something takes long.
Told = Callable[[], None]


class StoreCare:
    """A store as whoever looks after it sees it: a file or a database, and its copies."""

    def spaces(self) -> Sequence[PlacedSpace]:
        """Return the spaces of all stores."""
        raise NotImplementedError

    def info(self) -> StoreInfo:
        """Return what the store holds and how large it is."""
        raise NotImplementedError

    def health(self) -> StoreHealth:
        """Return what a look at the store says that changes nothing."""
        raise NotImplementedError

    def check(self) -> StoreCheck:
        """Return what is wrong with the store and with its index, which is made again then."""
        raise NotImplementedError

    def copies(self) -> Sequence[Copy]:
        """Return the copies beside it, newest first."""
        raise NotImplementedError

    def back_up(self) -> CopyInfo:
        """Copy it, while others use it."""
        raise NotImplementedError

    def disks(self) -> Sequence[tuple[str, int]]:
        """Return how many bytes are free where it lies on a disk of this machine."""
        raise NotImplementedError

    def place(self, to: str) -> str:
        """Return where copies go by an address, by none beside the store; refuse what cannot be."""
        raise NotImplementedError

    def copy_to(self, to: str, name: str, keep: int, told: Told) -> CopyInfo:
        """Copy it to a place and remove older copies there, all of which go by its name."""
        raise NotImplementedError

    def copies_in(self, to: str, name: str) -> Sequence[Copy]:
        """Return its copies in a place, newest first."""
        raise NotImplementedError

    def drill(self, to: str, name: str, told: Told) -> Drill:
        """Restore its newest copy of a place into a temporary store, and compare it."""
        raise NotImplementedError

    def close(self) -> None:
        """End with the store; nothing is open."""


class StoreKeeping(Service):
    """The operations on stores as a whole."""

    @operation("space", example="list_spaces()", read_only=True, scope=ADMIN)
    def list_spaces(self) -> list[PlacedSpace]:
        """Show the spaces there are, the store each is on, and how much it holds."""
        caller = CALLER.get()
        found = self._context.part(StoreCare).spaces()
        # Where a store is away, whose spaces it has is not known.
        return [
            each
            for each in found
            if (caller.may_enter(each.space) if each.space else caller.spaces is None)
        ]

    @operation("storage", example="storage_info()", read_only=True, scope=ADMIN)
    def storage_info(self) -> StoreInfo:
        """Show what the whole store holds and how large it is, with all its spaces."""
        return self._of_the_whole("storage_info").info()

    @operation("storage", example="storage_health()", read_only=True, scope=ADMIN)
    def storage_health(self) -> StoreHealth:
        """Look at the store without changing it: reachable, up to date, how its index is."""
        return self._of_the_whole("storage_health").health()

    @operation("storage", example="check_storage()", scope=ADMIN, begins=True)
    def check_storage(self) -> StoreCheck:
        """Check that the store is whole and that its index agrees with it.

        An index that does not agree is made again from the store; nothing is lost.
        """
        return self._of_the_whole("check_storage").check()

    @operation("backup", example="list_backups()", read_only=True, scope=ADMIN)
    def list_backups(self) -> list[Copy]:
        """Show every copy beside the store, and those that a schedule keeps elsewhere."""
        care = self._of_the_whole("list_backups")
        kept, beside = schedule_of(self._context), care.copies()
        try:
            elsewhere = [] if kept is None else care.copies_in(kept.to, kept.name)
        except MilepostError as problem:  # those that are here are shown all the same
            log.warning("the copies that a schedule keeps cannot be listed: %s", problem)
            elsewhere = []
        known = {copy.file for copy in beside}
        return [*beside, *(copy for copy in elsewhere if copy.file not in known)]

    @operation("backup", example="create_backup()", scope=ADMIN, begins=True)
    def create_backup(self) -> CopyInfo:
        """Copy the whole store to a file beside it, while others use it, and check the copy."""
        return self._of_the_whole("create_backup").back_up()

    def _of_the_whole(self, operation: str) -> StoreCare:
        return care_of_the_whole(self._context, operation)


def care_of_the_whole(context: Context, operation: str) -> StoreCare:
    """Return what looks after the store, for who may enter all of its spaces."""
    caller = CALLER.get()
    if caller.spaces is not None:
        raise Forbidden(
            f"{operation} is about the whole store, and the {caller.credential} is not for all "
            'of its spaces; use one for "*".'
        )
    return context.part(StoreCare)
