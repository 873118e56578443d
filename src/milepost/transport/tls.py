"""TLS: by what a server is known, what is shown to it, and what to do when it is another."""

from __future__ import annotations

import os
import ssl
from base64 import b64decode, b64encode
from hashlib import sha256

from milepost.errors import ConfigError
from milepost.values import NamedTuple

PIN_PREFIX = "sha256//"
OLDEST = ssl.TLSVersion.TLSv1_2
_DIGEST_BYTES = 32
# The tag of the version, which old certificates leave out.
_VERSION = 0xA0
# Numbers of OpenSSL for what can be wrong with a certificate.
_NOT_YET_VALID, _EXPIRED, _OTHER_NAMES = 9, 10, (62, 63, 64)
_UNKNOWN_ISSUERS = (2, 18, 19, 20, 21)
# What OpenSSL calls it when the other side wants a certificate, or another one.
_WANTS_CERTIFICATE = ("CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "HANDSHAKE_FAILURE")
_REFUSES_CERTIFICATE = ("UNKNOWN_CA", "CERTIFICATE_EXPIRED", "CERTIFICATE_UNKNOWN")
REFUSED_SILENTLY = "check that it runs, and that its client_ca signed your client_cert lately"
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH")


class Tls(NamedTuple):
    """By what servers are known beyond their names, and what this client shows them.

    ca: a file with the certificates of those who may have signed the server's; else the system's.
    certificate, key: files of this client's own, for servers that ask; both may lie in one.
    pins: SHA-256 of the public keys that a server may have, if not any that is signed.
    """

    ca: str = ""
    certificate: str = ""
    key: str = ""
    pins: tuple[str, ...] = ()

    def context(self) -> ssl.SSLContext:
        """Return what connections are made with; every certificate is checked."""
        for pin in self.pins:
            _digest(pin)
        try:
            context = ssl.create_default_context(cafile=_path(self.ca) or None)
        except (OSError, ssl.SSLError) as problem:
            why = _why(problem, "it has no certificate in PEM")
            raise ConfigError(f"ca cannot be read from {self.ca}: {why}.") from problem
        context.minimum_version = OLDEST
        if self.certificate:
            load_pair(context, "client_cert", self.certificate, "client_key", self.key)
        return context

    def check(self, connection: ssl.SSLSocket) -> None:
        """Refuse a server with another key than one that is pinned."""
        if self.pins:
            found = pin_of(connection.getpeercert(binary_form=True) or b"")
            if _digest(found) not in map(_digest, self.pins):
                raise WrongPin(found)


class WrongPin(ssl.SSLError):
    """The server's key is none of those that are pinned."""

    def __init__(self, found: str) -> None:
        super().__init__(f"its key is not the pinned one but {found}")


def load_pair(
    context: ssl.SSLContext, setting: str, certificate: str, key_setting: str, key: str
) -> None:
    """Load a certificate and its key, or say which of the files is wrong and how."""
    try:
        context.load_cert_chain(_path(certificate), _path(key) or None, _no_password)
    except ssl.SSLError as problem:
        mismatch = "KEY_VALUES_MISMATCH" in str(problem)
        why = "the key is of another certificate" if mismatch else "they are no PEM of such"
        raise ConfigError(
            f"{setting} {certificate} and {key_setting} {key or certificate} cannot be used: {why}."
        ) from problem
    except OSError as problem:
        named = f"{certificate} or {key}" if key else certificate
        raise ConfigError(
            f"{setting} or {key_setting} cannot be read from {named}: {_why(problem, 'no file')}."
        ) from problem


def _no_password() -> str:
    # Else OpenSSL would ask at the terminal, and a server wait there for ever.
    raise ConfigError("The key of a certificate has a password; give a file without one.")


def advice(problem: ssl.SSLError) -> tuple[str, str]:
    """Return what is wrong between here and a server, and what to do about it."""
    if isinstance(problem, WrongPin):
        return problem.args[0], "if the server's key was changed on purpose, set pin to that"
    if isinstance(problem, ssl.SSLCertVerificationError):
        return _of_certificate(problem)
    said = f"{problem.reason or ''} {problem}".upper().replace(" ", "_")
    if any(word in said for word in _NO_TLS):
        return "it does not speak TLS", "check the port, or serve there with --tls-cert"
    if any(word in said for word in _WANTS_CERTIFICATE):
        return "it wants a certificate of yours", "set client_cert and client_key"
    if any(word in said for word in _REFUSES_CERTIFICATE):
        return "it refuses your certificate", "set client_cert to one that its client_ca signed"
    if "PROTOCOL_VERSION" in said:
        return "it speaks an older TLS than 1.2", "bring the server up to date"
    return f"TLS failed: {problem.reason or problem}", "check the address and the server's log"


def _of_certificate(problem: ssl.SSLCertVerificationError) -> tuple[str, str]:
    code = problem.verify_code
    if code == _EXPIRED:
        return "its certificate has expired", "renew it there; a running server takes the new one"
    if code == _NOT_YET_VALID:
        return "its certificate is not valid yet", "check the clocks of both machines"
    if code in _OTHER_NAMES:
        return "its certificate is of another host", "use the name that it was issued for"
    if code in _UNKNOWN_ISSUERS:
        why = "its certificate is signed by nobody who is known here"
        return why, "set ca (MILEPOST_CA) to the certificate of who signed it"
    return f"its certificate is refused: {problem.verify_message}", "renew it there"


def pin_of(certificate: bytes) -> str:
    """Return the pin of a certificate in DER: SHA-256 of its public key, as curl writes it."""
    return PIN_PREFIX + b64encode(sha256(_public_key(certificate)).digest()).decode()


def _digest(pin: str) -> bytes:
    """Read a pin: sha256//BASE64, as curl takes it, or 64 hexadecimal digits, colons or not."""
    text = pin.strip().removeprefix(PIN_PREFIX).removeprefix("sha256:")
    try:
        digits = text.replace(":", "")
        digest = bytes.fromhex(digits) if len(digits) == 2 * _DIGEST_BYTES else b64decode(text)
    except ValueError:
        digest = b""
    if len(digest) != _DIGEST_BYTES:
        raise ConfigError(f"pin must be {PIN_PREFIX}… as `milepost serve` prints it, not {pin!r}.")
    return digest


def _public_key(certificate: bytes) -> bytes:
    """Return SubjectPublicKeyInfo of a certificate: the library has no reader of DER."""
    body = _parts(_parts(certificate)[0][1])[0][1]
    fields = [part for part in _parts(body) if part[0] != _VERSION]
    # Number, algorithm, issuer, validity, subject, then the key.
    return fields[5][2]


def _parts(data: bytes) -> list[tuple[int, bytes, bytes]]:
    """Return the values in DER one after the other: tag, content, and the whole."""
    parts, at = [], 0
    while at < len(data):
        tag, size, start = data[at], data[at + 1], at + 2
        if size & 0x80:
            digits = size & 0x7F
            size = int.from_bytes(data[start : start + digits], "big")
            start += digits
        parts.append((tag, data[start : start + size], data[at : start + size]))
        at = start + size
    return parts


def _path(place: str) -> str:
    return os.path.expanduser(place)  # noqa: PTH111 -- pathlib takes longer


def _why(problem: OSError, otherwise: str) -> str:
    return otherwise if isinstance(problem, ssl.SSLError) else problem.strerror or otherwise
