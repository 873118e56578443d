"""Count tokens without a tokenizer: an estimate, a ceiling for hard budgets, and an exact counter.

The tokenizer meant is o200k_base. It cuts a text into pieces by the classes of its characters
and then each piece into tokens. The cuts are repeated here on a string of class letters; what a
piece of a given shape costs on average was measured by `bench/calibrate_tokens.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import ceil, sqrt
from unicodedata import category

# Class letters: a lower, A upper, 0 number, s space, n line end, q apostrophe, p punctuation, and
# beyond ASCII c/C Cyrillic, l/L Latin, h Han, k kana, g Hangul, r Arabic, o other letters,
# e emoji, j other signs. A letter without case may stand on either side of a change of case.
_UPPER, _LOWER = "ACLhkgro", "aclhkgro"
_RANGES = (
    ("l", 0x00C0, 0x0250),
    ("c", 0x0400, 0x0530),
    ("r", 0x0600, 0x0700),
    ("k", 0x3040, 0x3100),
    ("h", 0x3400, 0xA000),
    ("g", 0xAC00, 0xD7B0),
)
