"""Measure what the rules about secrets hide of a list, what they hide wrongly, and their cost.

usage: python bench/redaction.py --list bench/data/secrets/work.jsonl --name work
"""

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import time
import timeit
from collections import defaultdict
from pathlib import Path

from common import RESULTS, save, table
from milepost.text.secrets import redact

SIZE = 1_000
PLAIN = (
    "The build took twelve minutes on the small machine, and three of the tests were slower than "
    "before; see src/app/main.py for the change. We agreed to look at the index again on Friday. "
)
SIGNS = (
    "export DB_PASSWORD=hunter2x\nAuthorization: Bearer abcDEF123456ghi\n"
    "see https://me:pw12word@host.example/x for the token: 9f3ab27c51de80461b7fae92\n"
    "The rest of the log says nothing about a key, and ends with the session of Friday.\n"
)
COLD = (
    "from time import process_time as t; a = t(); from milepost.text.secrets import redact;"
    "b = t();"
    "redact({text!r}); c = t(); print((b - a) * 1000, (c - b) * 1000)"
)


def main() -> None:
    """Print the figures of a list and write them under its name."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--list", type=Path, required=True)
    options.add_argument("--name", default="work")
    options.add_argument("--aside", action="store_true", help="only rows no rule was made with")
    asked = options.parse_args()
    rows = [json.loads(line) for line in asked.list.read_text("utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if not asked.aside or _is_aside(row)]
    figures = {"rows": len(rows), **shares(rows), "cost": costs()}
    for kind, title in (("hidden", "all secrets hidden"), ("harmed", "harmless text changed")):
        classes = figures[kind]
        print(
            table(("class", "rows", f"{title}, %"), [(c, n, p) for c, (n, p) in classes.items()]),
            "\n",
        )
    print(json.dumps(figures["cost"], indent=1))
    path = RESULTS / "secrets.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    save("secrets", {"lists": {**known.get("lists", {}), asked.name: figures}})


def _is_aside(row: dict) -> bool:
    """Whether a row is of the third that was kept aside while the rules were made."""
    return int(hashlib.sha256(row["text"].encode()).hexdigest(), 16) % 3 == 0


def shares(rows: list[dict]) -> dict[str, dict[str, tuple[int, float]]]:
    """Return for each class the share of rows that hold no secret any more, or that were harmed."""
    outcomes: dict[str, dict[str, list[bool]]] = {
        "hidden": defaultdict(list),
        "harmed": defaultdict(list),
    }
    for row in rows:
        left = redact(row["text"])[0]
        if row["secrets"]:
            kind, outcome = "hidden", not any(secret in left for secret in row["secrets"])
        else:
            kind, outcome = "harmed", left != row["text"]
        outcomes[kind][row["class"]].append(outcome)
        outcomes[kind]["total"].append(outcome)
    return {
        kind: {
            name: (len(results), round(100 * statistics.fmean(results), 2))
            for name, results in sorted(classes.items(), key=lambda item: item[0] == "total")
        }
        for kind, classes in outcomes.items()
    }


def costs() -> dict[str, float]:
    """Return microseconds for 1,000 characters, warm, and milliseconds of a first use.

    It is time of the processor, for the machine may have other work.
    """
    found = {}
    for name, words in (("plain", PLAIN), ("signs", SIGNS)):
        text = (words * SIZE)[:SIZE]
        runs = timeit.repeat(
            lambda text=text: redact(text), number=50, repeat=15, timer=time.process_time
        )
        found[f"{name}_us"] = round(statistics.median(runs) / 50 * 1e6, 1)
    command = [sys.executable, "-c", COLD.format(text=(SIGNS * 9)[:SIZE])]
    colds = [
        [float(x) for x in subprocess.run(command, capture_output=True, check=True).stdout.split()]
        for _ in range(7)
    ]
    found["import_ms"], found["first_use_ms"] = (
        round(statistics.median(c), 2) for c in zip(*colds, strict=True)
    )
    return found


if __name__ == "__main__":
    main()
