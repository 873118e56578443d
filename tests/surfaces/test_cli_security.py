"""`milepost doctor --security` says what is open, and what would close it."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path

import apsw
import pytest
from command_line import milepost

import milepost as memory
from milepost.surfaces.cli.commands import advisories

pytestmark = pytest.mark.usefixtures("default_memory")


@pytest.fixture(autouse=True)
def nothing_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file without advisories, and a configuration and folders of the test's own."""
    monkeypatch.setenv("MILEPOST_CONFIG", str(tmp_path / "milepost.toml"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "none.json"
    file.write_text("[]")
    return file


def looked_at(known: Path, code: int = 0) -> dict[str, tuple[str, str, str]]:
    outcome = milepost("doctor", "--security", "--json", "--advisories", known)
    assert outcome.code == code
    told = outcome.data["checks"]
    return {check["name"]: (check["status"], check["found"], check["repair"]) for check in told}


def test_what_is_closed_is_told_to_be(path: Path, nothing_known: Path) -> None:
    memory.store("a fact")

    found = looked_at(nothing_known)

    assert {name for name, (status, *_) in found.items() if status != "ok"} <= {
        "encryption",  # a store in clear text is worth a word
        "sandbox",
    }
    assert found["audit"][1].startswith("1 entry of the space default, whole")
    assert "m.db" not in found["files"][1]


def test_each_thing_that_is_open_says_what_closes_it(
    path: Path, tmp_path: Path, nothing_known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory.connect(path) as opened:
        opened.store("a fact")
        opened.create_key("ci", scope="read")
        opened.create_key("boss", scope="read,admin", spaces="*", expires="90d")
    path.chmod(0o644)
    key = tmp_path / "key"
    key.write_text("a server's key")
    key.chmod(0o644)
    for name, value in {
        "HOST": "0.0.0.0",
        "KEY_FILE": str(key),
        "SECRETS": "keep",
        "OAUTH_AUDIENCE": "https://memory.example.org/mcp",
    }.items():
        monkeypatch.setenv(f"MILEPOST_{name}", value)

    outcome = milepost("doctor", "--security", "--json", "--advisories", nothing_known)
    notes = {
        f"{check['found']}; {check['repair']}"
        for check in outcome.data["checks"]
        if check["status"] == "note" and check["name"] != "sandbox"
    }

    wanted = [
        (f"other users can read {path}", "chmod"),
        ("ci never ends", "--expires"),
        ("boss may administer", "milepost key revoke boss"),
        ("boss is for all spaces", "name its spaces"),
        ("whoever gets the disk reads the store", "milepost encrypt"),
        ("without TLS", "tls_cert"),
        ("the server's own key opens every space", "milepost key create"),
        (f"key lies in {key}", f"chmod 600 {key}"),
        ("secrets in what is stored are kept", "redact"),
        ("oauth_issuer is not", "set oauth_issuer"),
    ]
    for finding, repair in wanted:
        assert any(finding in note and repair in note for note in notes), (finding, notes)
    assert len(notes) == len(wanted)


def test_an_audit_that_was_tampered_with_is_broken(path: Path, nothing_known: Path) -> None:
    with memory.connect(path) as opened:
        for number in range(3):
            opened.store(f"fact {number}")
    file = apsw.Connection(str(path))
    file.execute("DROP TRIGGER audit_stays; DROP TRIGGER audit_is_kept")
    file.execute("DELETE FROM audit WHERE number = 2")
    file.close()

    status, told, _ = looked_at(nothing_known, code=1)["audit"]

    assert status == "broken"
    assert "there is less than there was" in told


def test_an_issuer_that_does_not_answer_is_broken(
    nothing_known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_OAUTH_ISSUER", "http://127.0.0.1:9")
    monkeypatch.setenv("MILEPOST_OAUTH_AUDIENCE", "https://memory.example.org/mcp")

    assert looked_at(nothing_known, code=1)["oauth"][0] == "broken"


def advisory(package: str, *events: dict[str, str], **more: object) -> dict[str, object]:
    affected = {
        "package": {"name": package, "ecosystem": "PyPI"},
        "ranges": [{"type": "ECOSYSTEM", "events": list(events)}],
    }
    return {"id": "EXAMPLE-1", "affected": [affected | more]}


def test_known_holes_of_what_is_installed_are_told_by_a_file(tmp_path: Path) -> None:
    own = version("msgspec")
    file = tmp_path / "known.jsonl"
    told = [
        advisory("msgspec", {"introduced": "0"}, {"fixed": "999.0"}),
        advisory("Numpy", {"introduced": "0"}, {"fixed": "0.1"}),
        advisory("not-installed-here", {"introduced": "0"}),
    ]
    file.write_text("\n".join(map(json.dumps, told)))

    found = looked_at(file, code=1)

    assert found["dependency msgspec"] == (
        "broken",
        f"msgspec {own} has known holes: EXAMPLE-1",
        "pip install --upgrade msgspec",
    )
    assert not [name for name in found if "numpy" in name or "not-installed" in name]


@pytest.mark.parametrize(
    ("events", "hit", "missed"),
    [
        (
            [{"introduced": "0"}, {"fixed": "1.2"}],
            ["0.9", "1.1.9", "1.2rc1"],
            ["1.2", "1.2.0", "2"],
        ),
        ([{"introduced": "1.0"}, {"last_affected": "1.4"}], ["1.0", "1.4.0"], ["0.9", "1.4.1"]),
        ([{"introduced": "2.0"}], ["2.0", "3"], ["1.9", "2.0b1", "2.0.dev3"]),
        (
            [{"introduced": "0"}, {"fixed": "1.1"}, {"introduced": "2.0"}, {"fixed": "2.3"}],
            ["1.0", "2.2.9"],
            ["1.1", "1.10", "2.3.post1", "2.10"],
        ),
    ],
)
def test_versions_are_compared_as_they_are_counted(
    events: list[dict[str, str]], hit: list[str], missed: list[str]
) -> None:
    affected = {"ranges": [{"type": "ECOSYSTEM", "events": events}]}
    assert [each for each in hit + missed if advisories._is_hit(affected, each)] == hit


def test_where_no_database_of_holes_is_reached_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(advisories, "_HOST", "127.0.0.1:9")
    outcome = milepost("doctor", "--security", "--json")
    (told,) = [check for check in outcome.data["checks"] if check["name"] == "dependencies"]

    assert outcome.code == 0
    assert told["status"] == "note"
    assert "could not be asked" in told["found"]
    assert "--advisories FILE" in told["repair"]


def test_a_file_without_advisories_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("no")

    assert "cannot be read" in looked_at(tmp_path / "no.json", code=1)["dependencies"][1]
    assert os.access(tmp_path / "no.json", os.R_OK)
