"""A store that is read as ever and only notes what would be written to it."""

from collections.abc import Mapping, Sequence
from typing import Any

from milepost.errors import InvalidInput
from milepost.model.memory import Changes, Draft
from milepost.ports import Store

# Everything else that a store can do is refused: it might write.
READS = frozenset(
    "backend hashes shortest record records page around pool vectors lacking count kept noted "
    "close".split()
)
_NAMED = 10
_HASH_DIGITS = 8


class Rehearsal:
    """Passes reading on and keeps, in words, what writing would do."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.would: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name not in READS:
            raise InvalidInput("This cannot be tried without doing it; leave out the dry run.")
        return getattr(self._store, name)

    def add(self, drafts: Sequence[Draft]) -> None:
        known = {d.hash: None for d in drafts if self._store.record(d.space, d.hash) is not None}
        fresh = [d.hash for d in drafts if d.hash not in known]
        if fresh:
            self.would.append(f"store {_counted(fresh)}")
        if known:
            self.would.append(f"add tags and projects to {_counted(list(known))} known already")
        replaced = [d.supersedes for d in drafts if d.supersedes not in (None, d.hash)]
        if replaced:
            self.would.append(f"hide {_counted([str(h) for h in replaced])} as replaced")

    def change(self, memory_id: int, changes: Changes) -> None:
        named = [name for name, value in changes._asdict().items() if value is not None]
        self.would.append(f"change {' and '.join(named)} of {self._named([memory_id])}")

    def remove(self, ids: Sequence[int]) -> int:
        self.would.append(f"delete {self._named(ids)}")
        return len(ids)

    def put_vectors(self, model: str, vectors: Mapping[int, Any]) -> None:
        self.would.append(f"give vectors of {model} to {self._named(list(vectors))}")

    def keep(self, space: str, topic: str, key: str, value: str | None) -> None:
        self.would.append(f"{'forget' if value is None else 'keep'} {topic} {key} of {space}")

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        del at, most
        self.would.append(f"note {len(entries):,} entries under {topic} of {space}")

    def _named(self, ids: Sequence[int]) -> str:
        return _counted([record.hash for record in self._store.records(ids)])


def _counted(hashes: Sequence[str]) -> str:
    noun = "memory" if len(hashes) == 1 else "memories"
    shown = " ".join(text[:_HASH_DIGITS] for text in hashes[:_NAMED])
    return f"{len(hashes):,} {noun} ({shown}{' …' if len(hashes) > _NAMED else ''})"
