"""What runs programs that are not trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from milepost.waiting import Progress

if TYPE_CHECKING:
    from milepost.programs.values import Execution, Program, Status


# Answers a call of a program; is told of waits.
Call = Callable[[str, dict[str, Any]], Any]


class CodeRunner(Protocol):
    """Runs programs that are not trusted."""

    def run(self, program: Program, call: Call, progress: Progress | None = None) -> Execution:
        """Run a program; `call` answers its calls in this thread, `progress` is told of waits."""

    def prepare(self) -> None:
        """Get ready in the background."""

    def status(self) -> Status:
        """Tell whether programs can be run, and which layers work."""

    def close(self) -> None:
        """Stop all workers."""
