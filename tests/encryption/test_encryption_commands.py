"""`milepost encrypt`, `decrypt` and `rekey`, and what a key that is not there leads to."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from encrypted_user import PHRASE, RARE, User

import milepost
from milepost import MilepostError
from milepost.sealing import new_key
from milepost.storage.index.arrays import IndexDamaged
from milepost.storage.index.segment import load_segment
from milepost.surfaces.hooks import chain

pytestmark = pytest.mark.slow

# What a client sends a hook.
TOOL_USE = json.dumps(
    {
        "session_id": "s1",
        "tool_name": "Bash",
        "tool_input": {"command": f"echo {RARE[0]}"},
        "tool_response": {"stdout": "ok"},
    }
)


def filled(user: User, count: int = 700) -> list[str]:
    """Store enough that an index is written, a copy and what a hook left."""
    with milepost.connect(user.path) as memory:
        names = memory.store_batch([f"{PHRASE}, berth {i}" for i in range(count)])
        memory.search("which berth?")
    return names


def in_clear(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MILEPOST_ENCRYPTION_KEY_FILE")
    user.environment.pop("MILEPOST_ENCRYPTION_KEY_FILE")


def with_key(user: User, monkeypatch: pytest.MonkeyPatch, key: Path | None = None) -> None:
    place = str(key or user.key)
    monkeypatch.setenv("MILEPOST_ENCRYPTION_KEY_FILE", place)
    user.environment["MILEPOST_ENCRYPTION_KEY_FILE"] = place


def other_key(user: User, digits: str = "77") -> Path:
    place = user.outside / f"{digits}.key"
    place.write_text(digits * 32)
    place.chmod(0o600)
    return place


def prepared(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a store in clear text, with an index, copies of each kind and an inbox."""
    in_clear(user, monkeypatch)
    filled(user)
    user.done("backup", "create")
    shutil.copy(next((user.home / "backups").iterdir()), f"{user.path}.v3.backup")
    shutil.copy(next((user.home / "backups").iterdir()), f"{user.path}.before-restore")
    user.done("hook", "post-tool-use", given=TOOL_USE)
    with_key(user, monkeypatch)


def count(user: User, **environment: str) -> int:
    return len(user.done("search", "berth", "--limit", "5", "--json", **environment))


