"""What five jobs cost a model: one program and its answer, beside the same job by tool calls.

usage: python bench/programs.py [--table FOLDER_WITH_o200k_base.tiktoken]

By tool calls the model reads every row that the job needs, as the same compact text that the tools
of the MCP server return; the programs are run in the sandbox.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from milepost import Milepost, connect
from milepost.render import to_text
from milepost.text.tokens import estimate, exact_counter

AREAS = ["auth", "billing", "deploy", "search", "mobile", "exports"]


class Job(NamedTuple):
    """A program, and the calls that a model would make instead."""

    name: str
    program: str
    calls: list[tuple[str, dict[str, object]]]


def history() -> list[dict[str, object]]:
    """Make up a year of a team: decisions, episodes with what they taught, findings, notes."""
    rng = random.Random(4)
    found: list[dict[str, object]] = []
    for day in range(360):
        area, when = rng.choice(AREAS), f"{day} days ago"
        if day % 3 == 0:
            choice = rng.choice(["a queue", "feature flags", "a nightly job", "optimistic locks"])
            text = f"Decision {day}: {area} uses {choice}, because the last incident took hours."
            found.append({"content": text, "kind": "decision", "tags": [area], "created": when})
        if day % 2 == 0:
            outcome = rng.choice(["success", "failure"])
            text = f"Episode {day}: migrating {area} to the new client ended in {outcome}."
            episode = {"content": text, "kind": "episode", "tags": [area, outcome]}
            found.append(episode | {"created": when, "session": f"episode-{day}"})
            if outcome == "failure":
                text = f"Pattern {day}: {area} needs its fixtures rebuilt before the migration."
                pattern = {"content": text, "kind": "pattern", "tags": [area]}
                found.append(pattern | {"created": when, "session": f"episode-{day}"})
        text = f"Note {day}: looked at {area} with {rng.choice(['Ana', 'Tom', 'Priya'])} today, "
        text += rng.choice(["nothing new.", "it is slow again.", "the tests are green."])
        found.append({"content": text, "tags": [area], "created": when})
    for number in range(200):
        rule = f"E{rng.randint(100, 160)}"
        text = f"Finding {number}: {rule} in src/{rng.choice(AREAS)}/views.py, line {number * 3}."
        found.append({"content": text, "kind": "finding", "tags": [rule]})
    for state in ("on", "off"):
        text = f"The rate limiter of billing is {state} in production since release 4{state[-1]}."
        found.append({"content": text, "kind": "note", "tags": ["billing", "limiter"]})
    return found


JOBS = [
    Job(
        "count decisions per month by tag",
        "from collections import Counter\nfrom datetime import datetime\n"
        "rows = search_iter('decision', kind='decision', min_score=0)\n"
        "months = Counter((datetime.fromtimestamp(m.created).strftime('%Y-%m'), m.tags[0])"
        " for m in rows)\n"
        "for month in sorted({m for m, _ in months})[-3:]:\n"
        "    print(month, {t: n for (m, t), n in months.items() if m == month})",
        [("search_iter", {"query": "decision", "kind": "decision", "min_score": 0})],
    ),
    Job(
        "find contradicting notes about one subject",
        "notes = search('rate limiter of billing', limit=50, min_score=0).memories\n"
        "on = [m for m in notes if ' is on ' in m.preview]\n"
        "off = [m for m in notes if ' is off ' in m.preview]\n"
        "[(a.hash, b.hash) for a in on for b in off]",
        [("search", {"query": "rate limiter of billing", "limit": 50, "min_score": 0})],
    ),
    Job(
        "join episodes with the patterns they produced",
        "from collections import Counter\n"
        "lessons = {get(m.hash).session: m for m in"
        " search_iter('pattern', kind='pattern', min_score=0)}\n"
        "episodes = [get(m.hash) for m in search_iter('episode', kind='episode', min_score=0)]\n"
        "taught = [(e, lessons[e.session]) for e in episodes if e.session in lessons]\n"
        "Counter(e.tags[0] for e, _ in taught).most_common(3)",
        [
            ("search_iter", {"query": "episode", "kind": "episode", "min_score": 0}),
            ("search_iter", {"query": "pattern", "kind": "pattern", "min_score": 0}),
        ],
    ),
    Job(
        "deduplicate a list of 200 findings",
        "import re\nseen = {}\n"
        "for m in search_iter('finding', kind='finding', min_score=0):\n"
        "    rule, place = re.search(r'(E\\d+) in (\\S+),', m.preview).groups()\n"
        "    seen.setdefault((rule, place), []).append(m.hash)\n"
        "print(len(seen), 'different;', max(seen, key=lambda k: len(seen[k])), 'most often')",
        [("search_iter", {"query": "finding", "kind": "finding", "min_score": 0})],
    ),
    Job(
        "summarise a week",
        "from collections import Counter\n"
        "week = list(search_iter('note decision episode', after='7 days ago', min_score=0))\n"
        "areas = Counter(t for m in week for t in m.tags)\n"
        "print(len(week), 'memories;', areas.most_common(3))\n"
        "print(*(m.preview for m in week if 'Decision' in m.preview), sep='\\n')",
        [
            (
                "search_iter",
                {"query": "note decision episode", "after": "7 days ago", "min_score": 0},
            )
        ],
    ),
]


def main() -> None:
    """Run every job both ways and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table")
    given = parser.parse_args()
    exact = exact_counter(given.table) if given.table else None
    with tempfile.TemporaryDirectory() as folder, connect(f"{folder}/m.db") as memory:
        memory.store_batch(history())
        rows = [_compared(memory, job, exact or estimate) for job in JOBS]
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    savings = sorted(float(str(row["fewer_percent"])) for row in rows)
    median = savings[len(savings) // 2]
    print(f"{median:.1f} % fewer tokens on the median job")
    counted = "o200k_base" if exact else "estimate"
    save("programs", {"tokens counted by": counted, "median_fewer_percent": median, "jobs": rows})


def _compared(memory: Milepost, job: Job, count: Callable[[str], int]) -> dict[str, object]:
    result = memory.execute_code(job.program, read_only=True)
    if result.error:
        raise SystemExit(f"{job.name}: {result.error}")
    program = count(job.program) + count(str(result))
    plain = 0
    for name, arguments in job.calls:
        answer = to_text(getattr(memory, name)(**arguments))
        plain += count(json.dumps({"name": name, "arguments": arguments})) + count(answer)
    return {
        "job": job.name,
        "program and answer": program,
        "tool calls": plain,
        "fewer_percent": round(100 * (1 - program / plain), 1),
        "answer": result.output[:120].replace("\n", " / "),
    }


if __name__ == "__main__":
    main()
