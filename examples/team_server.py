"""A small team on one server: `milepost serve` with a key, two people in two projects.

usage: python examples/team_server.py

The server is a process of its own on a free port of this machine. Beyond loopback it needs the key
that is given here, and should stand behind a proxy that speaks TLS.
"""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from milepost import ConfigError, MilepostClient, Unreachable


@contextmanager
def serving(store: Path, key: str) -> Iterator[str]:
    """Run a server, and give its address when it answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "milepost", "serve", "--url", str(store), "--port", str(port)]
    # A key in the environment is seen by no other user, as one on the command line would be.
    environment = {**os.environ, "MILEPOST_KEY": key}
    process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603
    url = f"http://127.0.0.1:{port}"
    try:
        with MilepostClient(url, key=key) as client:
            for _ in range(600):
                if client.health().status == "healthy":
                    break
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def work(url: str, key: str) -> None:
    """Store from two projects, and search from one of them."""
    with (
        MilepostClient(url, key=key, project="shop") as ada,
        MilepostClient(url, key=key, project="blog") as ben,
    ):
        ada.store("Releases of the shop are tagged by the release job", author="Ada")
        ada.store("The staging database is called harbour", author="Ada", project="everywhere")
        ben.store("Releases of the blog are tagged by hand", author="Ben")

        print("Ada, in shop: who tags releases?")
        print(ada.search("who tags releases?"))
        print("\nBen, in blog: who tags releases?")
        print(ben.search("who tags releases?"))
        print("\nBen, in blog alone")
        for memory in ben.search("who tags releases?", project="blog"):
            print(f"{memory.project}: {memory.content}")
        print("\nBen: what is the staging database called?")
        print(ben.search("what is the staging database called?"))

    # A space is a wall, where a project is a label.
    with MilepostClient(url, key=key, space="finance") as finance:
        print(f"\nin the space finance: {finance.search('who tags releases?')}")
    with MilepostClient(url, key="a guess") as stranger:
        try:
            stranger.search("who tags releases?")
        except (ConfigError, Unreachable) as refusal:
            print(f"with a wrong key: {refusal}")


def main() -> None:
    """Serve a temporary store and let two people use it."""
    key = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder, "team.db"), key) as url:
        work(url, key)


if __name__ == "__main__":
    main()
