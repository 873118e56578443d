"""Where memories are: what a URL names."""

from __future__ import annotations


def file_of(url: str) -> str | None:
    """Return the file that a path, sqlite:path or a sqlite:// URL names; None for anything else."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url.removeprefix("sqlite:")
    return rest[1:] if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1 else None


def without_password(url: str) -> str:
    """Return a URL, or a text with some, as it can be shown."""
    if "://" not in url or not ("@" in url or "password=" in url):
        return url
    import re

    shown = re.sub(r"(?<=//)([^/@:\n\"]*):[^/\n\"]*(?=@)", r"\1:***", url)
    return re.sub(r"([?&](?:ssl)?password=)[^&\s]*", r"\1***", shown)


def number_of(text: str) -> int:
    """Return the number of a text, the same in every process, of 64 bits.

    A hash of our own, for those of the library take longer to import.
    """
    number = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        number = ((number ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return number


def is_server(url: str) -> bool:
    """Whether a URL names a server."""
    return url.startswith(("http://", "https://"))


def is_database(url: str) -> bool:
    """Whether a URL names a database of PostgreSQL."""
    return url.startswith(("postgresql://", "postgres://"))
