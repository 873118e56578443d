"""Two servers behind the proxy of `deploy/`: whoever asks does not notice when one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from container import DEPLOY, free_port, tool

from milepost import MilepostClient
from support import PATIENCE_S, wait_until

pytestmark = pytest.mark.slow


@contextmanager
def started(*words: str, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, env=os.environ | env, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def serve(port: int) -> list[str]:
    return [sys.executable, "-m", "milepost", "serve", "--port", str(port)]


def test_one_of_two_servers_is_killed_and_nobody_notices(path: Path, tmp_path: Path) -> None:
    caddy, ports, front = tool("caddy"), [free_port(), free_port()], free_port()
    url = f"http://127.0.0.1:{front}"
    settings = {
        "SITE": url,
        "SERVERS": " ".join(f"127.0.0.1:{port}" for port in ports),
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    config = str(DEPLOY / "Caddyfile")
    with ExitStack() as stack:
        servers = [stack.enter_context(started(*serve(p), MILEPOST_URL=str(path))) for p in ports]
        for port in ports:
            wait_until(lambda port=port: answers(f"http://127.0.0.1:{port}/readyz"))
        stack.enter_context(
            started(caddy, "run", "--adapter", "caddyfile", "--config", config, **settings)
        )
        wait_until(lambda: answers(f"{url}/readyz"))
        memory = stack.enter_context(MilepostClient(url, timeout=PATIENCE_S))
        for n in range(10):
            memory.store(f"The gate of yard {n} opens at nine")

        servers[0].send_signal(signal.SIGKILL)
        servers[0].wait(PATIENCE_S)
        for n in range(10, 30):
            memory.store(f"The gate of yard {n} opens at nine")
        assert memory.health().count == 30

        again = stack.enter_context(started(*serve(ports[0]), MILEPOST_URL=str(path)))
        wait_until(lambda: answers(f"http://127.0.0.1:{ports[0]}/readyz"))
        servers[1].send_signal(signal.SIGKILL)
        servers[1].wait(PATIENCE_S)
        assert memory.search("when does the gate of yard 17 open?").memories
        assert again.poll() is None
