"""What the sandbox takes and gives, programs and executions, and what a model reads of one."""

from __future__ import annotations

from milepost.text.fence import cleaned, for_models
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Limits(NamedTuple):
    """What a run may use.

    timeout_s: from start to end, whatever the time is spent on: the program, what it calls, sleep.
    memory_mb: all memory of the guest, of which the interpreter takes about 25.
    output_bytes: printed text, and as much again for the value.
    callback_bytes: arguments and results together; argument_bytes those of one call, small because
        what is read from them takes many times the memory.
    """

    timeout_s: float = 5.0
    memory_mb: int = 64
    output_bytes: int = 1_000_000
    callbacks: int = 1_000
    callback_bytes: int = 20_000_000
    argument_bytes: int = 2_000_000
    source_bytes: int = 100_000
    state_bytes: int = 100_000
    sleep_s: float = 2.0


class FunctionParameter(NamedTuple):
    """A parameter of a function; the default must be a JSON value."""

    name: str
    required: bool = True
    default: Any = None


class Function(NamedTuple):
    """A function of the host that a program may call."""

    name: str
    parameters: Sequence[FunctionParameter] = ()
    doc: str = ""


class Program(NamedTuple):
    """What to run, and with what."""

    code: str
    functions: Sequence[Function] = ()
    state: Mapping[str, Any] | None = None
    skills: Mapping[str, str] = {}
    limits: Limits = Limits()


# Of errors: the program raised one, is not Python, was not run, had a state that cannot be kept,
# ended itself; a limit was reached; the guest or its process died.
KINDS = frozenset(
    "error syntax refused state exit timeout memory recursion output callbacks crash killed".split()
)


class Error(NamedTuple):
    """Why a program did not end well.

    kind: one of KINDS.
    name: the class of the exception, if there was one.
    line: the line of the program that led to it.
    text: all of it as a model should read it, with its own lines and what would have worked.
    """

    kind: str
    message: str
    text: str
    name: str = ""
    line: int | None = None


class RunStats(NamedTuple):
    """What a run cost.

    wall_ms counts from the start in a worker, queue_ms is the time before it. cpu_ms is the
    worker's, peak_memory_mb its growth. bytes_in are results handed to the program, bytes_out what
    it sent: arguments, printed text, its value. ended is `finished` or the kind of the error.
    """

    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    callback_ms: float = 0.0
    queue_ms: float = 0.0
    peak_memory_mb: float = 0.0
    callbacks: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    ended: str = "finished"


class Execution(NamedTuple):
    """How a run went.

    value: the text of the last expression, None when there is none.
    state: the state after the run; what was given when it could not be kept.
    """

    value: str | None
    printed: str
    error: Error | None
    state: Mapping[str, Any]
    stats: RunStats


class Layer(NamedTuple):
    """One of the six layers, and what of it works here."""

    name: str
    active: bool
    note: str


class Status(NamedTuple):
    """Whether programs can be run.

    phase: idle (nothing started), preparing (compiling or starting), ready, unavailable, closed.
    """

    available: bool
    phase: str
    note: str
    layers: tuple[Layer, ...]
    workers: int
    waiting: int


class Receipt(NamedTuple):
    """What a program did, and what of it reached the model."""

    calls: int
    rows: int
    kept_bytes: int
    tokens: int
    instead_of: int
    ms: float

    def __str__(self) -> str:
        return (
            f"[{self.calls} calls, {self.rows} rows, {self.kept_bytes / 1e3:.0f} kB stayed; "
            f"{self.tokens} tokens for {self.instead_of}; {self.ms:.0f} ms]"
        )


class CodeResult(NamedTuple):
    """What a program printed and its last expression, or why it failed."""

    output: str
    error: str | None
    receipt: Receipt

    @property
    def ready(self) -> bool:
        """Whether the program ended well."""
        return self.error is None

    @for_models
    def __str__(self) -> str:
        # Cleaned first: what is dropped from a line must not make a receipt of it afterwards.
        said = [own_lines(cleaned(text)) for text in (self.output, self.error or "")]
        return "\n".join(part for part in [*said, str(self.receipt)] if part)


def own_lines(text: str) -> str:
    """Return what a program said, with its mark before lines that could pass for a receipt."""
    if text.isascii() and "[" not in text:
        return text
    return "".join(
        f"program: {line}" if _looks_like_receipt(line) else line
        for line in text.splitlines(keepends=True)
    )


def _looks_like_receipt(line: str) -> bool:
    """Whether a line begins with a number and a word in brackets, in whatever characters."""
    import re
    import unicodedata

    plain = unicodedata.normalize("NFKC", line.lstrip()[:200])
    return re.match(r"[^\w\[]*\[\W*?\d+[^\w,;.:\]]*[^\W\d_]", plain) is not None
