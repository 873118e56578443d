"""Whether a question finds the section of a document that answers it, beside BM25 on its pieces.

usage: python bench/documents.py --data ../shared/data [--sizes auto,none] [--half reported|tuned]
           [--formats md,html,docx,pdf] [--speed txt|pdf]

With --speed it is measured how long 50 documents of 20 pages take, and what the answer costs.

Documents are those of the FAQ sets: what stands under one path is one file, at most fifty of a
project. Every second project was looked at while sizes were chosen; the others are reported. A hit
counts when it holds half of an answer's paragraph, or lies in it by half.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from tqdm import tqdm

import milepost
from common import save, table
from datasets import Case, cases
from floors import StemmedBM25
from milepost.memory.search import filter_for
from milepost.text.tokens import ceiling
from written_documents import PAGED, WRITERS

DOCUMENTS_MAX, SHOWN = 50, 5
_SHINGLE = 4
FILES, PAGES, WORDS = 50, 20, 400


class Corpus(NamedTuple):
    """The documents of a project by their paths, and questions with the texts of their answers."""

    name: str
    files: dict[str, list[str]]
    questions: list[tuple[str, list[str]]]


def corpora(data: Path, half: str) -> Iterator[Corpus]:
    """Yield the projects of one half."""
    for number, case in enumerate(cases("faq", data)):
        if (number % 2 == 1) == (half == "reported"):
            yield _corpus(case)


def _corpus(case: Case) -> Corpus:
    paths = [str(memory["session"]) for memory in case.memories]
    asked = [q for q in case.questions if q.evidence]
    needed = {paths[place] for question in asked for place in question.evidence}
    others = sorted(set(paths) - needed)
    random.Random(7).shuffle(others)
    chosen = {*needed, *others[: max(DOCUMENTS_MAX - len(needed), 0)]}
    files: dict[str, list[str]] = {path: [] for path in sorted(chosen)}
    for path, memory in zip(paths, case.memories, strict=True):
        if path in files:
            files[path].append(str(memory["content"]))
    texts = [str(memory["content"]) for memory in case.memories]
    return Corpus(
        case.name, files, [(q.text, [texts[i] for i in sorted(q.evidence)]) for q in asked]
    )


def write_files(corpus: Corpus, folder: Path, formats: Sequence[str]) -> None:
    """Write the documents of a project, in some formats in turn."""
    for number, (path, paragraphs) in enumerate(corpus.files.items()):
        kind = formats[number % len(formats)]
        name = Path(path).with_suffix("").as_posix().replace("/", "-").lstrip(".")
        WRITERS[kind](folder / f"{number}-{name}.{kind}", name, paragraphs)


def shingles(text: str) -> set[tuple[str, ...]]:
    """Return the runs of four words of a text, or all of a shorter one."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    runs = max(len(words) - _SHINGLE + 1, 1)
    return {tuple(words[at : at + _SHINGLE]) for at in range(runs)}


def holds(shown: set[tuple[str, ...]], answer: set[tuple[str, ...]], share: float = 0.5) -> bool:
    """Whether a text holds so much of an answer, or lies in it by so much."""
    return len(shown & answer) >= share * min(len(shown), len(answer))


def judged(corpus: Corpus, chunk: str | int, formats: Sequence[str]) -> dict[str, Any]:
    """Ingest the documents of a project and ask all questions."""
    with TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        docs.mkdir()
        write_files(corpus, docs, formats)
        with milepost.connect(Path(folder) / "m.db") as memory:
            began = time.process_time()
            told = memory.ingest(str(docs), chunk=chunk)
            took = time.process_time() - began
            assert not told.failures, told
            return {"chunks": told.chunks, "cpu_s": took, **_asked(memory, corpus)}


def _asked(memory: Any, corpus: Corpus) -> dict[str, Any]:
    context = memory._context
    ids = context.store.candidates.newest(filter_for(context), limit=1 << 30)
    contents = [record.content for record in context.store.memories.records(ids)]
    floor = StemmedBM25(contents)
    sums = {"recall@5": 0.0, "BM25@5": 0.0, "MRR": 0.0, "preview %": 0.0, "tokens": 0.0}
    for question, answers in corpus.questions:
        golds = [shingles(answer) for answer in answers]
        result = memory.search(question, limit=SHOWN)
        hits = [shingles(_below_lead(memory.get(hit.hash).content)) for hit in result]
        bm25 = [shingles(_below_lead(contents[i])) for i in floor.best(question, SHOWN)]
        sums["recall@5"] += _recall(hits, golds)
        sums["BM25@5"] += _recall(bm25, golds)
        first = [rank for rank, hit in enumerate(hits, 1) if any(holds(hit, g) for g in golds)]
        sums["MRR"] += 1 / first[0] if first else 0.0
        previews = [shingles(hit.preview) for hit in result]
        sums["preview %"] += any(holds(p, g, 0.6) for p in previews for g in golds)
        sums["tokens"] += ceiling(str(result))
    return {"questions": len(corpus.questions), **sums}


