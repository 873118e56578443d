"""Fit the weights of sessions/usefulness.py on the development histories, and show how they do.

    python bench/fit_briefing.py

Prints the weights of a logistic regression over the signs of usefulness.py, and the share of wanted
memories among the best N when the history in question was left out of the fit. The shipped weights
are these, rounded; the histories of the test split take no part.
"""

import numpy as np
from numpy.typing import NDArray

from histories import History, load
from milepost import connect
from milepost.sessions.briefing import _candidates, _questions
from milepost.sessions.usefulness import signs

BEST = (8, 12, 16, 20, 24)
# Wanted memories are one in thirty.
WEIGHT = 10.0
PENALTY = 2.0
# What decides little, or nothing that these few histories could teach, is set by hand.
BY_HAND = ("summary", "last summary", "latest")


def rows(
    history: History,
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64], list[set[str]]]:
    """Return the signs of all candidates of a history, and which are wanted."""
    with connect("memory://", project="everywhere") as memory:
        hashes = memory.store_batch(history.drafts())
        ids: dict[str, set[str]] = {}
        for draft, name in zip(history.memories, hashes, strict=True):
            ids.setdefault(memory.get(name).full_hash, set()).add(draft["id"])
        context = memory._context
        asked = _questions(history.branch, [c["subject"] for c in history.commits], history.changed)
        found = _candidates(context, history.project, asked)
        made = [signs(candidate, context.clock()) for candidate in found]
    names = [name for name in made[0] if name not in BY_HAND]
    wanted = set().union(*(one.ids for one in history.wanted))
    known = [ids[candidate.record.hash] for candidate in found]
    values = np.array([[sign[name] for name in names] for sign in made])
    return names, values, np.array([float(bool(k & wanted)) for k in known]), known


def fitted(values: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, by Newton's method."""
    weights = np.zeros(values.shape[1])
    importance = np.where(wanted > 0, WEIGHT, 1.0)
    for _ in range(50):
        chances = 1 / (1 + np.exp(-values @ weights))
        gradient = values.T @ (importance * (chances - wanted)) + PENALTY * weights
        bend = importance * chances * (1 - chances)
        curvature = (values * bend[:, None]).T @ values + PENALTY * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def main() -> None:
    """Fit, and judge by leaving each history out in turn."""
    histories = load("dev")
    told = [rows(history) for history in histories]
    names = told[0][0]
    shares = dict.fromkeys(BEST, 0.0)
    for i, history in enumerate(histories):
        others = [one for j, one in enumerate(told) if j != i]
        weights = fitted(
            np.vstack([one[1] for one in others]), np.concatenate([one[2] for one in others])
        )
        order = np.argsort(-(told[i][1] @ weights))
        for best in BEST:
            ids = set().union(*(told[i][3][row] for row in order[:best]))
            shares[best] += history.share_in(ids) / len(histories)
    everything = fitted(
        np.vstack([one[1] for one in told]), np.concatenate([one[2] for one in told])
    )
    for name, weight in zip(names, everything, strict=True):
        print(f"{name:12} {weight:6.2f}")
    print("left out:", ", ".join(f"{share:.1%} in {best}" for best, share in shares.items()))


if __name__ == "__main__":
    main()
