"""What was tried and how it ended: episodes with their steps, and patterns found in them.

Times are seconds since the epoch, but for those whose names end in `_us`.
"""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import day, listed
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OUTCOMES = ("success", "partial", "failure", "abandoned")
# How episodes are related: to the one that is tried again, to the one that is carried on, and to
# the retry that succeeded.
RETRY_OF, FOLLOWS, SOLVED_BY = "retry of", "follows", "solved by"
# Who says what in a verdict that quotes both.
BY_USER, BY_AGENT = "The user: ", "The agent: "


class Step(NamedTuple):
    """One thing that was done, and what was seen then."""

    number: int
    tool: str
    action: str
    parameters: Mapping[str, Any]
    observation: str
    success: bool
    latency_ms: float | None = None
    tokens: int | None = None
    at: float = 0.0

    @for_models
    def __str__(self) -> str:
        seen = " ".join(self.observation.split())
        ending = f" -> {seen[:200]}{'…' if len(seen) > 200 else ''}" if seen else ""
        return f"{self.number} {self.tool} {self.action}{'' if self.success else ' FAILED'}{ending}"


class Insight(NamedTuple):
    """One sentence of a reflection, with the steps that show it.

    aspect: worked, cost, failed or fixed.
    """

    aspect: str
    text: str
    steps: tuple[int, ...] = ()

    @for_models
    def __str__(self) -> str:
        shown = f" (step {', '.join(map(str, self.steps))})" if self.steps else ""
        return f"{self.aspect}: {self.text}{shown}"


class Term(NamedTuple):
    """One term of a reward, and why it has its value."""

    name: str
    value: float
    why: str


class Reward(NamedTuple):
    """What an episode was worth: its terms, and their combination."""

    total: float
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        lines = [f"{term.name} {term.value:.2f}: {term.why}" for term in self.terms]
        head = f"reward {self.total:.2f} = base × efficiency × quality × complexity + learning"
        return "\n".join([head, *lines])


class Checkpoint(NamedTuple):
    """Where an episode stood when it was put down, or who took it up."""

    at: float
    note: str
    agent: str | None
    step_count: int


