"""Seal bytes for whoever has the key of a store, and know by its beginning what is sealed.

What is sealed begins with a header: a mark, a salt and a check. A secret and a header make a key,
and the check tells whether it is the right one. Little is imported, for hooks seal lines too.
"""

from __future__ import annotations

import base64
import hmac
import os
import stat
import sys
from functools import lru_cache
from hashlib import scrypt, sha256

from milepost.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

HEADER_BYTES = 16
# A phrase of people; what has 64 hexadecimal digits is a key of 256 bits and needs no slow hash.
PHRASE_CHARS_MIN = 12
_MARK, _SALT_BYTES, _CHECK_BYTES = b"MPS1", 8, 4
_HEX_DIGITS = 64
_SLOW = {"n": 1 << 15, "r": 8, "p": 1, "maxmem": 1 << 26, "dklen": 32}
_NONCE_BYTES, _TAG_BYTES = 12, 16
_FILE_MARK, _FILE_ID_BYTES = b"MPSF0001", 16
_CHUNK = 1 << 20


class SealBroken(Exception):
    """Sealed bytes are not what was sealed, or another key's."""


class Key:
    """The key of what begins with one header; each use has a key of its own, made from it."""

    def __init__(self, header: bytes, root: bytes) -> None:
        self.header, self._root = header, root

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self.header, self._root) == (other.header, other._root)

    def __hash__(self) -> int:
        return hash(self.header)

    def made_for(self, use: str) -> bytes:
        """Return 256 bits for one use."""
        return _mac(self._root, use.encode())

    def sealed_line(self, line: bytes, place: bytes = b"") -> bytes:
        """Return a line as one that says whose it is, and nothing else.

        place: where alone it can be opened.
        """
        nonce = os.urandom(_NONCE_BYTES)
        closed = _cipher(self.made_for("line")).encrypt(nonce, line, self.header + place)
        return base64.b64encode(self.header + nonce + closed)

    def opened_line(self, data: bytes, place: bytes = b"") -> bytes:
        """Return what a line says, given what follows its header."""
        nonce, closed = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
        return _open(self.made_for("line"), nonce, closed, self.header + place)

    def sealed_file(self, parts: Iterable[bytes | memoryview]) -> Iterable[bytes]:
        """Yield the bytes of a file that holds some; none can be cut off or change places."""
        name = os.urandom(_FILE_ID_BYTES)
        cipher = _cipher(_mac(self.made_for("file"), name))
        yield _FILE_MARK + name
        number, waiting = 0, bytearray()
        for part in parts:
            waiting += part
            while len(waiting) > _CHUNK:
                yield cipher.encrypt(_nonce(number, last=False), bytes(waiting[:_CHUNK]), None)
                del waiting[:_CHUNK]
                number += 1
        yield cipher.encrypt(_nonce(number, last=True), bytes(waiting), None)

    def opened_file(self, path: Path) -> memoryview:
        """Return what a sealed file holds."""
        content = bytearray()
        for part in self.opened_parts(path):
            content += part
        return memoryview(content)

    def opened_parts(self, path: Path, skipped: int = 0) -> Iterable[bytes]:
        """Yield what a sealed file holds, piece by piece; it may begin after so many bytes."""
        with path.open("rb") as file:
            file.seek(skipped)
            mark = file.read(len(_FILE_MARK))
            if mark != _FILE_MARK:
                raise SealBroken(f"{path.name} is not encrypted")
            key = _mac(self.made_for("file"), file.read(_FILE_ID_BYTES))
            left = os.fstat(file.fileno()).st_size - file.tell()
            number, last = 0, False
            while not last:
                closed = file.read(_CHUNK + _TAG_BYTES)
                left -= len(closed)
                last = left <= 0 or not closed
                try:
                    yield _open(key, _nonce(number, last=last), closed, None)
                except SealBroken:
                    raise SealBroken(f"{path.name} is damaged or another key's") from None
                number += 1


