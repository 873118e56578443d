"""What was tried, and what that taught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from milepost.experience.values import (
    Ended,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Peer,
    Reward,
    Step,
    StoredPattern,
    ToolUse,
)


class Episodes(Protocol):
    """What was tried, with its steps."""

    def begin(self, space: str, episode: Episode) -> bool:
        """Write down that an episode begins; False when one of its name has begun."""

    def add_steps(self, space: str, episode: str, steps: Sequence[Step]) -> list[int]:
        """Write down steps and return their numbers, 0 for each when the episode is unknown.

        A step with a number that is taken gets the next one, unless it is the same step.
        """

    def change(
        self,
        space: str,
        episode: str,
        changes: EpisodeChanges,
        now_us: int,
        *,
        unless_ended: bool = False,
    ) -> bool:
        """Change an episode; False when there is none, or it has ended and that shall stay.

        An outcome makes it one that was not learned from.
        """

    def remove(self, space: str, episode: str) -> bool:
        """Delete an episode with its steps; False when there is none."""

    def find(self, where: EpisodeFilter, limit: int) -> list[Episode]:
        """Return the newest episodes that pass a filter, without their steps."""

    def count(self, where: EpisodeFilter) -> int:
        """Count the episodes that pass a filter."""

    def named(self, space: str, ids: Sequence[str]) -> list[Episode]:
        """Return episodes in the order of the ids, without steps; unknown ones are left out."""

    def steps(self, space: str, episode: str) -> list[Step]:
        """Return the steps of an episode by their numbers."""

    def last_step(self, space: str, episode: str) -> int | None:
        """Return the highest number of a step, 0 without steps, None without the episode."""

    def reward(self, space: str, episode: str) -> Reward | None:
        """Return the reward of a completed episode with its terms."""

    def peers(self, space: str, task_type: str, domain: str | None, limit: int) -> list[Peer]:
        """Return the episodes of a type and domain that were completed last."""

    def ended(self, where: EpisodeFilter, limit: int) -> list[Ended]:
        """Return the newest completed episodes that pass a filter; tags are not looked at."""

    def tools(self, where: EpisodeFilter, limit: int) -> list[ToolUse]:
        """Return the tools that the newest of those used that ended well or failed, most first."""

    def worked_on_us(self, space: str) -> int | None:
        """Return when an open episode was last worked on."""

    def idle(self, space: str, before_us: int, limit: int) -> list[str]:
        """Return the ids of open episodes that nobody worked on since a time, oldest first."""


class Patterns(Protocol):
    """What holds across episodes, and who was told of it."""

    def find(
        self, space: str, kind: str | None, retired: bool | None, limit: int
    ) -> list[StoredPattern]:
        """Return patterns by falling confidence."""

    def count(self, space: str) -> int:
        """Count the patterns, with those that were retired."""

    def named(self, space: str, ids: Sequence[str]) -> list[StoredPattern]:
        """Return patterns in the order of the ids; unknown ones are left out."""

    def of(self, space: str, episode: str) -> list[StoredPattern]:
        """Return the patterns that an episode speaks for or against."""

    def learn(self, space: str, episode: str | None, patterns: Sequence[StoredPattern]) -> bool:
        """Put patterns; raise Conflict when another changed one of them meanwhile.

        With an episode they are put once for each time it is completed: what was learned from it
        already is not put again, and False is returned.
        """

    def remove(self, space: str, ids: Sequence[str]) -> None:
        """Delete patterns."""

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        """Note that whoever works on an episode was told of patterns."""

    def shown(self, space: str, episode: str) -> list[str]:
        """Return the patterns that were shown for an episode."""