class Episode(NamedTuple):
    """A task from its beginning to its end; open while it has no outcome."""

    id: str
    task: str
    task_type: str
    context: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    outcome: str | None = None
    verdict: str = ""
    artifacts: tuple[str, ...] = ()
    created: float = 0.0
    completed: float | None = None
    reward: float | None = None
    insights: tuple[Insight, ...] = ()
    salience: float | None = None
    relations: tuple[tuple[str, str], ...] = ()
    step_count: int = 0
    steps: tuple[Step, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()

    @for_models
    def __str__(self) -> str:
        worth = "" if self.reward is None else f", reward {self.reward:.2f}"
        about = [f"{self.id} {day(self.created)} {self.outcome or 'open'}{worth}: {self.task}"]
        about += [f"{name}: {value}" for name, value in self._named() if value]
        lines = [*about, *map(str, self.insights), *map(str, self.steps)]
        if self.step_count > len(self.steps):
            lines.append(f"({self.step_count - len(self.steps)} more steps not shown)")
        return "\n".join(lines)

    def _named(self) -> list[tuple[str, str]]:
        return [
            ("type", self.task_type),
            ("context", ", ".join(f"{key} {value}" for key, value in self.context.items())),
            ("tags", " ".join(self.tags)),
            ("verdict", self.verdict),
            ("artifacts", " ".join(self.artifacts)),
            ("relations", ", ".join(" ".join(relation) for relation in self.relations)),
            ("checkpoint", self.checkpoints[-1].note if self.checkpoints else ""),
        ]


class Pattern(NamedTuple):
    """Something that holds across episodes, with how often it did and did not.

    kind: sequence (steps that work), decision (a choice that matters), recovery (an error and what
    mends it), context (what works in a language, framework or repository) or trap (what fails).
    successes and failures count the episodes in which it held and did not: a trap that sprang held.
    evidence names the latest of the first, against the latest of the second.
    """

    id: str
    kind: str
    situation: str
    advice: str
    steps: tuple[str, ...]
    context: Mapping[str, Any]
    evidence: tuple[str, ...]
    successes: int
    failures: int
    confidence: float
    shown: int = 0
    helped: int = 0
    hindered: int = 0
    created: float = 0.0
    updated: float = 0.0
    retired: bool = False
    against: tuple[str, ...] = ()

    @for_models
    def __str__(self) -> str:
        held = f"held {self.successes} of {self.successes + self.failures}"
        lines = [
            f"{self.id} {self.kind}{' (retired)' if self.retired else ''}: {self.situation}",
            f"advice: {self.advice}",
            f"{held}, confidence {self.confidence:.2f}",
            f"shown {self.shown}, helped {self.helped}, hindered {self.hindered}",
        ]
        lines += [f"evidence: {' '.join(self.evidence)}"] if self.evidence else []
        lines += [f"against: {' '.join(self.against)}"] if self.against else []
        return "\n".join(lines)


class Checked(NamedTuple):
    """How a pattern fared in episodes it was not made from.

    lift: how much more often it held than could be expected without it.
    """

    pattern: str
    kind: str
    applied: int
    held: int
    lift: float

    def __str__(self) -> str:
        return f"{self.pattern} {self.kind} held {self.held} of {self.applied}, {self.lift:+.2f}"


class Validation(NamedTuple):
    """Patterns scored on held-out episodes, the most telling first."""

    episodes: int
    base_rate: float
    checked: tuple[Checked, ...]

    def __str__(self) -> str:
        head = f"{self.episodes} held-out episodes, {self.base_rate:.0%} of them successes"
        return "\n".join([head, *map(str, self.checked)])


class Completion(NamedTuple):
    """How an episode ended and what there is to learn from it."""

    id: str
    outcome: str
    reward: float
    insights: tuple[Insight, ...]

    @for_models
    def __str__(self) -> str:
        head = f"{self.id} {self.outcome}, reward {self.reward:.2f}"
        return "\n".join([head, *map(str, self.insights)])


class CompactEpisode(NamedTuple):
    """An episode in a line: what was tried, how it ended, what it taught."""

    id: str
    task: str
    task_type: str
    outcome: str | None
    reward: float | None
    created: float
    lesson: str
    score: float = 1.0

    @for_models
    def __str__(self) -> str:
        ended = self.outcome or "open"
        worth = "" if self.reward is None else f" {self.reward:.2f}"
        lesson = f" -> {self.lesson}" if self.lesson else ""
        return f"{self.id} {day(self.created)} {ended}{worth}: {self.task}{lesson}"


class EpisodeList(NamedTuple):
    """Episodes, and how many there were in all."""

    episodes: tuple[CompactEpisode, ...]
    total: int
    query: str = ""

    @for_models
    def __str__(self) -> str:
        return listed(self.episodes, self.total, "no episode")


class EpisodeEvent(NamedTuple):
    """One thing that happened in an episode, some seconds after it began."""

    after_s: float
    what: str
    text: str

    @for_models
    def __str__(self) -> str:
        return f"+{self.after_s:.1f}s {self.what}: {self.text}"


class Timeline(NamedTuple):
    """What happened in an episode, in the order of time."""

    id: str
    task: str
    events: tuple[EpisodeEvent, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        return listed((f"{self.id} {self.task}", *self.events), self.total + 1, "")


class Handover(NamedTuple):
    """What whoever takes up an unfinished episode has to know."""

    id: str
    task: str
    note: str
    done: tuple[str, ...]
    failed: tuple[str, ...]
    open: tuple[str, ...]
    step_count: int

    @for_models
    def __str__(self) -> str:
        lines = [f"{self.id} {self.task} ({self.step_count} steps so far)"]
        lines += [f"note: {self.note}"] if self.note else []
        for name, entries in (("done", self.done), ("learned", self.failed), ("open", self.open)):
            lines += [f"{name}: {entry}" for entry in entries]
        return "\n".join(lines)


class CompactPattern(NamedTuple):
    """A pattern in a line: when, what to do, and how far to trust it."""

    id: str
    kind: str
    situation: str
    advice: str
    confidence: float
    successes: int
    failures: int
    score: float = 1.0

    @for_models
    def __str__(self) -> str:
        held = f"{self.successes}/{self.successes + self.failures}"
        trust = f"(held {held}, confidence {self.confidence:.2f})"
        return f"{self.id} {self.kind}: {self.situation} -> {self.advice} {trust}"


class PatternList(NamedTuple):
    """Patterns, and how many there were in all."""

    patterns: tuple[CompactPattern, ...]
    total: int
    query: str = ""

    @for_models
    def __str__(self) -> str:
        return listed(self.patterns, self.total, "no pattern")


class PatternEffect(NamedTuple):
    """What became of the episodes for which a pattern was shown."""

    id: str
    kind: str
    advice: str
    shown: int
    helped: int
    hindered: int
    effectiveness: float

    @for_models
    def __str__(self) -> str:
        return (
            f"{self.id} {self.kind} {self.effectiveness:.2f}: shown {self.shown}, "
            f"helped {self.helped}, hindered {self.hindered}: {self.advice}"
        )


class Explanation(NamedTuple):
    """A pattern with its evidence, and the arithmetic of its figures."""

    pattern: Pattern
    evidence: tuple[CompactEpisode, ...]
    against: tuple[CompactEpisode, ...]
    arithmetic: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        lines = [f"{self.pattern.id} {self.pattern.kind}: {self.pattern.situation}"]
        lines += [f"advice: {self.pattern.advice}", *self.arithmetic]
        lines += [f"for: {episode}" for episode in self.evidence]
        lines += [f"against: {episode}" for episode in self.against]
        return "\n".join(lines)


class Decayed(NamedTuple):
    """What time did to patterns, or would do."""

    weakened: int
    retired: tuple[str, ...]
    dry_run: bool = False

    def __str__(self) -> str:
        verb = "would be" if self.dry_run else "were"
        named = f": {' '.join(self.retired[:20])}" if self.retired else ""
        return f"{self.weakened} {verb} weakened, {len(self.retired)} {verb} retired{named}"


class Playbook(NamedTuple):
    """How a task like this was done before, and what to keep away from."""

    text: str
    episodes: tuple[str, ...]
    patterns: tuple[str, ...]
    tokens: int

    @for_models
    def __str__(self) -> str:
        return self.text or "nothing like this was tried before"


class Finding(NamedTuple):
    """One thing that bears on a task: a memory, an episode or a pattern, by its id."""

    source: str
    id: str
    text: str
    created: float
    score: float

    @for_models
    def __str__(self) -> str:
        return f"{self.source} {self.id} {self.text}"


class Findings(NamedTuple):
    """The best of everything that bears on a task, and how much more there was."""

    findings: tuple[Finding, ...]
    total: int
    query: str

    @property
    def patterns(self) -> tuple[str, ...]:
        """The ids of the patterns among them."""
        return tuple(finding.id for finding in self.findings if finding.source == "pattern")

    @for_models
    def __str__(self) -> str:
        return listed(self.findings, self.total, "nothing known bears on this")


# The outcome of an episode that has none yet, where episodes are chosen by it.
OPEN = "open"
# Closed by nobody in particular: whoever worked on it may still come back and complete it.
ABANDONED = "abandoned"


class EpisodeChanges(NamedTuple):
    """What to change of an episode, or for None to leave; relations and checkpoints are added."""

    task: str | None = None
    task_type: str | None = None
    context: dict[str, object] | None = None
    tags: tuple[str, ...] | None = None
    outcome: str | None = None
    verdict: str | None = None
    artifacts: tuple[str, ...] | None = None
    completed: float | None = None
    reward: Reward | None = None
    insights: tuple[Insight, ...] | None = None
    salience: float | None = None
    relation: tuple[str, str] | None = None
    checkpoint: Checkpoint | None = None


class EpisodeFilter(NamedTuple):
    """Conditions on an episode."""

    space: str
    outcome: str | None = None
    task_type: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    after_us: int | None = None
    before_us: int | None = None
    learned: bool | None = None


class Peer(NamedTuple):
    """A completed episode as others are compared with it."""

    id: str
    task: str
    outcome: str
    steps: int
    seconds: float


class StoredPattern(NamedTuple):
    """A pattern as it is stored; the version says that nobody changed it meanwhile.

    version: 0 for one that is not stored yet.
    """

    pattern: Pattern
    version: int
