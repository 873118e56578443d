"""Fetch a file whose checksum is known: resumed where it broke off, there only when it is right."""

from __future__ import annotations

import errno
import os
import shutil
from hashlib import sha256
from typing import BinaryIO
from urllib.parse import urljoin, urlsplit

from milepost.transport.connections import Reply, Request, Transport, TransportError, parse_address
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash as Hash
    from pathlib import Path

TIMEOUT_S = 30.0
REDIRECTS_MAX = 5
PART = ".part"
_BLOCK_BYTES = 1 << 20
_REDIRECTS = (301, 302, 303, 307, 308)
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Wanted(NamedTuple):
    """A file elsewhere, how long it is and its checksum."""

    url: str
    bytes: int
    sha256: str


class WrongFile(TransportError):
    """What the server has under that address is another file."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, passing=False)


def download(wanted: Wanted, target: Path, progress: Callable[[int], None]) -> None:
    """Put a file in its place when all of it is there and has the checksum.

    What broke off stays beside it for the next attempt. Attempts follow each other as long as each
    brings something; progress is told how many bytes are here.
    """
    part = target.with_name(target.name + PART)
    while True:
        before = _length(part)
        try:
            _go_on(wanted, part, progress)
        except WrongFile:
            part.unlink(missing_ok=True)
            if not before:  # else what was fetched earlier may be of another file
                raise
        except TransportError as problem:
            if not problem.passing or _length(part) <= before:
                _leave(part)
                raise
        except OSError as problem:
            raise _refusal(problem, wanted, part) from problem
        else:
            part.replace(target)
            return


def has_checksum(path: Path, expected: str) -> bool:
    """Whether a file is there and has a checksum."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _digest(file).hexdigest() == expected


def _length(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _leave(part: Path) -> None:
    """Keep what there is of a file for the next attempt, if there is anything."""
    if not _length(part):
        part.unlink(missing_ok=True)


def _go_on(wanted: Wanted, part: Path, progress: Callable[[int], None]) -> None:
    """Fetch what is missing of a file and compare it with its checksum."""
    with part.open("a+b") as file:
        have = _length(part)
        if have < wanted.bytes:
            _check_room(part.parent, wanted.bytes - have)
            _fetch_rest(wanted, file, have, progress)
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        if _digest(file).hexdigest() != wanted.sha256:
            raise WrongFile("its checksum is not the one that is known of it")


def _fetch_rest(wanted: Wanted, file: BinaryIO, have: int, progress: Callable[[int], None]) -> None:
    progress(have)
    reply = _asked(wanted.url, have)
    if have and not _goes_on(reply, have):
        # A server that does not know of ranges begins anew, and so does the file.
        file.truncate(0)
        have = 0
    for block in reply.blocks:
        have += len(block)
        if have > wanted.bytes:
            raise WrongFile(f"it is longer than the {wanted.bytes:,} bytes that it should have")
        file.write(block)
        progress(have)
    if have < wanted.bytes:
        raise TransportError(f"it broke off after {have:,} of {wanted.bytes:,} bytes")


def _check_room(folder: Path, missing: int) -> None:
    if shutil.disk_usage(folder).free < missing:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _refusal(problem: OSError, wanted: Wanted, part: Path) -> TransportError:
    if problem.errno not in _FULL:
        return TransportError(f"{part}: {problem.strerror}", passing=False)
    # A disk is not left full for the sake of a file that nobody can use.
    part.unlink(missing_ok=True)
    return TransportError(
        f"the disk of {part.parent} is full: it needs {wanted.bytes / 1e6:.1f} MB", passing=False
    )


def _goes_on(reply: Reply, have: int) -> bool:
    where = reply.headers.get("Content-Range", "")
    return reply.status == 206 and where.startswith(f"bytes {have}-")


def _asked(url: str, have: int) -> Reply:
    """Return the answer of the server that has a file, wherever others point to."""
    for _ in range(REDIRECTS_MAX):
        reply = _answer(url, have)
        there = reply.headers.get("Location")
        if reply.status not in _REDIRECTS or not there:
            return _accepted(reply)
        following = urljoin(url, there)
        if url.startswith("https:") and not following.startswith("https:"):
            raise TransportError("the server points to an address without TLS", passing=False)
        url = following
    raise TransportError("the servers point to each other in a circle", passing=False)


def _answer(url: str, have: int) -> Reply:
    parts = urlsplit(url)
    address = parse_address(f"{parts.scheme}://{parts.netloc}", "the server that has the file")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"User-Agent": "milepost"} | ({"Range": f"bytes={have}-"} if have else {})
    transport = Transport(address, TIMEOUT_S, at_a_time=True)
    return transport.ask(Request("GET", path, headers, stream=True))


def _accepted(reply: Reply) -> Reply:
    if reply.status in (200, 206):
        return reply
    if reply.status == 416:
        raise WrongFile("it is shorter than what was fetched of it before")
    raise TransportError(f"the server answered {reply.status} {reply.reason}", passing=False)


def _digest(file: BinaryIO) -> Hash:
    digest = sha256()
    while block := file.read(_BLOCK_BYTES):
        digest.update(block)
    return digest
