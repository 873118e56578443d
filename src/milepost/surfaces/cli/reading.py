"""Show a result to an agent that reads the output of its commands, and note what that costs."""

import time
from collections.abc import Iterator

from milepost.config import Agent
from milepost.surfaces.cli.command import Asked
from milepost.surfaces.cli.output import texts_of
from milepost.upkeep.expenses import handout, keeping


def show_agent(result: object, form: str, asked: Asked, reader: Agent) -> None:
    """Print a result, and note in the ledger of the memory that was asked what was printed."""
    shown: object = result
    if isinstance(result, Iterator):
        streamed: list[object] = []
        result, shown = keeping(result, streamed), streamed
    printed = []
    for text in texts_of(result, form):
        print(text, flush=True)
        printed.append(text)
    ms = round((time.perf_counter() - asked.began) * 1e3, 1)
    text = "\n".join(printed)
    given = handout(time.time(), asked.operation, text, shown, reader.session, ms)
    if given is not None:
        asked.memory.hand_out(given)
