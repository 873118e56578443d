"""Two spaces on one store, and calls of all kinds by who may enter only one of them."""

from milepost.testing.two_spaces.fuzzing import Report, fuzz
from milepost.testing.two_spaces.worlds import SPACES, World, planted

__all__ = ["SPACES", "Report", "World", "fuzz", "planted"]
