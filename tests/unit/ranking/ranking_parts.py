"""Where the parts of ranking lie: its tests import them from here alone."""
# ruff: noqa: F401

from milepost.memory.search import rank_for
from milepost.ranking import age, bridges, candidates, features, matching, score
from milepost.ranking.keys import label_key, term_key
from milepost.ranking.numerics import (
    group_by,
    times_vector,
    times_vectors,
    weighted_rows,
)
from milepost.ranking.traits import traits
from milepost.text.words import stem
