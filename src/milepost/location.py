"""Where memories are: what a URL names."""

from __future__ import annotations


def file_of(url: str) -> str | None:
    """Return the file that a path, sqlite:path or a sqlite:// URL names; None for anything else."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url.removeprefix("sqlite:")
    return rest[1:] if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1 else None


def is_server(url: str) -> bool:
    """Whether a URL names a server, or several with commas between them."""
    return url.startswith(_SERVERS)


def servers_of(url: str) -> list[str]:
    """Return the addresses of the servers that a URL names."""
    addresses: list[str] = []
    for part in url.split(","):
        # A comma may stand in the path of an address too.
        if addresses and not part.strip().startswith(_SERVERS):
            addresses[-1] += f",{part}"
        else:
            addresses.append(part)
    return list(dict.fromkeys(address.strip().rstrip("/") for address in addresses))


_SERVERS = ("http://", "https://")
