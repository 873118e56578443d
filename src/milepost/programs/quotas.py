"""What runs programs, and how many each caller may run."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable

from milepost.access.values import CALLER
from milepost.errors import MilepostError, Overloaded
from milepost.ports import Call, CodeRunner
from milepost.programs.values import Execution, Program
from milepost.waiting import WAITING, Progress

log = logging.getLogger(__name__)

CALLERS_MAX = 10_000


def _logged() -> Progress:
    """Return what logs once why a program waits: the sandbox is compiled once a machine."""
    told: set[str] = set()

    def tell(doing: str, _seconds: float) -> None:
        if doing not in told:
            log.warning("%s", doing)
        told.add(doing)

    return tell


class Programs:
    """A sandbox that is opened when the first program comes, and an allowance for each caller."""

    def __init__(self, open_runner: Callable[[], CodeRunner], per_minute: int) -> None:
        self._open_runner = open_runner
        self._per_minute = per_minute
        self._lock = threading.Lock()
        self._runner: CodeRunner | None = None
        self._allowances: dict[str, tuple[float, float]] = {}
        # How programs ended since this memory was opened.
        self.endings: Counter[str] = Counter()

    @property
    def runner(self) -> CodeRunner:
        """The sandbox."""
        with self._lock:
            if self._runner is None:
                self._runner = self._open_runner()
            return self._runner

    def admit(self) -> None:
        """Count a run of whoever asks, or refuse it."""
        caller, now = CALLER.get().address, time.monotonic()
        with self._lock:
            left, since = self._allowances.get(caller, (float(self._per_minute), now))
            left = min(self._per_minute, left + (now - since) * self._per_minute / 60)
            if left < 1:
                wait = 60 * (1 - left) / self._per_minute
                raise Overloaded(
                    f"More than {self._per_minute} programs a minute; try again in {wait:.1f} s."
                )
            if len(self._allowances) > CALLERS_MAX:
                self._allowances.clear()
            self._allowances[caller] = (left - 1, now)

    def run(self, program: Program, call: Call) -> Execution:
        """Run a program, and count how it ended."""
        done = self.runner.run(program, call, WAITING.get() or _logged())
        with self._lock:
            self.endings[done.stats.ended] += 1
        return done

    def problems(self) -> list[str]:
        """Return which layers of a sandbox that works are missing, for people."""
        try:
            status = self.runner.status()
        except MilepostError:
            return []
        except OSError as problem:
            return [f"the sandbox cannot be looked at: {problem}"]
        missing = [layer.name for layer in status.layers if not layer.active]
        return [f"the sandbox lacks {', '.join(missing)}"] if status.available and missing else []

    def close(self) -> None:
        """Stop the workers."""
        with self._lock:
            if self._runner is not None:
                self._runner.close()
                self._runner = None
