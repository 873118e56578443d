"""Answers store and search with a library's memory, one line of JSON for each.

Runs in the environment of the library: `python worker.py versus.adapters.NAME`, in the folder that
holds what it stores.
"""

import importlib
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from versus.peer import Note


def main(module: str) -> None:
    """Answer until there are no more lines."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    memory = importlib.import_module(module).Memory(Path.cwd())
    for line in sys.stdin:
        name, given = json.loads(line)
        if name == "store":
            answer = {"id": memory.store(Note(*given))}
        else:
            answer = memory.search(given)._asdict()
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
