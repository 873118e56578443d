"""What is remembered of a month of coding sessions, and whether it is told in time.

usage: python bench/month.py [--data bench/data/month] [--only NAME …] [--missed] [--save before]

Each script (`data/month`) is replayed through the functions of the hooks in a real repository, and
asked after the month. `kept`: facts that some memory which still holds has all of; `noted`: that
memory is more than a summary or a list of changed files; `found`: that
one is among the five of a search by the fact's question; `replaced`: overturned facts that are no
longer shown as valid; `junk`: memories that hold no fact; `never`: memories that hold what must not
be remembered; `dead wood`: settled tasks and failures that a later briefing tells as open; `tells`:
moments at which what ought to be told was in what the session had been told by then. The floor
keeps every prompt and every last word of the agent as a memory of its own.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import RESULTS, machine, table
from milepost.memory.values import Record
from month_replay import Month, replayed

FOLDER = Path(__file__).parent / "data" / "month"
# Whose the memories of a month are is found by the hooks, as in any repository.
os.environ.pop("MILEPOST_PROJECT", None)
LIMIT = 5
Must = list[list[str]]
# A count of what went well, and of all.
Share = tuple[int, int]
Print = Callable[..., None]


def main() -> None:
    """Replay, measure, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=FOLDER)
    parser.add_argument("--only", nargs="+", help="scripts by name, such as dev1")
    parser.add_argument("--missed", action="store_true", help="list misses of the dev scripts")
    parser.add_argument("--save", help="under which name results/month.json shall hold this run")
    given = parser.parse_args()
    paths = [p for p in sorted(given.data.glob("*.json")) if not given.only or p.stem in given.only]
    figures: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="month-") as folder:
        for path in paths:
            script = json.loads(path.read_text())
            shows = given.missed and path.stem.startswith("dev")
            with replayed(script, Path(folder) / path.stem) as month:
                figures[path.stem] = measured(month, print if shows else _nothing)
    for part in ("dev", "test"):
        parts = [f for name, f in figures.items() if name.startswith(part)]
        if len(parts) > 1:
            figures[part] = added(parts)
    show(figures)
    if given.save:
        path = RESULTS / "month.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        known[given.save] = {"machine": machine(), **{n: readable(f) for n, f in figures.items()}}
        path.write_text(json.dumps(known, indent=1) + "\n")


def _nothing(*_: object) -> None:
    """Print nothing."""


def holds(must: Must, text: str) -> bool:
    """Whether a text has one alternative of each group."""
    text = " ".join(text.lower().split())
    return all(any(" ".join(a.lower().split()) in text for a in group) for group in must)


def measured(month: Month, show: Print) -> dict[str, Any]:
    """Return shares and counts of one month."""
    live = [record for record in month.stored if record.superseded_by is None]
    show(f"== {month.project}")
    return {
        **kept(month, live, show),
        "replaced": replaced(month, live, show),
        **junk(month, live, show),
        **faults(month, show),
        "dead wood": dead_wood(month, show),
        **tells(month, show),
        "sessions": len(month.script["sessions"]),
        "superseded": len(month.stored) - len(live),
        "briefing tokens": (
            sum(told.tokens for told in month.told if told.event < 0),
            len(month.script["sessions"]),
        ),
        "floor": floor(month),
    }


def kept(month: Month, live: Sequence[Record], show: Print) -> dict[str, Any]:
    """Return which facts are stored and which are found, in all and by kind.

    What was overturned or settled later counts as kept if it ever was: that it goes is judged
    apart, and nobody asks for it.
    """
    by_kind: dict[str, list[bool]] = defaultdict(list)
    found: list[bool] = []
    noted: list[bool] = []
    for fact in month.script["facts"]:
        past = bool(fact.get("replaced_by") or fact.get("closed_by"))
        held = [r for r in (month.stored if past else live) if holds(fact["must"], r.content)]
        by_kind[fact["kind"]].append(bool(held))
        noted.append(any(record.kind not in ("summary", "change") for record in held))
        if not held:
            show(f"  not kept {fact['id']} {fact['session']} {fact['kind']}: {fact['says']}")
        if not past:
            found.append(any(holds(fact["must"], text) for text in answers(month, fact)))
            if held and not found[-1]:
                show(f"  not found {fact['id']}: {fact['question']} <- {held[0].content[:150]}")
    return {
        "kept": share(hit for hits in by_kind.values() for hit in hits),
        "kept by kind": {kind: share(hits) for kind, hits in sorted(by_kind.items())},
        "noted": share(noted),
        "found": share(found),
    }


