"""What a named embedder leaves open comes from the variables that people have set already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from milepost.config import Settings, load_settings, trace_settings
from milepost.opening import open_chosen
from milepost.secret_sources import all_revealed

if TYPE_CHECKING:
    from tests.unit.embedding.conftest import Server

NOWHERE = {"MILEPOST_CONFIG": "/dev/null"}
THEIRS = {
    "OPENAI_API_KEY": "sk-theirs",
    "COHERE_API_KEY": "co-theirs",
    "OLLAMA_BASE_URL": "http://gpu:11434",
    "EMBEDDING_MODEL": "a-model",
}


def settings(**ours: str) -> Settings:
    variables = {f"MILEPOST_{name.upper()}": value for name, value in ours.items()}
    return load_settings(environment=NOWHERE | THEIRS | variables)


def sources(environment: dict[str, str]) -> dict[str, str]:
    return {o.name: o.source for o in trace_settings(environment=NOWHERE | environment)}


@pytest.mark.parametrize("embedder", ["", "static", "onnx:arctic"])
def test_without_a_remote_embedder_nothing_of_others_is_read(embedder: str) -> None:
    chosen = settings(embedder=embedder)

    assert chosen.embedder == (embedder or "static")
    assert chosen.embedder_keys == ()


@pytest.mark.parametrize(
    ("named", "embedder", "keys"),
    [
        ("openai", "openai#a-model", ("sk-theirs",)),
        ("openai#mine", "openai#mine", ("sk-theirs",)),
        ("cohere", "cohere#a-model", ("co-theirs",)),
        ("ollama", "ollama:http://gpu:11434#a-model", ()),
        ("ollama:http://here:1#mine", "ollama:http://here:1#mine", ()),
    ],
)
def test_a_named_embedder_takes_what_it_lacks(
    named: str, embedder: str, keys: tuple[str, ...]
) -> None:
    chosen = settings(embedder=named)

    assert (chosen.embedder, chosen.embedder_keys) == (embedder, keys)


@pytest.mark.parametrize("embedder", ["openai", "cohere"])
def test_the_key_of_others_may_lie_in_a_file_as_ours_may(embedder: str, tmp_path: Path) -> None:
    place, variable = tmp_path / "key", f"{embedder.upper()}_API_KEY"
    place.write_text("sk-in-a-file\n")
    given = {"MILEPOST_EMBEDDER": embedder, f"{variable}_FILE": str(place)}
    chosen = load_settings(environment=NOWHERE | given)

    assert all_revealed("embedder_keys", chosen.embedder_keys) == ("sk-in-a-file",)
    assert sources(given)["embedder_keys"] == f"environment {variable}_FILE"
    # The key itself comes first, and neither is sent elsewhere.
    assert load_settings(environment=NOWHERE | given | THEIRS).embedder_keys != chosen.embedder_keys
    elsewhere = given | {"MILEPOST_EMBEDDER": f"{embedder}:http://elsewhere"}
    assert load_settings(environment=NOWHERE | elsewhere).embedder_keys == ()


def test_a_key_is_sent_to_its_own_server_alone() -> None:
    assert settings(embedder="openai:http://elsewhere").embedder_keys == ()
    assert settings(embedder="cohere:http://elsewhere").embedder_keys == ()


def test_whoever_has_keys_of_ours_gets_nothing_of_others() -> None:
    chosen = settings(embedder="openai", embedder_keys="sk-ours")

    assert (chosen.embedder, chosen.embedder_keys) == ("openai", ("sk-ours",))


@pytest.mark.parametrize(
    "address", ["http://gpu:11434", "http://gpu:11434/", "http://gpu:11434/v1"]
)
def test_ollama_is_found_wherever_its_address_ends(address: str) -> None:
    found = load_settings(
        environment=NOWHERE | {"MILEPOST_EMBEDDER": "ollama", "OLLAMA_BASE_URL": address}
    )

    assert found.embedder in ("ollama:http://gpu:11434", "ollama:http://gpu:11434/")


def test_where_a_value_came_from_is_told() -> None:
    named = {"MILEPOST_EMBEDDER": "openai"}

    assert sources(named | THEIRS)["embedder_keys"] == "environment OPENAI_API_KEY"
    said = "environment MILEPOST_EMBEDDER and environment EMBEDDING_MODEL"
    assert sources(named | THEIRS)["embedder"] == said
    assert sources(named)["embedder"] == "environment MILEPOST_EMBEDDER"
    assert sources(named)["embedder_keys"] == "default"


def test_a_server_is_asked_with_the_key_and_model_of_others(server: Server) -> None:
    theirs = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-1", "EMBEDDING_MODEL": "big"}
    chosen = load_settings(environment=NOWHERE | theirs | {"MILEPOST_EMBEDDER": "openai"})

    open_chosen(chosen).try_embed(["a text"])

    (asked,) = server.requests
    assert (asked.path, asked.key, asked.body["model"]) == ("/v1/embeddings", "sk-1", "big")
