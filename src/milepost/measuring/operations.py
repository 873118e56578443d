"""Measure how well the memory finds what it has, and see what earlier runs said."""

from importlib import import_module

from milepost.access.values import ADMIN, CALLER
from milepost.measuring.asking import outcomes_of, questions_for
from milepost.measuring.figures import Outcome, by_age, grouped
from milepost.measuring.runs import change_since, embedder_of, keep, last_run, runs_of
from milepost.measuring.values import ASKED, OTHER_WORDS, WORD_FOR_WORD, RecallReport
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.values import Filter
from milepost.once import settle
from milepost.operation import operation
from milepost.stored_time import to_seconds

QUESTIONS, QUESTIONS_MAX = 200, 2_000
_SOURCES = (OTHER_WORDS, WORD_FOR_WORD, ASKED)


class Recall(Service):
    """The operations about how well the memory finds what it has."""

    @operation("measure", example="measure_recall()", scope=ADMIN)
    def measure_recall(self, questions: int = QUESTIONS) -> RecallReport:
        """Ask the memory what it must find, and say how much it found, and what changed.

        Memories are asked for by their own sentences, and by what was asked and then used. The run
        is kept and compared with the one before; nothing else is written.

        questions: how many memories to ask for at most.
        """
        count = validation.whole("questions", questions, 1, QUESTIONS_MAX)
        return measured(self._context, count)

    @operation("measure", example="measure_history(limit=5)", read_only=True, scope=ADMIN)
    def measure_history(self, limit: int = 20) -> list[RecallReport]:
        """Show the runs of measure_recall that are kept, the latest first.

        limit: how many to show at most.
        """
        context = self._context
        return runs_of(context.store, context.space)[: validation.limit(limit)]


def measured(context: Context, count: int = QUESTIONS) -> RecallReport:
    """Measure a space, keep the run, and return what it came to."""
    outcomes = outcomes_of(context, questions_for(context, count))
    with context.store.writing() as work:
        report = _report(context, outcomes)
        keep(work, context.space, report, outcomes)
        settle(work, report, "measure_recall")
    return report


def _report(context: Context, outcomes: list[Outcome]) -> RecallReport:
    own = [outcome for outcome in outcomes if outcome.source == OTHER_WORDS]
    by_source = {row.name: row for row in grouped(outcomes, lambda outcome: outcome.source)}
    return RecallReport(
        at=to_seconds(context.clock()),
        by=CALLER.get().name,
        # The package imports all of us, so that none of us can be made to import it.
        version=import_module("milepost").__version__,
        embedder=embedder_of(context),
        memories=context.store.memories.count(Filter(context.space, context.clock())),
        sources=tuple(by_source[name] for name in _SOURCES if name in by_source),
        kinds=grouped(own, lambda outcome: outcome.kind),
        ages=by_age(own),
        change=change_since(context, last_run(context), outcomes),
    )
