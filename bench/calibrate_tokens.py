"""Fit the constants of `milepost.text.tokens` against o200k_base and print how well they hold.

    python bench/calibrate_tokens.py --data ../shared/data --table o200k_base.tiktoken

Needs tiktoken and numpy. Sources beside --data are files of this machine: the standard library,
JavaScript, Markdown, JSON and SQL under --system, and its message catalogues for other languages.
"""

from __future__ import annotations

import argparse
import gettext
import gzip
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from milepost.text import tokens

Corpus = dict[str, list[str]]
LANGUAGES = {
    "chinese": "zh_CN zh_TW",
    "japanese": "ja",
    "korean": "ko",
    "russian": "ru uk",
    "arabic": "ar fa",
    "german french": "de fr es pl",
    "greek hebrew hindi": "el he hi bn_IN th ta",
}
# English is what most memories are written in; other classes only bend the constants.
WEIGHTS = {"locomo chat": 4.0, "longmemeval chat": 4.0, "python": 2.0, "german french": 0.25}
TAGS = "db decision bug api auth deploy perf todo test infra cache ui".split()


def main() -> None:
    """Print the fitted constants, then the accuracy on texts that were not fitted."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--table", type=Path, required=True)
    options.add_argument("--system", type=Path, default=Path("/usr"))
    chosen = options.parse_args()
    count = tokens.exact_counter(str(chosen.table.parent))
    if count is None:
        raise SystemExit(f"No o200k_base table in {chosen.table.parent}, or tiktoken is missing.")
    print_constants(build(chosen.data, chosen.system, random.Random(1)), count)
    print_accuracy(build(chosen.data, chosen.system, random.Random(2)), count)


def build(data: Path, system: Path, rng: random.Random) -> Corpus:
    """Collect the calibration texts, class by class."""
    chat = locomo(data)
    corpus = {
        "locomo chat": rng.sample(chat, 1500),
        "longmemeval chat": rng.sample(longmemeval(data), 1500),
        "python": excerpts(Path(os.__file__).parent, "py", rng),
        "javascript": excerpts(system / "lib/node_modules", "js", rng),
        "sql": excerpts(system / "share/postgresql", "sql", rng),
        "markdown": excerpts(system / "lib/node_modules", "md", rng),
        "json": excerpts(system / "lib/node_modules", "json", rng),
    }
    names = re.findall(r"def (\w+)", "\n".join(corpus["python"]))
    corpus |= made_up(chat, names, corpus["python"], rng)
    for name, languages in LANGUAGES.items():
        corpus[name] = catalogues(system / "share/locale", languages.split(), rng)
        corpus[f"{name} manuals"] = manuals(system / "share", languages.split())
    return {name: [text for text in texts if text.strip()] for name, texts in corpus.items()}


def locomo(data: Path) -> list[str]:
    """Return every turn of LoCoMo with its speaker."""
    conversations = json.loads((data / "locomo/locomo_dev5.json").read_text())
    sessions = [s for c in conversations for s in c["conversation"].values() if type(s) is list]
    return [f"{turn['speaker']}: {turn['text']}" for session in sessions for turn in session]


def longmemeval(data: Path) -> list[str]:
    """Return the distinct turns of LongMemEval, cut at a few thousand characters."""
    with gzip.open(data / "longmemeval_dev/longmemeval_s_dev60.json.gz") as file:
        questions = json.load(file)
    sessions = [session for question in questions for session in question["haystack_sessions"]]
    return sorted({turn["content"][:4000] for session in sessions for turn in session})


def excerpts(root: Path, suffix: str, rng: random.Random) -> list[str]:
    """Return slices of 60 to 1,200 characters from the files of one kind."""
    # Encoding tables are no text that anyone remembers.
    paths = sorted(path for path in root.rglob(f"*.{suffix}") if "iconv-lite" not in path.parts)
    found = []
    for path in rng.sample(paths, min(400, len(paths))):
        text = path.read_text(encoding="utf-8", errors="ignore")[:60_000]
        for _ in range(3):
            size = int(60 * 20 ** rng.random())
            start = rng.randrange(max(1, len(text) - size))
            found.append(text[start : start + size])
    return found


def catalogues(root: Path, languages: list[str], rng: random.Random) -> list[str]:
    """Return translated program messages, several to a text."""
    messages = []
    for path in sorted(p for name in languages for p in root.glob(f"{name}/LC_MESSAGES/*.mo")):
        if not path.name.startswith("iso_"):
            messages += [text for text in translated(path) if len(text) > 15]
    rng.shuffle(messages)
    sizes = [rng.choice((1, 1, 2, 3, 5, 8)) for _ in range(800)]
    rows = iter(messages)
    return ["\n".join(islice(rows, size)) for size in sizes]


def manuals(root: Path, languages: list[str]) -> list[str]:
    """Return the paragraphs of translated help: whole sentences, unlike program messages."""
    found = []
    for name in languages:
        paths = [
            *root.glob(f"vim/*/tutor/tutor.{name.lower()}.utf-8"),
            root / f"gnupg/help.{name}.txt",
        ]
        texts = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
        found += [part.strip() for text in texts for part in text.split("\n\n")]
    return [" ".join(part.split()) for part in found if len(part) > 40]


def translated(path: Path) -> list[str]:
    """Return the messages of one catalogue; those in an old encoding are not worth a decoder."""
    with path.open("rb") as file:
        try:
            known = vars(gettext.GNUTranslations(file))["_catalog"]
        except UnicodeDecodeError:
            return []
    return [text for key, text in known.items() if key and isinstance(text, str)]


def made_up(chat: list[str], names: list[str], code: list[str], rng: random.Random) -> Corpus:
    """Compose rendered lists, hashes, logs, tracebacks and emoji from the other texts."""

    def digits(length: int) -> str:
        return f"{rng.getrandbits(4 * length):0{length}x}"

    def day() -> str:
        return f"20{rng.randrange(20, 27)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"

    def said() -> str:
        return rng.choice(chat).split(": ", 1)[1]

    def memory() -> str:
        return f"{digits(8)} {day()} [{' '.join(rng.sample(TAGS, 2))}] {said()[:200]}"

    def log() -> str:
        return (
            f"{day()} {rng.randrange(24):02}:{rng.randrange(60):02}:07,{rng.randrange(1000):03} "
            f"{rng.choice(('INFO', 'WARNING', 'ERROR'))} {rng.choice(names)}.{rng.choice(names)}: "
            f"request_id={digits(12)} {said()[:80]} took {rng.random() * 999:.2f}ms status=404"
        )

    def frame() -> str:
        path = f"/usr/lib/python3.11/site-packages/{rng.choice(names)}/{rng.choice(names)}.py"
        line = rng.choice(rng.choice(code).split("\n")).strip()[:90]
        place = f'  File "{path}", line {rng.randrange(2000)}, in {rng.choice(names)}'
        return f"{place}\n    {line}"

    def smile(word: str) -> str:
        return word + chr(rng.choice((0x1F300, 0x1F600)) + rng.randrange(80)) * rng.randrange(3)

    def repeat(make: Callable[[], str], sizes: tuple[int, ...], separator: str = "\n") -> list[str]:
        return [separator.join(make() for _ in range(size)) for size in sizes * 100]

    tracebacks = repeat(frame, (2, 4, 6))
    return {
        "rendered lists": repeat(memory, (1, 2, 3, 5, 10, 20)),
        "hashes and dates": repeat(lambda: f"{digits(8)} {day()}", (1, 2, 5, 10)),
        "long hashes": repeat(lambda: digits(rng.choice((32, 40, 64))), (1, 2, 5), " "),
        "log lines": repeat(log, (1, 3, 8)),
        "tracebacks": [f"Traceback (most recent call last):\n{t}\n{said()}" for t in tracebacks],
        "emoji": [" ".join(smile(word) for word in said().split()) for _ in range(400)],
    }


def print_constants(corpus: Corpus, count: Callable[[str], int]) -> None:
    """Print the constants of `milepost.text.tokens` as measured on a corpus."""
    seen = observe(corpus, count)
    words: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    signs: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for shape, (weight, total) in seen.items():
        core = shape.strip("sn")
        letters = core.lstrip("pq")
        if not core or core.strip("aApq") or shape in ("qa", "qaa"):
            continue
        row = words[tokens.word_row(shape)] if letters else signs
        row[len(letters or core)][0] += weight
        row[len(letters or core)][1] += total
    for name, row in sorted(words.items()):
        print(f'    "{name}": "{smooth(row, 16)}",')
    print("signs", smooth(signs, 8))
    print("contraction", round(contraction(corpus, count), 2))
    print("scripts", scripts(seen))


def observe(corpus: Corpus, count: Callable[[str], int]) -> dict[str, tuple[float, float]]:
    """Return for every shape of piece how often it came and the tokens it took, weighted."""
    seen: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for name, texts in corpus.items():
        weight = WEIGHTS.get(name, 1.0)
        for shape, piece in (pair for text in texts for pair in cut(text)):
            often, total = seen[shape]
            seen[shape] = often + weight, total + weight * count(piece)
    return seen


def cut(text: str) -> Iterator[tuple[str, str]]:
    """Return the shape of each piece of a text beside the piece itself."""
    start = 0
    for shape in tokens.pieces(text):
        yield shape, text[start : start + len(shape)]
        start += len(shape)


def smooth(row: dict[int, list[float]], length: int) -> str:
    """Return means that never fall with length; a rare length leans on the one before."""
    means = [1.0]
    for size in range(1, length + 1):
        often, total = row[size]
        means.append(max(means[-1], (total + 30 * means[-1]) / (often + 30)))
    return " ".join(str(round(mean, 2)) for mean in means[1:])


def contraction(corpus: Corpus, count: Callable[[str], int]) -> float:
    """Return what 's, 't and the like add to the word before them."""
    added = []
    for text in corpus["locomo chat"] + corpus["longmemeval chat"]:
        found = re.findall(r" [A-Za-z]+'[a-z]{1,2}(?![a-z])", text)
        added += [count(word) - count(word.split("'")[0]) for word in found]
    return sum(added) / len(added)


def scripts(seen: dict[str, tuple[float, float]]) -> dict[str, float]:
    """Fit the tokens per character of each script to the pieces that hold some of it."""
    letters = "lcrkhxgoejapq"
    rows = []
    for shape, (often, total) in seen.items():
        if shape.strip("aApqsn0"):
            row = [shape.lower().count(letter) for letter in letters] + [total / often]
            rows.append([value * often**0.5 for value in row])
    table = np.array(rows)
    found = np.linalg.lstsq(table[:, :-1], table[:, -1], rcond=None)[0]
    return {name: round(float(rate), 3) for name, rate in zip(letters, found, strict=True)}


def print_accuracy(corpus: Corpus, count: Callable[[str], int]) -> None:
    """Print bias and percentiles of estimate / true, and how often the ceiling holds."""
    print(f"{'class':20}{'texts':>6}{'bias':>8}{'p1':>7}{'p50':>7}{'p99':>7}{'held':>8}{'over':>7}")
    everything = {"all": [text for texts in corpus.values() for text in texts]}
    for name, texts in (corpus | everything).items():
        if not texts:
            continue
        true = np.array([count(text) for text in texts])
        guess = np.array([tokens.estimate(text) for text in texts])
        above = np.array([tokens.ceiling(text) for text in texts])
        low, middle, high = np.percentile(guess / true, [1, 50, 99])
        print(
            f"{name:20}{len(texts):6}{guess.sum() / true.sum() - 1:8.1%}{low:7.2f}{middle:7.2f}"
            f"{high:7.2f}{(above >= true).mean():8.2%}{above.sum() / true.sum() - 1:7.1%}"
        )


if __name__ == "__main__":
    main()
