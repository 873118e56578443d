"""`milepost model` shows models, gets them whole or not at all, and says what they gain."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from command_line import done, milepost, on_terminal, refused

import milepost as memory
from file_server import FileServer, Misdeed, serving
from milepost.embedding import catalogue
from support import wait_until
from tiny_model import SUBJECTS, memories_of_subjects, words_of, write_model_of_subjects

FILES = ("config.json", "tokenizer.json", "model.onnx")
PREFIX = "look for: "


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, default_memory: Path) -> Path:
    """Settings of the test's own, which are not there yet."""
    place = tmp_path / "config" / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(place))
    monkeypatch.setenv("MILEPOST_MODELS_FOLDER", str(tmp_path / "models"))
    return place


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that knows what made-up words speak of."""
    return write_model_of_subjects(tmp_path_factory.mktemp("made") / "subjects")


@pytest.fixture
def server(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server that has the model, which the catalogue knows by name."""
    with serving() as running:
        entry = {
            "name": "known",
            "about": "a model of subjects",
            "licence": "Apache-2.0",
            "dimensions": SUBJECTS,
            "pooling": "mean",
            "query_prefix": PREFIX,
            "document_prefix": "",
            "origin": f"{running.url}/hub",
            "files": [],
        }
        for name in FILES:
            content = (made / name).read_bytes()
            file = {"name": name, "path": f"deep/{name}", "bytes": len(content)}
            entry["files"].append(file | {"sha256": sha256(content).hexdigest()})
            running.files[f"/hub/deep/{name}"] = running.files[f"/mirror/{name}"] = content
        (tmp_path / "catalogue.json").write_text(json.dumps([entry]))
        monkeypatch.setattr(catalogue, "FILE", tmp_path / "catalogue.json")
        yield running


@pytest.fixture
def filled(path: Path) -> Path:
    """A store with a memory for every subject."""
    memory.store_batch(memories_of_subjects())
    return path


@pytest.fixture
def added(made: Path) -> str:
    done("model", "add", made)
    return "subjects"


def states() -> dict[str, tuple[str, int | None]]:
    rows = milepost("model", "list", "--json").data
    return {row["name"]: (row["state"], row["vectors"]) for row in rows}


def left(models: Path) -> list[str]:
    return sorted(place.name for place in models.iterdir() if place.name != ".lock")


def test_the_models_are_listed_with_what_is_known_of_them(path: Path) -> None:
    lines = done("model", "list").splitlines()

    assert lines[1].split()[:5] == ["static", "in", "use", "256", "10.3"]
    assert "Apache-2.0" in lines[2]
    assert "can be added" in lines[2]
    assert not path.exists()


def test_the_shipped_catalogue_says_of_every_file_how_to_know_it() -> None:
    for name, model in catalogue.catalogue().items():
        assert name == model.name
        assert {file.name for file in model.files} == set(FILES)
        assert model.origin.startswith("https://")
        assert all(len(bytes.fromhex(file.sha256)) == 32 for file in model.files)


def test_a_folder_is_copied_once(made: Path, models: Path, filled: Path) -> None:
    assert "would copy" in done("model", "add", made, "--dry-run")
    assert not models.exists()

    first = milepost("model", "add", made, "--json").data
    again = milepost("model", "add", made, "--json").data

    assert (first["was_there"], again["was_there"]) == (False, True)
    assert (first["name"], first["dimensions"]) == ("subjects", SUBJECTS)
    assert left(models) == ["subjects"]
    assert "milepost model use subjects" in done("model", "add", made)
    assert states()["subjects"] == ("installed", 0)


def test_a_model_is_asked_as_before_under_another_name(
    made: Path, models: Path, tmp_path: Path
) -> None:
    # This name alone says which words such a model wants before a question.
    shutil.copytree(made, tmp_path / "arctic-embed-x")

    done("model", "add", tmp_path / "arctic-embed-x", "--name", "mine")

    about = json.loads((models / "mine" / "milepost.json").read_text())
    assert about["query_prefix"].startswith("Represent this sentence")
    assert about["pooling"] == "mean"


