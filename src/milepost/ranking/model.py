"""The trained model that turns features into a score and the score into a probability.

A linear model scores the candidates, a small network scores them again knowing the first scores
of their neighbours and sessions, and a logistic curve over absolute features says how likely a
memory is relevant at all, so that scores can be compared between questions.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.products import mixed_rows, weighted_rows

Matrix = NDArray[np.floating[Any]]

_DATA = Path(__file__).parent / "data"


class Layer(NamedTuple):
    """A linear model of features, with a hidden layer beside it or without."""

    features: tuple[str, ...]
    bias: Matrix
    weights: Matrix
    hidden: Matrix
    hidden_bias: Matrix
    hidden_weights: Matrix

    def score(self, columns: Mapping[str, Matrix]) -> Matrix:
        """Return a score for each place in the named columns."""
        rows = np.array([columns[name] for name in self.features])
        scores = weighted_rows(rows, self.weights) + self.bias
        if self.hidden.size:
            inner = mixed_rows(rows, self.hidden)
            inner += self.hidden_bias[:, None]
            scores += weighted_rows(np.tanh(inner, out=inner), self.hidden_weights)
        return scores


class FusionModel(NamedTuple):
    """The three steps, and the probabilities below which nothing is shown.

    A search whose best memory does not reach the gate finds nothing; when it does, others are
    shown down to the item's share of the best one's probability.
    """

    first: Layer
    second: Layer
    calibration: Layer
    gate: float
    item: float


@cache
def shipped_model(name: str = "static") -> FusionModel:
    """Read a model that ships with the package: "static", or "chosen" for two vector channels."""
    return model_from(json.loads((_DATA / f"fusion-{name}.json").read_text("utf-8")))


def model_from(data: Mapping[str, Any]) -> FusionModel:
    """Build a model from its data."""
    return FusionModel(
        first=_layer(data["first"]),
        second=_layer(data["second"]),
        calibration=_layer(data["calibration"]),
        gate=float(data["gate"]),
        item=float(data["item"]),
    )


def _layer(data: Mapping[str, Any]) -> Layer:
    def array(name: str) -> Matrix:
        return np.array(data.get(name, []), np.float32)

    return Layer(tuple(data["features"]), *(array(name) for name in Layer._fields[1:]))


def layer_data(layer: Layer) -> dict[str, Any]:
    """Return a layer as it is kept in the file."""
    data: dict[str, Any] = {"features": list(layer.features)}
    for name in Layer._fields[1:]:
        values = getattr(layer, name)
        if values.size:
            data[name] = _short(values)
    return data


def _short(values: Matrix) -> Any:
    if values.ndim > 1:
        return [_short(row) for row in values]
    return [float(f"{value:.5g}") for value in np.atleast_1d(values).tolist()]
