"""What is known of a memory as a thing to look after: work put off, what it costs, how it is."""

from __future__ import annotations

from contextvars import ContextVar

from milepost.text.fence import for_models
from milepost.text.lines import counted, day, left_out, minute, moment
from milepost.values import NamedTuple, by_name
from milepost.workspace.values import EVERYWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WAITING, RUNNING, DEAD = "waiting", "running", "dead"


class Job(NamedTuple):
    """One piece of work: its topic says what, its key which; times in microseconds.

    due: from when on it may be claimed; of a running one, when its claim ends.
    attempts: how often it was claimed.
    problem: why it failed last.
    claim: the mark of whoever has it.
    """

    id: int
    space: str
    topic: str
    key: str
    payload: str
    state: str
    due: int
    attempts: int
    problem: str = ""
    claim: str = ""


# The program that is answered, as it calls itself.
CLIENT: ContextVar[str | None] = ContextVar("client", default=None)
CLIENT_CHARS = 60


@by_name
class JobState(NamedTuple):
    """A piece of work that was put off, as it stands: its topic says what, its key which.

    due: from when on it may be done; of what runs, when its claim ends; in seconds.
    problem: why it failed last.
    """

    number: int
    state: str
    due: float
    attempts: int
    topic: str
    key: str
    problem: str = ""

    @for_models
    def __str__(self) -> str:
        tried = f", tried {counted(self.attempts, 'time')}" if self.attempts else ""
        problem = f": {self.problem}" if self.problem else ""
        what = f"{self.topic} {self.key}".rstrip()
        return f"{self.number} {what}, {self.state} since {minute(self.due)}{tried}{problem}"


class JobsRetried(NamedTuple):
    """How many pieces of work that were given up will be tried again."""

    jobs: int

    def __str__(self) -> str:
        return f"{counted(self.jobs, 'job')} will be tried again"


class Expense(NamedTuple):
    """A text that was handed to a model: where, what it cost, and what whole objects would have."""

    at: float
    operation: str
    tokens: int
    instead_of: int
    session: str | None = None
    hashes: tuple[str, ...] = ()
    ms: float | None = None
    # The program that asked, as it calls itself.
    client: str | None = None


class Spending(NamedTuple):
    """What was handed to models on a day or in a session, and what whole objects would cost."""

    name: str
    texts: int
    tokens: int
    instead_of: int

    @property
    def saved(self) -> float:
        """The share that was saved; below 0 where whole objects would have been shorter."""
        return 1 - self.tokens / self.instead_of if self.instead_of else 0.0

    def __str__(self) -> str:
        return f"{self.name} {self.texts} {self.tokens} {self.instead_of} {self.saved:.0%}"


class Savings(NamedTuple):
    """What was handed to models over some days: in all, and by what, the latest last."""

    total: Spending
    days: tuple[Spending, ...]
    sessions: tuple[Spending, ...]
    operations: tuple[Spending, ...] = ()
    clients: tuple[Spending, ...] = ()

    def __str__(self) -> str:
        if not self.total.texts:
            return f"{self.total.name}: nothing was handed to a model"
        days, sessions = self.days[-SPENDINGS_SHOWN:], self.sessions[-SPENDINGS_SHOWN:]
        more = len(self.days) + len(self.sessions) - len(days) - len(sessions)
        total = self.total
        lines = [
            f"{total.name}: {total.tokens} tokens for {total.instead_of}, {total.saved:.0%} saved",
            "name texts tokens instead_of saved",
            *map(str, (*days, *sessions)),
        ]
        return "\n".join([*lines, left_out(more)] if more else lines)


class Team(NamedTuple):
    """Who uses the memory how much, and what they pay for a million tokens of input."""

    users: int = 10
    sessions: int = 5
    price: float = 3.0
    currency: str = "$"
    workdays: int = 21


class TeamRow(NamedTuple):
    """One quantity with Milepost and with whole objects."""

    name: str
    with_milepost: float
    with_whole_objects: float

    @property
    def saved(self) -> float:
        """The share that is saved."""
        whole = self.with_whole_objects
        return 1 - self.with_milepost / whole if whole else 0.0


