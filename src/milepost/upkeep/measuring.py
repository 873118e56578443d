"""Tell what a memory did in the last minutes, in all processes that use it."""

from milepost.access.values import CALLER, Caller
from milepost.errors import Forbidden
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.operation import operation
from milepost.upkeep.backups.schedules import status_of
from milepost.upkeep.metrics import (
    CALL,
    INSTEAD_OF,
    JOB,
    MINUTES_MAX,
    NOWHERE,
    PROGRAM,
    TOKENS,
    WRITE,
    Figures,
    Metrics,
    Times,
    of_caches,
    times_of,
    together,
)
from milepost.upkeep.values import DEAD, RUNNING, WAITING, Backlog, Latency, MetricsReport

_DIGITS = 3


class Measuring(Service):
    """The operation that tells what was counted."""

    @operation("admin", example="get_metrics(minutes=60)", read_only=True)
    def get_metrics(self, minutes: int = 60, all_spaces: bool = False) -> MetricsReport:
        """Tell what was done lately: rates, latency, errors, jobs, programs, tokens.

        minutes: how far back; a day at most.
        all_spaces: of all spaces, and of the store; for who may enter all of them.
        """
        span = validation.whole("minutes", minutes, 1, MINUTES_MAX)
        everywhere = validation.flag("all_spaces", all_spaces)
        context, sees_all = self._context, CALLER.get().spaces is None
        if everywhere:
            admit_to_all(CALLER.get())
        figures = context.part(Metrics).since(span, None if everywhere else context.space)
        if sees_all and not everywhere:
            # What belongs to no space is told to whom all are open.
            figures |= {NOWHERE: context.part(Metrics).since(span, NOWHERE).get(NOWHERE, {})}
        return _report(context, span, figures, everywhere=everywhere)


def admit_to_all(caller: Caller) -> None:
    """Refuse who may not enter all spaces what is told of all of them."""
    if caller.spaces is not None:
        raise Forbidden('The counts are of all spaces; ask with a key for all of them ("*").')


def _report(
    context: Context, minutes: int, figures: dict[str, Figures], *, everywhere: bool
) -> MetricsReport:
    all_of_it = together(figures.values())
    calls = times_of(all_of_it, CALL)
    programs, writes = times_of(all_of_it, PROGRAM), times_of(all_of_it, WRITE)
    # Of the whole store, as caches are.
    last = status_of(context).last if CALLER.get().spaces is None else None
    return MetricsReport(
        minutes=minutes,
        spaces=tuple(sorted(space for space in figures if space)),
        operations=tuple(
            sorted(
                (
                    _latency(name, times, space)
                    for space, own in figures.items()
                    for name, times in times_of(own, CALL).items()
                ),
                key=lambda latency: (-latency.seconds, latency.name, latency.space),
            )
        ),
        errors=_errors(calls),
        episodes_created=_done(calls, "create_episode"),
        episodes_completed=_done(calls, "complete_episode"),
        jobs=tuple(_latency(*each) for each in sorted(times_of(all_of_it, JOB).items())),
        backlog=backlog(context, None if everywhere else context.space),
        programs=programs[PROGRAM].codes if programs else {},
        sandbox=_latency(PROGRAM, programs[PROGRAM]) if programs else None,
        writes=next((_latency(*each) for each in writes.items()), None),
        cache_hits=of_caches(all_of_it, "hits"),
        cache_misses=of_caches(all_of_it, "misses"),
        tokens=int(all_of_it.get(TOKENS, 0)),
        instead_of=int(all_of_it.get(INSTEAD_OF, 0)),
        last_backup=last.made if last is not None else None,
    )


def _latency(name: str, times: Times, space: str = "") -> Latency:
    p50, p95, p99 = (round(times.within_s(share) * 1e3, _DIGITS) for share in (0.5, 0.95, 0.99))
    seconds = round(times.seconds, 6)
    return Latency(name, times.count, times.failed, p50, p95, p99, seconds, space)


def _done(calls: dict[str, Times], name: str) -> int:
    times = calls.get(name)
    return 0 if times is None else times.count - times.failed


def _errors(calls: dict[str, Times]) -> dict[str, int]:
    errors: dict[str, int] = {}
    for times in calls.values():
        for code, number in times.failures.items():
            errors[code] = errors.get(code, 0) + number
    return dict(sorted(errors.items(), key=lambda pair: (-pair[1], pair[0])))


def backlog(context: Context, space: str | None) -> tuple[Backlog, ...]:
    """Count what was put off: of a space, or of all."""
    now_us, found = context.clock(), dict[str, Backlog]()
    for topic, state, number, due_us in context.store.jobs.backlog(space):
        late_s = max(0.0, round((now_us - due_us) / 1e6, 1)) if state == WAITING else 0.0
        known = found.get(topic, Backlog(topic, 0, 0, 0, 0.0))
        found[topic] = Backlog(
            topic,
            known.waiting + number * (state == WAITING),
            known.running + number * (state == RUNNING),
            known.dead + number * (state == DEAD),
            max(known.late_s, late_s),
        )
    return tuple(found.values())