def test_encrypting_leaves_nothing_that_can_be_read_and_decrypting_brings_all_of_it_back(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(user, monkeypatch)
    before = user.done("search", "which berth?", "--json")
    kinds = {Path(line.partition(":")[0]).parent.name for line in user.readable()}
    assert {user.home.name, "backups", "m.db.inbox"} <= kinds

    told = user.done("encrypt")

    assert f"{user.path} is encrypted" in told
    assert user.readable() == []
    assert user.done("search", "which berth?", "--json") == before
    segments = list(Path(f"{user.path}.index").glob("*.segment"))
    assert segments
    with pytest.raises(IndexDamaged):
        load_segment(segments[0])
    assert not any(b"MPIX" in file.read_bytes() for file in user.files())

    user.done("decrypt")

    in_clear(user, monkeypatch)
    assert user.done("search", "which berth?", "--json") == before
    with closing(sqlite3.connect(user.path)) as plain:
        assert plain.execute("SELECT count(*) FROM memories").fetchone() == (700,)
    assert any("m.db.inbox" in line for line in user.readable())


def test_another_key_opens_everything_and_the_old_one_nothing(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(user, monkeypatch)
    user.done("encrypt")
    fresh = user.outside / "fresh.key"

    told = user.done("rekey", "--new-key-file", fresh, "--create-key")

    assert f"set encryption_key to file:{fresh}" in told
    assert user.readable() == []
    ended = user.run("search", "berth")
    assert (ended.returncode, ended.stdout) == (1, "")
    with_key(user, monkeypatch, fresh)
    assert count(user)
    copies = [Path(copy["file"]) for copy in parsed(user.done("backup", "list", "--json"))]
    assert len(copies) == 3
    for copy in copies:
        assert "700 memories" in user.done("backup", "verify", copy)


def parsed(text: str) -> list[dict[str, str]]:
    loaded: list[dict[str, str]] = json.loads(text)
    return loaded


COMMANDS = (
    ("search", "berth"),
    ("store", "another one"),
    ("store", "another one", "--dry-run"),
    ("storage", "info"),
    ("storage", "check"),
    ("storage", "compact"),
    ("backup", "create"),
    ("doctor",),
    ("encrypt",),
    ("decrypt",),
    ("rekey", "--new-key-file", "NEW"),
    ("migrate",),
    ("jobs", "run"),
    ("space", "list"),
)


@pytest.mark.parametrize("given", ["none", "wrong", "missing file"])
def test_without_its_key_nothing_of_a_store_is_shown_made_or_changed(
    given: str, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(user, monkeypatch)
    user.done("encrypt")
    if given == "none":
        in_clear(user, monkeypatch)
    else:
        place = other_key(user) if given == "wrong" else user.outside / "nowhere"
        with_key(user, monkeypatch, place)
    # A killed copy, which an opened store would remove.
    Path(f"{user.path}.v3.backup.999999.tmp").write_bytes(b"left")
    before = user.state()

    for words in COMMANDS:
        new = str(other_key(user, "88"))
        ended = user.run(*(new if word == "NEW" else word for word in words))
        if words[0] not in ("doctor", "space"):
            assert ended.returncode == 1, (words, ended.stdout)
        assert PHRASE not in ended.stdout
    with pytest.raises(MilepostError) as refusal:
        milepost.connect(user.path)

    assert refusal.value.code == "store_encrypted"
    assert user.state() == before


def test_a_hook_without_the_key_leaves_nothing_in_clear_text(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(user, 3)
    in_clear(user, monkeypatch)

    for event in ("session-start", "prompt-submit", "post-tool-use", "stop"):
        ended = user.run("hook", event, given=TOOL_USE)
        assert ended.returncode == 0
        assert PHRASE not in ended.stdout

    assert user.readable() == []


def test_it_is_refused_while_the_store_is_open(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    in_clear(user, monkeypatch)
    filled(user, 3)
    with milepost.connect(user.path):
        with_key(user, monkeypatch)
        ended = user.run("encrypt")

    assert ended.returncode == 1
    assert "is in use" in ended.stderr
    assert user.readable()
    user.done("encrypt")
    assert user.readable() == []


def test_without_room_for_the_largest_file_nothing_is_begun(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from milepost.storage.sqlite import encryption

    in_clear(user, monkeypatch)
    filled(user, 3)
    with_key(user, monkeypatch)
    monkeypatch.setattr(encryption, "DISK_BYTES_MIN", 1 << 60)
    before = user.path.read_bytes()

    with pytest.raises(MilepostError, match="are free; nothing was changed"):
        encryption.recode(user.path, lambda _: new_key("5e" * 32), lambda _: 0)
    assert user.path.read_bytes() == before


def test_a_key_that_others_can_read_is_refused(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    in_clear(user, monkeypatch)
    filled(user, 3)
    with_key(user, monkeypatch)
    user.key.chmod(0o644)

    ended = user.run("encrypt")

    assert f"chmod 600 {user.key}" in ended.stderr
    assert user.readable()


def test_a_key_is_named_and_never_given(user: User) -> None:
    user.environment.pop("MILEPOST_ENCRYPTION_KEY_FILE")
    ended = user.run(
        "store", "a fact", MILEPOST_ENCRYPTION_KEY_FILE="", MILEPOST_ENCRYPTION_KEY="5e" * 32
    )

    assert ended.returncode == 1
    assert "names where the key is" in ended.stderr
    assert "5e5e" not in ended.stderr
    assert not user.path.exists()


def test_a_phrase_is_a_key_if_it_is_long_enough(user: User) -> None:
    user.key.write_text("short")
    assert "at least 12 characters" in user.run("store", "a fact").stderr
    user.key.write_text("correct horse battery staple\n")

    user.done("store", PHRASE)

    assert PHRASE in user.done("search", RARE[0])
    assert user.readable() == []


def test_a_clear_copy_that_is_restored_is_encrypted_with_the_store(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_clear(user, monkeypatch)
    filled(user)
    copy = user.outside / "copy.db"
    user.done("backup", "create", copy)
    with_key(user, monkeypatch)
    user.done("encrypt")
    user.done("store", "since then")

    user.done("backup", "restore", copy)

    assert user.readable() == []
    assert user.done("storage", "check")
    assert "700" in user.done("storage", "info")


def test_an_encrypted_copy_does_not_come_back_in_clear_text(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(user)
    copy = user.outside / "copy.db"
    user.done("backup", "create", copy)
    assert RARE[0].encode() not in copy.read_bytes()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{user.path}{suffix}").unlink(missing_ok=True)
    shutil.rmtree(f"{user.path}.index")
    in_clear(user, monkeypatch)
    user.done("store", "a store of its own")
    with_key(user, monkeypatch)

    user.done("backup", "restore", copy)

    assert user.readable() == []
    assert "700" in user.done("storage", "info")


def test_memories_move_between_encrypted_stores(user: User) -> None:
    filled(user)
    target = user.home / "other.db"

    told = user.done("migrate", "--from", user.path, "--to", target)

    assert "the same" in told
    assert user.readable() == []
    assert PHRASE in user.done("search", "berth", MILEPOST_URL=str(target))


def test_doctor_tells_what_is_still_in_clear_text(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(user, monkeypatch)
    assert "`milepost encrypt` encrypts it" in user.run("doctor").stdout
    clear = next((user.home / "backups").iterdir())
    kept = clear.read_bytes()
    user.done("encrypt")
    assert "the store and its copies are encrypted" in user.run("doctor").stdout

    clear.write_bytes(kept)
    assert f"these are in clear text: {clear}" in user.run("doctor").stdout

    user.done("encrypt")
    assert user.readable() == []


def test_a_warm_process_answers_only_those_who_name_the_same_key(user: User) -> None:
    from support import kept_warm

    filled(user, 3)
    user.environment["MILEPOST_DAEMON"] = "use"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_DAEMON", "use")
        with kept_warm(user.path):
            assert PHRASE in user.done("search", "berth")
            ended = user.run("search", "berth", MILEPOST_ENCRYPTION_KEY_FILE="")

    assert ended.returncode == 1
    assert "is encrypted" in ended.stderr


def test_a_plain_reading_tells_nothing_of_an_encrypted_store(user: User) -> None:
    from milepost.config import load_settings

    filled(user, 3)

    with pytest.raises(sqlite3.DatabaseError):
        chain.read_plainly(load_settings(), {})
