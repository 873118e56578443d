"""The clock, the sleep and the dice of whoever asks servers, so that tests can hold them."""

from __future__ import annotations

import random
import time

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Timing(NamedTuple):
    """What makes a run depend on the moment it happens."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
