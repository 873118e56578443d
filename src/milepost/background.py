"""Work beside whoever is served, in threads: a task done once, or again and again."""

import atexit
import logging
import os
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

# What failed is tried again after so long.
RETRY_S = 1.0


def start(
    name: str, task: Callable[[], object], *, keeps_alive: bool = False
) -> threading.Thread | None:
    """Do a task once in a thread of its own; None where there can be no more threads."""
    thread = threading.Thread(target=task, daemon=not keeps_alive, name=f"milepost-{name}")
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


class Background:
    """A thread that does a task some time after it was asked to, again and again.

    It keeps no process alive: at the end of one `at_exit` finishes what is left. A forked child has
    none until it asks for one.
    """

    def __init__(
        self,
        name: str,
        task: Callable[[], None],
        at_exit: Callable[[], None],
        *,
        delay_s: float = 0.0,
        poll_s: float | None = None,
    ) -> None:
        self._name = name
        self._task = task
        self._at_exit = at_exit
        self._delay_s = delay_s
        self._poll_s = poll_s
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._asked, self._hurried = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def ask(self, *, now: bool = False) -> None:
        """Have the task done soon, or now."""
        if os.getpid() != self._process:
            self._begin()
        if self._thread is None:  # without threads, what is left is done when this is closed
            self._start()
        if now:
            self._hurried.set()
        self._asked.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None or self._closed:
                return
            self._thread = start(self._name, self._run)
            if self._thread is not None:
                atexit.register(self._at_exit)

    def rest(self, seconds: float) -> bool:
        """Let some time pass; return at once and True when there is a hurry."""
        return self._hurried.wait(seconds)

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is to be done."""
        return self._closed

    def close(self, most_s: float | None = None) -> None:
        """End after what is under way, for which is waited so long at most."""
        atexit.unregister(self._at_exit)
        self._closed = True
        if os.getpid() == self._process:
            self._hurried.set()
            self._asked.set()
            if self._thread is not None and self._thread is not threading.current_thread():
                self._thread.join(most_s)

    def _run(self) -> None:
        while True:
            self._asked.wait(self._poll_s)
            self._asked.clear()
            self.rest(self._delay_s)
            if self._closed:
                return
            try:
                self._task()
                self._hurried.clear()
            except Exception as problem:  # noqa: BLE001 -- the thread must outlive any failure
                log.warning("%s is done later: %s", self._name, problem)
                self._hurried.clear()
                if not self._closed:
                    self.rest(RETRY_S)
                self._asked.set()
