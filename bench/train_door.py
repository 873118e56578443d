"""Learn how much each thing that is said to a model counts, and write it down.

A linear model over `text/instructing_forms`, from the dev halves of `data/knowledge/gate.jsonl` and
`door.jsonl` and from ordinary texts of half of the sets; judged by leaving out a fifth at a time.
"""

import argparse
import random
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from door import ordinary
from milepost.text.instructing import readings
from planted import read

OUT = Path(__file__).parents[1] / "src/milepost/text/instructing_weights.py"
# What is ordinary is taken from these; `door.py` counts false alarms on all.
SETS = ("histories", "month dev", "developer", "longmemeval_dev")
SAMPLE, CHARS = 1_200, 4_000
ROUNDS, SEEN_MIN = 3, 4
COMMON_WEIGHT = 0.35


def planted() -> tuple[list[frozenset[str]], list[bool]]:
    """Return what is said in the strongest part of each planted text of dev, and its label."""
    rows = [*read("gate", "dev"), *read("door", "dev")]
    return [said(row["text"]) for row in rows], [row["label"] == "instructs" for row in rows]


def said(text: str) -> frozenset[str]:
    """Return what is said in the part of a text in which most is said."""
    return max(readings(text), key=len)


def common(data: Path | None) -> list[list[frozenset[str]]]:
    """Return what is said in the parts of ordinary texts; of the sets left out nothing."""
    chance, taken = random.Random(3), []
    for name, texts in ordinary(data):
        if name in SETS:
            some = sorted(set(texts))
            chance.shuffle(some)
            taken += [list(readings(text[:CHARS])) for text in some[:SAMPLE]]
    return taken


def hardest(
    others: Sequence[list[frozenset[str]]], weights: dict[str, float]
) -> list[frozenset[str]]:
    """Return the parts of ordinary texts that are nearest to being taken for an instruction."""
    return [max(parts, key=lambda part: sum(weights.get(n, 0) for n in part)) for parts in others]


def matrix(rows: Sequence[frozenset[str]], names: Sequence[str]) -> np.ndarray:
    """Return which names each row has, and a one."""
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(rows), len(names) + 1))
    table[:, -1] = 1
    for i, row in enumerate(rows):
        table[i, [place[name] for name in row if name in place]] = 1
    return table


def fitted(x: np.ndarray, y: np.ndarray, weight: np.ndarray, ridge: float) -> np.ndarray:
    """Fit a logistic regression by Newton's steps."""
    w = np.zeros(x.shape[1])
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 1e-3
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (weight * (p - y)) + penalty * w
        hessian = (x.T * (weight * p * (1 - p))) @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if np.abs(step).max() < 1e-4:
            break
    return w


def learned(
    rows: Sequence[frozenset[str]],
    labels: Sequence[bool],
    others: Sequence[list[frozenset[str]]],
    ridge: float,
) -> tuple[dict[str, float], float]:
    """Fit to planted texts and to ordinary ones, whose hardest parts are chosen again each time."""
    weights: dict[str, float] = {}
    base, parts = 0.0, set()
    for _ in range(ROUNDS):
        parts |= set(hardest(others, weights)) - {frozenset()}
        common_rows = sorted(parts, key=sorted)
        counts = Counter(name for row in (*rows, *common_rows) for name in row)
        names = sorted(name for name, n in counts.items() if n >= SEEN_MIN)
        x = matrix([*rows, *common_rows], names)
        y = np.array([*labels, *(False for _ in common_rows)], float)
        weight = np.array([1.0] * len(rows) + [COMMON_WEIGHT] * len(common_rows))
        w = fitted(x, y, weight, ridge)
        weights, base = dict(zip(names, w, strict=False)), w[-1]
    return weights, base


def main() -> None:
    """Print cross-validated figures and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--ridge", type=float, default=3.0)
    parser.add_argument("--cut", type=float, default=0.0, help="more than this is an instruction")
    options = parser.parse_args()
    rows, labels = planted()
    others = common(options.data)
    chance = random.Random(1)
    folds = [chance.randrange(5) for _ in rows]
    scores = [0.0] * len(rows)
    for fold in range(5):
        kept = [i for i, each in enumerate(folds) if each != fold]
        weights, base = learned(
            [rows[i] for i in kept], [labels[i] for i in kept], others, options.ridge
        )
        for i, each in enumerate(folds):
            if each == fold:
                scores[i] = base + sum(weights.get(name, 0) for name in rows[i])
    for cut in (-0.5, 0.0, 0.5):
        told = [label for score, label in zip(scores, labels, strict=True) if score > cut]
        print(f"cut {cut}: P {sum(told) / len(told):.3f} R {sum(told) / sum(labels):.3f}")
    weights, base = learned(rows, labels, others, options.ridge)
    write(weights, base - options.cut)


def write(weights: dict[str, float], base: float) -> None:
    """Write the weights that count."""
    counting = {
        name: f"{value:.2f}" for name, value in sorted(weights.items()) if abs(value) >= 0.05
    }
    pairs = " ".join(f"{name} {value}" for name, value in counting.items() if len(name) == 2)
    lines = [f'    "{name}": {value},' for name, value in counting.items() if len(name) != 2]
    head = '"""How much what is said to a model counts; written by `bench/train_door.py`."""'
    wrapped = textwrap.wrap(pairs, 96, break_long_words=False, break_on_hyphens=False)
    pieces = [
        head,
        "",
        f"BASE = {base:.2f}",
        "WEIGHTS = {",
        *lines,
        "}",
        "# Signs that stand near each other, each pair with its weight.",
        'NEIGHBOURS = """',
        *wrapped,
        '"""',
        "",
    ]
    OUT.write_text("\n".join(pieces))


if __name__ == "__main__":
    main()
