"""`milepost doctor` finds what is broken and says how to repair it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from command_line import milepost

import milepost as memory
from certificates import Authority
from milepost.surfaces.cli.commands import doctor
from milepost.surfaces.client import REPEATING

pytestmark = pytest.mark.usefixtures("default_memory")


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file of the test's own, which is not there yet."""
    place = tmp_path / "milepost.toml"
    monkeypatch.setenv("MILEPOST_CONFIG", str(place))
    # No client of whoever runs this.
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return place


def examined(*words: object) -> dict[str, tuple[str, str, str]]:
    outcome = milepost("doctor", "--json", *words)
    checks = outcome.data["checks"]
    broken = any(check["status"] == "broken" for check in checks)
    assert outcome.code == (1 if broken else 0)
    assert outcome.data["status"] == ("broken" if broken else "ok")
    return {check["name"]: (check["status"], check["found"], check["repair"]) for check in checks}


def test_a_sound_installation_passes_everything(path: Path, sandbox: None) -> None:
    memory.store("a fact")

    found = examined()

    assert {name for name, (status, *_) in found.items() if status != "ok"} == set()
    assert set(found) == {
        "python", "package", "extra server", "extra sandbox", "extra onnx", "extra tokens",
        "extra postgres", "extra documents", "config", "round trip", "sandbox", "documents",
        "folder", "disk", "file", "copies", "encryption", "background", "store", "index",
        "embedder", "daemon", "recall", "alerts", "backups",
    }  # fmt: skip
    text = milepost("doctor").out
    assert text.endswith("all is well\n")
    assert "1 memories" not in text


def test_nothing_is_made_by_looking(path: Path) -> None:
    found = examined()

    assert "no " in found["store"][1]
    assert not path.exists()


def test_a_damaged_store_is_broken(path: Path) -> None:
    with memory.connect(path) as opened:
        opened.store("a fact")
    path.write_bytes(b"not a database " * 500)

    status, _, repair = examined()["store"]

    assert status == "broken"
    assert "milepost backup restore" in repair


def test_a_store_that_is_not_ours_is_broken(path: Path) -> None:
    path.mkdir()

    assert examined()["store"][0] == "broken"


def test_an_index_out_of_step_is_told_and_made_again(path: Path) -> None:
    with memory.connect(path) as opened:
        opened.store_batch([f"harbour {i}" for i in range(700)])
        opened.search("harbour")
    with memory.connect(path) as opened:
        # Rows that lose their number of change are those an index never learns of.
        opened._context.store.file._writer.execute(  # type: ignore[attr-defined]
            "UPDATE memories SET terms = x'01000000' WHERE id = 7"
        )

    status, told, _ = examined()["index"]

    assert status == "note"
    assert told == "memories indexed otherwise than they are stored: 1; it was made again"
    assert examined()["index"][0] == "ok"


def test_files_that_others_can_read_are_noted(path: Path, file: Path) -> None:
    memory.store("a fact")
    path.chmod(0o644)
    file.write_text("port = 1\n")
    file.chmod(0o640)

    found = examined()

    assert found["file"] == (
        "note",
        f"{path} can be read by other users (mode 644)",
        f"chmod 600 {path}",
    )
    assert found["config"][2] == f"chmod 600 {file}"


def test_a_data_folder_that_others_can_enter_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("MILEPOST_URL")
    (tmp_path / "milepost").mkdir(mode=0o755)

    assert examined()["folder"][2] == f"chmod 700 {tmp_path}/milepost"


def test_a_broken_configuration_is_broken_and_the_rest_is_still_looked_at(file: Path) -> None:
    file.write_text("port = 'eighty'")

    found = examined()

    assert found["config"][0] == "broken"
    assert "port" in found["config"][1]
    assert found["round trip"][0] == "ok"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("onnx:./none", "none"),
        ("nonsense", "nonsense"),
        ("ollama:http://127.0.0.1:9#m", "127.0.0.1"),
    ],
)
def test_an_embedder_that_does_not_answer_is_broken(
    spec: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_EMBEDDER", spec)

    status, found, _ = examined()["embedder"]

    assert status == "broken"
    assert told in found


def test_missing_extras_are_noted_with_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda _name: None)

    assert examined()["extra server"][2] == "pip install 'milepost[server]' adds it"


