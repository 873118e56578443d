"""What is nearest in meaning is found without comparing a question with every vector."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from milepost.storage.index import nearest as nearest_vectors
from milepost.storage.index.masks import Mask
from milepost.storage.index.nearest import nearest
from milepost.storage.index.segment import IndexRow, Segment, build_segment, merge_segments
from milepost.storage.index.signs import bit_codes
from milepost.storage.index.vectors import pack_vectors

Vectors = NDArray[np.float32]


def made_vectors(count: int, width: int, seed: int = 0) -> Vectors:
    """Return vectors of some subjects, whose first components are the largest, as models have."""
    rng = np.random.default_rng(seed)
    subjects = rng.standard_normal((40, width))
    rows = subjects[rng.integers(0, 40, count)] + 1.5 * rng.standard_normal((count, width))
    rows *= np.linspace(3, 1, width)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def segment_of(vectors: Vectors, first_id: int = 1) -> Segment:
    rows = [
        IndexRow(first_id + i, 1, 1, 0, 0, 0, 0, 0, 1, 0, 6, 0, b"", [], [("m", blob)])
        for i, blob in enumerate(pack_vectors(list(vectors)))
    ]
    return build_segment(rows, 1)


def exact(segment: Segment, vector: Vectors, count: int, mask: Mask | None = None) -> list[int]:
    channel = segment.channel("m")
    assert channel is not None
    scores = channel.values.astype(np.float32) @ vector * channel.scale
    if mask is not None:
        scores[~mask] = -2
    return np.argsort(-scores, kind="stable")[:count].tolist()


def share_found(segment: Segment, asked: Vectors, mask: Mask | None = None) -> float:
    """Return the share of the exact ten among thirty."""
    shares = []
    for vector in asked:
        hits = nearest([segment], [mask], "m", vector, 30)
        shares.append(np.isin(exact(segment, vector, 10, mask), hits.doc).mean())
    return float(np.mean(shares))


@pytest.mark.parametrize("width", [256, 384, 100])
def test_nearly_all_of_the_nearest_are_found_among_many(width: int) -> None:
    vectors = made_vectors(5_000, width)

    assert share_found(segment_of(vectors[20:]), vectors[:10]) > 0.95


def test_only_what_passes_a_filter_is_found_and_the_nearest_of_it() -> None:
    vectors = made_vectors(5_000, 128)
    segment = segment_of(vectors[20:])
    most, few = np.arange(len(segment)) % 8 > 0, np.arange(len(segment)) % 40 == 0

    for mask in (most, few):
        for vector in vectors[:5]:
            assert mask[nearest([segment], [mask], "m", vector, 30).doc].all()
        assert share_found(segment, vectors[:5], mask) > 0.95
    nothing = nearest([segment], [np.zeros(len(segment), bool)], "m", vectors[0], 30)
    assert len(nothing) == 0


def test_all_are_found_where_there_are_no_more_than_wanted() -> None:
    segment = segment_of(made_vectors(25, 64))

    assert sorted(nearest([segment], [None], "m", made_vectors(1, 64)[0], 30).doc) == [*range(25)]
    assert len(nearest([segment], [None], "another model", made_vectors(1, 64)[0], 30)) == 0


def test_parts_of_an_index_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    # Enough are compared that the choice by signs, of about so many, takes nothing away.
    monkeypatch.setattr(nearest_vectors, "BY_SIMILARITY", 100)
    vectors = made_vectors(4_000, 128)
    parts = [segment_of(vectors[:3_000]), segment_of(vectors[3_000:], 3_001)]
    whole = merge_segments(parts)

    for vector in made_vectors(10, 128, seed=5):
        hits = nearest(parts, [None, None], "m", vector, 40)
        ids = [int(parts[s].ids[d]) for s, d in zip(hits.segment, hits.doc, strict=True)]
        once = nearest([whole], [None], "m", vector, 40)
        assert ids == whole.ids[once.doc].tolist()


def test_copies_of_one_text_do_not_crowd_out_what_is_nearer() -> None:
    vectors = made_vectors(1_000, 64)
    copies = np.repeat(vectors[:1], 20_000, axis=0)
    segment = segment_of(np.concatenate([copies, vectors]))

    hits = nearest([segment], [None], "m", vectors[500], 20)

    assert 20_500 in hits.doc
    assert len(hits) == 20


def test_a_question_without_direction_is_answered() -> None:
    segment = segment_of(made_vectors(5_000, 64))

    assert len(nearest([segment], [None], "m", np.zeros(64, np.float32), 30)) == 30


def test_the_code_of_a_vector_is_the_same_in_whatever_company() -> None:
    values = (made_vectors(9_000, 300) * 127).astype(np.int8)

    assert np.array_equal(bit_codes(values)[:, 8_500:], bit_codes(values[8_500:]))
