"""An embedding provider of your own: any server that answers as OpenAI's `/v1/embeddings` does.

usage: python examples/own_embedder.py

The one here knows the code names of a team, which no published model does: a name and what it stands
for have the same place in its vectors. Put your model in the place of `embed`, or name a server that
runs one already.
"""

import json
import os
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from milepost import connect

DIMENSIONS = 512
CODE_NAMES = {"harbour": "staging", "kelp": "invoices", "gull": "monitoring"}
NOTES = [
    "Harbour is wiped every Sunday night",
    "Kelp rounds half up, because the tax office checks it",
    "Gull alarms go to the channel of whoever is on call",
    "Deploys go out on Tuesdays, before noon",
    "The mobile app is released every other week",
]
QUESTION = "when is the data on staging lost?"


def embed(text: str) -> list[float]:
    """Count the longer words of a text, each in a place that its hash chooses; names weigh more."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w{4,}", text.lower()):
        meant = CODE_NAMES.get(word, word)
        weight = 4.0 if meant in CODE_NAMES.values() else 1.0
        vector[zlib.crc32(meant.encode()) % DIMENSIONS] += weight
    return vector


class Embeddings(BaseHTTPRequestHandler):
    """Answers `{"model": …, "input": [texts]}` with a vector for each text."""

    texts = 0

    def do_POST(self) -> None:
        """Embed what was sent."""
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))
        rows = [{"index": at, "embedding": embed(text)} for at, text in enumerate(given["input"])]
        Embeddings.texts += len(rows)
        body = json.dumps({"model": given["model"], "data": rows}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing of each request."""


@contextmanager
def serving() -> Iterator[str]:
    """Serve on a free port of this machine, and give the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Embeddings) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def ask(store: Path, title: str) -> None:
    """Store the notes, if they are not there yet, and ask."""
    with connect(store, project="shop") as memory:
        memory.store_batch(NOTES)
        # Whether anything answers at all is calibrated on trained models: here the best is wanted.
        found = memory.search(QUESTION, limit=1, min_score=0)
        print(f"\n{title}\n{found}\n{memory.health()}")


def main() -> None:
    """Ask with the static model alone, with the provider beside it, and while that is away."""
    print(QUESTION)
    with tempfile.TemporaryDirectory() as folder:
        ask(Path(folder, "static.db"), "the static model alone")
        with serving() as url:
            # The same as `milepost config set embedder openai:URL#MODEL`; a server that wants a
            # key is given it by `embedder_keys`.
            os.environ["MILEPOST_EMBEDDER"] = f"openai:{url}#code-names"
            ask(Path(folder, "both.db"), f"with {os.environ['MILEPOST_EMBEDDER']}")
            print(f"(it was sent {Embeddings.texts} texts)")
        ask(Path(folder, "both.db"), "the provider is away: the static model serves")


if __name__ == "__main__":
    main()