def answers(month: Month, fact: dict[str, Any]) -> list[str]:
    """Return the whole memories that a search by a fact's question shows."""
    shown = month.memory.search(fact["question"], limit=LIMIT, project=month.project)
    return [month.memory.get(memory.hash).content for memory in shown.memories]


def replaced(month: Month, live: Sequence[Record], show: Print) -> Share:
    """Return how many overturned facts that were stored are no longer shown as valid."""
    facts = {fact["id"]: fact for fact in month.script["facts"]}
    gone = []
    for fact in facts.values():
        if not fact.get("replaced_by"):
            continue
        new = facts[fact["replaced_by"]]
        if not any(holds(fact["must"], record.content) for record in month.stored):
            continue
        old = [
            r for r in live if holds(fact["must"], r.content) and not holds(new["must"], r.content)
        ]
        texts = answers(month, fact)
        first_new = next((i for i, t in enumerate(texts) if holds(new["must"], t)), LIMIT)
        first_old = next((i for i, t in enumerate(texts) if t in {r.content for r in old}), LIMIT)
        gone.append(not old or first_new < first_old)
        if not gone[-1]:
            show(
                f"  still valid {fact['id']} -> {new['id']}: [{old[0].kind}] {old[0].content[:150]}"
            )
    return share(gone)


def junk(month: Month, live: Sequence[Record], show: Print) -> dict[str, Any]:
    """Return which memories hold no fact, by kind."""
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for record in live:
        no_fact = not any(holds(fact["must"], record.content) for fact in month.script["facts"])
        by_kind[record.kind].append(no_fact)
        if no_fact:
            show(f"  junk {record.session} [{record.kind}] {record.content[:260]}")
    return {
        "junk": share(hit for hits in by_kind.values() for hit in hits),
        "junk by kind": {kind: share(hits) for kind, hits in sorted(by_kind.items())},
    }


def faults(month: Month, show: Print) -> dict[str, Any]:
    """Return how many memories hold what must not be remembered, and what claims a fix."""
    wrong = []
    for one in month.script["never"]:
        for record in month.stored:
            if holds(one["must"], record.content):
                wrong.append(one)
                show(f"  NEVER ({one['why']}) [{record.kind}] {record.content[:300]}")
    errors = [r for r in month.stored if r.kind == "error"]
    untrue = [one for one in wrong if "flaky" in one["why"] or "network" in one["why"]]
    later = sum("passed later" in r.content or "without a change" in r.content for r in errors)
    return {"never": len(wrong), "untrue": len(untrue), "error notes": len(errors), "later": later}


def dead_wood(month: Month, show: Print) -> Share:
    """Return how many settled facts that were stored a later briefing still tells as open."""
    order = {session["id"]: n for n, session in enumerate(month.script["sessions"])}
    still = []
    for fact in month.script["facts"]:
        if not fact.get("closed_by"):
            continue
        if not any(holds(fact["must"], record.content) for record in month.stored):
            continue
        starts = [
            t for t in month.told if t.event < 0 and order[t.session] > order[fact["closed_by"]]
        ]
        told = [(t, r) for t in starts for r in t.records if holds(fact["must"], open_part(r))]
        still.append(bool(told))
        for start, record in told[:1]:
            what = f"[{record.kind}] {record.content[:200]}"
            show(f"  dead wood {fact['id']} in {start.session}: {what}")
    return share(still)


