"""Whether memories that speak of one subject are grouped, and no others, beside libraries.

usage: python bench/clusters.py --data ../shared/data

Subjects that are known: what users say in one chat of LongMemEval, the memories of one written
world (`data/knowledge`), the turns of one session of LoCoMo (who speak of several things in each),
answers of one project's FAQ (which are many subjects). Constants, those of the libraries too, were
chosen on the first half of each. B-cubed: of those a memory stands with, how many belong to it
(precision), and of those that belong to it, with how many it stands (recall); groups of two count
as none. F0.5 counts precision double, for what does not belong to a subject misleads whoever is
told of it. The libraries are measured when scikit-learn is installed.
"""

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from corpus import passages
from datasets import cases
from milepost.embedding.static import StaticEmbedder
from milepost.knowledge.pairs import groups, naming_pairs, sharing_pairs, together
from milepost.knowledge.planning import named_most
from milepost.knowledge.subjects import subjects
from milepost.ranking.keys import term_key
from milepost.text.entities import entities_in
from milepost.text.words import terms
from planted import read

SPLITS = ("dev", "test")
_CHATS, _SESSIONS, _TURNS, _ANSWERS, _TIMED = 12, 60, 8, 25, 3_000
_LEAST = 3
Groups = list[list[int]]


class Texts(NamedTuple):
    """Texts as they are compared, and the subject of each."""

    vectors: NDArray[np.float32]
    words: list[NDArray[np.uint32]]
    mentions: list[tuple[int, int]]
    labels: list[object]


def labelled(split: str, data: Path) -> dict[str, list[tuple[str, object]]]:
    """Return the texts of a half, each with its subject, by set."""
    half = SPLITS.index(split)
    talks = cases("locomo", data)
    return {
        "chats": _chats(half, data),
        "worlds": [
            (text, number)
            for number, row in enumerate(read("questions", split))
            for text in row["memories"]
        ],
        "locomo": [
            (memory["content"], (n, memory["session"]))
            for n, case in enumerate(talks[2:] if half else talks[:2])
            for memory in case.memories
            if len(memory["content"]) > 40
        ],
        "faq": [
            (memory["content"][:600], n)
            for n, case in enumerate(cases("faq", data)[half::2])
            for memory in case.memories[:_ANSWERS]
        ],
    }


def _chats(half: int, data: Path) -> list[tuple[str, object]]:
    said: dict[str, dict[str, None]] = {}
    for case in cases("turns", data)[half::2][:_CHATS]:
        for memory in case.memories:
            if memory["author"] == "user" and 20 < len(memory["content"]) < 400:
                said.setdefault(memory["session"], {})[memory["content"]] = None
    sessions = [(name, list(turns)) for name, turns in said.items() if len(turns) >= 4]
    random.Random(7).shuffle(sessions)
    return [(turn, name) for name, turns in sessions[:_SESSIONS] for turn in turns[:_TURNS]]


def prepared(rows: Sequence[tuple[str, object]]) -> Texts:
    """Analyse texts as a consolidation has them."""
    texts = [text for text, _ in rows]
    vectors = StaticEmbedder().embed(texts)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    keys = ({term_key(term) for term in terms(text)[:40]} for text in texts)
    words = [np.array(sorted(each), np.uint32) for each in keys]
    named = [{m.name.casefold() for m in entities_in(text).entities} for text in texts]
    counts = Counter(name for names in named for name in names)
    numbers = {name: n for n, name in enumerate(counts)}
    most = named_most(len(texts))
    mentions = [
        (numbers[name], place)
        for place, names in enumerate(named)
        for name in names
        if 2 <= counts[name] <= most
    ]
    return Texts(vectors, words, mentions, [label for _, label in rows])


def ours(texts: Texts, *, names: bool = True) -> Groups:
    """Group as a consolidation does, with or without what memories name."""
    count = len(texts.labels)
    mentions = texts.mentions if names else []
    pairs, _ = together(_sharing(texts), naming_pairs(mentions, np.arange(count)), count)
    return subjects(pairs, _likeness(texts, pairs))


def by_likeness(texts: Texts) -> Groups:
    """Group what is more alike than a fixed measure: the rule of before."""
    pairs = _sharing(texts)
    return groups(pairs[_likeness(texts, pairs) >= 0.62])


def _sharing(texts: Texts) -> NDArray[np.int64]:
    counts = np.array([len(words) for words in texts.words], np.int64)
    return sharing_pairs(np.concatenate(texts.words), counts)


