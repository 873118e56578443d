"""TLS of the server: certificates that are read again when their files change."""

from __future__ import annotations

import logging
import os
import ssl
from typing import Any

from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.transport.tls import OLDEST, load_pair, pin_of

logger = logging.getLogger(__name__)


def context_of(settings: Settings) -> ReloadedContext | None:
    """Return what connections are taken with; None for a server without TLS."""
    if settings.tls_cert:
        return ReloadedContext(settings)
    if settings.tls_key or settings.client_ca:
        raise ConfigError("tls_key and client_ca need tls_cert, the certificate of this server.")
    return None


def pin_of_server(settings: Settings) -> str:
    """Return by which pin clients may know a server with these settings."""
    with open(os.path.expanduser(settings.tls_cert), encoding="ascii") as file:  # noqa: PTH111, PTH123
        first, end, _ = file.read().partition(_END)
    return pin_of(ssl.PEM_cert_to_DER_cert(first[first.rindex(_BEGIN) :] + end))


_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


class ReloadedContext(ssl.SSLContext):
    """Begins each connection with the certificates as they are now; others go on as they are.

    A pair that cannot be used, such as one of which only half is written yet, is logged, and the
    one before goes on being used.
    """

    def __new__(cls, settings: Settings) -> ReloadedContext:  # noqa: ARG004
        """Make what asyncio takes for a context; `_now` is the one that is used."""
        made: ReloadedContext = super().__new__(cls, ssl.PROTOCOL_TLS_SERVER)
        return made

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._version = self._version_now()
        self._now = _context(settings)

    def wrap_bio(self, *args: Any, **kwargs: Any) -> ssl.SSLObject:
        """Begin a connection."""
        self._follow()
        return self._now.wrap_bio(*args, **kwargs)

    def _follow(self) -> None:
        version = self._version_now()
        if version == self._version:
            return
        # Kept before it is read: what changes meanwhile is another version.
        self._version = version
        try:
            self._now = _context(self._settings)
        except ConfigError as problem:
            logger.warning("%s The certificate of before is kept.", problem)
        else:
            logger.info("%s was read again", self._settings.tls_cert)

    def _version_now(self) -> tuple[object, ...]:
        named = (self._settings.tls_cert, self._settings.tls_key, self._settings.client_ca)
        return tuple(_version(os.path.expanduser(place)) for place in named if place)  # noqa: PTH111


def _version(place: str) -> tuple[int, ...]:
    try:
        known = os.stat(place)  # noqa: PTH116
    except OSError:
        return ()
    return known.st_ino, known.st_size, known.st_mtime_ns


def _context(settings: Settings) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = OLDEST
    load_pair(context, "tls_cert", settings.tls_cert, "tls_key", settings.tls_key)
    if settings.client_ca:
        place = settings.client_ca
        try:
            context.load_verify_locations(os.path.expanduser(place))  # noqa: PTH111
        except OSError as problem:
            raise ConfigError(
                f"client_ca cannot be read from {place}: it is no file with certificates in PEM."
            ) from problem
        # TLS would hang up without a word on who has none; `Connection` refuses them.
        context.verify_mode = ssl.CERT_OPTIONAL
    return context
