"""The compiled guest: made once, checked always, never loaded when it is not what was made."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from milepost import __version__
from milepost.errors import SandboxUnavailable
from milepost.programs.values import Program
from milepost.sandbox import can_compile, compile_ahead, guest_cache, open_sandbox
from milepost.sandbox.guest_cache import Cache
from milepost.sandbox.runner import Sandbox
from sandbox.conftest import echo


class Compiler:
    """Counts instead of compiling."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, target: Path) -> None:
        self.times += 1
        time.sleep(0.05)
        target.touch(mode=0o600)
        target.write_bytes(b"compiled")


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    counted = Compiler()
    monkeypatch.setattr(guest_cache, "_compile", counted)
    return counted


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "private"
    yield made
    shutil.rmtree(made, ignore_errors=True)


def opened(folder: Path) -> bytes:
    fd = Cache(folder).open()
    with os.fdopen(fd, "rb") as file:
        return file.read()


def artifact(folder: Path) -> Path:
    (found,) = folder.glob("*.cwasm")
    return found


def test_the_guest_is_compiled_once_into_a_private_folder(folder: Path, compiler: Compiler) -> None:
    assert [opened(folder) for _ in range(3)] == [b"compiled"] * 3
    assert compiler.times == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(artifact(folder).stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"compile", b"tampered", b"compiled and more"])
def test_what_was_changed_is_compiled_again(
    folder: Path, compiler: Compiler, content: bytes
) -> None:
    opened(folder)
    artifact(folder).write_bytes(content)
    assert opened(folder) == b"compiled"
    assert compiler.times == 2


@pytest.mark.parametrize("record", [b"", b"[]", b"{}", b'{"sha256": null}', b"\xff"])
def test_a_broken_record_is_not_believed(folder: Path, compiler: Compiler, record: bytes) -> None:
    opened(folder)
    next(folder.glob("*.json")).write_bytes(record)
    assert opened(folder) == b"compiled"
    assert compiler.times == 2


def test_a_link_is_not_followed(folder: Path, compiler: Compiler, tmp_path: Path) -> None:
    opened(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"compiled")
    place = artifact(folder)
    place.unlink()
    place.symlink_to(elsewhere)
    assert opened(folder) == b"compiled"
    assert compiler.times == 2


def test_what_others_may_write_is_not_believed(folder: Path, compiler: Compiler) -> None:
    opened(folder)
    artifact(folder).chmod(0o666)
    opened(folder)
    assert compiler.times == 2


def test_a_folder_that_others_can_enter_is_closed_to_them(folder: Path, compiler: Compiler) -> None:
    folder.mkdir(mode=0o755)
    opened(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_used_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SandboxUnavailable, match="cannot be used"):
        Cache(tmp_path / "file" / "folder").open()
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(SandboxUnavailable, match="not a folder of this user"):
        Cache(tmp_path / "link").open()


def test_many_at_once_compile_once(folder: Path, compiler: Compiler) -> None:
    threads = [threading.Thread(target=opened, args=(folder,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert compiler.times == 1


def test_what_another_compiles_is_left_to_them(folder: Path, compiler: Compiler) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compile_ahead(folder, beside_others=True)
        assert can_compile(folder)

    compile_ahead(folder, beside_others=True)
    assert not can_compile(folder)


def test_another_processor_or_version_has_its_own(
    folder: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(folder)
    monkeypatch.setattr(guest_cache, "_cpu_features", lambda: "avx9000")
    opened(folder)
    assert compiler.times == 2


def test_what_nobody_used_for_long_is_removed(
    folder: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(folder)
    old = artifact(folder)
    os.utime(old, (0, 0))
    monkeypatch.setattr(guest_cache, "_cpu_features", lambda: "avx9000")
    opened(folder)
    assert not old.exists()


def test_a_compiler_that_fails_is_a_clear_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "guest.wasm"
    broken.write_bytes(b"not wasm")
    monkeypatch.setattr(guest_cache, "COMPONENT", broken)
    with pytest.raises(SandboxUnavailable, match="damaged"):
        Cache(folder).open()
    record = tmp_path / "guest.json"
    digest = sha256(b"not wasm").hexdigest()
    record.write_text(json.dumps({"sha256": digest}))
    monkeypatch.setattr(guest_cache, "RECORD", record)
    with pytest.raises(SandboxUnavailable, match="compiling the guest failed"):
        Cache(folder).open()
    assert list(folder.glob("*.new")) == []


def test_without_a_component_the_sandbox_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(guest_cache, "COMPONENT", tmp_path / "none.wasm")
    with open_sandbox(folder) as sandbox:
        assert not sandbox.status().available
        with pytest.raises(SandboxUnavailable, match="is not installed"):
            sandbox.run(Program("1"), echo)


def test_a_guest_of_another_version_is_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        guest_cache, "version", lambda name: "0.0.1" if name == "milepost-guest" else __version__
    )
    with pytest.raises(SandboxUnavailable, match=f"of version 0.0.1, Milepost of {__version__}"):
        Cache(folder).open()


def test_what_does_not_load_is_compiled_again(
    sandbox: Sandbox, cache_folder: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with the right hash that wasmtime refuses, as from another build of it."""
    real = Cache(cache_folder)._artifact()
    made = []

    def compile_badly_then_well(target: Path) -> None:
        made.append(target)
        target.touch(mode=0o600)
        target.write_bytes(b"not compiled" if len(made) == 1 else real.read_bytes())

    monkeypatch.setattr(guest_cache, "_compile", compile_badly_then_well)
    with open_sandbox(folder, workers=1) as opened:
        assert opened.run(Program("1 + 1"), echo).value == "2"
    assert len(made) == 2
