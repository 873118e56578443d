"""Why a candidate stands where it stands, from the same computation that ranks."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from milepost.ranking.candidates import CandidateSet, Probe
from milepost.ranking.matching import match_words
from milepost.ranking.score import Judgement

# What the features are about, in words.
_ABOUT = {
    "words": ("bm_share", "bm_norm", "soft_share", "passage", "head", "adjacent"),
    "meaning": ("similar_share", "similar_z", "topical", "chosen_z", "chosen_share"),
    "neighbours": (
        "window_three", "window_five", "beside", "chosen_beside", "session_lexical",
        "asked_before", "answers",
    ),
    "who said it": ("author_asked",),
    "form": ("length", "asks"),
}  # fmt: skip
# A difference of less than this decides nothing.
_TELLING = 0.1


class Reasons(NamedTuple):
    """Where a candidate stands, and what speaks for and against it beside its rival.

    The rival is the best candidate, or the second for the best itself.
    """

    place: int
    candidates: int
    chance: float
    answered: float
    silent: bool
    shown: bool
    met: tuple[str, ...]
    akin: tuple[str, ...]
    missed: tuple[str, ...]
    similarity: float
    best_similarity: float
    outdated: bool
    rival: int | None
    beside: Mapping[str, float]
    # What each group of features gives it more than the usual candidate.
    gains: Mapping[str, float]


def reasons(pool: CandidateSet, probe: Probe, judgement: Judgement, row: int) -> Reasons:
    """Say why a candidate stands where it stands."""
    columns, order = judgement.columns, judgement.order
    place = int(np.flatnonzero(order == row)[0])
    rival = None if pool.size == 1 else int(order[1 if place == 0 else 0])
    beside = {} if rival is None else _beside(judgement, row, rival)
    matches = match_words(pool, probe)
    words = [word.text for word in probe.words]
    counts, soft = matches.counts[row], matches.soft[row]
    return Reasons(
        place=place + 1,
        candidates=pool.size,
        chance=float(judgement.chances[place]),
        answered=judgement.answered,
        silent=judgement.silent,
        shown=bool(judgement.shown[place]),
        met=tuple(w for w, n in zip(words, counts, strict=False) if n > 0),
        akin=tuple(w for w, n, s in zip(words, counts, soft, strict=False) if n == 0 and s > 0),
        missed=tuple(w for w, s in zip(words, soft, strict=False) if s == 0),
        similarity=float(columns["similar"][row]),
        best_similarity=float(columns["similar"].max()),
        outdated=row in judgement.replaced_by,
        rival=None if rival is None else int(pool.ids[rival]),
        beside=beside,
        gains=_gains(judgement, row),
    )


def _gains(judgement: Judgement, row: int) -> dict[str, float]:
    """Return what each group of features gives a candidate more than the mean of all."""
    columns = judgement.columns

    def above(name: str) -> float:
        return float(columns[name][row] - columns[name].mean())

    layer = judgement.model.ranking
    weights = zip(layer.features, layer.weights.tolist(), strict=True)
    each = {name: weight * above(name) for name, weight in weights}
    groups = {about: sum(each.get(name, 0.0) for name in names) for about, names in _ABOUT.items()}
    return groups | {"age": above("renewed"), "rare words of the best": above("bridged")}


def _beside(judgement: Judgement, row: int, rival: int) -> dict[str, float]:
    """Return what each group of features gives a candidate more than its rival."""
    columns, layer = judgement.columns, judgement.model.ranking
    differences = {
        name: weight * float(columns[name][row] - columns[name][rival])
        for name, weight in zip(layer.features, layer.weights.tolist(), strict=True)
    }
    groups = {
        about: sum(differences.get(name, 0.0) for name in names) for about, names in _ABOUT.items()
    }
    groups["age"] = float(columns["renewed"][row] - columns["renewed"][rival])
    shared = columns["bridged"]
    groups["rare words of the best"] = float(shared[row] - shared[rival])
    return {about: gain for about, gain in groups.items() if abs(gain) >= _TELLING}
