"""Add up the ledger: by day, by session, in all."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from itertools import groupby

from milepost.text.lines import day
from milepost.upkeep.values import Expense, Savings, Spending

NO_SESSION = "no session"
NO_CLIENT = "not told"


def first_moment(days: int, now: float) -> float:
    """Return when the first of so many days began here, of which today is the last."""
    first = date.fromtimestamp(now) - timedelta(days=days - 1)
    return datetime.combine(first, time.min).timestamp()


def savings_of(expenses: Sequence[Expense], days: int, session: str | None = None) -> Savings:
    """Return what expenses come to; of one session, or those whose names begin so."""
    chosen = [e for e in expenses if session is None or (e.session or "").startswith(session)]
    return Savings(
        _spending(f"{days} days" if days > 1 else "today", chosen),
        _rows(chosen, lambda expense: day(expense.at)),
        _rows(chosen, lambda expense: expense.session or NO_SESSION),
        _rows(chosen, lambda expense: expense.operation),
        _rows(chosen, lambda expense: expense.client or NO_CLIENT),
    )


def _rows(expenses: Sequence[Expense], name: Callable[[Expense], str]) -> tuple[Spending, ...]:
    """Return a row for each name, the one with the latest expense last."""
    groups = {key: list(group) for key, group in groupby(sorted(expenses, key=name), name)}
    latest = sorted(groups, key=lambda key: max(expense.at for expense in groups[key]))
    return tuple(_spending(key, groups[key]) for key in latest)


def _spending(name: str, expenses: Sequence[Expense]) -> Spending:
    tokens, instead_of = (sum(e.tokens for e in expenses), sum(e.instead_of for e in expenses))
    return Spending(name, len(expenses), tokens, instead_of)
