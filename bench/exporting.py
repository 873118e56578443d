"""Measure what it takes to write a memory to a file and to read it into another store.

usage: python bench/exporting.py --sizes 10000 300000
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from itertools import chain
from pathlib import Path

from common import save, table
from milepost.storage.moving.lines import as_line, header

_WORDS = (Path(__file__).parent / "README.md").read_text("utf-8").split()


def main() -> None:
    """Print the figures of stores of some sizes and save them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=[10_000, 300_000])
    options.add_argument("--folder", type=Path)
    asked = options.parse_args()
    rows = []
    for size in asked.sizes:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            rows.append(_measured(Path(folder), size))
    columns = list(rows[0])
    print(table(columns, [[row[column] for column in columns] for row in rows]))
    save("exporting", {"stores": rows})


def _measured(folder: Path, size: int) -> dict[str, object]:
    url = str(folder / "a.db")
    file, again = folder / "a.jsonl", folder / "b.jsonl"
    _write(file, size)
    back = _run(url, "import", str(file))
    out = _run(url, "export", "--to", str(again))
    return {
        "memories": size,
        "file_mb": round(file.stat().st_size / 1e6, 1),
        "export_s": out[0],
        "export_cpu_s": out[1],
        "export_peak_mb": out[2],
        "import_s": back[0],
        "import_cpu_s": back[1],
        "import_peak_mb": back[2],
        "same_bytes": file.read_bytes() == again.read_bytes(),
    }


def _write(file: Path, size: int) -> None:
    """Write the export of a memory of some size."""
    digest = sha256()
    with file.open("wb") as opened:
        first = [header(), as_line({"space": "default"})]
        for line in chain(first, map(_line, range(1, size + 1))):
            digest.update(line)
            opened.write(line)
        counts = {"default": {"memories": size}}
        opened.write(as_line({"end": counts, "sha256": digest.hexdigest()}))


def _line(number: int) -> bytes:
    text, at = _text(number), 1_700_000_000_000_000 + number
    told = {"part": "memories", "id": number, "hash": sha256(text.encode()).hexdigest()}
    told |= {"content": text, "kind": "note", "tags": [f"t{number % 50}"], "metadata": {}}
    told |= {"position": 0, "recorded": at, "created": at, "valid_from": at, "source": "user"}
    return as_line(told | {"trust": 6, "marks": "", "standing": 0})


def _text(number: int) -> str:
    at = number * 7 % (len(_WORDS) - 30)
    return f"{number}: {' '.join(_WORDS[at : at + 25])}"


def _run(url: str, *words: str) -> tuple[float, float, float]:
    """Return how long a command took, its processor time and its largest size in MB."""
    began = time.monotonic()
    command = [sys.executable, "-m", "milepost", *words]
    process = subprocess.Popen(
        command, env=os.environ | {"MILEPOST_URL": url}, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{words} failed"
    cpu = used.ru_utime + used.ru_stime
    return round(time.monotonic() - began, 1), round(cpu, 1), round(used.ru_maxrss / 1024, 1)


if __name__ == "__main__":
    main()
