"""Certificates that tests make for themselves: who signs them, for whom, and how long they hold."""

from __future__ import annotations

import ipaddress
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


class Pair(NamedTuple):
    """The files of a certificate and its key, and the pin of that key."""

    certificate: Path
    key: Path
    pin: str

    def put(self, other: Pair) -> None:
        """Let the files be those of another."""
        self.key.write_bytes(other.key.read_bytes())
        self.certificate.write_bytes(other.certificate.read_bytes())


class Authority:
    """Signs certificates; `file` is its own."""

    def __init__(self, folder: Path, name: str = "Test authority") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        built = _builder(self._name, self._name, self._key.public_key(), -DAY, 30 * DAY)
        limits = x509.BasicConstraints(ca=True, path_length=0)
        uses = x509.KeyUsage(
            digital_signature=True, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
            encipher_only=False, decipher_only=False,
        )  # fmt: skip
        built = built.add_extension(limits, critical=True).add_extension(uses, critical=True)
        key_id = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = built.add_extension(key_id, critical=False).sign(self._key, hashes.SHA256())
        self.file = folder / f"{name.replace(' ', '-').lower()}.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        file: str,
        host: str = "127.0.0.1",
        starts: timedelta = -DAY,
        ends: timedelta = DAY,
        password: bytes = b"",
    ) -> Pair:
        """Return a new pair, for a host by its name or its address."""
        key = ec.generate_private_key(ec.SECP256R1())
        built = _builder(_named(host), self._name, key.public_key(), starts, ends)
        built = built.add_extension(x509.SubjectAlternativeName([_host(host)]), critical=False)
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = built.add_extension(signer, critical=False).sign(self._key, hashes.SHA256())
        certificate, secret = self._folder / f"{file}.pem", self._folder / f"{file}-key.pem"
        certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        locked = (
            serialization.BestAvailableEncryption(password)
            if password
            else serialization.NoEncryption()
        )
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        secret.write_bytes(key.private_bytes(pem, form, locked))
        public = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return Pair(certificate, secret, f"sha256//{b64encode(sha256(public).digest()).decode()}")


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    starts: timedelta,
    ends: timedelta,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + starts)
        .not_valid_after(now + ends)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
