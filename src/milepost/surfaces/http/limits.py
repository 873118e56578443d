"""How much a server takes on before it refuses."""

from typing import NamedTuple


class ServerLimits(NamedTuple):
    """Ceilings; what goes past one is refused with a status that says which."""

    body_bytes: int = 8 << 20
    # What all requests together may hold of their bodies.
    bodies_bytes: int = 64 << 20
    body_seconds: float = 20.0
    header_seconds: float = 10.0
    # How long a client may not read what is sent to it.
    reading_seconds: float = 30.0
    idle_seconds: int = 60
    in_flight: int = 256
    connections: int = 1024
    workers: int = 4
    waiting: int = 128
    shutdown_seconds: int = 10
