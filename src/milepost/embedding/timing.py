"""The clock, the sleep and the dice of a remote embedder, so that tests can hold them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Bundle what makes a run depend on the moment it happens."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
