"""What rules found, and whether those who are to know of it were reached."""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import minute
from milepost.values import NamedTuple, by_name

# How a rule stands.
QUIET, FIRING, OFF = "quiet", "firing", "off"


@by_name
class Alert(NamedTuple):
    """A rule as it stands: above which threshold it fires, what it found, and since when."""

    rule: str
    threshold: str
    state: str
    found: str = ""
    since: float | None = None

    @for_models
    def __str__(self) -> str:
        since = "" if self.since is None else f" since {minute(self.since)}"
        found = f": {self.found}" if self.found else ""
        return f"{self.rule} {self.threshold} {self.state}{since}{found}"


class Alerts(NamedTuple):
    """All rules, when they were looked at last, and who is told of what they find."""

    alerts: tuple[Alert, ...]
    checked: float | None
    told: tuple[str, ...] = ()

    @property
    def firing(self) -> tuple[Alert, ...]:
        """The rules that found something."""
        return tuple(alert for alert in self.alerts if alert.state == FIRING)

    @for_models
    def __str__(self) -> str:
        checked = "never checked" if self.checked is None else f"checked {minute(self.checked)}"
        told = f"told: {', '.join(self.told)}" if self.told else "nobody is told"
        return "\n".join([f"{len(self.firing)} firing, {checked}, {told}", *map(str, self.alerts)])


class Told(NamedTuple):
    """Whether somebody who is to know of alerts was reached, and if not, why."""

    target: str
    reached: bool
    problem: str = ""

    @for_models
    def __str__(self) -> str:
        return f"{self.target}: {'reached' if self.reached else self.problem}"
