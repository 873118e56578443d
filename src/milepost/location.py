"""Where memories are: what a URL names."""

from __future__ import annotations


def file_of(url: str) -> str | None:
    """Return the file that a path, sqlite:path or a sqlite:// URL names; None for anything else."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url.removeprefix("sqlite:")
    return rest[1:] if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1 else None


def is_server(url: str) -> bool:
    """Whether a URL names a server."""
    return url.startswith(("http://", "https://"))


def is_database(url: str) -> bool:
    """Whether a URL names a database of PostgreSQL."""
    return url.startswith(("postgresql://", "postgres://"))
