"""Hear of work that others put off, on a connection of its own."""

import threading
import time
from collections.abc import Callable

import psycopg

from milepost.storage.postgres.connections import log, parameters

_CHANNEL = "milepost_work"
_LISTEN_S = 1.0
_AGAIN_S = 5.0


class Listener:
    """A thread that calls when work comes; without a connection nobody is called, and all poll."""

    def __init__(self, url: str, wake: Callable[[], None]) -> None:
        self._url, self._wake = url, wake
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="milepost-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more."""
        self._closed.set()
        self._thread.join(2 * _LISTEN_S)

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                with psycopg.connect(**parameters(self._url), autocommit=True) as connection:
                    connection.execute(f"LISTEN {_CHANNEL}")
                    self._wake()  # for what came while nobody listened
                    while not self._closed.is_set():
                        for _ in connection.notifies(timeout=_LISTEN_S, stop_after=1):
                            self._wake()
            except psycopg.Error as problem:
                log.debug("nobody hears of work at once: %s", problem)
                self._rest()

    def _rest(self) -> None:
        until = time.monotonic() + _AGAIN_S
        while time.monotonic() < until and not self._closed.wait(0.2):
            pass
