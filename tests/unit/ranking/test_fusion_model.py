"""The trained model as data and as arithmetic."""

import json
from pathlib import Path

import numpy as np
import pytest
from ranking_parts import score
from small_pools import Note, search

LINEAR = {"features": ["near", "far"], "bias": [0.5], "weights": [2.0, -1.0]}
COLUMNS = {
    "far": np.array([1.0, 3.0], np.float32),
    "near": np.array([0.0, 2.0], np.float32),
    "unheard": np.array([9.0, 9.0], np.float32),
}


def fusion(**layers):
    return score.model_from(
        dict.fromkeys(("ranking", "replaced", "answered", "relevance"), LINEAR)
        | {"gate": 0.1, "item": 0.2}
        | layers
    )


def test_a_layer_weighs_the_features_it_names():
    # 0.5 + 2 · 0 - 1, 0.5 + 2 · 2 - 3
    assert fusion().ranking.score(COLUMNS).tolist() == [-0.5, 1.5]


def test_scoring_leaves_the_features_as_they_were():
    before = {name: values.copy() for name, values in COLUMNS.items()}
    fusion().relevance.score(COLUMNS)

    assert all((COLUMNS[name] == before[name]).all() for name in COLUMNS)


def test_a_model_is_built_of_its_data():
    built = fusion()

    assert built.ranking.features == built.answered.features == ("near", "far")
    assert built.relevance.weights.tolist() == LINEAR["weights"]
    assert built.relevance.bias.tolist() == LINEAR["bias"]
    assert (built.gate, built.item) == (0.1, 0.2)


def test_a_layer_is_kept_as_the_data_it_is_built_of():
    assert score.layer_data(fusion().ranking) == LINEAR


def test_five_digits_of_a_weight_are_kept():
    layer = fusion(ranking=LINEAR | {"weights": [1.23456789, -98765.4321]}).ranking

    assert score.layer_data(layer)["weights"] == [1.2346, -98765.0]


shipped_ones = pytest.mark.parametrize("name", ["static", "chosen"])


@shipped_ones
def test_a_shipped_model_asks_only_for_what_is_computed(name):
    shipped = score.shipped_model(name)
    toward = (1.0, 0.0) if name == "chosen" else None
    found = search({"red": 4}, Note("red", chosen=(1, 0)), Note(), toward_chosen=toward)
    columns = found.features()
    columns |= score.standing(shipped.ranking.score(columns))
    answered, chances = score.likelihoods(shipped, columns)

    assert 0 < answered < 1
    assert np.isfinite(chances).all()


@shipped_ones
def test_a_shipped_model_has_a_weight_for_each_of_its_features(name):
    shipped = score.shipped_model(name)

    for layer in (shipped.ranking, shipped.answered, shipped.relevance):
        assert len(layer.weights) == len(layer.features) == len(set(layer.features))
        assert np.isfinite(layer.weights).all()
    assert 0 < shipped.item < 1
    assert 0 < shipped.gate < 1


@shipped_ones
def test_a_shipped_model_hears_a_chosen_embedder_only_where_there_is_one(name):
    heard = {one for one in score.shipped_model(name).ranking.features if one.startswith("chosen")}

    assert bool(heard) == (name == "chosen")


# What does not say how well a memory matches: when it was said, how long it is, whether it or the
# one before it asks, and how the question itself is.
NO_MATCH = {"length", "asks", "asked_before", "answers"}


@shipped_ones
@pytest.mark.parametrize("step", ["ranking", "answered", "relevance"])
def test_no_match_weighs_less_than_nothing(name, step):
    layer = getattr(score.shipped_model(name), step)
    weights = dict(zip(layer.features, layer.weights.tolist(), strict=True))
    matches = {
        feature: weight
        for feature, weight in weights.items()
        if feature not in NO_MATCH and not feature.startswith("q_")
    }

    assert {feature for feature, weight in matches.items() if weight < 0} == set()
    assert any(weight > 0 for weight in matches.values())


def trained_on(name):
    path = Path(score.__file__).parent / "data" / f"fusion-{name}.json"
    return json.loads(path.read_text("utf-8"))["trained_on"]


@shipped_ones
def test_the_licence_of_each_source_stands_beside_the_weights(name):
    licences = trained_on(name)

    assert len(licences) > 1
    assert all(isinstance(licence, str) and licence.strip() for licence in licences.values())


@shipped_ones
def test_no_weights_come_from_what_may_only_be_measured(name):
    assert "locomo" not in trained_on(name)
    for licence in trained_on(name).values():
        assert "measuring only" not in licence
        assert "NC" not in licence.replace("-", " ").split()


def test_no_shipped_model_learned_from_what_the_other_may_not():
    assert trained_on("chosen").items() <= trained_on("static").items()


def test_a_shipped_model_is_read_once():
    assert score.shipped_model("static") is score.shipped_model("static")
