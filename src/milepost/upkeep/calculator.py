"""What memory costs a team: users, sessions and the price of tokens, from measured figures."""

from collections.abc import Sequence
from typing import NamedTuple

from milepost.errors import InvalidInput
from milepost.memory import validation
from milepost.upkeep.savings import NO_SESSION
from milepost.upkeep.values import Calculation, Savings, Spending, Team, TeamRow

MONTHS = 12


class Figures(NamedTuple):
    """Tokens that a session takes here and with a server of whole objects; who measured them."""

    given: float
    in_full: float
    source: str


# Kept equal to the files that they name by a test.
BRIEFING = Figures(771, 4_076, "one briefing of a session, bench/results/hooks.json")
SCHEMAS = Figures(
    694,
    9_495,
    "bench/results/startup.json, and of mcp-memory-service 12.4.0 bench/results/tokens.json",
)


def team_of(users: object, sessions: object, price: object, currency: object, days: object) -> Team:
    """Return a team as it was told, or say what would do."""
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 < price <= 10_000:
        raise InvalidInput(
            "price must be what a million tokens of input cost, more than 0 and at most 10,000, "
            f"not {price!r}."
        )
    return Team(
        validation.whole("users", users, 1, 1_000_000),
        validation.whole("sessions", sessions, 1, 1_000),
        float(price),
        validation.name("currency", currency),
        validation.whole("workdays", days, 1, 31),
    )


def calculate(savings: Savings, team: Team) -> Calculation:
    """Return what a team pays, from what this ledger shows or else from our benchmark."""
    texts = _per_session(savings)
    session = Figures(texts.given + SCHEMAS.given, texts.in_full + SCHEMAS.in_full, "")
    monthly = team.users * team.sessions * team.workdays
    money = monthly * team.price / 1e6
    tokens = (
        _row("texts a session", texts, 1),
        _row("tool schemas a session", SCHEMAS, 1),
        _row("tokens a session", session, 1),
        _row("tokens a month", session, monthly),
    )
    costs = (_row("cost a month", session, money), _row("cost a year", session, MONTHS * money))
    return Calculation(team, tokens, costs, _assumptions(team, texts))


def _per_session(savings: Savings) -> Figures:
    known = [row for row in savings.sessions if row.name != NO_SESSION]
    if not known:
        return BRIEFING
    noun = "session" if len(known) == 1 else "sessions"
    return Figures(
        _mean(known, "tokens"),
        _mean(known, "instead_of"),
        f"the mean of {len(known):,} {noun} in this ledger, {savings.total.name}",
    )


def _mean(rows: Sequence[Spending], field: str) -> float:
    return float(sum(getattr(row, field) for row in rows)) / len(rows)


def _row(name: str, figures: Figures, times: float) -> TeamRow:
    return TeamRow(name, figures.given * times, figures.in_full * times)


def _assumptions(team: Team, texts: Figures) -> tuple[str, ...]:
    return (
        f"{team.users:,} users, {team.sessions:,} sessions a day, {team.workdays} days a month",
        f"{team.currency}{team.price:,.2f} for a million tokens of input",
        f"texts: {texts.source}",
        f"tool schemas: {SCHEMAS.source}",
        "all is paid for once a session; what clients send again or cache is counted nowhere",
    )