def test_what_is_no_whole_model_is_refused(made: Path, models: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(made, tmp_path / "broken")
    (broken / "model.onnx").write_bytes(b"\0 no network")
    assert "Replace the model" in refused("model", "add", broken)
    (broken / "model.onnx").unlink()
    assert "model.onnx" in refused("model", "add", broken)
    assert "no folder" in refused("model", "add", tmp_path / "nowhere")
    for name in ("static", "../up", ".hidden"):
        assert "cannot be named" in refused("model", "add", made, "--name", name)
    assert left(models) == []


def test_another_model_is_not_replaced(made: Path, models: Path, added: str) -> None:
    (models / "subjects" / "tokenizer.json").write_text("{}")
    assert "holds something else" in refused("model", "add", made)
    assert (models / "subjects" / "tokenizer.json").read_text() == "{}"


def test_the_extra_that_is_missing_is_named(
    made: Path, added: str, models: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    for words in (("add", made, "--name", "another"), ("use", added)):
        assert 'pip install "milepost[onnx]"' in refused("model", *words)
    assert left(models) == [added]
    assert not config.exists()
    assert states()[added][0] == "installed"


def test_a_model_is_fetched_by_its_name(server: FileServer, models: Path) -> None:
    assert "would fetch" in done("model", "add", "known", "--dry-run")
    assert server.asked == []

    assert milepost("model", "add", "known", "--json").data["was_there"] is False
    assert [path for path, _ in server.asked] == [f"/hub/deep/{name}" for name in FILES]
    assert milepost("model", "add", "known", "--json").data["was_there"] is True

    assert len(server.asked) == len(FILES)
    assert left(models) == ["known"]
    assert json.loads((models / "known" / "milepost.json").read_text())["query_prefix"] == PREFIX
    assert states()["known"][0] == "installed"


def test_a_mirror_is_a_folder_with_the_files(server: FileServer, models: Path) -> None:
    done("model", "add", "known", "--from", f"{server.url}/mirror/", "--name", "mirrored")

    assert [path for path, _ in server.asked] == [f"/mirror/{name}" for name in FILES]
    assert left(models) == ["mirrored"]


def test_a_fetch_that_was_interrupted_goes_on(server: FileServer, models: Path) -> None:
    server.misdeeds += [Misdeed(), Misdeed(cut=100), Misdeed(cut=0)]
    assert "broke off after 100" in refused("model", "add", "known")
    assert left(models) == [".known.part"]
    before = len(server.asked)

    done("model", "add", "known")

    assert server.asked[before:] == [
        ("/hub/deep/tokenizer.json", "bytes=100-"),
        ("/hub/deep/model.onnx", None),
    ]
    assert left(models) == ["known"]


def test_a_file_with_another_checksum_is_refused(server: FileServer, models: Path) -> None:
    right = server.files["/hub/deep/model.onnx"]
    server.files["/hub/deep/model.onnx"] = right[::-1]
    assert "checksum" in refused("model", "add", "known")
    assert "known" not in left(models)

    server.files["/hub/deep/model.onnx"] = right
    done("model", "add", "known")


def test_a_server_that_has_nothing_is_told(server: FileServer, models: Path) -> None:
    server.files.clear()
    said = refused("model", "add", "known")
    assert "404" in said
    assert "milepost model add FOLDER" in said
    # Port 9 is nobody's: every connection is refused at once.
    assert "refused" in refused("model", "add", "known", "--from", "http://127.0.0.1:9/there")
    assert "Give the address" in refused("model", "add", "known", "--from", "there")
    assert left(models) == []


def test_what_a_model_gains_is_told_and_nothing_changed(
    filled: Path, added: str, config: Path
) -> None:
    outcome = milepost("model", "use", added, "--dry-run", "--json")

    trial = outcome.data["trial"]
    assert (trial["questions"], trial["memories"]) == (SUBJECTS, SUBJECTS)
    assert trial["first"][1] > SUBJECTS * 0.9
    assert trial["first"][1] > trial["first"][0]
    assert trial["place"][1] < trial["place"][0]
    assert "would embed 40 memories in about" in done("model", "use", added, "--dry-run")
    assert not config.exists()
    assert states()["static"][0] == "in use"
    assert states()[added][1] == 0


def test_a_model_is_used_and_left_again(filled: Path, added: str, config: Path) -> None:
    question = " ".join(words_of(7)[:2])
    told = done("model", "use", added, "--yes")

    assert "40 half sentences of this store" in told
    assert "40 of 40 memories have a vector" in told
    assert tomllib.loads(config.read_text()) == {"embedder": "onnx:subjects"}
    assert states()[added] == ("in use", 40)
    assert words_of(7)[0] in done("search", question)

    assert "embedder is static" in done("model", "use", "static")
    assert states()["static"][0] == "in use"
    assert states()[added] == ("installed", 40)


def test_embedding_goes_on_where_it_was_killed(filled: Path, added: str) -> None:
    done("model", "use", added, "--yes")
    done("model", "use", "static")
    memory.store_batch([f"later memory {number}" for number in range(5)])
    assert states()[added][1] == 40
    done("config", "set", "embedder", f"onnx:{added}")

    told = done("model", "use", added)

    assert "sentences" not in told  # it is in use, so that nobody has to be asked
    assert "45 of 45 memories have a vector" in told


@pytest.mark.slow
def test_memories_are_embedded_in_the_background(filled: Path, added: str) -> None:
    assert "process" in done("model", "use", added, "--yes", "--background")
    wait_until(lambda: states()[added] == ("in use", 40))


@pytest.mark.slow
def test_progress_is_told_on_a_terminal(filled: Path, added: str) -> None:
    seen = on_terminal("model", "use", added, "--yes")
    assert "try onnx:subjects [" in seen
    assert "of 40" in seen
    assert "40 of 40 memories have a vector" in seen


def test_a_store_of_other_texts_says_that_nothing_can_be_told(path: Path, added: str) -> None:
    memory.store_batch([f"a short note {number}" for number in range(30)])
    told = done("model", "use", added, "--dry-run")
    assert "too few questions to tell" in told
    assert "first for 0" not in told


def test_without_a_store_a_model_is_only_set(path: Path, added: str, config: Path) -> None:
    assert "embedder is onnx:subjects" in done("model", "use", added)
    assert not path.exists()


def test_where_nobody_can_be_asked_nothing_is_changed(
    filled: Path, added: str, config: Path
) -> None:
    outcome = milepost("model", "use", added)
    assert outcome.code == 2
    assert "--yes" in outcome.err
    assert not config.exists()


def test_a_model_that_is_not_there_cannot_be_used(filled: Path) -> None:
    assert "milepost model add arctic-embed-s-int8" in refused(
        "model", "use", "arctic-embed-s-int8"
    )
    assert "there is static" in refused("model", "use", "nothing")


def test_the_model_of_a_server_is_chosen_there() -> None:
    assert "where it lies" in refused("model", "use", "static", "--url", "https://example.org")


def test_an_embedder_from_elsewhere_is_listed(
    filled: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER", f"onnx:{made}")
    assert states()[f"onnx:{made}"] == ("in use", 0)
    monkeypatch.setenv("MILEPOST_EMBEDDER", "onnx:gone")
    assert states()["onnx:gone"] == ("in use", None)
