"""Read and check what was written by hand to judge knowledge by, and say what words alone tell."""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "knowledge"
LEAST: dict[str, dict[str | None, int]] = {
    "duplicates": {"same": 90, "contains": 30, "different": 120},
    "restatements": {"same": 30, "different": 30},
    "updates": {"supersedes": 110, "coexists": 110},
    "facts": {"supersedes": 100, "coexists": 100},
    "gate": {"instructs": 60, "boilerplate": 30, "fine": 70},
    "questions": {None: 40},
}
FIELDS = {
    "duplicates": {"a", "b", "why"},
    "restatements": {"a", "b", "why"},
    "updates": {"old", "new", "subject", "attribute"},
    "facts": {"old", "new", "subject", "attribute"},
    "gate": {"text"},
    "questions": {"memories", "question", "needs", "answer"},
}
TEXTS = {
    "duplicates": ("a", "b"),
    "restatements": ("a", "b"),
    "updates": ("old", "new"),
    "facts": ("old", "new"),
    "gate": ("text",),
}
LANGUAGES = {"en", "de", "fr", "es", "zh"}


def read(name: str, split: str | None = None) -> list[dict[str, Any]]:
    """Read the rows of a file, of one split or of both."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if split in (None, row["split"])]


def texts(name: str, row: dict[str, Any]) -> tuple[str, ...]:
    """Say which texts make a row."""
    if name == "questions":
        return (row["question"], *row["memories"])
    return tuple(row[field] for field in TEXTS[name])


def words(text: str) -> set[str]:
    """Split a text into words in lower case, Chinese into characters."""
    return set(re.findall(r"[一-鿿]|[^\W_]+(?:[.,:][^\W_]+)*", text.lower()))


def complaints(name: str) -> Iterator[str]:
    """Say what is wrong with a file."""
    rows = read(name)
    needed = FIELDS[name] | {"split", "domain", "language"}
    needed |= {"label"} if name in TEXTS else set()
    counts = Counter(row.get("label") for row in rows)
    yield from (f"too few {label}" for label, least in LEAST[name].items() if counts[label] < least)
    if counts.keys() - LEAST[name].keys():
        yield f"unknown labels {counts.keys() - LEAST[name].keys()}"
    for place, row in enumerate(rows, 1):
        if row.keys() != needed or row["language"] not in LANGUAGES:
            yield f"{place}: fields {sorted(row)}, language {row.get('language')}"
        if not all(text.strip() for text in texts(name, row)):
            yield f"{place}: an empty text"
    yield from twice(name, rows)
    yield from splits(rows)
    if name == "questions":
        yield from bridges(rows)


def twice(name: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Name rows whose texts are those of another, in whatever order."""
    counts = Counter(frozenset(map(str.casefold, texts(name, row))) for row in rows)
    yield from (f"stands twice: {sorted(key)[0][:60]}" for key, n in counts.items() if n > 1)
    for row in rows:
        both = texts(name, row)
        if len(set(both)) < len(both):
            yield f"one text twice in a row: {both[0][:60]}"


def splits(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Hold the splits to their shares, and their domains and the languages apart."""
    of = {split: [row for row in rows if row["split"] == split] for split in ("dev", "test")}
    if sum(map(len, of.values())) != len(rows):
        yield "a split that is neither dev nor test"
    if not 0.28 <= len(of["dev"]) / len(rows) <= 0.38:
        yield f"dev is {len(of['dev'])} of {len(rows)}"
    shared = {row["domain"] for row in of["dev"]} & {row["domain"] for row in of["test"]}
    if shared:
        yield f"domains in both splits: {shared}"
    for split, part in of.items():
        other = sum(row["language"] != "en" for row in part) / len(part)
        if not 0.2 <= other <= 0.35:
            yield f"{split}: {other:.0%} in other languages than English"


def bridges(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Hold worlds to their sizes, and the answer apart from the question."""
    for row in rows:
        memories, needs = row["memories"], row["needs"]
        if not 6 <= len(memories) <= 12 or len(needs) not in (2, 3):
            yield f"{len(memories)} memories, {len(needs)} needed: {row['question']}"
        if len(set(needs)) < len(needs) or not all(0 <= n < len(memories) for n in needs):
            yield f"needs {needs}: {row['question']}"
        answer = row["answer"].lower()
        if answer in row["question"].lower() or answer in memories[needs[0]].lower():
            yield f"the answer stands where the question is met: {row['question']}"


def likeness(name: str, row: dict[str, Any]) -> float:
    """Say which share of the words of a pair both have."""
    one, other = (words(text) for text in texts(name, row))
    return len(one & other) / len(one | other)


def pair_floor(name: str, positive: str) -> str:
    """Say what the best cut of likeness on dev gives on test."""

    def scores(split: str, cut: float) -> tuple[float, float]:
        rows = read(name, split)
        taken = [row["label"] == positive for row in rows if likeness(name, row) >= cut]
        wanted = sum(row["label"] == positive for row in rows)
        return sum(taken) / max(1, len(taken)), sum(taken) / wanted

    def f1(cut: float) -> float:
        precision, recall = scores("dev", cut)
        return 2 * precision * recall / max(1e-9, precision + recall)

    cut = max((step / 20 for step in range(21)), key=f1)
    precision, recall = scores("test", cut)
    return f"{name}: {positive} from {cut:.2f} on, test P {precision:.2f} R {recall:.2f}"


def gate_floor() -> str:
    """Say what two words that everybody thinks of first give on test."""
    rows = read("gate", "test")
    taken = [row["label"] for row in rows if re.search(r"(?i)\bignor|instruct", row["text"])]
    right, wanted = taken.count("instructs"), sum(row["label"] == "instructs" for row in rows)
    return f"gate: ignore or instruct, test P {right / len(taken):.2f} R {right / wanted:.2f}"


def question_floor() -> str:
    """Say how often all that is needed is among the five with most words of the question."""
    rows = read("questions", "test")
    pool = [(place, n) for place, row in enumerate(rows) for n in range(len(row["memories"]))]
    found = 0
    for place, row in enumerate(rows):
        asked = words(row["question"])
        shared = {(p, n): len(asked & words(rows[p]["memories"][n])) for p, n in pool}
        best = sorted(pool, key=lambda key: -shared[key])[:5]
        found += {(place, n) for n in row["needs"]} <= set(best)
    return f"questions: {found} of {len(rows)} of test in the first five of {len(pool)} memories"


def table() -> Iterator[str]:
    """Count rows by file, split, label and language."""
    for name in LEAST:
        for split in ("dev", "test"):
            rows = read(name, split)
            labels = Counter(row.get("label", "worlds") for row in rows)
            tongues = Counter(row["language"] for row in rows)
            yield f"{name:<11}{split:<5}{len(rows):>4}  {dict(labels)}  {dict(tongues)}"


def main() -> int:
    """Print the counts and the floors, and fail when something is wrong."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(*table(), sep="\n")
    names = {
        "duplicates": "same",
        "restatements": "same",
        "updates": "supersedes",
        "facts": "supersedes",
    }
    pairs = (pair_floor(name, positive) for name, positive in names.items())
    print("By words alone:", *pairs, gate_floor(), question_floor(), sep="\n  ")
    wrong = [f"{name}: {text}" for name in LEAST for text in complaints(name)]
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
