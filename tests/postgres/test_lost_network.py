"""A network that is cut and healed: who waits is told in time, and nothing is started anew."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import which

import psycopg
import pytest

import milepost
from milepost.app import Milepost
from milepost.errors import StoreUnavailable
from milepost.storage.postgres import connections
from milepost.testing.postgres import PostgresServer, postgres_server
from support import wait_until

pytestmark = pytest.mark.slow
HERE, THERE = "10.213.77.1", "10.213.77.2"
_NAME = "mp-cut"


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


class Cable:
    """Two ends of a network: this one, and another in a namespace of its own."""

    def cut(self) -> None:
        assert _run("ip", "link", "set", f"{_NAME}-0", "down")

    def heal(self) -> None:
        assert _run("ip", "link", "set", f"{_NAME}-0", "up")


@contextmanager
def cable() -> Iterator[Cable]:
    if which("ip") is None or not _run("ip", "netns", "add", _NAME):
        pytest.skip("no network namespace can be made here")
    try:
        inside = ("ip", "netns", "exec", _NAME, "ip")
        laid = (
            _run("ip", "link", "add", f"{_NAME}-0", "type", "veth", "peer", f"{_NAME}-1")
            and _run("ip", "link", "set", f"{_NAME}-1", "netns", _NAME)
            and _run("ip", "addr", "add", f"{HERE}/30", "dev", f"{_NAME}-0")
            and _run("ip", "link", "set", f"{_NAME}-0", "up")
            and _run(*inside, "addr", "add", f"{THERE}/30", "dev", f"{_NAME}-1")
            and _run(*inside, "link", "set", f"{_NAME}-1", "up")
        )
        if not laid:
            pytest.skip("no pair of network devices can be made here")
        yield Cable()
    finally:
        _run("ip", "link", "del", f"{_NAME}-0")
        _run("ip", "netns", "del", _NAME)


# Hands on what comes from the other namespace to a server here; that is all.
_HAND_ON = """
import socket, sys, threading
def copy(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    for each in (one, other):
        each.close()
listening = socket.create_server((sys.argv[1], 5432))
print("ready", flush=True)
while True:
    taken, _ = listening.accept()
    on = socket.socket(socket.AF_UNIX)
    on.connect(sys.argv[2])
    for pair in ((taken, on), (on, taken)):
        threading.Thread(target=copy, args=pair, daemon=True).start()
"""


@contextmanager
def at_the_other_end(server: PostgresServer) -> Iterator[None]:
    """Let a server be reached through the cable: its socket is a file, in every namespace."""
    place = f"{server.socket_folder}/.s.PGSQL.{server.port}"
    process = subprocess.Popen(
        ["ip", "netns", "exec", _NAME, sys.executable, "-c", _HAND_ON, THERE, place],
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_a_network_is_cut_and_healed(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = {"tcp_user_timeout": "1500", "connect_timeout": "2"}
    quick |= {"keepalives_idle": "1", "keepalives_interval": "1", "keepalives_count": "1"}
    monkeypatch.setattr(connections, "_USUAL", connections._USUAL | quick)
    monkeypatch.setattr(connections, "POOL_WAIT_S", 2.0)
    monkeypatch.setattr(connections, "RETRY_S", 1.0)
    with cable() as network, postgres_server() as server, at_the_other_end(server):
        url = server.new_database()
        far = url.replace(f"127.0.0.1:{server.port}", f"{THERE}:5432")
        with milepost.connect(far) as memory:
            name = memory.store("the harbour opens at six")
            network.cut()
            with pytest.raises(StoreUnavailable):
                memory.search("harbour")
            with pytest.raises(StoreUnavailable):
                memory.store("nobody hears of this")
            network.heal()

            wait_until(lambda: _found(memory) == [name])
            assert memory.store("it closes at nine")
            assert memory.health().count == 2


def _found(memory: Milepost) -> list[str]:
    try:
        return [row.hash for row in memory.search("harbour")]
    except StoreUnavailable:
        return []


def test_what_a_url_says_of_its_connection_holds() -> None:
    given = connections.parameters("postgresql://a@b/c?connect_timeout=9&keepalives_idle=60")

    assert (given["connect_timeout"], given["keepalives_idle"]) == ("9", "60")
    assert psycopg.conninfo.make_conninfo(**given)