@pytest.mark.parametrize(("free", "status"), [(1_000, "broken"), (100_000_000, "note")])
def test_a_disk_with_little_room_is_told(
    free: int, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type(shutil.disk_usage("/"))(10**12, 10**12 - free, free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)

    assert examined()["disk"][0] == status


def test_a_folder_that_is_none_is_broken(tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("a file where a folder should be")

    status, told, _ = examined("--url", tmp_path / "occupied" / "m.db")["folder"]

    assert (status, told) == ("broken", f"{tmp_path / 'occupied'} is not a folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_cannot_be_written_to_is_broken(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    assert examined()["folder"][2] == f"chmod u+rwx {tmp_path}"


def test_a_server_that_is_away_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("milepost.surfaces.client.REPEATING", REPEATING._replace(attempts=1))
    status, found, _ = examined("--url", "http://127.0.0.1:9")["server"]

    assert status == "broken"
    assert "127.0.0.1:9" in found


def test_a_memory_without_a_file_is_well() -> None:
    assert examined("--url", "memory://")["store"][0] == "ok"


def test_a_check_that_fails_in_an_unforeseen_way_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def explode() -> None:
        raise ZeroDivisionError("the ground gave way")

    monkeypatch.setattr(doctor, "_round_trip", explode)

    assert examined()["round trip"][:2] == ("broken", "ZeroDivisionError: the ground gave way")


def test_what_killed_copies_left_is_told(path: Path) -> None:
    memory.store("a fact")
    (path.parent / "m.db.999999999.tmp").write_bytes(b"half a copy")

    status, found, repair = examined()["copies"]

    assert (status, found) == ("note", "1 copy, 11 B, of some only parts")
    assert "backup prune" in repair


# What clients are told to run


def install(client: str) -> None:
    assert milepost("install", client, "--yes").code == 0


def test_the_server_and_the_hooks_of_a_client_are_run_as_they_stand_in_its_settings(
    path: Path,
) -> None:
    install("cursor")

    found = examined()

    status, told, _ = found["cursor server"]
    assert (status, told.startswith("answers in ")) == ("ok", True)
    status, told, _ = found["cursor hooks"]
    assert (status, told.startswith("runs in ")) == ("ok", True)
    assert not path.exists()


@pytest.mark.parametrize(
    ("interpreter", "why"), [("/gone/bin/python", "No such file"), (shutil.which("true"), "ended")]
)
def test_a_server_that_does_not_start_is_broken(tmp_path: Path, interpreter: str, why: str) -> None:
    install("zed")
    settings = tmp_path / "home" / ".config" / "zed" / "settings.json"
    settings.write_text(settings.read_text().replace(sys.executable, interpreter))

    status, told, repair = examined()["zed server"]

    assert status == "broken"
    assert why in told
    assert str(settings) in repair


def test_a_hook_that_reaches_no_memory_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("gemini")
    (tmp_path / "numpy.py").write_text("raise ImportError('no such CPU')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))

    status, told, _ = examined()["gemini hooks"]

    assert status == "broken"
    assert "no such CPU" in told


def test_a_server_whose_store_is_not_there_is_not_started(tmp_path: Path) -> None:
    store = tmp_path / "other.db"
    settings = tmp_path / "home" / ".cursor" / "mcp.json"
    settings.parent.mkdir(parents=True)
    entry = {"command": sys.executable, "args": ["-m", "milepost", "mcp", f"--url={store}"]}
    settings.write_text(json.dumps({"mcpServers": {"milepost": entry}}))

    status, told, _ = examined()["cursor server"]

    assert status == "ok"
    assert "would make" in told
    assert not store.exists()


def test_settings_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    settings = tmp_path / "home" / ".cursor" / "mcp.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{")

    status, told, _ = examined()["client"]

    assert status == "broken"
    assert str(settings) in told


def test_a_key_that_would_travel_in_clear_is_warned_of(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MILEPOST_REFLECTOR", "http://models.example:8000/v1#small")
    monkeypatch.setenv("MILEPOST_HOST", "0.0.0.0")
    assert "tls reflector" not in examined()  # no key goes there
    monkeypatch.setenv("MILEPOST_KEY", "the key")
    monkeypatch.setenv("MILEPOST_REFLECTOR_KEY", "another")

    found = examined()

    assert found["tls"][0] == found["tls reflector"][0] == "note"
    assert "on 0.0.0.0 takes keys without TLS" in found["tls"][1]
    assert "reflector_key is sent to models.example without TLS" in found["tls reflector"][1]
    monkeypatch.setenv("MILEPOST_TLS_PROXY", "on")
    assert "tls" not in examined()
    monkeypatch.setenv("MILEPOST_HOST", "localhost")
    monkeypatch.setenv("MILEPOST_TLS_PROXY", "off")
    assert "tls" not in examined()


def test_a_server_that_is_sent_the_key_in_clear_is_warned_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("milepost.surfaces.client.REPEATING", REPEATING._replace(attempts=1))
    monkeypatch.setenv("MILEPOST_KEY", "the key")
    for clear in ("http://memory.invalid:1", "http://127.0.0.1:1,http://memory.invalid:1"):
        monkeypatch.setenv("MILEPOST_URL", clear)
        assert "key is sent to memory.invalid without TLS" in examined()["tls url"][1]
    for safe in ("https://memory.invalid:1", "http://127.0.0.1:1", "http://[::1]:1/path"):
        monkeypatch.setenv("MILEPOST_URL", safe)
        assert "tls url" not in examined()


def test_the_certificate_of_the_server_is_looked_at(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    pair, other = authority.issue("server"), authority.issue("other")
    monkeypatch.setenv("MILEPOST_TLS_CERT", str(pair.certificate))
    monkeypatch.setenv("MILEPOST_TLS_KEY", str(pair.key))
    assert examined()["tls"] == ("ok", f"{pair.certificate}, pin {pair.pin}", "")
    monkeypatch.setenv("MILEPOST_TLS_KEY", str(other.key))
    assert examined()["tls"][0] == "broken"
    assert "of another certificate" in examined()["tls"][1]