def _recall(hits: Iterable[set[tuple[str, ...]]], golds: Sequence[set[tuple[str, ...]]]) -> float:
    found = list(hits)
    return sum(any(holds(hit, gold) for hit in found) for gold in golds) / len(golds)


def _below_lead(content: str) -> str:
    return content.partition("\n")[2] or content


def means(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return means over projects; shares in percent."""
    names = ("recall@5", "BM25@5", "MRR", "preview %", "tokens")
    shares = {name: sum(row[name] / row["questions"] for row in rows) / len(rows) for name in names}
    figures = {name: round((1 if name == "tokens" else 100) * shares[name], 1) for name in names}
    chunks, cpu = sum(row["chunks"] for row in rows), sum(row["cpu_s"] for row in rows)
    return figures | {"chunks": chunks, "ms a chunk": round(1e3 * cpu / chunks, 2)}


def speed(data: Path, kind: str) -> dict[str, Any]:
    """Ingest 50 documents of 20 pages of some 400 words that people wrote."""
    texts = [
        text for half in ("tuned", "reported") for c in corpora(data, half) for text in _all(c)
    ]
    words = " ".join(texts).split()
    with TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        docs.mkdir()
        for number in range(FILES):
            at = number * PAGES * WORDS % max(len(words) - PAGES * WORDS, 1)
            pages = [
                " ".join(words[at + page * WORDS :][:WORDS]) + f" Page {page} of {number}."
                for page in range(PAGES)
            ]
            PAGED[kind](docs / f"{number}.{kind}", f"Report {number}", pages)
        with milepost.connect(Path(folder) / "m.db") as memory:
            memory.store("a first memory, which loads the models")
            began, cpu = time.perf_counter(), _cpu_s()
            told = memory.ingest(str(docs))
            figures = {"wall_s": time.perf_counter() - began, "cpu_s": _cpu_s() - cpu}
            again, cpu = time.perf_counter(), _cpu_s()
            assert memory.ingest(str(docs)).unchanged == FILES
            figures |= {"again_wall_s": time.perf_counter() - again, "again_cpu_s": _cpu_s() - cpu}
    assert (told.documents, told.failures) == (FILES, 0), told
    figures = {name: round(value, 2) for name, value in figures.items()}
    shape = {"documents": FILES, "pages": FILES * PAGES, "words a page": WORDS, "kind": kind}
    return {**shape, "chunks": told.chunks, "answer tokens": ceiling(str(told)), **figures}


def _all(corpus: Corpus) -> Iterator[str]:
    for paragraphs in corpus.files.values():
        yield from paragraphs


def _cpu_s() -> float:
    """Return the processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


def main() -> None:
    """Judge each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", default="auto,none")
    parser.add_argument("--half", choices=("reported", "tuned"), default="reported")
    parser.add_argument("--formats", default="md,html,docx,pdf")
    parser.add_argument("--speed", choices=tuple(PAGED))
    given = parser.parse_args()
    if given.speed:
        figures = speed(given.data, given.speed)
        print(figures)
        save(f"documents-speed-{given.speed}", figures)
        return
    chosen = list(corpora(given.data, given.half))
    by_size = {}
    for size in given.sizes.split(","):
        rows = [
            judged(corpus, size, given.formats.split(","))
            for corpus in tqdm(chosen, desc=size, unit="project", disable=None)
        ]
        by_size[size] = means(rows)
        print(size, by_size[size], flush=True)
    names = list(next(iter(by_size.values())))
    print(table(["chunk", *names], [[size, *row.values()] for size, row in by_size.items()]))
    if given.half == "reported":
        about = {
            "projects": [corpus.name for corpus in chosen],
            "documents": sum(len(corpus.files) for corpus in chosen),
            "questions": sum(len(corpus.questions) for corpus in chosen),
            "formats": given.formats,
        }
        save("documents", {**about, "by_chunk": by_size})


if __name__ == "__main__":
    main()