def open_part(record: Record) -> str:
    """Return what a memory tells as not done yet."""
    if record.kind == "next" or "open" in record.tags or "todo" in record.tags:
        return record.content
    return record.content.partition("Next: ")[2]


def tells(month: Month, show: Print) -> dict[str, Any]:
    """Return at how many moments the right thing had been told by then."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for tell in month.script["tells"]:
        at = tell.get("event", 0) if tell["when"] == "prompt" else -1
        told = [t for t in month.told if t.session == tell["session"] and t.event <= at]
        said = "\n".join(t.text for t in told)
        if tell.get("silent"):
            now = [t.text for t in told if t.event == at]
            kind, hit = "silent", not "".join(now)
        elif tell.get("absent"):
            kind, hit = "absent", not holds(tell["must"], said)
        else:
            kind, hit = tell["when"], holds(tell["must"], said)
        hits[kind].append(hit)
        if not hit:
            show(f"  tell {kind} {tell['session']}#{at}: {tell.get('must', '')} {tell['why']}")
    return {f"told {kind}": share(hits[kind]) for kind in ("prompt", "start", "silent", "absent")}


def floor(month: Month) -> dict[str, Share]:
    """Return what would be kept, and be junk, if each prompt and last word were a memory."""
    texts = [text for session in month.script["sessions"] for text in said(session["events"])]
    facts = month.script["facts"]
    return {
        "kept": share(any(holds(fact["must"], text) for text in texts) for fact in facts),
        "junk": share(not any(holds(fact["must"], text) for fact in facts) for text in texts),
    }


def said(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the prompts of a session and the last words before each."""
    for place, event in enumerate(events):
        after = events[place + 1] if place + 1 < len(events) else {"user": ""}
        if "user" in event or ("assistant" in event and "user" in after):
            yield str(event.get("user") or event.get("assistant"))


def share(hits: Iterable[bool]) -> Share:
    """Return how many are true, and how many there are."""
    every = list(hits)
    return sum(every), len(every)


def added(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums of several figures."""
    total: dict[str, Any] = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        values = [part[name] for part in parts if name in part]
        if isinstance(values[0], dict):
            total[name] = added(values)
        elif isinstance(values[0], tuple):
            total[name] = tuple(map(sum, zip(*values, strict=True)))
        else:
            total[name] = sum(values)
    return total


def readable(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures as JSON holds them: a share as part, whole and quotient."""
    return {
        name: readable(value)
        if isinstance(value, dict)
        else {"of": value[1], "part": value[0], "share": round(value[0] / (value[1] or 1), 3)}
        if isinstance(value, tuple)
        else value
        for name, value in figures.items()
    }


_COLUMNS = ("kept", "noted", "found", "replaced", "junk", "never", "untrue", "later", "dead wood",
            "told prompt", "told start", "told silent", "told absent")  # fmt: skip


def show(figures: dict[str, dict[str, Any]]) -> None:
    """Print a row a script."""
    rows = []
    for name, one in figures.items():
        each = one["junk"][1] / one["sessions"]
        tokens = one["briefing tokens"][0] / one["briefing tokens"][1]
        rows.append(
            [name, *(_cell(one[column]) for column in _COLUMNS), round(each, 1), round(tokens)]
        )
    print(table(["script", *_COLUMNS, "memories/session", "tokens"], rows))
    for name in ("dev", "test"):
        if name in figures:
            for what in ("kept by kind", "junk by kind", "floor"):
                cells = (f"{k} {_cell(v)}" for k, v in figures[name][what].items())
                print(f"{name} {what}: {', '.join(cells)}")


def _cell(value: object) -> object:
    if not isinstance(value, tuple):
        return value
    return f"{100 * value[0] / value[1]:.0f}% {value[0]}/{value[1]}" if value[1] else "-"


if __name__ == "__main__":
    main()
