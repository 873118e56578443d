"""What is known of one thing that several stores keep: when it came, went, and each field changed.

Two such states are joined field by field: the later stamp counts. That gives the same in whatever
order, however grouped and however often states are joined, so stores that heard the same agree. A
stamp is a time and the name of the store. It is later than all stamps that its store knew of the
thing, whatever its clock says; the clock only orders what stores did without knowing of each other.
A state holds digests and no texts, so that what was erased leaves none.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

Stamp = tuple[int, str]
# Before anything.
NEVER: Stamp = (0, "")
_DIGEST_BYTES = 12


class State(NamedTuple):
    """When a thing was last stored and last deleted, and by field the last change and its value.

    erased_at: when it was last deleted so that nothing is left.
    """

    born: Stamp = NEVER
    died: Stamp = NEVER
    erased_at: Stamp = NEVER
    fields: Mapping[str, tuple[Stamp, Any]] = {}

    @property
    def alive(self) -> bool:
        """Whether it was stored after it was deleted."""
        return self.born > self.died

    @property
    def erased(self) -> bool:
        """Whether nothing is to be left of it, also where others merely deleted it."""
        return self.erased_at > self.born

    @property
    def last(self) -> int:
        """The time of the latest stamp."""
        return max(self.born[0], self.died[0], *(stamp[0] for stamp, _ in self.fields.values()))

    def value(self, name: str) -> Any:
        """Return the value of a field; None for none."""
        known = self.fields.get(name)
        return None if known is None else known[1]


NOTHING = State()


def joined(one: State, other: State) -> State:
    """Return what is known from both."""
    fields = dict(one.fields)
    for name, field in other.fields.items():
        fields[name] = max(fields[name], field, key=_order) if name in fields else field
    deletions = max(one.died, other.died), max(one.erased_at, other.erased_at)
    return _settled(State(max(one.born, other.born), *deletions, fields))


def _order(field: tuple[Stamp, Any]) -> tuple[Stamp, str]:
    stamp, value = field
    return stamp, json.dumps(value, sort_keys=True)


def _settled(state: State) -> State:
    """Leave out what was said before it was last deleted."""
    fields = {name: field for name, field in state.fields.items() if field[0] > state.died}
    return state._replace(fields=fields)


def changed(state: State, values: Mapping[str, Any], at_us: int, store: str) -> State:
    """Return a state that says some values now; one that is gone comes back."""
    stamp = max(at_us, state.last + 1), store
    fields = {**state.fields, **{name: (stamp, value) for name, value in values.items()}}
    return state._replace(born=state.born if state.alive else stamp, fields=fields)


def gone(state: State, at_us: int, store: str, *, erased: bool) -> State:
    """Return the state of what was deleted now."""
    stamp = max(at_us, state.last + 1), store
    return State(state.born, stamp, stamp if erased else state.erased_at)


def buried(state: State) -> State:
    """Return the state of what was erased without anything that was said of it since."""
    if state.alive or not state.erased or not state.fields:
        return state
    last = max(stamp for stamp, _ in state.fields.values())
    return State(state.born, max(state.died, last), state.erased_at)


def digest(value: Any) -> str:
    """Return what stands for a value in a state."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def to_text(state: State) -> str:
    """Return a state as the one text that stands for it."""
    return json.dumps([state.born, state.died, state.erased_at, state.fields], sort_keys=True)


def from_text(text: str) -> State:
    """Return the state that a text stands for; raise ValueError for one that is none."""
    try:
        born, died, erased, fields = json.loads(text)
        known = {str(name): (_stamp(stamp), value) for name, (stamp, value) in fields.items()}
        erased_at = (died if erased else NEVER) if isinstance(erased, bool) else erased
        return State(_stamp(born), _stamp(died), _stamp(erased_at), known)
    except (TypeError, AttributeError, RecursionError) as problem:
        raise ValueError("this is no state") from problem


def _stamp(value: Any) -> Stamp:
    at_us, store = value
    if not isinstance(at_us, int) or not isinstance(store, str) or not 0 <= at_us < 1 << 62:
        raise ValueError("this is no stamp")
    return at_us, store
