"""Name terms, labels and sessions by stable numbers, so that indexes hold no strings."""

from functools import lru_cache
from hashlib import blake2b

# Neighbours in a session lie this far apart as keys: key(position + 1) = key(position) + STEP.
POSITION_STEP = 0x9E3779B97F4A7C15


@lru_cache(maxsize=200_000)
def term_key(term: str) -> int:
    """Return the 32-bit key of a term; a rare collision costs a little rank, never a filter."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=4).digest())


@lru_cache(maxsize=20_000)
def label_key(kind: str, label: str) -> int:
    """Return the 64-bit key of a label (tag, project, kind, space, author), never 0."""
    digest = blake2b(f"{kind}\0{label}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) or 1
