"""What was tried and how it ended: episodes with their steps, and patterns found in them."""

from __future__ import annotations

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OUTCOMES = ("success", "partial", "failure", "abandoned")
PATTERNS = ("sequence", "decision", "recovery", "context", "trap")


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


class Insight(NamedTuple):
    """One sentence of a reflection, with the steps that show it.

    aspect: worked, cost, failed or fixed.
    """

    aspect: str
    text: str
    steps: tuple[int, ...] = ()

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
        return "\n".join([f"reward {self.total:.2f}", *lines])


class Episode(NamedTuple):
    """A task from its beginning to its end; open while it has no outcome."""

    id: str
    task: str
    task_type: str
    context: Mapping[str, Any]
    tags: tuple[str, ...]
    outcome: str | None
    verdict: str
    artifacts: tuple[str, ...]
    created: float
    completed: float | None
    reward: float | None
    insights: tuple[Insight, ...]
    salience: float | None
    relations: tuple[tuple[str, str], ...]
    step_count: int
    steps: tuple[Step, ...] = ()


class Pattern(NamedTuple):
    """Something that holds across episodes, with how often it did and did not.

    kind: sequence (steps that work), decision (a choice that matters), recovery (an error and what
    mends it), context (what works in a language, framework or repository) or trap (what fails).
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
