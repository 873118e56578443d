"""Look after what rests on code that changed: see it, and say that it holds."""

from milepost.errors import InvalidInput
from milepost.memory import validation
from milepost.memory.context import Context, Service, find_record, short_hash
from milepost.memory.freshness import freshness_by_id
from milepost.memory.home import at_place, home_of, tree_of
from milepost.memory.search import Ranked, result_of
from milepost.memory.values import CompactSearchResult
from milepost.operation import operation
from milepost.ports import Workspace


class Staleness(Service):
    """The operations on memories whose code changed."""

    @operation("memory", example="stale(limit=10)", read_only=True)
    def stale(
        self, limit: int = 20, folder: str | None = None, budget: int | None = None
    ) -> CompactSearchResult:
        """List the memories of the project whose files or symbols changed or are gone since.

        limit: how many to show at most.
        folder: the working tree to compare with, if not the folder that is worked in.
        budget: ceiling in tokens for the text of the result.
        """
        count, ceiling = validation.limit(limit), validation.budget(budget)
        context = at_place(self._context, folder)
        _tree(context)
        ids = _stale_ids(context)
        ranked = Ranked(ids, [1.0] * len(ids), len(ids))
        return result_of(context, "stale", ranked, count, ceiling)

    @operation("memory", example='confirm("8f7d497f")', idempotent=True)
    def confirm(self, hash: str, folder: str | None = None) -> str:
        """Say that a memory still holds, with the code as it is now, and return its hash.

        hash: the memory's hash or its beginning.
        folder: the working tree to compare with, if not the folder that is worked in.
        """
        context = at_place(self._context, folder)
        record = find_record(context, hash)
        (anchors,) = _tree(context).anchors([record.content])
        context.store.anchors.put(record.id, anchors)
        return short_hash(context, record.hash)


def _tree(context: Context) -> Workspace:
    """Return the working tree that memories are compared with."""
    tree = tree_of(context)
    if tree is not None and tree.project.git:
        return tree
    if tree is None:
        raise InvalidInput(
            "A server has no git repository of yours to compare memories with; ask by the command "
            "line or a MilepostClient from within a working tree, which tell of it."
        )
    raise InvalidInput(
        "There is no git repository to compare memories with; ask from within a working tree."
    )


def _stale_ids(context: Context) -> list[int]:
    home = home_of(context)
    if home.project is None:
        return []
    ids = context.store.anchors.anchored(context.space, home.project, context.clock())
    changed = freshness_by_id(context, home, ids)
    return [memory_id for memory_id in ids if memory_id in changed]
