"""A file is fetched whole and right or not at all, and what broke off is gone on with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from file_server import FileServer, Misdeed, serving
from milepost.errors import ConfigError
from milepost.transport.connections import TransportError
from milepost.transport.download import Wanted, WrongFile, download

CONTENT = bytes(range(256)) * 1_200


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as running:
        running.files["/model.onnx"] = CONTENT
        yield running


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "model.onnx"


def wanted(server: FileServer, path: str = "/model.onnx", content: bytes = CONTENT) -> Wanted:
    return Wanted(f"{server.url}{path}", len(content), sha256(content).hexdigest())


def fetch(what: Wanted, target: Path) -> list[int]:
    told: list[int] = []
    download(what, target, told.append)
    return told


def left_beside(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_a_file_is_fetched_and_told_of(server: FileServer, target: Path) -> None:
    told = fetch(wanted(server), target)

    assert target.read_bytes() == CONTENT
    assert left_beside(target) == ["model.onnx"]
    assert told[0] == 0
    assert told == sorted(told)
    assert told[-1] == len(CONTENT)


def test_what_breaks_off_is_gone_on_with(server: FileServer, target: Path) -> None:
    server.misdeeds += [Misdeed(cut=100_000), Misdeed(cut=50_000)]

    fetch(wanted(server), target)

    assert target.read_bytes() == CONTENT
    assert [where for _, where in server.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_what_broke_off_stays_for_the_next_attempt(server: FileServer, target: Path) -> None:
    server.misdeeds += [Misdeed(cut=100_000), Misdeed(cut=0)]
    with pytest.raises(TransportError, match="broke off after 100,000"):
        fetch(wanted(server), target)
    assert left_beside(target) == ["model.onnx.part"]

    fetch(wanted(server), target)

    assert target.read_bytes() == CONTENT
    assert server.asked[-1][1] == "bytes=100000-"


def test_a_server_without_ranges_begins_anew(server: FileServer, target: Path) -> None:
    server.misdeeds += [Misdeed(cut=100_000), Misdeed(whole=True)]

    fetch(wanted(server), target)

    assert target.read_bytes() == CONTENT


def test_what_was_fetched_of_another_file_is_forgotten(server: FileServer, target: Path) -> None:
    for other in (b"other" * 100, CONTENT[::-1], CONTENT + b"more"):
        target.with_name("model.onnx.part").write_bytes(other)

        fetch(wanted(server), target)

        assert target.read_bytes() == CONTENT
        target.unlink()


def test_another_checksum_is_refused_and_nothing_kept(server: FileServer, target: Path) -> None:
    server.files["/model.onnx"] = CONTENT[::-1]

    with pytest.raises(WrongFile, match="checksum"):
        fetch(wanted(server), target)

    assert left_beside(target) == []


def test_a_longer_file_is_refused_before_all_of_it_is_here(
    server: FileServer, target: Path
) -> None:
    server.files["/model.onnx"] = CONTENT * 20

    with pytest.raises(WrongFile, match="longer than"):
        fetch(wanted(server), target)

    assert left_beside(target) == []


def test_redirects_are_followed_with_their_query(server: FileServer, target: Path) -> None:
    server.files["/elsewhere?key=1"] = CONTENT
    server.misdeeds += [Misdeed(302, "/there"), Misdeed(307, f"{server.url}/elsewhere?key=1")]

    fetch(wanted(server), target)

    assert [path for path, _ in server.asked] == ["/model.onnx", "/there", "/elsewhere?key=1"]


def test_redirects_in_a_circle_end(server: FileServer, target: Path) -> None:
    server.misdeeds += [Misdeed(302, "/model.onnx")] * 9

    with pytest.raises(TransportError, match="circle"):
        fetch(wanted(server), target)


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_told_and_leaves_nothing(
    server: FileServer, target: Path, status: int
) -> None:
    server.misdeeds.append(Misdeed(status))

    with pytest.raises(TransportError, match=str(status)):
        fetch(wanted(server), target)

    assert left_beside(target) == []
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_told(target: Path) -> None:
    # Port 9 is nobody's: every connection is refused at once.
    with pytest.raises(TransportError, match="refused"):
        fetch(Wanted("http://127.0.0.1:9/model.onnx", 1, "0" * 64), target)
    assert left_beside(target) == []


@pytest.mark.parametrize("url", ["ftp://host/model", "http://me:key@host/model", "model"])
def test_only_an_address_without_a_key_is_asked(url: str, target: Path) -> None:
    with pytest.raises(ConfigError, match="Give the address"):
        fetch(Wanted(url, 1, "0" * 64), target)


def test_a_disk_without_room_is_told_before_anything_is_fetched(
    server: FileServer, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(target.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000))

    with pytest.raises(TransportError, match=r"full: it needs 0\.3 MB"):
        fetch(wanted(server), target)

    assert server.asked == []
    assert left_beside(target) == []


def test_a_disk_that_gets_full_is_left_with_its_room(
    server: FileServer, mounted: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = mounted("size=100k")
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 40))

    with pytest.raises(TransportError, match="is full"):
        fetch(wanted(server), folder / "model.onnx")

    assert list(folder.iterdir()) == []
