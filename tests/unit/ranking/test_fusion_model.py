"""The trained model as data and as arithmetic."""

from math import tanh

import numpy as np
import pytest
from ranking_parts import score
from small_pools import Note, search

LINEAR = {"features": ["near", "far"], "bias": [0.5], "weights": [2.0, -1.0]}
HIDDEN = LINEAR | {
    "hidden": [[1.0, 0.0], [0.0, -2.0]],
    "hidden_bias": [0.25, 0.0],
    "hidden_weights": [4.0, 0.5],
}
COLUMNS = {
    "far": np.array([1.0, 3.0], np.float32),
    "near": np.array([0.0, 2.0], np.float32),
    "unheard": np.array([9.0, 9.0], np.float32),
}


def fusion(**layers):
    return score.model_from(
        {"first": LINEAR, "second": LINEAR, "calibration": LINEAR, "gate": 0.1, "item": 0.2}
        | layers
    )


def test_a_layer_weighs_the_features_it_names():
    # 0.5 + 2 · 0 - 1, 0.5 + 2 · 2 - 3
    assert fusion().first.score(COLUMNS).tolist() == [-0.5, 1.5]


def test_a_hidden_layer_bends_what_the_linear_one_says():
    scores = fusion(second=HIDDEN).second.score(COLUMNS)

    assert scores.tolist() == pytest.approx(
        [
            -0.5 + 4 * tanh(0 + 0.25) + 0.5 * tanh(-2 * 1),
            1.5 + 4 * tanh(2 + 0.25) + 0.5 * tanh(-2 * 3),
        ],
        abs=1e-6,
    )


def test_scoring_leaves_the_features_as_they_were():
    before = {name: values.copy() for name, values in COLUMNS.items()}
    fusion(second=HIDDEN).second.score(COLUMNS)

    assert all((COLUMNS[name] == before[name]).all() for name in COLUMNS)


def test_a_model_is_built_of_its_data():
    built = fusion(calibration=HIDDEN)

    assert built.first.features == ("near", "far")
    assert not built.first.hidden.size
    assert built.calibration.hidden.tolist() == HIDDEN["hidden"]
    assert built.calibration.hidden_bias.tolist() == HIDDEN["hidden_bias"]
    assert built.calibration.hidden_weights.tolist() == HIDDEN["hidden_weights"]
    assert (built.gate, built.item) == (0.1, 0.2)


@pytest.mark.parametrize("data", [LINEAR, HIDDEN])
def test_a_layer_is_kept_as_the_data_it_is_built_of(data):
    assert score.layer_data(fusion(first=data).first) == data


def test_five_digits_of_a_weight_are_kept():
    layer = fusion(first=LINEAR | {"weights": [1.23456789, -98765.4321]}).first

    assert score.layer_data(layer)["weights"] == [1.2346, -98765.0]


@pytest.mark.parametrize("name", ["static", "chosen"])
def test_a_shipped_model_asks_only_for_what_is_computed(name):
    shipped = score.shipped_model(name)
    toward = (1.0, 0.0) if name == "chosen" else None
    found = search({"red": 4}, Note("red", chosen=(1, 0)), Note(), toward_chosen=toward)
    columns = found.features()
    columns |= score.context(found.pool, shipped.first.score(columns))
    columns["second"] = shipped.second.score(columns)

    assert np.isfinite(shipped.calibration.score(columns)).all()


@pytest.mark.parametrize("name", ["static", "chosen"])
def test_a_shipped_model_has_a_weight_for_each_of_its_features(name):
    shipped = score.shipped_model(name)

    for layer in (shipped.first, shipped.second, shipped.calibration):
        assert len(layer.weights) == len(layer.features) == len(set(layer.features))
        if layer.hidden.size:
            width = len(layer.hidden_weights)
            assert layer.hidden.shape == (len(layer.features), width)
            assert layer.hidden_bias.shape == (width,)
    assert not shipped.first.hidden.size
    assert 0 < shipped.item < 1
    assert 0 < shipped.gate < 1


def test_a_shipped_model_is_read_once():
    assert score.shipped_model("static") is score.shipped_model("static")
