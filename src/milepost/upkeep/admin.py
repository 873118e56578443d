"""Look after the memory: is it well, and what does it cost."""

from collections.abc import Sequence

from milepost.access.values import CALLER
from milepost.errors import InvalidInput
from milepost.experience.values import EpisodeFilter
from milepost.measuring.runs import fallen
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.hot_reads import cache_uses
from milepost.memory.values import Filter, Tally
from milepost.operation import operation
from milepost.programs.quotas import Programs
from milepost.text.tokens import estimate
from milepost.upkeep.alerts.watching import status_of_rules
from milepost.upkeep.calculator import calculate, team_of
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.savings import first_moment, savings_of
from milepost.upkeep.values import Calculation, CompactHealthInfo, Savings, Stats
from milepost.workspace.values import EVERYWHERE


class Admin(Service):
    """The operations about the memory itself."""

    @operation(
        "admin",
        example="health()",
        read_only=True,
        aliases=("health_check", "check_database_health", "memory_health"),
    )
    def health(self) -> CompactHealthInfo:
        """Tell whether the memory works, how many memories it holds and where; never raises."""
        try:
            context = self._context
            count = context.store.memories.count(Filter(context.space, context.clock()))
            return _state(context, count)
        except Exception as problem:  # noqa: BLE001 -- this is where any failure is told
            return CompactHealthInfo("error", 0, "none").noted([str(problem)])

    @operation("admin", example="stats()", read_only=True, aliases=("memory_stats",))
    def stats(self) -> Stats:
        """Count the memories by kind, project, session and month, and what is kept beside them."""
        context = self._context
        store, space = context.store, context.space
        tally = store.counts.tally(space, context.clock())
        return Stats(
            memories=tally.memories,
            superseded=tally.superseded,
            deleted=store.deeds.count(space),
            episodes=store.episodes.count(EpisodeFilter(space)),
            patterns=store.patterns.count(space),
            # Of the whole store: whoever may not enter all of it would learn of others.
            bytes=store.size_bytes() if CALLER.get().spaces is None else 0,
            oldest=None if tally.oldest_us is None else tally.oldest_us / 1e6,
            newest=None if tally.newest_us is None else tally.newest_us / 1e6,
            kinds=tally.kinds,
            projects=_with_unowned(tally),
            months=tally.months,
            sessions=tally.session_count,
            largest_sessions=tally.sessions,
        )

    @operation("admin", example="savings(days=7)", read_only=True)
    def savings(self, days: int = 30, session: str | None = None) -> Savings:
        """Show the tokens that models were given, and what whole objects would have cost.

        days: how many days back, of which today is one.
        session: only this one, or those whose names begin so.
        """
        count = validation.whole("days", days, 1, 3_660)
        context = self._context
        name = context.lenient().intake().optional_name("session", session)
        since = first_moment(count, context.clock() / 1e6)
        return savings_of(context.part(Ledger).expenses(context.space, since), count, name)

    @operation(
        "admin", example="calculate_savings(users=20, sessions=8, price=5.0)", read_only=True
    )
    def calculate_savings(
        self,
        users: int = 10,
        sessions: int = 5,
        price: float = 3.0,
        currency: str = "$",
        workdays: int = 21,
        days: int = 30,
    ) -> Calculation:
        """Reckon what memory costs a team here and with whole objects, by what was measured here.

        users: people in the team.
        sessions: sessions of each a day.
        price: what a million input tokens cost.
        currency: what stands before a price.
        workdays: working days a month.
        days: how many days of the ledger it rests on.
        """
        team = team_of(users, sessions, price, currency, workdays)
        return calculate(self.savings(days), team)

    @operation("admin", example='count_tokens(["We chose PostgreSQL"])', read_only=True)
    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count what each of several texts costs a model, in tokens.

        texts: the texts.
        """
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise InvalidInput("texts must be a list of texts.")
        return [estimate(text) for text in texts]


def _state(context: Context, count: int) -> CompactHealthInfo:
    away = [*context.texts.problems(), *context.problems()]
    status = "degraded" if away else "healthy"
    notes = [*away, *context.part(Programs).problems(), *fallen(context), *_given_again(context)]
    if CALLER.get().spaces is None:
        notes += [f"alert {alert.rule}: {alert.found}" for alert in status_of_rules(context).firing]
    return CompactHealthInfo(status, count, context.store.backend).noted(notes)


def _given_again(context: Context) -> list[str]:
    """Tell how much was given again of what is kept, where anything was."""
    return [
        f"{name} given again: {use.hits:,} of {use.hits + use.misses:,}, "
        f"{use.bytes / 1e6:.1f} MB kept"
        for name, use in cache_uses(context).items()
        if use.hits
    ]


def _with_unowned(tally: Tally) -> dict[str, int]:
    """Return how many memories belong to each project, and to none, the most first."""
    counts = {**tally.projects, **({EVERYWHERE: tally.unowned} if tally.unowned else {})}
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
