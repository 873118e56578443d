"""Where the parts of recall lie: tests of ranking import them from here alone."""
# ruff: noqa: F401

from milepost.model.memory import Record
from milepost.model.results import CompactMemory, CompactSearchResult, Memory, left_out
from milepost.ranking import brief, budget, features, model, pool, score, snippets, weights, worth
from milepost.ranking.groups import group_by
from milepost.ranking.keys import label_key, term_key
from milepost.ranking.matching import match_words
from milepost.ranking.products import mixed_rows, times_vector, times_vectors, weighted_rows
from milepost.ranking.stem import stem
from milepost.ranking.surcharge import surcharge
from milepost.ranking.traits import Traits, wish
from milepost.tokens import ceiling, estimate
