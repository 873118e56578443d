"""Which user of this machine is at the other end of a connection on loopback, as the system says.

A port is open to every user of a machine. The system's table of connections says whose each is, so
that nobody needs a key to be told from the others (`docs/adr/0020-users-of-one-machine.md`).
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from anyio import to_thread

from milepost.config import Settings
from milepost.location import is_loopback

PEER = "peer"
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
# While both ends are open; what was left by its process has no owner any more.
_ESTABLISHED = "01"
_ROOT = 0


class Peer:
    """The other end of one connection, which is looked up once, when somebody asks."""

    def __init__(self, near: Sequence[Any], far: Sequence[Any]) -> None:
        self._ends = near, far
        self._is_ours: bool | None = None

    async def is_ours(self) -> bool:
        """Whether it is of the user who runs this, or of root, who can read all anyway."""
        if self._is_ours is None:
            # The table is as long as the machine has connections.
            user = await to_thread.run_sync(user_of, *self._ends)
            self._is_ours = user in (os.geteuid(), _ROOT)
        return self._is_ours


@cache
def is_known_here() -> bool:
    """Whether this system tells whose connections are: tried with one of our own."""
    if sys.platform != "linux":
        return False
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            socket.create_connection(listening.getsockname()) as ours,
        ):
            return user_of(ours.getpeername(), ours.getsockname()) == os.geteuid()
    except OSError:
        return False


def peer_of(transport: Any) -> Peer | None:
    """Return the other end of a connection; None where it is not known whose it is."""
    held = transport.get_extra_info("socket")
    if held is None or held.family not in (socket.AF_INET, socket.AF_INET6) or not is_known_here():
        return None
    near, far = transport.get_extra_info("sockname"), transport.get_extra_info("peername")
    return Peer(near, far) if near and far else None


def user_of(near: Sequence[Any], far: Sequence[Any]) -> int | None:
    """Return the number of the user whose connection it is; None if that is not known, or gone.

    near, far: the addresses and ports of this end and of the other.
    """
    # As it stands in the row of the other end: its own address first.
    wanted = [
        f" {_written(far, wide)} {_written(near, wide)} {_ESTABLISHED} " for wide in (False, True)
    ]
    for table in TABLES:
        try:
            with open(table, encoding="ascii") as file:  # noqa: PTH123
                next(file)
                for line in file:
                    if wanted[0] in line or wanted[1] in line:
                        return int(line.split()[7])
        except (OSError, StopIteration):
            continue
    return None


def _written(end: Sequence[Any], wide: bool) -> str:
    """Return an address and a port as the table writes them: words in the order of this machine."""
    address = ip_address(str(end[0]).partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if wide and isinstance(address, IPv4Address):
        address = IPv6Address(f"::ffff:{address}")
    words = struct.unpack(f"={len(address.packed) // 4}I", address.packed)
    return f"{''.join(f'{word:08X}' for word in words)}:{end[1]:04X}"


def without_key(settings: Settings) -> str:
    """Return who is let in by a server that asks for no key; empty for one that does."""
    if settings.key or settings.oauth_issuer or not is_loopback(settings.host.lower()):
        return ""
    if is_known_here():
        return "no key is set: programs of this user, and of root, are let in, and nobody else"
    return (
        "no key is set: every user of this machine is let in; where there are others, set "
        "MILEPOST_KEY_FILE to a file that only you can read"
    )
