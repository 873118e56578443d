"""Work that is done later; times in microseconds."""

from typing import NamedTuple

WAITING, RUNNING, DEAD = "waiting", "running", "dead"


class Job(NamedTuple):
    """One piece of work: its topic says what, its key which.

    due: from when on it may be claimed; of a running one, when its claim ends.
    attempts: how often it was claimed.
    problem: why it failed last.
    claim: the mark of whoever has it.
    """

    id: int
    space: str
    topic: str
    key: str
    payload: str
    state: str
    due: int
    attempts: int
    problem: str = ""
    claim: str = ""
