"""Compare libraries that read documents: processor time, and how much comes out in order.

usage: python bench/reading.py --documents FOLDER

The folder holds documents, and beside some of them, with the ending .txt, the text they were made
from. Libraries that are not installed are left out. Fifty PDFs of
twenty pages are read too: five that are made here, ten times each.
"""

import argparse
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from common import save, table
from milepost.reading import open_reader
from milepost.reading.formats import BY_ENDING
from milepost.reading.source import Source

Reading = Callable[[Path], str]
_SENTENCE = "The harbour master keeps key {n} of the north gate, which nobody else may have. "


def main() -> None:
    """Print and keep the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--documents", type=Path, required=True)
    folder = options.parse_args().documents
    rows = [row for path in sorted(folder.iterdir()) for row in compared(path)]
    print(table(("document", "by", "CPU s", "words", "pairs of words in order, %"), rows))
    many = fifty()
    print(many)
    keys = ("document", "by", "cpu_s", "words", "in_order_percent")
    save("reading", {"libraries": [dict(zip(keys, row, strict=True)) for row in rows], **many})


def compared(path: Path) -> list[tuple[object, ...]]:
    """Read a document by each library that can, the faster of two times each."""
    text = path.with_suffix(".txt")
    truth = pairs(text.read_text("utf-8")) if text.exists() and path != text else None
    found = []
    for name, read in BY.get(path.suffix, {}).items():
        if name != "milepost" and find_spec(name.replace("-", "_").split(" ")[0]) is None:
            continue
        spent = []
        for _ in range(2):
            began = time.process_time()
            said = read(path)
            spent.append(time.process_time() - began)
        share = ""
        if truth is not None:
            share = round(100 * sum((pairs(said) & truth).values()) / sum(truth.values()), 1)
        found.append((path.name, name, round(min(spent), 3), len(said.split()), share))
    return found


def pairs(text: str) -> Counter[tuple[str, str]]:
    """Return each word with the one after it."""
    words = re.findall(r"\w+", text.lower())
    return Counter(pairwise(words))


def fifty() -> dict[str, object]:
    """Read fifty PDFs of twenty pages as they are read for good: in processes, on all cores."""
    with tempfile.TemporaryDirectory() as folder, closing(open_reader()) as reader:
        paths = [made(Path(folder) / f"{number}.pdf") for number in range(5)] * 10
        reader.read(paths[0])
        began = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            documents = list(pool.map(reader.read, paths))
        spent = time.monotonic() - began
        cpu = sum(map(_cpu, paths[:5])) * 10
    pages = sum(int(document.metadata["pages"]) for document in documents)
    return {"pdfs": 50, "pages": pages, "wall_s": round(spent, 2), "cpu_s": round(cpu, 2)}


def _cpu(path: Path) -> float:
    began = time.process_time()
    by_milepost(path)
    return time.process_time() - began


def made(path: Path) -> Path:
    """Write a report of twenty full pages."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    styles = getSampleStyleSheet()
    story = []
    for page in range(20):
        story.append(Paragraph(f"Chapter {page}", styles["Heading1"]))
        for part in range(6):
            text = "".join(_SENTENCE.format(n=page * part * n) for n in range(7))
            story.append(Paragraph(text, styles["Normal"]))
        story.append(PageBreak())
    SimpleDocTemplate(str(path)).build(story)
    return path


def by_milepost(path: Path) -> str:
    """Read in this process, so that its time is seen."""
    from importlib import import_module

    module = import_module(f"milepost.reading.{BY_ENDING[path.suffix].module}")
    with path.open("rb") as file:
        document = module.read(Source(path.name, file, float("inf")))
    said = []
    for before, section in zip((None, *document.sections), document.sections, strict=False):
        if before is None or before.heading != section.heading:
            said += section.heading[-1:]
        said.append(section.text)
    return "\n".join(said)


def _pdfium(path: Path) -> str:
    import pypdfium2

    with closing(pypdfium2.PdfDocument(path)) as opened:
        return "\n".join(page.get_textpage().get_text_range() for page in opened)


def _pypdf(path: Path) -> str:
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def _pdfminer(path: Path) -> str:
    from pdfminer.high_level import extract_text

    return extract_text(path)


def _docx(path: Path) -> str:
    import docx

    opened = docx.Document(str(path))
    said = [one.text for one in opened.paragraphs]
    said += [cell.text for one in opened.tables for row in one.rows for cell in row.cells]
    return "\n".join(said)


def _pptx(path: Path) -> str:
    import pptx

    shapes = [shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes]
    return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


def _openpyxl(path: Path) -> str:
    import openpyxl

    with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
        rows = [row for sheet in book for row in sheet.iter_rows(values_only=True)]
    return "\n".join(" ".join(str(value) for value in row if value is not None) for row in rows)


def _selectolax(path: Path) -> str:
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(path.read_bytes()).body
    return body.text(separator=" ") if body else ""


def _trafilatura(path: Path) -> str:
    from trafilatura import extract

    return extract(path.read_text("utf-8"), include_tables=True) or ""


BY: dict[str, dict[str, Reading]] = {
    ".pdf": {
        "milepost": by_milepost,
        "pypdfium2": _pdfium,
        "pypdf": _pypdf,
        "pdfminer": _pdfminer,
    },
    ".docx": {"milepost": by_milepost, "docx": _docx},
    ".pptx": {"milepost": by_milepost, "pptx": _pptx},
    ".xlsx": {"milepost": by_milepost, "openpyxl": _openpyxl},
    ".html": {
        "milepost": by_milepost,
        "selectolax": _selectolax,
        "trafilatura": _trafilatura,
    },
}

if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
