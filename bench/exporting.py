"""Measure what it takes to write a memory to a file and to read it into another store.

usage: python bench/exporting.py --sizes 10000 300000
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import save, table

_WORDS = (Path(__file__).parent / "README.md").read_text("utf-8").split()
_BATCH = 5_000


def main() -> None:
    """Print the figures of stores of some sizes and save them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=[10_000, 300_000])
    options.add_argument("--folder", type=Path)
    options.add_argument("--fill", nargs=2, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.fill:
        _fill(asked.fill[0], int(asked.fill[1]))
        return
    rows = []
    for size in asked.sizes:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            rows.append(_measured(Path(folder), size))
    columns = list(rows[0])
    print(table(columns, [[row[column] for column in columns] for row in rows]))
    save("exporting", {"stores": rows})


def _measured(folder: Path, size: int) -> dict[str, object]:
    source, target = str(folder / "a.db"), str(folder / "b.db")
    file, again = folder / "a.jsonl", folder / "b.jsonl"
    # In another process: what one is measured at begins with the size of who starts it.
    subprocess.run([sys.executable, __file__, "--fill", source, str(size)], check=True)
    out = _run(source, "export", "--to", str(file))
    back = _run(target, "import", str(file))
    _run(target, "export", "--to", str(again))
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


def _fill(url: str, size: int) -> None:
    import milepost

    with milepost.connect(url) as memory:
        for first in range(0, size, _BATCH):
            numbers = range(first, min(first + _BATCH, size))
            memory.store_batch([{"content": _text(n), "tags": [f"t{n % 50}"]} for n in numbers])


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
