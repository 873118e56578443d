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

Matrix = NDArray[np.float32]

_FILE = Path(__file__).parent / "data" / "fusion.json"


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
        """Return a score for each row of named columns."""
        raw = np.stack([columns[name] for name in self.features], axis=1)
        rows = (raw - self.mean) / self.scale
        scores: Matrix = rows @ self.weights
        if self.hidden.size:
            scores = scores + np.tanh(rows @ self.hidden + self.hidden_bias) @ self.hidden_weights
        return scores


class FusionModel(NamedTuple):
    """The three steps and the probability below which nothing is shown."""

    first: Layer
    second: Layer
    calibration: Layer
    bias: float
    relevant: float


@cache
def shipped_model() -> FusionModel:
    """Read the model that ships with the package."""
    return model_from(json.loads(_FILE.read_text("utf-8")))


def model_from(data: Mapping[str, Any]) -> FusionModel:
    """Build a model from its data."""
    layers = (_layer(data[name]) for name in ("first", "second", "calibration"))
    return FusionModel(*layers, bias=float(data["bias"]), relevant=float(data["relevant"]))


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
        values: Sequence[Any] = np.round(getattr(layer, name), 4).tolist()
        if values:
            data[name] = values
    return data
