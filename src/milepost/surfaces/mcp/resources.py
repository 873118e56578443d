"""What a client can attach to a conversation without a tool: `memory://` addresses."""

from typing import NamedTuple
from urllib.parse import unquote

from milepost.memory.values import CompactSearchResult
from milepost.text.fence import as_data

SCHEME = "memory://"
# A time that everything lies after makes recall list the newest.
EVER = "since 1970"
SHOWN = 20


class Resource(NamedTuple):
    """An address, or a template of addresses, and what is found there."""

    address: str
    name: str
    description: str

    @property
    def is_template(self) -> bool:
        """Whether the address has a gap to fill."""
        return "{" in self.address


RESOURCES = (
    Resource(f"{SCHEME}recent", "recent", "The newest memories."),
    Resource(f"{SCHEME}health", "health", "Whether the memory works and how much it holds."),
    Resource(f"{SCHEME}tag/{{tag}}", "tag", "The newest memories with a tag."),
    Resource(f"{SCHEME}{{hash}}", "memory", "A whole memory, by its hash."),
)


def resolve(address: str) -> tuple[str, dict[str, object]] | None:
    """Return the operation that reads an address, and its arguments."""
    if not address.startswith(SCHEME):
        return None
    path = unquote(address.removeprefix(SCHEME)).strip("/")
    if path == "recent":
        return "recall", {"text": EVER, "limit": SHOWN}
    if path == "health":
        return "health", {}
    if path.startswith("tag/"):
        return "search_by_tag", {"tags": [path.removeprefix("tag/")], "limit": SHOWN}
    return ("get", {"hash": path}) if path else None


def named(result: CompactSearchResult, gap: str) -> list[str]:
    """Return what memories offer to fill the gap of a template."""
    if gap == "hash":
        return [memory.hash for memory in result.memories]
    tags = {tag for memory in result.memories for tag in memory.tags if gap == "tag"}
    return sorted(tag for tag in tags if as_data(tag) == tag)
