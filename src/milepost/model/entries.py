"""What is written about episodes and patterns as they go, and what is asked of them."""

from __future__ import annotations

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.model.experience import Checkpoint, Episode, Insight, Pattern, Reward, Step
    from milepost.model.memory import Draft

# The outcome of an episode that has none yet, where episodes are chosen by it.
OPEN = "open"
# Closed by nobody in particular: whoever worked on it may still come back and complete it.
ABANDONED = "abandoned"


class Enqueued(NamedTuple):
    """Work to put off together with what is written."""

    topic: str
    key: str
    payload: str
    at: int


class EpisodeEntry(NamedTuple):
    """An episode that begins, what it is found by, and work on it to put off."""

    space: str
    episode: Episode
    draft: Draft
    job: Enqueued | None = None


class StepEntry(NamedTuple):
    """A step that was taken; number 0 means the next one."""

    space: str
    episode: str
    step: Step


class EpisodeChanges(NamedTuple):
    """What to change of an episode; None leaves it as it is, relations and checkpoints are added.

    draft: what it is found by from now on.
    job: work on it to put off.
    """

    task: str | None = None
    task_type: str | None = None
    context: dict[str, object] | None = None
    tags: tuple[str, ...] | None = None
    outcome: str | None = None
    verdict: str | None = None
    artifacts: tuple[str, ...] | None = None
    completed: float | None = None
    reward: Reward | None = None
    insights: tuple[Insight, ...] | None = None
    salience: float | None = None
    relation: tuple[str, str] | None = None
    checkpoint: Checkpoint | None = None
    draft: Draft | None = None
    job: Enqueued | None = None


class ClosingEntry(NamedTuple):
    """An episode that ends, unless it has ended otherwise already.

    ended: the episode as it then is, by which is judged whether it deserves to be found.
    """

    space: str
    episode: str
    changes: EpisodeChanges
    now: int
    ended: Episode | None = None


class EpisodeFilter(NamedTuple):
    """Conditions on an episode; times are microseconds since the epoch."""

    space: str
    outcome: str | None = None
    task_type: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    after: int | None = None
    before: int | None = None
    learned: bool | None = None


class Peer(NamedTuple):
    """A completed episode as others are compared with it."""

    id: str
    task: str
    outcome: str
    steps: int
    seconds: float


class Kept(NamedTuple):
    """A pattern as it is stored; the version says that nobody changed it meanwhile.

    version: 0 for one that is not stored yet.
    """

    pattern: Pattern
    version: int
    draft: Draft | None = None
