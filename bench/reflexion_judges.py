"""Which programming tasks are alike, by what no ranking is given."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.embedding import open_embedder
from reflexion_runs import CODING, Trial

# Solutions that share less than this have nothing to do with one another.
CODE_ALIKE = 0.2
Pairs = list[tuple[Trial, Trial]]


def by_description(trials: Sequence[Trial], folder: Path) -> Pairs:
    """Pair each task with the one a transformer finds most alike, by their descriptions."""
    asked = _judged(trials)
    vectors = open_embedder(f"onnx:{folder}").embed(
        [t.episode.task.partition(": ")[2] for t in asked]
    )
    return _nearest(asked, np.asarray(vectors @ vectors.T))


def by_code(trials: Sequence[Trial]) -> Pairs:
    """Pair each task with the one whose solution and tests are most alike, if they are at all."""
    asked = _judged(trials)
    counts = [Counter(_code_words(t.judge)) for t in asked]
    having = Counter(word for c in counts for word in c)
    rows = np.zeros((len(asked), len(having)))
    column = {word: place for place, word in enumerate(having)}
    for row, c in enumerate(counts):
        for word, count in c.items():
            rows[row, column[word]] = (1 + math.log(count)) * math.log(len(asked) / having[word])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    return _nearest(asked, rows @ rows.T, least=CODE_ALIKE)


def _judged(trials: Sequence[Trial]) -> list[Trial]:
    return [t for t in trials if t.useful and t.source in CODING]


def _nearest(asked: Sequence[Trial], likeness: NDArray[Any], least: float = 0.0) -> Pairs:
    np.fill_diagonal(likeness, -1)
    best = likeness.argmax(axis=1)
    return [
        (trial, asked[best[row]])
        for row, trial in enumerate(asked)
        if likeness[row, best[row]] >= least
    ]


def _code_words(code: str) -> list[str]:
    code = re.sub(r'""".*?"""', " ", code, flags=re.DOTALL)
    return re.findall(r"[A-Za-z_]\w*|[-+*/%<>=&|^~]+|\d+", code)
