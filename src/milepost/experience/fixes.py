"""What mended the failures of an episode, and what was tried in vain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from milepost.experience.steps import Deed
from milepost.text import mending
from milepost.values import NamedTuple


class Fix(NamedTuple):
    """A failure, what was changed then, and the step that shows that it helped."""

    failure: Deed
    change: tuple[Deed, ...]
    success: Deed


def fixes(done: Sequence[Deed]) -> list[Fix]:
    """Return the fixes of an episode, one for each failing command and error."""
    return _fixes(done, mending.mendings([deed.act for deed in done]))


def attempts(done: Sequence[Deed]) -> list[Fix]:
    """Return what was changed after a failure and did not help: the same came again."""
    return _fixes(done, mending.attempts([deed.act for deed in done]))


def _fixes(done: Sequence[Deed], found: Iterable[mending.Mending]) -> list[Fix]:
    return [Fix(done[m.failure], tuple(done[n] for n in m.changes), done[m.success]) for m in found]