def _likeness(texts: Texts, pairs: NDArray[np.int64]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.einsum("ij,ij->i", *texts.vectors[pairs.T])
    return found


def libraries() -> dict[str, dict[str, Callable[[Texts], Groups]]]:
    """Return what scikit-learn offers, each with its choices of constants."""
    try:
        from sklearn.cluster import HDBSCAN, AgglomerativeClustering
    except ImportError:
        return {}

    def hdbscan(size: int) -> Callable[[Texts], Groups]:
        model = HDBSCAN(min_cluster_size=size, min_samples=1, copy=True)
        return lambda texts: _by_number(model.fit_predict(texts.vectors))

    def agglomerative(apart: float) -> Callable[[Texts], Groups]:
        model = AgglomerativeClustering(
            None, metric="cosine", linkage="average", distance_threshold=apart
        )
        return lambda texts: _by_number(model.fit_predict(texts.vectors))

    return {
        "scikit-learn HDBSCAN": {str(size): hdbscan(size) for size in (3, 5, 8)},
        "scikit-learn agglomerative": {
            str(apart): agglomerative(apart) for apart in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7)
        },
    }


def _by_number(numbers: NDArray[np.int64]) -> Groups:
    found: dict[int, list[int]] = defaultdict(list)
    for place, number in enumerate(numbers.tolist()):
        if number >= 0:
            found[number].append(place)
    return list(found.values())


def scores(found: Groups, labels: Sequence[object]) -> dict[str, float]:
    """Return B-cubed precision, recall, F0.5 and F1."""
    group: list[object] = [("alone", place) for place in range(len(labels))]
    for number, places in enumerate(found):
        if len(places) >= _LEAST:
            for place in places:
                group[place] = number
    sizes, wanted = Counter(group), Counter(labels)
    both = Counter(zip(group, labels, strict=True))
    pairs = list(zip(group, labels, strict=True))
    precision = float(np.mean([both[pair] / sizes[pair[0]] for pair in pairs]))
    recall = float(np.mean([both[pair] / wanted[pair[1]] for pair in pairs]))
    product = precision * recall
    found_as = {"precision": precision, "recall": recall}
    found_as["F0.5"] = 1.25 * product / (0.25 * precision + recall)
    found_as["F1"] = 2 * product / (precision + recall)
    return {name: round(value, 3) for name, value in found_as.items()}


def judged(way: Callable[[Texts], Groups], sets: dict[str, Texts]) -> dict[str, Any]:
    """Return the scores on all sets, and the means."""
    found = {name: scores(way(texts), texts.labels) for name, texts in sets.items()}
    parts = ("precision", "recall", "F0.5", "F1")
    means = {p: round(float(np.mean([each[p] for each in found.values()])), 3) for p in parts}
    return {**means, "sets": found}


def figures(data: Path) -> dict[str, Any]:
    """Judge all ways on both halves, and time them on more texts."""
    sets = {
        split: {name: prepared(rows) for name, rows in labelled(split, data).items()}
        for split in SPLITS
    }
    ways: dict[str, Callable[[Texts], Groups]] = {
        "words, likeness and names": ours,
        "words and likeness": lambda texts: ours(texts, names=False),
        "likeness of .62 alone (before)": by_likeness,
    }
    for name, choices in libraries().items():
        best = max(choices, key=lambda choice: judged(choices[choice], sets["dev"])["F0.5"])
        ways[f"{name} ({best})"] = choices[best]
    many = prepared([(each["content"], 0) for each in passages(data, _TIMED)])
    return {
        **{s: {name: judged(way, sets[s]) for name, way in ways.items()} for s in SPLITS},
        f"s for {_TIMED:,} texts": {name: _seconds(way, many) for name, way in ways.items()},
    }


def _seconds(way: Callable[[Texts], Groups], texts: Texts) -> float:
    began = time.perf_counter()
    way(texts)
    return round(time.perf_counter() - began, 2)


def main() -> None:
    """Print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    found = figures(parser.parse_args().data)
    save("clusters", found)
    rows = [
        [
            split,
            name,
            one["F0.5"],
            one["F1"],
            *("/".join(map(str, s.values())) for s in one["sets"].values()),
        ]
        for split in SPLITS
        for name, one in found[split].items()
    ]
    print(table(["half", "way", "F0.5", "F1", *found["dev"]["words and likeness"]["sets"]], rows))
    print(found[f"s for {_TIMED:,} texts"])


if __name__ == "__main__":
    main()
