"""What was tried and how it ended: episodes with their steps, and patterns found in them.

Times are seconds since the epoch, but for those whose names end in `_us`.
"""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import counted, day, listed
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OUTCOMES = ("success", "partial", "failure", "abandoned")
COMPLEXITIES = ("low", "medium", "high")
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
    completed: float | None = None
    project: str | None = None
    session: str | None = None

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


class Rate(NamedTuple):
    """How many episodes ended well of those that ended, and the interval of that share (95 %)."""

    name: str
    well: int
    episodes: int
    low: float
    high: float

    @for_models
    def __str__(self) -> str:
        share = f"{self.well / self.episodes:.0%}" if self.episodes else "unknown"
        return (
            f"{self.name}: {self.well:,} of {self.episodes:,} ended well, "
            f"{share} ({self.low:.0%} to {self.high:.0%})"
        )


class ToolRate(NamedTuple):
    """How episodes ended in which a tool was used, and how many of its steps failed."""

    rate: Rate
    steps: int
    failed: int

    @for_models
    def __str__(self) -> str:
        return f"{self.rate}; {self.failed:,} of its {self.steps:,} steps failed"


class Trend(NamedTuple):
    """How the share that ends well moves, and how likely it moves so much by chance."""

    per_week: float
    p: float

    def __str__(self) -> str:
        if self.p > 0.05:
            return f"no trend (p {self.p:.2f})"
        return f"{100 * self.per_week:+.1f} points a week (p {self.p:.3f})"


class Change(NamedTuple):
    """When the share that ends well changed, between which times, and from what to what."""

    name: str
    at: float
    earliest: float
    latest: float
    before: Rate
    after: Rate
    p: float

    @for_models
    def __str__(self) -> str:
        before, after = (f"{r.well:,} of {r.episodes:,}" for r in (self.before, self.after))
        when = f"{day(self.at)} (between {day(self.earliest)} and {day(self.latest)})"
        return f"{self.name} changed on {when}: {before} ended well before, {after} since"


class PatternAnalysis(NamedTuple):
    """How episodes ended lately: in all, over time, by tool and by domain.

    A change is named in at most one of twenty analyses in which nothing changed, however many
    domains are looked at.
    """

    days: int
    domain: str | None
    outcomes: Mapping[str, int]
    patterns: Mapping[str, int]
    rate: Rate
    trend: Trend
    changes: tuple[Change, ...]
    tools: tuple[ToolRate, ...]
    domains: tuple[Rate, ...]
    left_out: int = 0

    @for_models
    def __str__(self) -> str:
        ended = ", ".join(f"{count:,} {name}" for name, count in self.outcomes.items())
        where = f" in {self.domain}" if self.domain else ""
        lines = [f"last {counted(self.days, 'day')}{where}: {ended or 'no episode'}"]
        if self.left_out:
            lines.append(f"({counted(self.left_out, 'older episode')} not looked at)")
        if self.rate.episodes:
            lines += [str(self.rate), str(self.trend)]
            lines += list(map(str, self.changes)) or ["no change"]
        lines += [f"tool {tool}" for tool in self.tools]
        lines += [f"domain {rate}" for rate in self.domains]
        seen = ", ".join(f"{count:,} {kind}" for kind, count in self.patterns.items())
        return "\n".join([*lines, *([f"patterns seen: {seen}"] if seen else [])])


class PatternFit(NamedTuple):
    """How likely a pattern holds at a place, with the interval of that (95 %), and why.

    verdict: yes or no where the whole interval lies on one side of one half, else unsure.
    """

    pattern: str
    kind: str
    advice: str
    probability: float
    low: float
    high: float
    verdict: str
    why: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        sure = f"{self.probability:.2f} ({self.low:.2f} to {self.high:.2f})"
        head = f"{self.pattern} {self.kind}, holds here: {self.verdict}, {sure}: {self.advice}"
        return "\n".join([head, *self.why])


class PatternRisk(NamedTuple):
    """How likely it goes wrong to do what a pattern says, or what it warns of, and why.

    usual: how often it goes wrong at this place anyway, in so many episodes; each with its
    interval (95 %). verdict: higher or lower where the intervals do not touch, else unsure.
    """

    pattern: str
    kind: str
    advice: str
    probability: float
    low: float
    high: float
    usual: float
    usual_low: float
    usual_high: float
    episodes: int
    verdict: str
    why: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        sure = f"{self.probability:.2f} ({self.low:.2f} to {self.high:.2f})"
        head = f"{self.pattern} {self.kind}, risk {sure}, beside the usual {self.verdict}"
        usual = f"{self.usual:.2f} ({self.usual_low:.2f} to {self.usual_high:.2f})"
        anyway = f"without it {usual}, by {counted(self.episodes, 'episode')}"
        lines = [f"{head}: {self.advice}", *([anyway] if self.episodes else [])]
        return "\n".join([*lines, *self.why])


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
    project: str | None = None
    session: str | None = None


class Peer(NamedTuple):
    """A completed episode as others are compared with it."""

    id: str
    task: str
    outcome: str
    steps: int
    seconds: float


class Ended(NamedTuple):
    """A completed episode as it counts in statistics."""

    id: str
    task_type: str
    outcome: str
    completed: float
    context: Mapping[str, Any]


class ToolUse(NamedTuple):
    """In how many episodes a tool was used, how many of them ended well, and its steps."""

    tool: str
    episodes: int
    well: int
    steps: int
    failed: int


class StoredPattern(NamedTuple):
    """A pattern as it is stored; the version says that nobody changed it meanwhile.

    version: 0 for one that is not stored yet.
    """

    pattern: Pattern
    version: int
