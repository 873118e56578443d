"""What a few memories answer to letters that are no word, to misspelt words and to real questions.

usage: python bench/noise.py --data ../shared/data [--cases N] [--seed N]

Each store holds 1 to 30 memories of one history. "Before" is the same ranking without the rule that
a question in no known word is answered by what is near alone; the floor is silence for every
question in words that are not in the model's vocabulary, unless a memory is near.
"""

import argparse
import random
import string
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from tqdm import tqdm

from common import save, table
from datasets import LICENCES, Case, Question, cases
from fusion import Example, _example, judge, open_case
from milepost.embedding.static import StaticEmbedder, StaticLexicon
from milepost.ranking.score import shipped_model
from train_fusion import foreign_questions

SIZES = (1, 2, 4, 8, 16, 30)
NEAR = 0.5
# The rank of what is not in the model's vocabulary.
UNKNOWN = StaticLexicon(StaticEmbedder()).rank("\0")


class Asked(NamedTuple):
    """A question of a kind, and what is known of its words."""

    kind: str
    example: Example
    in_vocabulary: bool


def noise(rng: random.Random) -> str:
    """Return letters thrown together: of few keys, of all, or in syllables."""
    size, kind = rng.randint(4, 9), rng.randrange(3)
    if kind < 2:
        return "".join(rng.choice(("zxqwvkj", string.ascii_lowercase)[kind]) for _ in range(size))
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(size // 2))


def misspelt(word: str, rng: random.Random) -> str:
    """Return a word with one letter left out, doubled, replaced, or swapped with the next."""
    at = rng.randrange(1, len(word) - 1)
    one, two = word[at], word[at + 1]
    middle = rng.choice(["", 2 * one, rng.choice(string.ascii_lowercase), two + one])
    return word[:at] + middle + word[at + 1 + (middle == two + one) :]


def questions(
    case: Case, strangers: list[str], rng: random.Random
) -> Iterator[tuple[str, Question]]:
    """Yield questions to a small store, with their kinds."""
    for question in case.questions:
        yield "own" if question.evidence else "foreign", question
    for text in rng.sample(strangers, 3):
        yield "foreign", Question(text, frozenset(), "")
    for _ in range(12):
        text = " ".join(noise(rng) for _ in range(rng.choice((1, 1, 2, 3))))
        yield "noise", Question(text, frozenset(), "")
    texts = [str(memory["content"]).lower() for memory in case.memories]
    for text in rng.sample(texts, min(4, len(texts))):
        words = sorted({word for word in text.split() if word.isalpha() and len(word) >= 6})
        if words:
            word = rng.choice(words)
            held = frozenset(place for place, other in enumerate(texts) if word in other)
            yield "misspelt", Question(misspelt(word, rng), held, "")


def small(case: Case, size: int, rng: random.Random) -> Case:
    """Return so many memories of a history, with one that answers, and three of its questions."""
    own = [question for question in case.questions if question.evidence]
    asked = rng.sample(own, min(3, len(own)))
    others = rng.sample(range(len(case.memories)), min(size, len(case.memories)))
    places = sorted({*others, *(sorted(asked[0].evidence)[:1] if asked else ())})
    kept = [
        question._replace(
            evidence=frozenset(places.index(p) for p in question.evidence if p in places),
            older=frozenset(),
        )
        for question in asked
    ]
    return case._replace(memories=[case.memories[place] for place in places], questions=kept)


def asked(data: Path, most: int, rng: random.Random) -> Iterator[Asked]:
    """Ask small stores of every source."""
    for source in (name for name in LICENCES if name != "sessions"):
        histories = sorted(cases(source, data), key=lambda case: len(case.memories))
        strangers = foreign_questions(data, source)
        for case in tqdm(histories[:: -(-len(histories) // most)], desc=source, unit="case"):
            for size in SIZES:
                few = small(case, size, rng)
                memory, ids = open_case(few, plain=True)
                for kind, question in questions(few, strangers, rng):
                    words = memory._context.texts.probe(question.text).words
                    known = any(word.rank < UNKNOWN for word in words) or not words
                    example = _example(memory, ids, few, question, plain=True)
                    yield Asked(kind, example, known)
                memory.close()


def shown(question: Asked, rule: str) -> tuple[bool, bool]:
    """Return whether anything is shown by a rule, and whether it is right."""
    example, columns = question.example, question.example.columns
    if not columns:
        return False, False
    if rule != "now":
        columns = {**columns, "q_strange": np.zeros_like(columns["q_strange"])}
    ranking = judge(shipped_model(), example._replace(columns=columns))
    met = question.in_vocabulary or columns["q_soft"][0] > 0 or columns["q_similar"][0] >= NEAR
    if ranking.shown == 0 or (rule == "floor" and not met):
        return False, False
    return True, bool(example.relevant[ranking.order[: min(ranking.shown, 5)]].any())


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--cases", type=int, default=4, help="at most so many histories of a source"
    )
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    found: dict[str, list[list[tuple[bool, bool]]]] = defaultdict(list)
    rules = ("before", "floor", "now")
    for question in asked(options.data, options.cases, random.Random(options.seed)):
        found[question.kind].append([shown(question, rule) for rule in rules])
    figures = {
        kind: {"questions": len(judged)}
        | {rule: dict(zip(("shown", "right"), np.sum(judged, axis=0)[i].tolist(), strict=True))
           for i, rule in enumerate(rules)}
        for kind, judged in found.items()
    }  # fmt: skip
    rows = [
        [
            kind,
            figure["questions"],
            *(f"{figure[r]['shown']} / {figure[r]['right']}" for r in rules),
        ]
        for kind, figure in figures.items()
    ]
    print(table(["kind", "questions", *(f"{rule}: shown / right" for rule in rules)], rows))
    save("noise", {"stores": SIZES, "seed": options.seed, "kinds": figures})


if __name__ == "__main__":
    main()
