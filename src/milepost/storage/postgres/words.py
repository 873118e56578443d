"""What a search looks at of a memory, as PostgreSQL keeps it beside the text."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Draft
from milepost.ranking.keys import label_key
from milepost.storage.pooling import IMPACT_SCALE, impact_bytes, term_impacts
from milepost.storage.postgres.sealed import Seals
from milepost.storage.postgres.vectors import SparseVector, sparse_vector
from milepost.text.speakers import OPENING, called, spoken

# A sparse vector has so many places; a term has the place that its key leaves.
PLACES = 1_000_000_000


def search_columns(draft: Draft, seals: Seals | None) -> Mapping[str, Any]:
    """Return the columns of a memory that only a search reads."""
    columns = searched(draft.space, draft.author, draft.content, draft.analysis.terms, seals)
    return {"tags": list(draft.tags), "projects": list(draft.projects), **columns}


def searched(
    space: str, author: str | None, content: str, terms: bytes, seals: Seals | None
) -> dict[str, Any]:
    """Return what follows from a memory that is found in a space; its terms as they are kept."""
    every = np.frombuffer(terms, np.uint32)
    if seals is not None:
        every = seals.words(every)
    once, counts = np.unique(every, return_counts=True)
    return {
        "terms": every.tobytes(),
        "speaker": signed(speaker_of(author, content)),
        "terms_once": once.view(np.int32).tolist(),
        "keys": mixed(once, space).tolist(),
        "words": impacts(once, counts, len(every)),
    }


def speaker_of(author: str | None, content: str) -> int:
    """Return the number of who speaks in a memory, 0 for nobody."""
    speaker = spoken(content[:OPENING])[0] if author is None else author
    return 0 if speaker is None else label_key("author", called(speaker))


def signed(number: int) -> int:
    """Return an unsigned number of 64 bits as the database keeps it."""
    return number - (1 << 64) if number >> 63 else number


def mixed(terms: NDArray[np.uint32], space: str) -> NDArray[np.int32]:
    """Return terms as keys of a space, so that the lists of their holders are of that alone."""
    keys: NDArray[np.int32] = (terms ^ _mix(space)).view(np.int32)
    return keys


def mix_of(space: str) -> int:
    """Return what terms are mixed with, as the database takes it."""
    return int(_mix(space).view(np.int32))


@lru_cache(maxsize=1_000)
def _mix(space: str) -> np.uint32:
    digest = blake2b(space.encode("utf-8", "replace"), digest_size=4).digest()
    return np.uint32(int.from_bytes(digest))


def impacts(terms: NDArray[np.uint32], counts: NDArray[np.int64], length: int) -> SparseVector:
    """Return how much of a memory each of its terms is, rounded as every store rounds it."""
    places = terms.astype(np.int64) % PLACES
    weights = impact_bytes(term_impacts(counts, np.full(len(counts), length)))
    values = (weights / np.float32(IMPACT_SCALE)).astype(np.float32)
    order = np.argsort(places)
    places, values = places[order], values[order]
    first = np.append(True, places[1:] != places[:-1])[: len(places)]
    return sparse_vector(places[first], values[first], PLACES)
