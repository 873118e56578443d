"""`milepost graph extract`: a language model reads for the graph, within a budget told first."""

import sys

from milepost.knowledge.values import GraphExtraction
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.programs import waiting_shown
from milepost.surfaces.cli.terminal import agreed


def extract(call: Call) -> GraphExtraction:
    """Tell the budget, ask, and let the model read."""
    chosen = {"limit": call.values["limit"], "project": call.values["project"]}
    # A warm process that takes long is not waited for, and the model would be asked once more.
    memory = call.memory(warm_too=False)
    budget = memory.extract_graph(**chosen, dry_run=True)
    if call.dry_run:
        return budget
    if budget.model:
        print(budget, file=sys.stderr)
        if not budget.calls or not (call.values["yes"] or agreed("Ask the model?")):
            return budget
    with waiting_shown():
        return memory.extract_graph(**chosen)
