"""What encryption costs: opening and searching the same memories in clear text and encrypted.

usage: python bench/encryption.py [--data ../shared/data] [--count 10000]
"""

import argparse
import os
import secrets
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from common import save
from corpus import memories, questions, sentences
from milepost.sealing import new_key
from milepost.storage.sqlite.encryption import recode

ROUNDS, QUERIES = 5, 100


def opened_and_searched(path: Path, asked: list[str]) -> tuple[float, float]:
    """Return the processor time to open a store and answer once, and the median of a search."""
    before = time.process_time()
    with milepost.connect(path) as memory:
        memory.search("the first search")
        opening = time.process_time() - before
        spent = []
        for question in asked:
            before = time.process_time()
            memory.search(question)
            spent.append(time.process_time() - before)
    return opening * 1e3, statistics.median(spent) * 1e3


def main() -> None:
    """Measure both in turns, in one run, and write the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    pool = sentences(options.data)
    asked = questions(pool, QUERIES)
    os.environ["MILEPOST_DAEMON"] = "off"
    with tempfile.TemporaryDirectory() as folder:
        clear, closed = Path(folder, "clear.db"), Path(folder, "closed", "closed.db")
        with milepost.connect(clear) as memory:
            memory.store_batch(list(memories(pool, options.count)))
            memory.search("build the index")
        closed.parent.mkdir()
        shutil.copy(clear, closed)
        shutil.copytree(f"{clear}.index", f"{closed}.index")
        secret = secrets.token_hex(32)
        key_file = Path(folder, "key")
        key_file.write_text(secret)
        before = time.perf_counter()
        recode(closed, lambda _: new_key(secret), lambda _: 0)
        encrypting_s = time.perf_counter() - before
        os.environ["MILEPOST_ENCRYPTION_KEY_FILE"] = str(key_file)
        rounds = [(opened_and_searched(clear, asked), opened_and_searched(closed, asked))
                  for _ in range(ROUNDS)]  # fmt: skip
        rounds = rounds[1:]  # the first loads the model
        values = [[statistics.median(r[i][k] for r in rounds) for k in (0, 1)] for i in (0, 1)]
        result = {
            "memories": options.count,
            "store_mb": clear.stat().st_size / 1e6,
            "encrypting_s": encrypting_s,
            "open_and_first_search_cpu_ms": {"clear": values[0][0], "encrypted": values[1][0]},
            "search_p50_cpu_ms": {"clear": values[0][1], "encrypted": values[1][1]},
            "open_ratio": values[1][0] / values[0][0],
            "search_ratio": values[1][1] / values[0][1],
        }
    save("encryption", result)
    print(result)


if __name__ == "__main__":
    main()
