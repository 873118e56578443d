"""See what the stores hold and take, and keep copies of them."""

from collections.abc import Sequence

from milepost.access.values import ADMIN, CALLER
from milepost.errors import Forbidden
from milepost.memory.context import Service
from milepost.operation import operation
from milepost.upkeep.values import Copy, CopyInfo, PlacedSpace, StoreCheck, StoreHealth, StoreInfo


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
        """Show every copy beside the store: backups, and what upgrades and restores left."""
        return list(self._of_the_whole("list_backups").copies())

    @operation("backup", example="create_backup()", scope=ADMIN, begins=True)
    def create_backup(self) -> CopyInfo:
        """Copy the whole store to a file beside it, while others use it, and check the copy."""
        return self._of_the_whole("create_backup").back_up()

    def _of_the_whole(self, operation: str) -> StoreCare:
        caller = CALLER.get()
        if caller.spaces is not None:
            raise Forbidden(
                f"{operation} is about the whole store, and the {caller.credential} is not for all "
                'of its spaces; use one for "*".'
            )
        return self._context.part(StoreCare)
