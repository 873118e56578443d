"""`milepost measure`: how well this memory finds what it has, and whether another model helps."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from milepost.config import Settings
from milepost.errors import NotFound
from milepost.measuring.asking import PROGRESS
from milepost.measuring.comparison import tried
from milepost.measuring.values import RecallFigures, RecallReport, Trial
from milepost.opening import open_context
from milepost.surfaces.cli.command import Call, Inquiry, Misuse
from milepost.surfaces.cli.commands.exports import where_it_lies
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, size, table
from milepost.surfaces.resident import resident_bytes
from milepost.text.fence import as_data
from milepost.text.lines import counted

_HEAD = ("", "questions", "found", "95 %", "MRR", "empty", "tokens", "BM25 found", "BM25 MRR")
_RUNS_MAX = 100


def measure(call: Call) -> View:
    """Measure recall, keep the run, compare it with the one before, and draw it if asked to."""
    file = _report_file(call)
    if call.missing_store is not None:
        raise NotFound(f"There is no {call.missing_store} yet; the first memory makes it.")
    call.inquiry = Inquiry("measure_recall", time.perf_counter())
    # A warm process that takes long is not waited for, and the run would be kept twice.
    memory = call.memory(warm_too=False)
    with shown("measure"):
        report: RecallReport = memory.measure_recall(call.values["questions"])
    told = _told(report)
    if file is not None:
        from milepost.surfaces.recall_page import page_of

        file.write_text(page_of(memory.measure_history(_RUNS_MAX)), "utf-8")
        told += f"\nthe report is in {file}"
    return View(report, told, ready=not report.is_worse)


def _report_file(call: Call) -> Path | None:
    file = call.values["report"]
    if file is None:
        return None
    path = Path(file)
    if path.suffix not in (".html", ".htm"):
        raise Misuse(f"--report writes an .html file, not {path.name}")
    if not path.absolute().parent.is_dir():
        raise Misuse(f"--report: there is no folder {path.absolute().parent}")
    return path


@contextmanager
def shown(what: str) -> Iterator[None]:
    """Show on a terminal how far a run is."""
    with Progress(what, "{:,.0f}".format) as progress:
        token = PROGRESS.set(progress)
        try:
            yield
        finally:
            PROGRESS.reset(token)


def _told(report: RecallReport) -> str:
    head = f"{counted(report.memories, 'memory')}, milepost {report.version}, {report.embedder}"
    if not report.sources:
        return f"{head}: no memory has a sentence to ask by"
    groups = [report.sources, *(rows for rows in (report.kinds, report.ages) if len(rows) > 1)]
    parts = [head, *(table([_cells(row) for row in rows], _HEAD) for rows in groups)]
    return "\n\n".join([*parts, *([str(report.change)] if report.change else [])])


def _cells(row: RecallFigures) -> tuple[str, ...]:
    return (
        as_data(row.name),
        f"{row.questions:,}",
        f"{row.recall:.0%}",
        f"{row.low:.0%} to {row.high:.0%}",
        f"{row.mrr:.2f}",
        f"{row.empty:.0%}",
        f"{row.tokens:.0f}",
        f"{row.floor:.0%}",
        f"{row.floor_mrr:.2f}",
    )


class Tried(NamedTuple):
    """What an embedder would gain on the store, and how much of RAM it takes."""

    trial: Trial
    resident_bytes: int


def compare(call: Call) -> View:
    """Say whether another embedder would help on this store."""
    settings, embedder = where_it_lies(call), call.values["embedder"]
    if embedder == settings.embedder:
        raise Misuse(f"{embedder} is the embedder in use; name another")
    if call.missing_store is not None:
        raise NotFound(f"There is no {call.missing_store} yet; the first memory makes it.")
    found = compared(settings, embedder)
    return View(found, f"{found.trial}\nit takes {size(found.resident_bytes)} of memory")


def compared(settings: Settings, embedder: str) -> Tried:
    """Try an embedder on a part of the store, in a store of this process alone."""
    with closing(open_context(settings)) as context:
        before = resident_bytes()
        other = settings.alone_at("memory://")._replace(embedder=embedder, encryption_key="")
        with (
            closing(open_context(other)) as beside,
            Progress(f"try {embedder}", "{:,.0f}".format) as progress,
        ):
            if beside.texts.chosen is not None:
                beside.texts.chosen.try_embed_query("load the model")
            taken = max(resident_bytes() - before, 0)
            return Tried(tried(context, beside, progress), taken)
