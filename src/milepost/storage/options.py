"""What can be set of a database that is not a file."""

from typing import NamedTuple


class DatabaseOptions(NamedTuple):
    """How a database is used; see the settings of the same names."""

    connections: int = 10
    statement_s: float = 30.0
    prepare: bool = True
    replica: str = ""
    replica_lag_s: float = 1.0


USUAL = DatabaseOptions()

# How many times of transactions wait to be counted; in a process that counts none, the latest.
WRITES_MAX = 10_000
