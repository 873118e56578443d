"""Two stores that are both at hand: each tells the other what changed since they last met."""

from milepost.documents.syncing.folder import Synced
from milepost.documents.syncing.replica import Heard, Replica
from milepost.errors import ConfigError
from milepost.memory.context import Context

_MET = "met "


def sync_stores(here: Context, there: Context) -> Synced:
    """Make a space the same in two stores."""
    own, other = Replica(here), Replica(there)
    if own.name == other.name:
        raise ConfigError("A store is not synced with itself, nor with a copy of its file.")
    own.observe()
    other.observe()
    heard = _tell(other, own)
    return Synced(heard, sum(_tell(own, other)))


def _tell(teller: Replica, listener: Replica) -> Heard:
    key = f"{_MET}{teller.name}"
    told, number = teller.since(int(listener.noted(key) or 0))
    return listener.hear(told, {key: str(number)})
