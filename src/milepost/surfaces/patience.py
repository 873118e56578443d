"""How long whoever is far away waits for a program to begin, and what they hear meanwhile."""

import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import run

from milepost.errors import Overloaded
from milepost.waiting import WAITING

# As an SDK's session reports: how much is done, of how much, and what it is.
Report = Callable[[float, float | None, str | None], Coroutine[Any, Any, None]]


@contextmanager
def patient_for(seconds: float, report: Report | None = None) -> Iterator[None]:
    """Let programs that are run here be waited for so long, from worker threads of this loop.

    Whoever waits longer than its client does is answered by nobody. What is waited for, such as
    the compiling of the sandbox, goes on for the next call.
    """
    began = time.monotonic()

    def tell(doing: str, _seconds: float) -> None:
        spent = time.monotonic() - began
        if spent > seconds:
            raise Overloaded(
                f"The program was not run: after {seconds:.0f} s this goes on: {doing}. "
                "Call again in a minute."
            )
        if report is not None:
            run(report, spent, None, doing)

    token = WAITING.set(tell)
    try:
        yield
    finally:
        WAITING.reset(token)
