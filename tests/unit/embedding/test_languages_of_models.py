"""Which models are known to know English alone."""

import pytest

from milepost.embedding.prefixes import knows_english_alone


@pytest.mark.parametrize(
    ("model", "alone"),
    [
        ("onnx:arctic-embed-s-int8@5f0c", True),
        ("ollama:all-minilm", True),
        ("onnx:bge-small-en-v1.5@12", True),
        ("onnx:gte-base-en", True),
        ("ollama:snowflake-arctic-embed2", False),
        ("onnx:arctic-embed-m-v2@3", False),
        ("openai:text-embedding-3-small", False),
        ("cohere:embed-v4.0", False),
        ("onnx:bge-m3@9", False),
    ],
)
def test_a_model_is_known_by_its_name(model, alone):
    assert knows_english_alone(model) == alone
