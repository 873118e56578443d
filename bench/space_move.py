"""Measure how long a space takes to move while it is written, and how long its writers wait.

python bench/space_move.py [MEMORIES]
"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random

WORDS = [
    a + b for a in "ka le mi no ru sa to vi".split() for b in "ber dan fel gor hin jal".split()
]
BATCH = 500


def main(count: int, folder: Path) -> None:
    """Move a space from a file to PostgreSQL and back, with somebody who stores all the time."""
    usual = str(folder / "usual.db")
    os.environ.update(MILEPOST_CONFIG=str(folder / "milepost.toml"), MILEPOST_URL=usual)
    import milepost
    from milepost.placing import SpacesFile
    from milepost.storage.moving.following import Move
    from milepost.testing.postgres import postgres_server

    random, stopping = Random(1), threading.Event()
    waits: list[float] = []

    def text(number: int) -> str:
        return f"Note {number}: {' '.join(random.choices(WORDS, k=25))}"

    def write() -> None:
        while not stopping.wait(0.02):
            began = time.monotonic()
            memory.store(text(count + len(waits)))
            waits.append(time.monotonic() - began)

    with postgres_server() as server, milepost.connect(usual, space="team") as memory:
        for first in range(0, count, BATCH):
            memory.store_batch([text(number) for number in range(first, first + BATCH)])
        writer = threading.Thread(target=write)
        writer.start()
        spaces = SpacesFile(str(folder / "spaces.toml"), usual)
        for target in (server.new_database(), usual):
            waits.clear()
            source = spaces.read().url_of("team")
            moving = Move(
                "team", source, target, lambda to=target: spaces.place("team", to), lambda *_: None
            )
            moved = moving.run()
            done = len(waits)
            while len(waits) < done + 2:  # whoever waited is done, too
                time.sleep(0.01)
            kind = "to PostgreSQL" if target != usual else "to a file"
            print(
                f"{kind}: {moved.memories:,} memories, {moved.rows:,} rows, copied and followed in "
                f"{moved.copied_s:.1f} s, writers held {moved.waited_s:.2f} s; "
                f"{len(waits):,} stored meanwhile, the slowest in {max(waits):.2f} s"
            )
        stopping.set()
        writer.join()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, Path(place))
