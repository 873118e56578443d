"""A segment: an immutable slice of the search index over some memories, in RAM or mapped."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.keys import POSITION_STEP, label_key
from milepost.sealing import Key
from milepost.storage.index.arrays import ArrayFile, Arrays, write_arrays
from milepost.storage.index.signs import bit_codes
from milepost.storage.index.vectors import unpack_vectors
from milepost.storage.pooling import impact_bytes, places_in, session_key, term_impacts
from milepost.text.speakers import called, spoken

# The label of memories that belong to no project; no project can be called so.
NO_PROJECT = ""
# The label of all that belongs to a branch, beside that of the branch.
ANY_BRANCH = ""

_COLUMNS = {
    "ids": np.int64,
    "space": np.uint64,
    "session": np.uint64,
    "position": np.int64,
    "author": np.uint64,
    "created": np.int64,
    "valid_to": np.int64,
    "valid_from": np.int64,
    "traits": np.uint16,
    "trust": np.uint8,
    "standing": np.uint8,
}


class IndexRow(NamedTuple):
    """What the index knows of one memory."""

    id: int
    change: int
    space: int
    session: int
    position: int
    author: int
    created: int
    valid_from: int
    valid_to: int
    traits: int
    trust: int
    standing: int
    terms: bytes
    labels: Sequence[int]
    vectors: Sequence[tuple[str, bytes]]


def index_row(
    *,
    memory_id: int,
    change: int,
    space: str,
    session: str | None,
    position: int,
    author: str | None,
    created: int,
    valid_from: int,
    valid_to: int,
    traits: int,
    trust: int,
    standing: int,
    terms: bytes,
    kind: str,
    opening: str,
    tags: Sequence[str],
    projects: Sequence[str],
    branch: str | None,
    vectors: Sequence[tuple[str, bytes]],
) -> IndexRow:
    """Return what the index keeps of a memory: numbers in place of every name."""
    speaker = spoken(opening)[0] if author is None else author
    labels = [label_key("kind", kind)]
    labels += [label_key("tag", tag) for tag in tags]
    labels += [label_key("project", project) for project in projects or (NO_PROJECT,)]
    labels += [label_key("branch", name) for name in (branch, ANY_BRANCH) if branch is not None]
    return IndexRow(
        memory_id,
        change,
        label_key("space", space),
        session_key(space, session),
        position,
        0 if speaker is None else label_key("author", called(speaker)),
        created,
        valid_from,
        valid_to,
        traits,
        trust,
        standing,
        terms,
        labels,
        vectors,
    )


class Channel(NamedTuple):
    """The vectors of one embedding model; a scale of 0 marks a memory that has none."""

    values: NDArray[np.int8]
    scale: NDArray[np.float32]
    codes: NDArray[np.uint64]


class Members(NamedTuple):
    """The documents of a space, None for all; how many they are, and how many terms they have."""

    mask: NDArray[np.bool_] | None
    size: int
    terms: int


Span = tuple[int, int]


class Segment:
    """The columns, postings and vectors of a set of memories, ordered by id."""

    def __init__(
        self, arrays: Arrays, change: int, models: Sequence[str], file: ArrayFile | None = None
    ) -> None:
        self.arrays = arrays
        self.file = file
        self.change = change
        self.models = list(models)
        column: Any = arrays.__getitem__
        self.ids: NDArray[np.int64] = column("ids")
        self.space: NDArray[np.uint64] = column("space")
        self.session: NDArray[np.uint64] = column("session")
        self.position: NDArray[np.int64] = column("position")
        self.author: NDArray[np.uint64] = column("author")
        self.created: NDArray[np.int64] = column("created")
        self.valid_from: NDArray[np.int64] = column("valid_from")
        self.valid_to: NDArray[np.int64] = column("valid_to")
        self.traits: NDArray[np.uint16] = column("traits")
        self.forward_starts: NDArray[np.int64] = column("forward_starts")
        self.forward_terms: NDArray[np.uint32] = column("forward_terms")
        self.term_keys: NDArray[np.uint32] = column("term_keys")
        self.term_starts: NDArray[np.int64] = column("term_starts")
        self.posting_docs: NDArray[np.uint32] = column("posting_docs")
        self.posting_impacts: NDArray[np.uint8] = column("posting_impacts")
        self.label_keys: NDArray[np.uint64] = column("label_keys")
        self.label_starts: NDArray[np.int64] = column("label_starts")
        self.label_docs: NDArray[np.uint32] = column("label_docs")
        self.place_keys: NDArray[np.uint64] = column("place_keys")
        self.place_docs: NDArray[np.uint32] = column("place_docs")
        self.alive: NDArray[np.bool_] | None = None
        self._ranges: dict[str, tuple[int, int]] = {}
        self._deaths = 0
        self._counts: dict[int, tuple[int, int, int]] = {}
        self.one_space = bool(len(self.space)) and bool((self.space == self.space[0]).all())

    def __len__(self) -> int:
        return len(self.ids)

    def members(self, space: int) -> "Members":
        """Return which documents are live memories of a space, and what they come to."""
        deaths = self._deaths  # before looking: whoever dies meanwhile is counted next time
        if self.one_space and self.space[0] == np.uint64(space):
            if self.alive is None:
                return Members(None, len(self), len(self.forward_terms))
            mask = self.alive
        else:
            mask = self.space == np.uint64(space)
            mask = mask if self.alive is None else mask & self.alive
        known = self._counts.get(space)
        if known is None or known[0] != deaths:
            terms = int(np.diff(self.forward_starts)[mask].sum())
            known = deaths, int(np.count_nonzero(mask)), terms
            self._counts[space] = known
        return Members(mask, *known[1:])

    def channel(self, model: str) -> Channel | None:
        """Return the vectors of a model, or None where this segment has none of it."""
        if model not in self.models:
            return None
        i = self.models.index(model)
        column: Any = self.arrays.__getitem__
        return Channel(column(f"values{i}"), column(f"scale{i}"), column(f"codes{i}"))

    def range_of(self, field: str) -> tuple[int, int]:
        """Return the smallest and the largest value of a column; (0, 0) where it has none."""
        if field not in self._ranges:
            column: Any = self.arrays[field]
            ends = (int(column.min()), int(column.max())) if len(column) else (0, 0)
            self._ranges[field] = ends
        return self._ranges[field]

    def kill(self, ids: NDArray[np.int64]) -> None:
        """Hide memories that were changed or deleted since this segment was built."""
        docs = self.docs_of(ids)
        if len(docs) == 0:
            return
        if self.alive is None:
            self.alive = np.ones(len(self), bool)
        self.alive[docs] = False
        self._deaths += 1

    def docs_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the documents of those memories that this segment was built with."""
        at = np.searchsorted(self.ids, ids)
        at = at[at < len(self)]
        docs: NDArray[np.int64] = at[np.isin(self.ids[at], ids)]
        return docs

    def postings(self, terms: NDArray[np.uint32]) -> list[Span]:
        """Return where the postings of each term lie, an empty span for one that nobody holds."""
        starts, ends = self.posted(terms)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def posted(self, terms: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the postings of each term begin and end."""
        return _edges_of(self.term_keys, self.term_starts, terms)

    def labelled(self, labels: NDArray[np.uint64]) -> list[NDArray[np.uint32]]:
        """Return the documents that carry each of the labels."""
        starts, ends = _edges_of(self.label_keys, self.label_starts, labels)
        edges = zip(starts.tolist(), ends.tolist(), strict=True)
        return [self.label_docs[start:end] for start, end in edges]

    def place_of(self, docs: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the keys of the places that documents have in their sessions, 0 for none."""
        return places_in(self.session.take(docs), self.position.take(docs))

    def places(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the live document at each place of a session, or -1."""
        if len(self.place_keys) == 0:
            return np.full(len(keys), -1, np.int64)
        at = np.minimum(np.searchsorted(self.place_keys, keys), len(self.place_keys) - 1)
        docs = np.where(self.place_keys[at] == keys, self.place_docs[at].astype(np.int64), -1)
        if self.alive is not None:
            docs[(docs >= 0) & ~self.alive[docs]] = -1
        return docs

    def save(self, path: Path, key: Key | None = None) -> None:
        """Write the segment to a file."""
        write_arrays(path, self.arrays, {"change": self.change, "models": self.models}, key)


def _edges_of(
    keys: NDArray[Any], starts: NDArray[np.int64], wanted: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if len(keys) == 0:
        nowhere = np.zeros(len(wanted), np.int64)
        return nowhere, nowhere
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    first = starts[at]
    return first, np.where(keys[at] == wanted, starts[at + 1], first)


def load_segment(path: Path, key: Key | None = None) -> Segment:
    """Map a segment's file, or read an encrypted one; raise when it cannot be used."""
    file = ArrayFile(path, key=key)
    return Segment(file.arrays, int(file.header["change"]), file.header["models"], file)


def blank_rows(path: Path, ids: NDArray[np.int64], key: Key | None = None) -> None:
    """Blank the words and vectors of memories in a segment's file, in place.

    Which of the keys in its table of terms were theirs can then only be guessed; the next merge
    drops those too.
    """
    file = ArrayFile(path, writable=True, key=key)
    arrays = file.arrays
    docs = Segment(arrays, 0, []).docs_of(ids)
    if len(docs) == 0:
        return
    starts: Any = arrays["forward_starts"]
    counts = starts[docs + 1] - starts[docs]
    arrays["forward_terms"][spans(starts[docs], counts)] = 0
    arrays["posting_impacts"][np.isin(arrays["posting_docs"], docs)] = 0
    arrays["session"][docs] = 0
    arrays["author"][docs] = 0
    _blank_places(arrays, docs)
    for name, array in arrays.items():
        if name.startswith(("values", "scale")):
            array[docs] = 0
        elif name.startswith("codes"):
            array[:, docs] = 0
    file.seal()


def _blank_places(arrays: Arrays, docs: NDArray[np.int64]) -> None:
    """Let each place of some documents repeat the one before it: the keys must stay in order."""
    keys: Any = arrays["place_keys"]
    gone = np.isin(arrays["place_docs"], docs)
    before = np.maximum.accumulate(np.where(gone, -1, np.arange(len(keys))))
    keys[gone] = np.where(before[gone] < 0, 0, keys[before[gone]])


def is_blank(segment: Segment, ids: NDArray[np.int64]) -> bool:
    """Whether a segment holds no words or vectors of some memories any more."""
    docs = segment.docs_of(ids)
    starts = segment.forward_starts
    words = segment.forward_terms[spans(starts[docs], starts[docs + 1] - starts[docs])]
    scales = [segment.arrays[f"scale{i}"][docs] for i in range(len(segment.models))]
    return not words.any() and not any(scale.any() for scale in scales)


def build_segment(rows: Sequence[IndexRow], change: int) -> Segment:
    """Index rows, which must be ordered by id."""
    columns: Arrays = {
        name: np.array([getattr(row, _FIELD.get(name, name)) for row in rows], dtype)
        for name, dtype in _COLUMNS.items()
    }
    terms = np.frombuffer(b"".join(row.terms for row in rows), np.uint32)
    lengths = np.array([len(row.terms) // 4 for row in rows], np.int64)
    labels = np.array([label for row in rows for label in row.labels], np.uint64)
    label_counts = np.array([len(row.labels) for row in rows], np.int64)
    models = sorted({model for row in rows for model, _ in row.vectors})
    channels = [_channel_of(rows, model) for model in models]
    return _assemble(columns, terms, lengths, labels, label_counts, models, channels, change)


def merge_segments(segments: Sequence[Segment]) -> Segment:
    """Join segments into one without the memories that were hidden in them."""
    keep = [np.flatnonzero(s.alive) if s.alive is not None else np.arange(len(s)) for s in segments]
    order = np.argsort(np.concatenate([s.ids[k] for s, k in zip(segments, keep, strict=True)]))

    def joined(name: str) -> NDArray[Any]:
        parts = [s.arrays[name][k] for s, k in zip(segments, keep, strict=True)]
        return np.concatenate(parts)[order]

    columns: Arrays = {name: joined(name) for name in _COLUMNS}
    terms, lengths = _joined_lists(
        [
            (s.term_keys[s.forward_terms], s.forward_starts, k)
            for s, k in zip(segments, keep, strict=True)
        ],
        order,
    )
    labels, label_counts = _joined_lists(
        [(*_labels_by_document(s), k) for s, k in zip(segments, keep, strict=True)], order
    )
    models = sorted({model for s in segments for model in s.models})
    channels = [_joined_channel(segments, keep, order, model) for model in models]
    change = max(s.change for s in segments)
    return _assemble(columns, terms, lengths, labels, label_counts, models, channels, change)


_FIELD = {"ids": "id"}


def _assemble(
    columns: Arrays,
    terms: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    labels: NDArray[np.uint64],
    label_counts: NDArray[np.int64],
    models: Sequence[str],
    channels: Sequence[Channel],
    change: int,
) -> Segment:
    arrays = dict(columns)
    arrays["forward_starts"] = _starts(lengths)
    _invert_terms(arrays, terms, lengths)
    _invert_labels(arrays, labels, label_counts)
    _index_places(arrays)
    for i, (values, scale, codes) in enumerate(channels):
        arrays |= {f"values{i}": values, f"scale{i}": scale, f"codes{i}": codes}
    return Segment(arrays, change, models)


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _invert_terms(arrays: Arrays, terms: NDArray[np.uint32], lengths: NDArray[np.int64]) -> None:
    keys, ordinals = np.unique(terms, return_inverse=True)
    pairs, impacts = postings_of(ordinals, lengths)
    arrays["term_keys"] = keys
    arrays["term_starts"] = np.searchsorted(pairs >> 32, np.arange(len(keys) + 1)).astype(np.int64)
    arrays["posting_docs"] = (pairs & 0xFFFFFFFF).astype(np.uint32)
    arrays["posting_impacts"] = impact_bytes(impacts)
    arrays["forward_terms"] = ordinals.astype(np.uint32)


def postings_of(
    ordinals: NDArray[Any], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Return each term and document that holds it, as one number, and BM25's weight of it there."""
    documents = np.repeat(np.arange(len(lengths), dtype=np.uint64), lengths)
    pairs, counts = np.unique((ordinals.astype(np.uint64) << 32) | documents, return_counts=True)
    return pairs, term_impacts(counts, lengths[pairs & 0xFFFFFFFF])


def unrounded_impacts(segment: Segment) -> NDArray[np.float32]:
    """Return the weights of a segment's postings as they were before they became bytes."""
    lengths = np.diff(segment.forward_starts)
    return postings_of(segment.forward_terms, lengths)[1].astype(np.float32)


def _invert_labels(arrays: Arrays, labels: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
    documents = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
    order = np.argsort(labels, kind="stable")
    keys, starts = np.unique(labels[order], return_index=True)
    arrays["label_keys"] = keys
    arrays["label_starts"] = np.append(starts, len(labels)).astype(np.int64)
    arrays["label_docs"] = documents[order]


def _index_places(arrays: Arrays) -> None:
    session: Any = arrays["session"]
    docs = np.flatnonzero(session)
    position: Any = arrays["position"]
    keys = session[docs] + position[docs].astype(np.uint64) * np.uint64(POSITION_STEP)
    order = np.argsort(keys, kind="stable")
    arrays["place_keys"] = keys[order]
    arrays["place_docs"] = docs[order].astype(np.uint32)


def _channel_of(rows: Sequence[IndexRow], model: str) -> Channel:
    blobs = [next((b for m, b in row.vectors if m == model), None) for row in rows]
    values, scale = unpack_vectors(blobs)
    return Channel(values, scale, bit_codes(values))


def _joined_channel(
    segments: Sequence[Segment],
    keep: Sequence[NDArray[np.int64]],
    order: NDArray[np.int64],
    model: str,
) -> Channel:
    held = [s.channel(model) for s in segments]
    first = next(channel for channel in held if channel is not None)
    joined = Channel(
        np.zeros((len(order), first.values.shape[1]), np.int8),
        np.zeros(len(order), np.float32),
        np.zeros((len(first.codes), len(order)), np.uint64),
    )
    end = 0
    for channel, kept in zip(held, keep, strict=True):
        span = slice(end, end + len(kept))
        if channel is not None:
            joined.values[span] = channel.values[kept]
            joined.scale[span] = channel.scale[kept]
            joined.codes[:, span] = channel.codes[:, kept]
        end += len(kept)
    return Channel(joined.values[order], joined.scale[order], joined.codes[:, order])


def _joined_lists(
    parts: Sequence[tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]],
    order: NDArray[np.int64],
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    counts = [np.diff(starts)[kept] for _, starts, kept in parts]
    gathered = [
        values[spans(starts[kept], count)]
        for (values, starts, kept), count in zip(parts, counts, strict=True)
    ]
    flat, count = np.concatenate(gathered), np.concatenate(counts)
    return flat[spans(_starts(count)[:-1][order], count[order])], count[order]


def _labels_by_document(segment: Segment) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    labels = np.repeat(segment.label_keys, np.diff(segment.label_starts))
    order = np.argsort(segment.label_docs, kind="stable")
    counts = np.bincount(segment.label_docs, minlength=len(segment))
    return labels[order], _starts(counts.astype(np.int64))


def spans(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indexes of many slices one after another: start, start + 1, … for each."""
    total = int(counts.sum())
    ends = np.cumsum(counts)
    offsets = np.repeat(starts - (ends - counts), counts)
    places: NDArray[np.int64] = np.arange(total, dtype=np.int64) + offsets
    return places
