"""An agent that writes code: hundreds of memories are read, a summary of a few lines is thought about.

usage: python examples/code_execution_agent.py [--table FOLDER_WITH_o200k_base.tiktoken]

Starts a server of its own on a free port, with the history of a software project in a temporary store.
"""

import argparse
import inspect
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from milepost import MilepostClient
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from milepost.text.tokens import estimate, exact_counter

PARTS = ["billing", "auth", "search", "mobile", "exports", "webhooks", "deploy", "reports"]
PEOPLE = ["Ana", "Jonas", "Priya", "Tom"]
SYMPTOMS = [
    "requests to {part} took 30 s",
    "{part} answered 500",
    "the {part} job ran twice",
    "{part} lost its session",
    "customers saw an empty {part} page",
    "{part} ate all memory of its pod",
]
CAUSES = {
    "a missing index": "an index on (tenant_id, created_at)",
    "a race between two workers": "an advisory lock around the job",
    "an expired certificate": "renewing it from a timer, with an alarm two weeks before",
    "a retry without backoff": "exponential backoff with jitter",
    "a cache that was never invalidated": "putting the version into the cache key",
    "float arithmetic on money": "decimals everywhere in src/{part}/money.py",
}


def history() -> list[dict[str, object]]:
    """Make up what a team remembers of a year: 420 incidents, some decisions between them."""
    rng = random.Random(11)  # noqa: S311 -- the same history every time
    found: list[dict[str, object]] = []
    for day in range(420):
        when = f"{day} days ago"
        part, cause = rng.choices(PARTS, [8, 6, 5, 4, 3, 3, 2, 2])[0], rng.choice(list(CAUSES))
        text = f"Incident INC-{1000 + day}: {rng.choice(SYMPTOMS)} because of {cause}; fixed by {CAUSES[cause]}. "
        text += f"{rng.choice(PEOPLE)} wrote it up; {rng.randint(3, 900)} customers noticed."
        text = text.format(part=part)
        found.append({"content": text, "kind": "error", "tags": [part], "created": when})
        if day % 7 == 0:
            text = f"Sprint {day // 7}: we decided to improve {part} first."
            found.append({"content": text, "kind": "decision", "created": when})
    return found


# What the agent writes. It runs beside the memory, and only what it returns is read by the model.
def triage(client: MilepostClient, notes: Path, stop_after: int | None = None) -> str:
    """Sort all incidents by part and cause; every one is noted in a file, from which a later run goes on."""
    done = dict(map(json.loads, notes.read_text().splitlines())) if notes.exists() else {}
    with notes.open("a") as file:
        for row in client.search_iter("incident because of fixed by", kind="error", min_score=0):
            if row.hash in done:
                continue
            if len(done) == stop_after:
                raise InterruptedError(f"stopped after {len(done)}")
            cause = row.preview.partition("because of ")[2].partition(";")[0]
            done[row.hash] = [row.tags[0], cause]
            print(json.dumps([row.hash, done[row.hash]]), file=file, flush=True)
    parts = Counter(part for part, _ in done.values())
    lines = [f"{len(done)} incidents in {len(parts)} parts"]
    for part, count in parts.most_common(4):
        (cause, times), *_ = Counter(c for p, c in done.values() if p == part).most_common(1)
        lines.append(f"{part}: {count}, most often {cause} ({times})")
    return "\n".join(lines)


class Model:
    """Stands where the language model would: counts the tokens that it writes and reads."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count
        self.tokens: dict[str, int] = {}

    def sees(self, what: str, text: str) -> None:
        """Count a text, and show it."""
        self.tokens[what] = self.count(text)
        shown = text if len(text) < 1500 else text.splitlines()[0] + " …"
        print(f"\n[{what}]\n{shown}")


def work(client: MilepostClient, notes: Path, model: Model) -> None:
    """Find the tool, write the code, run it, be interrupted, run it again, read the summary."""
    found = client.search_tools("every match of a search, streamed one after the other")
    model.sees("the tools that fit the need", "\n".join(found))
    model.sees("the code that the agent writes", inspect.getsource(triage))
    try:
        triage(client, notes, stop_after=200)
    except InterruptedError as interruption:
        kept = len(notes.read_text().splitlines())
        print(f"\n(interrupted on purpose: {interruption}; {kept} results are in {notes.name})")
    model.sees("the summary that comes back", triage(client, notes))


def otherwise(client: MilepostClient, count: Callable[[str], int]) -> dict[str, int]:
    """Count what the model would read with every tool in its context and every result passed through it."""
    tools = [client.get_tool(name) for name in client.list_tools()]
    rows = client.call_tool("search_iter", query="incident", kind="error", min_score=0)
    schemas, results = count(json.dumps(tools)), count(json.dumps(rows))
    return {"all tools, with their parameters": schemas, f"all {len(rows)} results": results}


def compare(ours: dict[str, int], theirs: dict[str, int], unit: str) -> None:
    """Print the two bills."""
    print(f"\n{unit} that reach the model")
    for title, bill in (("with code", ours), ("with every tool and result", theirs)):
        print(f"  {title}")
        for what, tokens in bill.items():
            print(f"    {what:<34}{tokens:>8,}")
        print(f"    {'together':<34}{sum(bill.values()):>8,}")
    print(f"  {sum(theirs.values()) / sum(ours.values()):.0f} times less")


def main() -> None:
    """Serve a made-up history and let the agent work on it."""
    parser = argparse.ArgumentParser(description="Let code read hundreds of memories.")
    parser.add_argument("--table", help="folder of the o200k_base table, to count exactly")
    exact = exact_counter(parser.parse_args().table)
    model = Model(exact or estimate)
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_for(Path(folder, "project.db"))._replace(port=0)
        with (
            open_memory(settings) as memory,
            running(memory, settings) as url,
            MilepostClient(url) as client,
        ):
            client.store_batch(history())
            print(f"{client.health()} at {url}")
            work(client, Path(folder, "triage.jsonl"), model)
            unit = "Tokens" if exact else "Estimated tokens"
            compare(model.tokens, otherwise(client, model.count), unit)


if __name__ == "__main__":
    main()