class Lines:
    """Seals lines if there is a key, and opens those that one of some secrets sealed."""

    def __init__(self, key: Key | None = None, secrets: Sequence[str] = ()) -> None:
        self._key, self._secrets = key, secrets

    def sealed(self, line: bytes) -> bytes:
        """Return a line as it is written."""
        return line if self._key is None else self._key.sealed_line(line)

    def opened(self, line: bytes) -> bytes | None:
        """Return what a line says; None for one whose key is not here."""
        line = line.strip()
        if not line or line.startswith(b"{"):
            return line  # it was written before the store was encrypted
        try:
            data = base64.b64decode(line, validate=True)
        except ValueError:
            return line  # cut off by a full disk; it says nothing
        key = key_among(self._secrets, data[:HEADER_BYTES])
        if key is None and is_header(data):
            return None
        try:
            return b"" if key is None else key.opened_line(data[HEADER_BYTES:])
        except SealBroken:
            return b""


def is_header(beginning: bytes) -> bool:
    """Whether something that begins so is sealed."""
    return beginning.startswith(_MARK) and len(beginning) >= HEADER_BYTES


def beginning_of(path: Path | str) -> bytes:
    """Return how a database begins; nothing for one that is empty, not there or not to be read."""
    try:
        about = os.stat(path)  # noqa: PTH116 -- pathlib takes longer
        is_long = stat.S_ISREG(about.st_mode) and about.st_size >= HEADER_BYTES
        return _beginning_of(os.path.abspath(path)) if is_long else b""  # noqa: PTH100
    except OSError:
        return b""


def _beginning_of(path: str) -> bytes:
    # Closing a file drops the locks that SQLite has on it in this process, unless SQLite closes it.
    apsw = sys.modules.get("apsw")
    if apsw is None:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(HEADER_BYTES)
    plain = apsw.vfs_names()[0].removeprefix("multipleciphers-")
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    try:
        opened = apsw.VFSFile(plain, path, flags)
    except apsw.Error:
        return b""
    try:
        return bytes(opened.xRead(HEADER_BYTES, 0))
    except apsw.Error:
        return b""
    finally:
        opened.xClose()


def new_key(secret: str) -> Key:
    """Return a key that nothing was sealed with yet."""
    salt = os.urandom(_SALT_BYTES)
    root = _root(_refuse_weak(secret), salt)
    return Key(_MARK + salt + _check(root), root)


def key_among(secrets: Sequence[str], header: bytes) -> Key | None:
    """Return the key of what begins with a header; None where no secret makes it."""
    if not is_header(header):
        return None
    for secret in secrets:
        root = _root(secret, header[len(_MARK) : -_CHECK_BYTES])
        if hmac.compare_digest(_check(root), header[-_CHECK_BYTES:]):
            return Key(header, root)
    return None


def _refuse_weak(secret: str) -> str:
    if len(secret.strip()) < PHRASE_CHARS_MIN:
        raise ConfigError(
            f"The key of a store needs at least {PHRASE_CHARS_MIN} characters; `milepost encrypt "
            "--create-key` makes one of 256 bits."
        )
    return secret


@lru_cache(maxsize=16)
def _root(secret: str, salt: bytes) -> bytes:
    secret = secret.strip()
    if len(secret) == _HEX_DIGITS:
        try:
            return _mac(bytes.fromhex(secret), b"milepost store " + salt)
        except ValueError:
            pass  # a phrase of that length
    return scrypt(secret.encode(), salt=salt, **_SLOW)


def _check(root: bytes) -> bytes:
    return _mac(root, b"check")[:_CHECK_BYTES]


def _mac(key: bytes, text: bytes) -> bytes:
    return hmac.new(key, text, sha256).digest()


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(_NONCE_BYTES - 1, "big") + bytes([last])


def _open(key: bytes, nonce: bytes, closed: bytes, beside: bytes | None) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(_cipher(key).decrypt(nonce, closed, beside))
    except (InvalidTag, ValueError) as problem:
        raise SealBroken("it is damaged or another key's") from problem


def _cipher(key: bytes):  # type: ignore[no-untyped-def]
    try:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError as problem:
        raise ConfigError(
            'An encrypted store needs pip install "milepost[encryption]".'
        ) from problem
    return ChaCha20Poly1305(key)
