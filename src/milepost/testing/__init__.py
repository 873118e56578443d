"""What tests of programs that use Milepost share with its own; see docs/testing.md."""

from milepost.testing.clock import Clock
from milepost.testing.episodes import Attempt, episodes, play
from milepost.testing.histories import History, histories
from milepost.testing.stores import Disk, connect_apart

__all__ = ["Attempt", "Clock", "Disk", "History", "connect_apart", "episodes", "histories", "play"]