class Calculation(NamedTuple):
    """What a team pays for memory: tokens by session and by month, money, and what was assumed."""

    team: Team
    tokens: tuple[TeamRow, ...]
    costs: tuple[TeamRow, ...]
    assumptions: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        sign = self.team.currency
        rows = [
            f"{row.name}: {row.with_milepost:,.0f} {row.with_whole_objects:,.0f}"
            for row in self.tokens
        ]
        rows += [
            f"{row.name}: {sign}{row.with_milepost:,.2f} {sign}{row.with_whole_objects:,.2f}"
            for row in self.costs
        ]
        return "\n".join(["with Milepost, with whole objects", *rows, *self.assumptions])


# Days and sessions that a model is shown of its savings.
SPENDINGS_SHOWN = 10


# Months that a model is shown of how many memories each brought.
MONTHS_SHOWN = 12


class Stats(NamedTuple):
    """How much is remembered, of what, since when, and the room it takes.

    memories: those that hold; superseded ones and deleted ones that undo could take back are
    counted apart. projects: what belongs to none stands under "everywhere". bytes: of the whole
    store, with its index; 0 for a key that is not for all its spaces.
    """

    memories: int
    superseded: int
    deleted: int
    episodes: int
    patterns: int
    bytes: int
    oldest: float | None
    newest: float | None
    kinds: Mapping[str, int]
    projects: Mapping[str, int]
    months: Mapping[str, int]
    sessions: int
    largest_sessions: Mapping[str, int]

    @for_models
    def __str__(self) -> str:
        held = f"{self.superseded:,} superseded, {self.deleted:,} deleted"
        learned = f"{counted(self.episodes, 'episode')}, {counted(self.patterns, 'pattern')}"
        memories = f"{counted(self.memories, 'memory')} of {counted(self.sessions, 'session')}"
        size = f"; {self.bytes / 1e6:,.1f} MB" if self.bytes else ""
        lines = [f"{memories}, {held}; {learned}{size}"]
        if self.oldest is not None and self.newest is not None:
            lines.append(f"oldest {day(self.oldest)}, newest {day(self.newest)}")
        months = dict(list(self.months.items())[-MONTHS_SHOWN:])
        none = {EVERYWHERE: f"{EVERYWHERE} (no project)"}
        projects = {none.get(name, name): count for name, count in self.projects.items()}
        parts = {"kinds": self.kinds, "projects": projects, "months": months}
        parts["sessions"] = self.largest_sessions
        lines += [f"{name}: {_by_name(counts)}" for name, counts in parts.items() if counts]
        return "\n".join(lines)


def _by_name(counts: Mapping[str, int]) -> str:
    shown = list(counts.items())[:MONTHS_SHOWN]
    more = f" {left_out(len(counts) - len(shown))}" if len(counts) > len(shown) else ""
    return ", ".join(f"{name} {count:,}" for name, count in shown) + more


class StoreInfo(NamedTuple):
    """What a store holds and how large it is."""

    file: str
    bytes: int
    free_bytes: int
    index_bytes: int
    segments: int
    schema: int
    memories: int
    hidden: int
    oldest: float | None
    newest: float | None
    kinds: Mapping[str, int]
    spaces: Mapping[str, int]
    tags: Mapping[str, int]
    vectors: Mapping[str, int]
    episodes: int = 0
    patterns: int = 0
    # Deleted memories that can be taken back.
    held: int = 0
    # By table how many bytes it and its indexes take, the largest first.
    tables: Mapping[str, int] = {}

    @for_models
    def __str__(self) -> str:
        size = f"{self.bytes / 1e6:,.1f} MB, index {self.index_bytes / 1e6:,.1f} MB"
        lines = [f"{self.file}: {size}, {self.free_bytes / 1e6:,.1f} MB free, schema {self.schema}"]
        lines.append(f"{self.memories:,} memories, {self.episodes:,} episodes")
        parts = {"spaces": self.spaces, "tables": self.tables}
        return "\n".join([*lines, *(f"{name}: {_by_name(c)}" for name, c in parts.items() if c)])


@by_name
class PlacedSpace(NamedTuple):
    """A space, the store it is on, and how much it holds there; of a store that is away, why."""

    space: str
    store: str
    memories: int
    rows: int
    note: str = ""

    @for_models
    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.space} {self.memories:,} memories, {self.rows:,} rows in {self.store}{note}"


