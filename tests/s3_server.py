"""A server that speaks S3's protocol and checks signatures: rclone's, over a folder."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import which
from typing import NamedTuple

import pytest

from support import wait_until

KEY_ID, SECRET = "AKTEST", "a secret of the tests"


class S3Server(NamedTuple):
    """Where it listens, and the folder in which its buckets lie."""

    endpoint: str
    folder: Path


@contextmanager
def serving(folder: Path) -> Iterator[S3Server]:
    """Serve a folder, whose own folders are the buckets."""
    beside = Path(sys.executable).with_name("rclone")
    program = str(beside) if beside.exists() else which("rclone")
    if program is None:
        pytest.skip("there is no rclone here to be the server")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    (folder / "bucket").mkdir(parents=True)
    address, auth = f"127.0.0.1:{port}", f"{KEY_ID},{SECRET}"
    words = [program, "serve", "s3", "--addr", address, "--auth-key", auth, str(folder)]
    environment = {"RCLONE_CONFIG": str(folder / "rclone.conf"), "HOME": str(folder)}
    with (folder / "rclone.log").open("wb") as log:
        server = subprocess.Popen(words, stdout=log, stderr=log, env=environment)
    try:
        wait_until(lambda: _answers(port))
        yield S3Server(f"http://{address}", folder)
    finally:
        server.kill()
        server.wait()


def _answers(port: int) -> bool:
    with closing(socket.socket()) as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0
