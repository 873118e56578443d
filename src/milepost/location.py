"""Where memories are: what a URL names."""

from __future__ import annotations

# What stands for a secret where settings are shown.
MASKED = "********"


def file_of(url: str) -> str | None:
    """Return the file that a path, sqlite:path or a sqlite:// URL names; None for anything else."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url.removeprefix("sqlite:")
    return rest[1:] if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1 else None


def number_of(text: str) -> int:
    """Return the number of a text, the same in every process, of 64 bits.

    A hash of our own, for those of the library take longer to import.
    """
    number = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        number = ((number ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return number


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


def clear_hosts(urls: str) -> list[str]:
    """Return the hosts beyond this machine that a setting names by an http:// address."""
    import re
    from urllib.parse import urlsplit

    hosts = [urlsplit(url).hostname or "" for url in re.findall(r"http://[^\s,#]+", urls)]
    return [host for host in hosts if not is_loopback(host)]


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine alone."""
    from ipaddress import ip_address

    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_database(url: str) -> bool:
    """Whether a URL names a database of PostgreSQL."""
    return url.startswith(("postgresql://", "postgres://"))


def shown(url: str) -> str:
    """Return a URL as it may be printed: without the password that it has."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    place, mark, query = rest.partition("?")
    login, at, host = place.rpartition("@")
    user, colon, _ = login.partition(":")
    options = [_masked(option) for option in query.split("&")]
    return f"{scheme}://{user}{colon and ':' + MASKED}{at}{host}{mark}{'&'.join(options)}"


def _masked(option: str) -> str:
    name, equals, _ = option.partition("=")
    return f"{name}{equals}{MASKED}" if name.endswith("password") else option


def without_passwords(text: str) -> str:
    """Return a text without the passwords of the URLs in it."""
    if "://" not in text or not ("@" in text or "password=" in text):
        return text
    import re

    left = re.sub(r"(?<=//)([^/@:\n\"]*):[^/\n\"]*(?=@)", rf"\1:{MASKED}", text)
    return re.sub(r"([?&]\w*password=)[^&\s\"]*", rf"\1{MASKED}", left)


_SERVERS = ("http://", "https://")