class StoreCheck(NamedTuple):
    """What is wrong with a store and with its index; nothing when both are whole."""

    file: str
    problems: tuple[str, ...]
    index_problems: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether all is well."""
        return not self.problems and not self.index_problems

    @for_models
    def __str__(self) -> str:
        told = "\n".join((*self.problems, *self.index_problems))
        return told or f"{self.file} is whole, and so is its index"


# How something stands that was looked at.
OK, NOTE, BROKEN = "ok", "note", "broken"


class Check(NamedTuple):
    """One thing that was looked at, and what would repair it."""

    name: str
    status: str
    found: str
    repair: str = ""

    def __str__(self) -> str:
        return f"{self.status} {self.name}: {self.told}"

    @property
    def told(self) -> str:
        """What was found, and what would repair it."""
        return f"{self.found.rstrip('.')}; {self.repair}" if self.repair else self.found


class StoreHealth(NamedTuple):
    """What was looked at of a store, each thing with what would repair it."""

    checks: tuple[Check, ...]

    @property
    def ready(self) -> bool:
        """Whether nothing is broken."""
        return all(check.status != BROKEN for check in self.checks)

    @for_models
    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))


class PendingMigration(NamedTuple):
    """A script that a store lacks: whether it takes something away, and whether it can run now.

    waits_for: who still needs what it takes away.
    """

    name: str
    contracts: bool
    safe: bool
    waits_for: tuple[str, ...] = ()


class SchemaState(NamedTuple):
    """How many scripts a store has seen, how many this version knows, and what would run."""

    file: str
    schema: int
    known: int
    pending: tuple[PendingMigration, ...]

    @property
    def safe(self) -> bool:
        """Whether all that is lacking can run now."""
        return all(script.safe for script in self.pending)


class CopyInfo(NamedTuple):
    """A whole copy of a store."""

    file: str
    bytes: int
    memories: int
    schema: int
    made: float

    @for_models
    def __str__(self) -> str:
        return f"{self.file}: {self.memories:,} memories, {self.bytes / 1e6:,.1f} MB"


class Latency(NamedTuple):
    """How often something was done and how often in vain, and within which time it mostly was.

    seconds: what all of it took. space: whose it is, where several are told of.
    """

    name: str
    times: int
    failed: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    seconds: float
    space: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.told}"

    @property
    def told(self) -> str:
        """All but its name in words: how often, and the times that half, 95 and 99 % took."""
        failed = f", {self.failed:,} failed" if self.failed else ""
        times = (self.p50_ms, self.p95_ms, self.p99_ms)
        spread = " ".join(f"{ms:.3g}" if ms < 100 else f"{ms:,.0f}" for ms in times)
        return f"{self.times:,}{failed}, {spread} ms"


class Backlog(NamedTuple):
    """How much work of a topic waits, runs or was given up; the oldest is late by so much."""

    topic: str
    waiting: int
    running: int
    dead: int
    late_s: float = 0.0

    def __str__(self) -> str:
        states = {"wait": self.waiting, "run": self.running, "are dead": self.dead}
        told = ", ".join(f"{number:,} {state}" for state, number in states.items() if number)
        return f"{self.topic}: {told}" + (f", {self.late_s:.0f} s late" if self.late_s > 1 else "")


# Operations that a model is shown of what was measured.
OPERATIONS_SHOWN = 8


@by_name
class MetricsReport(NamedTuple):
    """What was done in the last minutes, by all processes that use the store.

    spaces: in which of them. operations: what took most time first, by space. errors: by code.
    programs: by how they ended; sandbox: how long they took. backlog: what is put off now.
    writes: transactions that write, of the whole store, as are caches; left out for who may not
    enter all spaces. tokens: what was handed to models, and what whole objects would have cost.
    """

    minutes: int
    spaces: tuple[str, ...]
    operations: tuple[Latency, ...]
    errors: Mapping[str, int]
    episodes_created: int
    episodes_completed: int
    jobs: tuple[Latency, ...]
    backlog: tuple[Backlog, ...]
    programs: Mapping[str, int]
    sandbox: Latency | None
    writes: Latency | None
    cache_hits: Mapping[str, int]
    cache_misses: Mapping[str, int]
    tokens: int
    instead_of: int
    last_backup: float | None = None

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return sum(operation.times for operation in self.operations)

    @for_models
    def __str__(self) -> str:
        failed = sum(operation.failed for operation in self.operations)
        lines = [f"{self.minutes} min: {counted(self.calls, 'call')}, {failed:,} failed"]
        if self.errors:
            lines.append("errors: " + _listed(self.errors))
        if self.operations:
            shown = self.operations[:OPERATIONS_SHOWN]
            lines.append("operation times, p50 p95 p99:")
            lines += [f"{o.space} {o}" if len(self.spaces) > 1 else str(o) for o in shown]
            more = len(self.operations) - len(shown)
            lines += [left_out(more)] if more else []
        if self.episodes_created or self.episodes_completed:
            rates = self.episodes_created / self.minutes, self.episodes_completed / self.minutes
            lines.append("episodes/min: {:.2g} created, {:.2g} completed".format(*rates))
        lines += [f"job {job}" for job in self.jobs]
        lines += [f"put off {each}" for each in self.backlog]
        if self.sandbox is not None:
            lines.append(f"{self.sandbox}; ended: {_listed(self.programs)}")
        if self.writes is not None:
            lines.append(f"writes to {self.writes}")
        for cache, hits in self.cache_hits.items():
            asked = hits + self.cache_misses.get(cache, 0)
            lines.append(f"cache {cache}: {hits:,} of {asked:,} given again")
        if self.tokens:
            lines.append(f"tokens to models: {self.tokens:,} for {self.instead_of:,}")
        if self.last_backup is not None:
            lines.append(f"last backup {minute(self.last_backup)}")
        return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items())


# What a copy of a store is: made by hand, before an upgrade, by a restore, or never finished.
BACKUP, MIGRATION, REPLACED, LEFTOVER = COPIES = ("backup", "migration", "replaced", "leftover")


class Copy(NamedTuple):
    """A file beside a store that is a copy of it, or was to become one.

    memories: how many it holds; None when it cannot be read. elsewhere: whether it lies where a
    schedule keeps copies, and not beside the store.
    """

    file: str
    kind: str
    bytes: int
    made: float
    memories: int | None
    elsewhere: bool = False

    @for_models
    def __str__(self) -> str:
        held = "unreadable" if self.memories is None else f"{self.memories:,} memories"
        size = f"{self.bytes / 1e6:,.1f} MB"
        return f"{minute(self.made)} {self.kind} {self.file}: {held}, {size}"


class Restored(NamedTuple):
    """A store that was replaced by a copy, and where what it replaced is kept."""

    file: str
    source: str
    memories: int
    kept: str | None


class Reencrypted(NamedTuple):
    """A store that was encrypted, decrypted or given another key, with what lies beside it.

    left: what could not be written anew, and why.
    """

    file: str
    encrypted: bool
    databases: tuple[str, ...]
    index_files: int
    inbox_files: int
    left: tuple[str, ...]


class _Health(NamedTuple):
    status: str
    count: int  # type: ignore[assignment]  # the published name hides tuple.count
    backend: str


class CompactHealthInfo(_Health):
    """Whether the memory works, in three fields; notes say what does not, and what caches save."""

    notes: tuple[str, ...] = ()

    def noted(self, notes: Sequence[str]) -> CompactHealthInfo:
        """Return the same with notes."""
        noted = CompactHealthInfo(*self)
        noted.notes = tuple(notes)
        return noted

    @property
    def ready(self) -> bool:
        """Whether memories can be stored and found."""
        return self.status != "error"

    def __repr__(self) -> str:
        return super().__repr__() + self._noted()

    def __str__(self) -> str:
        noun = "memory" if self.count == 1 else "memories"
        return f"{self.status}, {self.count} {noun}, {self.backend}{self._noted()}"

    def _noted(self) -> str:
        return "".join(f"; {note}" for note in self.notes)


# From what tells most to what matters most.
LOG_LEVELS = ("debug", "info", "warning", "error", "critical")


@by_name
class LogLine(NamedTuple):
    """What a process logged, and for which request, operation and space, by which surface.

    stack: where it was raised, if it was an error that nobody had foreseen.
    """

    at: float
    level: str
    process: int
    logger: str
    message: str
    request: str = ""
    operation: str = ""
    space: str = ""
    surface: str = ""
    stack: str = ""

    @for_models
    def __str__(self) -> str:
        told = (
            f"request {self.request}" if self.request else "",
            self.operation,
            f"in {self.space}" if self.space else "",
            f"by {self.surface}" if self.surface else "",
        )
        about = " ".join(filter(None, told))
        head = f"{moment(self.at)} {self.level} {self.logger} {self.process}: {self.message}"
        stack = f"\n{self.stack}" if self.stack else ""
        return f"{head}{f' [{about}]' if about else ''}{stack}"
