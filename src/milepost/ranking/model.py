"""The trained model that turns features into a score and the score into a probability.

A linear model scores the candidates, a small network scores them again knowing the first scores
of their neighbours and sessions, and a logistic curve over absolute features says how likely a
memory is relevant at all, so that scores can be compared between questions.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.products import mixed_rows, weighted_rows

Matrix = NDArray[np.floating[Any]]

_DATA = Path(__file__).parent / "data"


class Layer(NamedTuple):
    """A linear model of standardised features, with a hidden layer beside it or without."""

    features: tuple[str, ...]
    mean: Matrix
    scale: Matrix
    weights: Matrix
    hidden: Matrix
    hidden_bias: Matrix
    hidden_weights: Matrix

    def score(self, columns: Mapping[str, Matrix]) -> Matrix:
        """Return a score for each place in the named columns."""
        raw = np.array([columns[name] for name in self.features])
        rows = (raw - self.mean[:, None]) / self.scale[:, None]
        scores = weighted_rows(rows, self.weights)
        if self.hidden.size:
            inner = np.tanh(mixed_rows(rows, self.hidden) + self.hidden_bias[:, None])
            scores = scores + weighted_rows(inner, self.hidden_weights)
        return scores


class FusionModel(NamedTuple):
    """The three steps, and the probabilities below which nothing is shown.

    A search whose best memory does not reach the gate finds nothing; when it does, others are
    shown down to the item's share of the best one's probability.
    """

    first: Layer
    second: Layer
    calibration: Layer
    bias: float
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
        bias=float(data["bias"]),
        gate=float(data["gate"]),
        item=float(data["item"]),
    )


def _layer(data: Mapping[str, Any]) -> Layer:
    def array(name: str) -> Matrix:
        return np.array(data.get(name, []), np.float32)

    return Layer(
        tuple(data["features"]),
        array("mean"),
        array("scale"),
        array("weights"),
        array("hidden"),
        array("hidden_bias"),
        array("hidden_weights"),
    )


def layer_data(layer: Layer) -> dict[str, Any]:
    """Return a layer as it is kept in the file."""
    data: dict[str, Any] = {"features": list(layer.features)}
    for name in Layer._fields[1:]:
        # In double precision, or four digits would be written as sixteen.
        values: Sequence[Any] = np.round(getattr(layer, name).astype(np.float64), 4).tolist()
        if values:
            data[name] = values
    return data
